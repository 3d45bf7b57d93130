// SPDX-License-Identifier: Apache-2.0
// Cuts text to a width. Widths of characters are measured once a font.

const kEllipsis = '…';

export class TextFitter {
  private readonly widths = new Map<string, number>();
  private readonly ascii = new Float64Array(128).fill(-1);

  constructor(private readonly context: CanvasRenderingContext2D) {}

  /** The text, cut with an ellipsis where it is wider than `width`; "" if nothing fits. */
  fit(text: string, width: number): string {
    const room = width - this.widthOf(kEllipsis);
    let used = 0;
    let end = -1;
    for (let i = 0; i < text.length; i++) {
      used += this.widthOf(text[i]!);
      if (used > width) return end <= 1 ? '' : text.slice(0, end) + kEllipsis;
      if (used <= room) end = i + 1;
    }
    return text;
  }

  private widthOf(character: string): number {
    const code = character.charCodeAt(0);
    if (code < 128) {
      if (this.ascii[code]! < 0) this.ascii[code] = this.context.measureText(character).width;
      return this.ascii[code]!;
    }
    let width = this.widths.get(character);
    if (width === undefined) {
      width = this.context.measureText(character).width;
      this.widths.set(character, width);
    }
    return width;
  }
}
