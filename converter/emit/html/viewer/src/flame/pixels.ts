// SPDX-License-Identifier: Apache-2.0
// Fills boxes in memory: tens of thousands of them take a few milliseconds, where calls
// of the canvas take a hundred.

/** Boxes at least this wide (in pixels) are set apart by a gap of one pixel. */
const kMinGapWidth = 3;

export class PixelRows {
  private image = new ImageData(1, 1);
  private pixels = new Uint32Array(1);
  private width = 0;
  private height = 0;
  private ratio = 1;

  /** Starts a frame of the size of the canvas. `ratio`: pixels in one unit of the canvas. */
  clear({width, height}: HTMLCanvasElement, ratio: number): void {
    this.ratio = ratio;
    if (width === this.width && height === this.height) {
      this.pixels.fill(0);
      return;
    }
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** A row's first line of pixels; `endRow` copies it to the others. */
  startRow(top: number, height: number): {from: number; lines: number} {
    const from = Math.max(0, Math.round(top * this.ratio));
    const to = Math.min(this.height, Math.round((top + height) * this.ratio));
    return {from, lines: to - from};
  }

  addBox(line: number, left: number, width: number, pixel: number): void {
    const from = Math.round(left * this.ratio);
    const end = Math.round((left + width) * this.ratio);
    const to = Math.max(from + 1, end - from >= kMinGapWidth ? end - 1 : end);
    const start = line * this.width;
    this.pixels.fill(pixel, start + Math.max(0, from), start + Math.min(this.width, to));
  }

  endRow(from: number, lines: number): void {
    const start = from * this.width;
    for (let line = 1; line < lines; line++) {
      this.pixels.copyWithin(start + line * this.width, start, start + this.width);
    }
  }

  /** Replaces all of the canvas. */
  show(context: CanvasRenderingContext2D): void {
    context.putImageData(this.image, 0, 0);
  }
}
