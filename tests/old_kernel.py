#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel of October 2016, as far as a program can tell: system calls that came after
Linux 4.8 fail with ENOSYS.

usage: old_kernel.py COMMAND...
"""
import ctypes
import os
import struct
import sys

# The first system call that Linux 4.9 has and 4.8 has not, pkey_mprotect.
FIRST_NEW = {"x86_64": 329, "aarch64": 288}

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER = 2
SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW = 0x00050000, 0x7fff0000
LOAD, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x35, 0x06  # of classic BPF
ENOSYS = 38
PIDFD_OPEN = 434  # everywhere; of Linux 5.3


def is_known() -> bool:
    return os.uname().machine in FIRST_NEW


def enter() -> None:
    """Lets the kernel be an old one for this process and those that it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in (
        (LOAD, 0, 0, 0),  # the number of the system call
        (JUMP_IF_AT_LEAST, 0, 1, FIRST_NEW[os.uname().machine]),
        (RETURN, 0, 0, SECCOMP_RET_ERRNO | ENOSYS),
        (RETURN, 0, 0, SECCOMP_RET_ALLOW)))
    instructions = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(instructions)), 16)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1),
                      (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)):
        if libc.prctl(*arguments, *[0] * (5 - len(arguments))) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    assert libc.syscall(PIDFD_OPEN, os.getpid(), 0) == -1 and ctypes.get_errno() == ENOSYS


if __name__ == "__main__":
    enter()
    os.execvp(sys.argv[1], sys.argv[1:])
