// SPDX-License-Identifier: Apache-2.0
// OKLCH to sRGB: colours of equal lightness look equally light, whatever their hue.

/** "#rrggbb"; components out of sRGB are cut off. Hue in degrees. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${linear.map((value) => hexOf(value)).join('')}`;
}

function hexOf(linear: number): string {
  const value = Math.max(0, Math.min(1, linear));
  const coded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(coded * 255).toString(16).padStart(2, '0');
}

/** "#rrggbb" as an opaque pixel of ImageData, read as a 32-bit number. */
export function pixelOf(color: string): number {
  const rgb = Number.parseInt(color.slice(1), 16);
  return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
