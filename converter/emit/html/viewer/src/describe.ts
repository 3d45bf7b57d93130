// SPDX-License-Identifier: Apache-2.0
// Frames and functions as text: for tooltips, the status line and screen readers.

import type {Model} from './model';
import type {State} from './state/store';
import {amount, grouped, percent, points} from './format';

export interface FrameText {
  readonly name: string;
  /** DSO, file and line. */
  readonly place: string;
  /** Values, one line. */
  readonly values: string;
}

/** What a flame graph's frame is; node 0 is all samples that the graph shows. */
export function frameText(model: Model, state: State, node: number): FrameText {
  const event = model.eventOf(state);
  const {self, total} = model.values;
  const value = (of: number): string =>
    `${amount(of, event, state.metric)} (${percent(of, model.sums.total)})`;
  const unit = state.metric === 'samples' ? 'samples' : event.unit === 'count' ? event.name : '';
  let values = `total ${value(total[node]!)}, self ${value(self[node]!)}`;
  if (unit !== '') values += ` of ${unit}`;
  if (model.baseValues !== null) {
    const {now, base} = model.shares(node);
    values += `; base ${percent(base, 1)}, ${points(now - base)} points`;
  }
  if (node === 0) return {name: rootLabel(model, state), place: '', values};
  const func = model.shape.func[node]!;
  const place = func === model.profile.functions.other ?
      `stands for ${grouped(foldedInto(model, node))} small call paths` : functionPlace(model, func);
  return {
    name: model.profile.functions.name(func),
    place: model.shape.inlined[node] !== 0 ? `inlined · ${place}` : place,
    values,
  };
}

/** The number of the recording's nodes that the file sums up in a node of the shape. */
function foldedInto(model: Model, node: number): number {
  const {folded} = model.profile.tree;
  const {target} = model.shape;
  let sum = 0;
  for (let i = 0; i < folded.length; i++) if (target[i] === node) sum += folded[i]!;
  return sum;
}

/** Where a function is: DSO, file and line, as far as known. */
export function functionPlace(model: Model, func: number): string {
  const {functions, dsos} = model.profile;
  return [dsos.name(functions.dso[func]!), fileLine(model, func)].filter((text) => text !== '')
      .join(' · ');
}

export function fileLine(model: Model, func: number): string {
  const {functions} = model.profile;
  const file = functions.file(func);
  const line = functions.line[func]!;
  return file === '' ? '' : line === 0 ? file : `${file}:${line}`;
}

/** The name of the root of the flame graph. */
export function rootLabel(model: Model, state: State): string {
  const {functions} = model.profile;
  switch (state.shape) {
    case 'calls':
      return 'all';
    case 'reversed':
      return 'all, by leaf';
    case 'callers':
      return `callers of ${functions.name(state.focus)}`;
    case 'callees':
      return `called from ${functions.name(state.focus)}`;
  }
}
