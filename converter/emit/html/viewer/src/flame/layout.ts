// SPDX-License-Identifier: Apache-2.0
// The rectangles of a flame graph, row by row. Rows count from the root.

import type {Shape} from '../data/shape';

/** Narrower frames are not drawn one by one: a run of them is one grey rectangle. */
const kMinWidth = 0.5;
/** In place of a node: a run of frames that are too narrow. */
export const kNarrow = -1;

export class Layout {
  /** Rectangles of row r are [rowStart[r], rowStart[r + 1]), from left to right. */
  readonly rowStart: number[] = [];
  private nodes = new Int32Array(1024);
  private lefts = new Float64Array(1024);
  private widths = new Float64Array(1024);
  private count = 0;

  constructor(private readonly shape: Shape, private readonly total: Float64Array,
              zoom: number, width: number) {
    this.addPath(zoom, width);
    const scale = total[zoom]! > 0 ? width / total[zoom]! : 0;
    while (scale > 0 && this.addRowBelow(scale)) continue;
  }

  get rows(): number {
    return this.rowStart.length - 1;
  }

  nodeAt(index: number): number {
    return this.nodes[index]!;
  }

  left(index: number): number {
    return this.lefts[index]!;
  }

  width(index: number): number {
    return this.widths[index]!;
  }

  /** The rectangle of `row` at `x`, or -1. */
  find(row: number, x: number): number {
    if (row < 0 || row >= this.rows) return -1;
    let from = this.rowStart[row]!;
    let to = this.rowStart[row + 1]!;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.lefts[middle]! <= x) from = middle + 1;
      else to = middle;
    }
    const found = from - 1;
    if (found < this.rowStart[row]!) return -1;
    return x < this.lefts[found]! + this.widths[found]! ? found : -1;
  }

  /** The rectangle of a node, or -1 if it is not drawn. */
  indexOf(node: number): number {
    const row = this.shape.depth[node];
    if (row === undefined || row >= this.rows) return -1;
    for (let i = this.rowStart[row]!; i < this.rowStart[row + 1]!; i++) {
      if (this.nodes[i] === node) return i;
    }
    return -1;
  }

  /** The frames from the root to the one that fills the width. */
  private addPath(zoom: number, width: number): void {
    const path: number[] = [];
    for (let node = zoom; node >= 0; node = this.shape.parent[node]!) path.push(node);
    for (const node of path.reverse()) {
      this.rowStart.push(this.count);
      this.add(node, 0, width);
    }
    this.rowStart.push(this.count);
  }

  private addRowBelow(scale: number): boolean {
    const {firstChild, children} = this.shape;
    const last = this.rowStart.length - 1;
    const end = this.rowStart[last]!;
    for (let i = this.rowStart[last - 1]!; i < end; i++) {
      const node = this.nodes[i]!;
      if (node === kNarrow) continue;
      let x = this.lefts[i]!;
      let narrow = 0;
      for (let c = firstChild[node]!; c < firstChild[node + 1]!; c++) {
        const child = children[c]!;
        const width = this.total[child]! * scale;
        if (width < kMinWidth) {
          narrow += width;
          continue;
        }
        x = this.addNarrow(x, narrow);
        narrow = 0;
        this.add(child, x, width);
        x += width;
      }
      this.addNarrow(x, narrow);
    }
    if (this.count === end) return false;
    this.rowStart.push(this.count);
    return true;
  }

  private addNarrow(x: number, width: number): number {
    if (width >= kMinWidth) this.add(kNarrow, x, width);
    return x + width;
  }

  private add(node: number, x: number, width: number): void {
    if (this.count === this.nodes.length) this.grow();
    this.nodes[this.count] = node;
    this.lefts[this.count] = x;
    this.widths[this.count] = width;
    this.count++;
  }

  private grow(): void {
    const size = this.count * 2;
    const nodes = new Int32Array(size);
    const lefts = new Float64Array(size);
    const widths = new Float64Array(size);
    nodes.set(this.nodes);
    lefts.set(this.lefts);
    widths.set(this.widths);
    this.nodes = nodes;
    this.lefts = lefts;
    this.widths = widths;
  }
}
