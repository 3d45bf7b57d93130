// SPDX-License-Identifier: Apache-2.0
// Draws the visible rows of a flame graph.

import {differenceStep, type CanvasTheme} from '../color';
import type {Model} from '../model';
import {pixelOf} from '../oklch';
import type {State} from '../state/store';
import {kNarrow, type Layout} from './layout';
import type {PixelRows} from './pixels';
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
  /** Kept from frame to frame. */
  readonly boxes: PixelRows;
  /** Top of a row on the canvas, in CSS pixels. */
  readonly top: (row: number) => number;
  readonly height: number;
  /** Pixels of the screen in one CSS pixel. */
  readonly ratio: number;
  readonly rootLabel: string;
}

/** Draws all rows that lie on the canvas, and returns the number of boxes. */
export function paint(frame: Frame): number {
  const {layout, top, height} = frame;
  const rows: number[] = [];
  for (let row = 0; row < layout.rows; row++) {
    const y = top(row);
    if (y > -kRowHeight && y < height) rows.push(row);
  }
  paintBoxes(frame, rows);
  paintTexts(frame, rows);
  return rows.reduce((sum, row) => sum + layout.rowStart[row + 1]! - layout.rowStart[row]!, 0);
}

function paintBoxes(frame: Frame, rows: readonly number[]): void {
  const {context, layout, top, boxes} = frame;
  boxes.clear(context.canvas, frame.ratio);
  const pixelOfNode = colorer(frame);
  for (const row of rows) {
    const {from, lines} = boxes.startRow(top(row), kRowHeight - 1);
    if (lines <= 0) continue;
    for (let i = layout.rowStart[row]!; i < layout.rowStart[row + 1]!; i++) {
      boxes.addBox(from, layout.left(i), layout.width(i), pixelOfNode(layout.nodeAt(i)));
    }
    boxes.endRow(from, lines);
  }
  boxes.show(context);
}

/** The colour of a node's box. */
function colorer({model, state, theme}: Frame): (node: number) => number {
  const {shape, grouping, matches} = model;
  const flags = matches !== null && typeof matches !== 'string' ? matches.flags : null;
  const groups = theme.groups.map(pixelOf);
  const differences = theme.differences.map(pixelOf);
  const match = pixelOf(theme.match);
  const neutral = groups[0]!;
  const isDifference = state.color === 'difference' && model.baseValues !== null;
  return (node) => {
    if (node <= 0) return neutral;
    const func = shape.func[node]!;
    if (flags !== null) return flags[func] !== 0 ? match : neutral;
    if (isDifference) {
      const {now, base} = model.shares(node);
      return differences[differenceStep(now, base)]!;
    }
    return groups[grouping.style[func]!]!;
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
