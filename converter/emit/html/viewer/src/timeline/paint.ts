// SPDX-License-Identifier: Apache-2.0
// Draws the time line.

import type {CanvasTheme} from '../color';
import type {ThreadInfo} from '../data/profile';
import {TextFitter} from '../flame/text';
import type {Columns} from './heat';

export const kAxisHeight = 20;
export const kOverviewHeight = 36;
export const kHeadHeight = kAxisHeight + kOverviewHeight + 4;
export const kTimelineRow = 18;
const kFont = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export interface Plot {
  readonly context: CanvasRenderingContext2D;
  readonly theme: CanvasTheme;
  readonly columns: Columns;
  readonly binNs: number;
  /** Width of the labels; the plot lies right of it. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export function xOf(plot: Pick<Plot, 'columns' | 'left' | 'width'>, bin: number): number {
  const {first, last} = plot.columns;
  return plot.left + ((bin - first) / (last - first)) * (plot.width - plot.left);
}

/** Ticks at round times, with grid lines over the height. */
export function paintAxis(plot: Plot): void {
  const {context, theme, columns, binNs, left, width, height} = plot;
  const spanNs = (columns.last - columns.first) * binNs;
  const step = tickStep(spanNs / Math.max(1, (width - left) / 90));
  const digits = step >= 1e9 ? 0 : step >= 1e8 ? 1 : step >= 1e7 ? 2 : 3;
  context.font = kFont;
  context.textBaseline = 'middle';
  for (let t = Math.ceil((columns.first * binNs) / step) * step; t <= columns.last * binNs; t += step) {
    const x = Math.round(xOf(plot, t / binNs));
    context.fillStyle = theme.line;
    context.fillRect(x, 0, 1, height);
    const text = `${(t / 1e9).toFixed(digits)} s`;
    if (x + 4 + context.measureText(text).width > width) continue;
    context.fillStyle = theme.muted;
    context.fillText(text, x + 4, kAxisHeight / 2);
  }
}

function tickStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, atLeast)));
  return power * ([1, 2, 5].find((factor) => factor * power >= atLeast) ?? 10);
}

/** All rows together, as bars. */
export function paintOverview(plot: Plot, values: Float64Array, most: number): void {
  const {context, theme, columns} = plot;
  label(plot, 'all selected', kAxisHeight, kOverviewHeight, false);
  context.fillStyle = theme.heat[Math.floor(theme.heat.length / 2)]!;
  for (let i = 0; i < columns.count; i++) {
    const height = most > 0 ? (values[i]! / most) * kOverviewHeight : 0;
    if (height <= 0) continue;
    const [x, width] = cell(plot, i);
    context.fillRect(x, kAxisHeight + kOverviewHeight - height, width, height);
  }
  context.fillStyle = theme.line;
  context.fillRect(0, kHeadHeight - 2, plot.width, 1);
}

/** One row: its name and a cell for each column. */
export function paintRow(plot: Plot, name: string, y: number, isDimmed: boolean,
                         values: Float64Array, most: number): void {
  const {context, theme, columns} = plot;
  label(plot, name, y, kTimelineRow, isDimmed);
  context.globalAlpha = isDimmed ? 0.35 : 1;
  const top = theme.heat.length - 1;
  let current = -1;
  for (let i = 0; i < columns.count; i++) {
    const value = values[i]!;
    if (value <= 0) continue;
    const level = Math.min(top, Math.round(Math.sqrt(value / most) * top));
    if (level !== current) context.fillStyle = theme.heat[(current = level)]!;
    const [x, width] = cell(plot, i);
    context.fillRect(x, y + 1, width, kTimelineRow - 2);
  }
  context.globalAlpha = 1;
}

/** The time in which a thread lived, as far as known. */
export function paintLife(plot: Plot, thread: ThreadInfo, y: number): void {
  const {context, theme, binNs} = plot;
  const limit = (ns: number): number =>
    Math.max(plot.left, Math.min(plot.width, xOf(plot, ns / binNs)));
  const from = Number.isNaN(thread.start) ? plot.left : limit(thread.start);
  const to = Number.isNaN(thread.end) ? plot.width : limit(thread.end);
  context.fillStyle = theme.line;
  context.fillRect(from, y + kTimelineRow - 2, to - from, 1);
}

function cell(plot: Plot, column: number): [number, number] {
  const {first, last, step} = plot.columns;
  const x = xOf(plot, first + column * step);
  return [x, Math.max(1, xOf(plot, Math.min(last, first + (column + 1) * step)) - x)];
}

function label(plot: Plot, text: string, y: number, height: number, isDimmed: boolean): void {
  const {context, theme, left} = plot;
  context.font = kFont;
  context.textBaseline = 'middle';
  context.direction = 'ltr';
  context.fillStyle = isDimmed ? theme.muted : theme.text;
  context.fillText(new TextFitter(context).fit(text, left - 14), 8, y + height / 2);
}
