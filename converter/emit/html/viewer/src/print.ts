// SPDX-License-Identifier: Apache-2.0
// What a printed page has in place of scrolling: the whole flame graph and a plain table.

import {kLight, type CanvasTheme} from './color';
import {el} from './dom';
import type {Model} from './model';
import type {Store} from './state/store';
import {columnsOf, sortFunctions} from './views/columns';

const kMaxRows = 50;

export interface Printed {
  /** Draws for paper: in light colours, all rows in sight. Null: for the screen again. */
  setPaper(theme: CanvasTheme | null): void;
}

/** Changes the page before it is printed, and back afterwards. */
export function preparePrint(model: Model, store: Store, place: HTMLElement, page: Printed): void {
  const table = el('table', {class: 'printed'});
  place.append(table);
  addEventListener('beforeprint', () => {
    page.setPaper(kLight);
    fillTable(table, model, store);
  });
  addEventListener('afterprint', () => {
    page.setPaper(null);
    table.replaceChildren();
  });
}

function fillTable(table: HTMLTableElement, model: Model, store: Store): void {
  const {state} = store;
  const columns = columnsOf(model, store);
  const sorted = columns.find(({key}) => key === state.sort) ?? columns[0]!;
  const order = [...sortFunctions(model, sorted, state.descending).subarray(0, kMaxRows)];
  table.replaceChildren(
      el('caption', {}, `The first ${order.length} functions by ${sorted.label}`),
      el('thead', {}, el('tr', {}, ...columns.map(({label}) => el('th', {}, label)))),
      el('tbody', {}, ...order.map((func) =>
          el('tr', {}, ...columns.map((column) => el('td', {}, column.text(func)))))));
}
