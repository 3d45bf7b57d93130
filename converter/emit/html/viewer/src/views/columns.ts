// SPDX-License-Identifier: Apache-2.0
// The columns of the table of functions: their texts, and how they sort.

import {fileLine} from '../describe';
import {amount, baseName, percent, points} from '../format';
import type {Model} from '../model';
import type {Store} from '../state/store';

export interface TableColumn {
  readonly key: string;
  readonly label: string;
  readonly help: string;
  readonly kind: 'number' | 'text';
  readonly text: (func: number) => string;
  /** Sorts by this number, or else by the text. */
  readonly value?: (func: number) => number;
  /** From 0 to 1: drawn as a bar. */
  readonly share?: (func: number) => number;
  /** Colours a difference. */
  readonly sign?: (func: number) => string;
}

export function columnsOf(model: Model, store: Store): TableColumn[] {
  const {functions, dsos} = model.profile;
  return [
    ...valueColumns(model, store, 'self', 'Self', 'in the function itself'),
    ...valueColumns(model, store, 'total', 'Total', 'in the function and what it calls'),
    {
      key: 'name', label: 'Function', help: 'Sort by name', kind: 'text',
      text: (func) => functions.name(func),
    },
    {
      key: 'dso', label: 'DSO', help: 'Program, library or kernel', kind: 'text',
      text: (func) => baseName(dsos.name(functions.dso[func]!)),
    },
    {
      key: 'file', label: 'File:line', help: 'Where the function is defined', kind: 'text',
      text: (func) => fileLine(model, func),
    },
  ];
}

function valueColumns(model: Model, store: Store, key: 'self' | 'total', label: string,
                      help: string): TableColumn[] {
  const value = (func: number): number => model.functionSums[key][func]!;
  const shareOf = (func: number): number => model.sums.total > 0 ? value(func) / model.sums.total : 0;
  const difference = (func: number): number => shareOf(func) -
      (model.baseTotal > 0 ? model.baseFunctions![key][func]! / model.baseTotal : 0);
  const columns: TableColumn[] = [{
    key, label, kind: 'number', help: `Samples or period ${help}`, value,
    text: (func) => amount(value(func), model.eventOf(store.state), store.state.metric),
  }, {
    key: `${key}share`, label: `${label} %`, kind: 'number', help: `Share of the selection, ${help}`,
    value, share: shareOf,
    text: (func) => percent(value(func), model.sums.total),
  }];
  if (model.profile.base !== null) {
    columns.push({
      key: `${key}difference`, label: `${label} Δ`, kind: 'number',
      help: `Percentage points more than in the base, ${help}`,
      value: difference,
      text: (func) => points(difference(func)),
      sign: (func) => Math.abs(difference(func)) < 5e-5 ? '' : difference(func) > 0 ? 'more' : 'less',
    });
  }
  return columns;
}

/** The functions that have a value and match the search, in order. */
export function sortFunctions(model: Model, column: TableColumn, descending: boolean): Uint32Array<ArrayBuffer> {
  const {functionSums, baseFunctions, matches} = model;
  const {count} = model.profile.functions;
  const flags = matches !== null && typeof matches !== 'string' ? matches.flags : null;
  const shown = new Uint32Array(count);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const isThere = functionSums.total[i]! > 0 || (baseFunctions?.total[i] ?? 0) > 0;
    if (isThere && (flags === null || flags[i] !== 0)) shown[size++] = i;
  }
  const order = shown.slice(0, size);
  const sign = descending ? -1 : 1;
  const {value} = column;
  if (value !== undefined) {
    const keys = new Float64Array(count);
    for (const i of order) keys[i] = value(i);
    return order.sort((a, b) => sign * (keys[a]! - keys[b]!) || a - b);
  }
  const texts: string[] = [];
  for (const i of order) texts[i] = column.text(i);
  return order.sort((a, b) => (texts[a]! < texts[b]! ? -sign : texts[a]! > texts[b]! ? sign : a - b));
}
