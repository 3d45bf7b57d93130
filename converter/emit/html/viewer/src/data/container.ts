// SPDX-License-Identifier: Apache-2.0
// A data block of the page: base64 of gzip of a JSON header and columns of integers.

export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

interface ColumnInfo {
  readonly count: number;
  readonly width: number;
  readonly code: 'plain' | 'delta';
  readonly offset: number;
}

const kMagic = 'perf2x-1';
const kEmpty = new Uint8Array(0);

export class Container {
  readonly meta: unknown;
  private readonly columns: Record<string, ColumnInfo>;
  private readonly data: Uint8Array;

  /** Throws if the bytes are no container of this version. */
  constructor(bytes: Uint8Array) {
    const text = new TextDecoder();
    if (text.decode(bytes.subarray(0, 8)) !== kMagic) throw new Error('not a data block');
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
    const header = JSON.parse(text.decode(bytes.subarray(12, 12 + size)));
    this.meta = header.meta;
    this.columns = header.columns;
    this.data = bytes.subarray(12 + size);
  }

  /** The values of a column; empty if there is no such column. */
  column(name: string): Column {
    const info = Object.hasOwn(this.columns, name) ? this.columns[name] : undefined;
    if (info === undefined) return kEmpty;
    const {count, width, offset} = info;
    if (offset + count * width > this.data.length) throw new Error(`column ${name} is cut off`);
    const planes = this.data.subarray(offset, offset + count * width);
    const values = joinPlanes(planes, count, width);
    if (info.code === 'delta') sumUp(values, width);
    return values;
  }
}

function joinPlanes(planes: Uint8Array, count: number, width: number): Column {
  if (width === 0) return new Uint8Array(count);
  if (width === 1) return planes.slice();
  if (width === 2) {
    const values = new Uint16Array(count);
    for (let i = 0; i < count; i++) values[i] = planes[i]! | (planes[count + i]! << 8);
    return values;
  }
  const values = width <= 4 ? new Uint32Array(count) : new Float64Array(count);
  for (let plane = 0; plane < width; plane++) {
    const scale = 2 ** (8 * plane);
    const at = plane * count;
    for (let i = 0; i < count; i++) values[i] = values[i]! + planes[at + i]! * scale;
  }
  return values;
}

function sumUp(values: Column, width: number): void {
  const mask = width === 3 ? 0xffffff : 0xffffffff;
  for (let i = 1; i < values.length; i++) values[i] = (values[i]! + values[i - 1]!) & mask;
}

type FromBase64 = (text: string) => Uint8Array<ArrayBuffer>;

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as {fromBase64?: FromBase64}).fromBase64;
  if (native !== undefined) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Reads the block in the element with this id. Null if the page has none. */
export async function readBlock(id: string): Promise<Container | null> {
  const text = document.getElementById(id)?.textContent;
  if (!text) return null;
  const gzip = new Blob([fromBase64(text)]).stream();
  const plain = gzip.pipeThrough(new DecompressionStream('gzip'));
  return new Container(new Uint8Array(await new Response(plain).arrayBuffer()));
}
