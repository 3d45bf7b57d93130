// SPDX-License-Identifier: Apache-2.0
// Draws the visible rows of a flame graph.

import {differenceStep, type CanvasTheme} from '../color';
import type {Model} from '../model';
import type {State} from '../state/store';
import {kNarrow, type Layout} from './layout';
import type {TextFitter} from './text';

export const kRowHeight = 19;
const kMinTextWidth = 22;
const kPadding = 4;
export const kFont = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly layout: Layout;
  readonly model: Model;
  readonly state: State;
  readonly theme: CanvasTheme;
  readonly fitter: TextFitter;
  /** Top of a row on the canvas, in CSS pixels. */
  readonly top: (row: number) => number;
  readonly height: number;
  readonly rootLabel: string;
}

/** Draws all rows that lie on the canvas: boxes by colour, then texts. */
export function paint(frame: Frame): void {
  const {layout, top, height} = frame;
  const rows: number[] = [];
  for (let row = 0; row < layout.rows; row++) {
    const y = top(row);
    if (y > -kRowHeight && y < height) rows.push(row);
  }
  paintBoxes(frame, rows);
  paintTexts(frame, rows);
}

function paintBoxes(frame: Frame, rows: readonly number[]): void {
  const {context, layout, top} = frame;
  const styleOf = styler(frame);
  let current = '';
  for (const row of rows) {
    const y = top(row);
    for (let i = layout.rowStart[row]!; i < layout.rowStart[row + 1]!; i++) {
      const style = styleOf(layout.nodeAt(i));
      if (style !== current) context.fillStyle = current = style;
      const width = layout.width(i);
      context.fillRect(layout.left(i), y, width > 2 ? width - 0.75 : width, kRowHeight - 1);
    }
  }
}

/** The style of a node's box. */
function styler({model, state, theme}: Frame): (node: number) => string {
  const {shape, grouping, matches} = model;
  const flags = matches !== null && typeof matches !== 'string' ? matches.flags : null;
  const neutral = theme.groups[0]!;
  const isDifference = state.color === 'difference' && model.baseValues !== null;
  return (node) => {
    if (node <= 0) return neutral;
    const func = shape.func[node]!;
    if (flags !== null) return flags[func] !== 0 ? theme.match : neutral;
    if (isDifference) {
      const {now, base} = model.shares(node);
      return theme.differences[differenceStep(now, base)]!;
    }
    return theme.groups[grouping.style[func]!]!;
  };
}

function paintTexts(frame: Frame, rows: readonly number[]): void {
  const {context, layout, model, top, theme, fitter} = frame;
  const flags = model.matches !== null && typeof model.matches !== 'string' ?
      model.matches.flags : null;
  context.font = kFont;
  context.textBaseline = 'middle';
  context.direction = 'ltr';
  for (const row of rows) {
    const y = top(row) + kRowHeight / 2;
    for (let i = layout.rowStart[row]!; i < layout.rowStart[row + 1]!; i++) {
      const width = layout.width(i);
      if (width < kMinTextWidth) continue;
      const node = layout.nodeAt(i);
      if (node === kNarrow) continue;
      const func = model.shape.func[node]!;
      const isMatch = flags !== null && node > 0 && flags[func] !== 0;
      context.fillStyle = isMatch ? theme.matchText : theme.text;
      const text = node === 0 ? frame.rootLabel : model.profile.functions.name(func);
      context.fillText(fitter.fit(text, width - 2 * kPadding), layout.left(i) + kPadding, y);
    }
  }
}

/** Draws an outline around a rectangle of the layout. */
export function outline(context: CanvasRenderingContext2D, layout: Layout, index: number,
                        y: number, color: string, thickness: number): void {
  context.strokeStyle = color;
  context.lineWidth = thickness;
  const inset = thickness / 2;
  context.strokeRect(layout.left(index) + inset, y + inset,
                     Math.max(1, layout.width(index) - 2 * inset), kRowHeight - 1 - 2 * inset);
}
