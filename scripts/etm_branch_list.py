# SPDX-License-Identifier: Apache-2.0
"""Makes the branch list of a CoreSight recording that `simpleperf inject --output branch-list` makes, from
the packets alone (Arm IHI 0064), for one file that the recording maps once."""

import collections
import struct

MMAP2, AUXTRACE = 10, 71
FRAME = 16


def records(data: bytes):
    """The type, body and place of each record of a perf.data file, and the payloads of AUXTRACE."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        body = data[at + 8:at + length]
        at += length
        payload = b""
        if kind == AUXTRACE:
            length, = struct.unpack_from("<Q", body)
            payload = data[at:at + length]
            at += length
        yield kind, body, payload


def mapping(data: bytes, path: str) -> tuple[int, int, int]:
    """Start, length and offset in the file of its executable mapping."""
    for kind, body, _ in records(data):
        if kind != MMAP2:
            continue
        start, length, offset = struct.unpack_from("<QQQ", body, 8)
        if body[64:].split(b"\0", 1)[0].decode() == path:
            return start, length, offset
    raise ValueError(f"no mapping of {path}")


def sources(trace: bytes) -> dict[int, bytes]:
    """The bytes of each source of a trace in CoreSight's frames."""
    out, source = collections.defaultdict(bytearray), 0
    for at in range(0, len(trace) - FRAME + 1, FRAME):
        frame = trace[at:at + FRAME]
        low = frame[15]
        for i in range(0, 15, 2):
            byte, bit = frame[i], low >> (i // 2) & 1
            next_byte = frame[i + 1:i + 2] if i < 14 else b""
            if byte & 1:
                if bit:  # the next byte is of the source before
                    out[source] += next_byte
                source = byte >> 1
                if not bit:
                    out[source] += next_byte
            else:
                out[source] += bytes([byte | bit]) + next_byte
    return {source: bytes(trace) for source, trace in out.items() if source not in (0, 0x7f)}


class Packets:
    """Calls on_address(address) and on_atoms(bits) for the packets of an ETMv4 trace, in order."""

    F4 = {0xdc: "NEEE", 0xdd: "NNNN", 0xde: "NENE", 0xdf: "ENEN"}
    F5 = {0xd5: "NNNNN", 0xd6: "NENEN", 0xd7: "ENENE", 0xf5: "NEEEE"}

    def __init__(self, trace: bytes, context_bytes: int):
        self.trace, self.at, self.context_bytes = trace, 0, context_bytes
        self.addresses = [0, 0, 0]

    def byte(self) -> int:
        self.at += 1
        return self.trace[self.at - 1]

    def varint(self, most: int) -> int:
        value = 0
        for i in range(most):
            byte = self.byte()
            value |= (byte & 0x7f) << 7 * i
            if byte < 0x80:
                break
        return value

    def address(self, header: int) -> int:
        if 0x90 <= header <= 0x92:
            address = self.addresses[header - 0x90]
        elif header in (0x95, 0x96):
            shift = 2 if header == 0x95 else 1
            first = self.byte()
            bits = 7
            value = first & 0x7f
            if first & 0x80:
                value |= self.byte() << 7
                bits = 15
            low = value << shift
            address = self.addresses[0] >> (bits + shift) << (bits + shift) | low
        else:
            thumb = header in (0x83, 0x86, 0x9b, 0x9e)
            wide = header in (0x85, 0x86, 0x9d, 0x9e)
            a, b = self.byte(), self.byte()
            address = (a & 0x7f) << 1 | b << 8 if thumb else (a & 0x7f) << 2 | (b & 0x7f) << 9
            rest = 6 if wide else 2
            for i in range(rest):
                address |= self.byte() << (16 + 8 * i)
            if not wide:
                address |= self.addresses[0] >> 32 << 32
        self.addresses = [address, *self.addresses[:2]]
        return address

    def context(self) -> None:
        info = self.byte()
        if info & 0x40:
            self.at += 4
        if info & 0x80:
            self.at += self.context_bytes

    def run(self, on_address, on_atoms) -> None:
        self.at = max(0, self.trace.find(b"\0" * 11 + b"\x80"))
        while self.at < len(self.trace):
            try:
                self.packet(self.byte(), on_address, on_atoms)
            except IndexError:
                return

    def packet(self, header: int, on_address, on_atoms) -> None:
        if header == 0x00:
            if self.byte() == 0 and (end := self.trace.find(b"\x80", self.at)) >= 0:
                self.at = end + 1
                self.addresses = [0, 0, 0]
        elif header == 0x01:
            fields = self.varint(4)
            for bit in range(4):
                if fields >> bit & 1:
                    self.varint(5)
            self.addresses = [0, 0, 0]
        elif header in (0x02, 0x03):
            for _ in range(8):
                if self.byte() < 0x80:
                    break
            else:
                self.byte()
            if header == 0x03:
                self.varint(3)
        elif header == 0x06:
            if self.byte() & 0x80:
                self.byte()
        elif header in (0x0c, 0x0d):
            self.byte()
        elif header in (0x0e, 0x0f):
            self.varint(5)
        elif header == 0x81:
            self.context()
        elif header in (0x82, 0x83, 0x85, 0x86):
            on_address(self.address(header))
            self.context()
        elif 0x90 <= header <= 0x92 or header in (0x95, 0x96, 0x9a, 0x9b, 0x9d, 0x9e):
            on_address(self.address(header))
        elif 0xc0 <= header <= 0xd4 or 0xe0 <= header <= 0xf4:
            on_atoms("E" * ((header & 0x1f) + 3) + ("E" if header < 0xe0 else "N"))
        elif header in self.F4:
            on_atoms(self.F4[header])
        elif header in self.F5:
            on_atoms(self.F5[header])
        elif 0xd8 <= header <= 0xdb:
            on_atoms("".join("NE"[header >> bit & 1] for bit in range(2)))
        elif header >= 0xf8:
            on_atoms("".join("NE"[header >> bit & 1] for bit in range(3)))
        elif header in (0xf6, 0xf7):
            on_atoms("NE"[header & 1])


def lists(data: bytes, path: str, formatted: bool) -> collections.Counter:
    """How often each list of branches, from an address of the file on, is in the recording. The file's
    offsets must be its addresses."""
    start, length, offset = mapping(data, path)
    counts = collections.Counter()
    for kind, _, payload in records(data):
        if kind != AUXTRACE:
            continue
        for trace in sources(payload).values() if formatted else [payload]:
            state = {"address": None, "atoms": ""}

            def flush(state=state):
                address = state["address"]
                if state["atoms"] and address is not None and start <= address < start + length:
                    counts[address - start + offset, state["atoms"]] += 1
                state["atoms"] = ""

            def on_address(address, state=state, flush=flush):
                flush()
                state["address"] = address

            def on_atoms(atoms, state=state):
                state["atoms"] += atoms

            Packets(trace, context_bytes=4).run(on_address, on_atoms)
            flush()
    return counts


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def branch_list(data: bytes, path: str, build_id: str, formatted: bool) -> bytes:
    """The message BranchList of proto/branch_list.proto."""
    by_address = collections.defaultdict(bytes)
    for (address, atoms), count in sorted(lists(data, path, formatted).items()):
        packed = sum(1 << i for i, atom in enumerate(atoms) if atom == "E").to_bytes((len(atoms) + 7) // 8, "little")
        by_address[address] += field(2, field(1, packed) + field(2, len(atoms)) + field(3, count))
    binary = field(1, path.encode()) + field(2, build_id.encode())
    for address, messages in by_address.items():
        binary += field(3, field(1, address) + messages)
    return field(1, b"simpleperf:EtmBranchList") + field(2, binary)
