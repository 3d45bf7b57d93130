// SPDX-License-Identifier: Apache-2.0
// The table of functions.

import {el, setText} from '../dom';
import {quotePattern} from '../flame/actions';
import type {Model} from '../model';
import type {Store} from '../state/store';
import {columnsOf, sortFunctions, type TableColumn} from './columns';
import {VirtualList} from './list';
import {Menu} from './menu';

const kRowHeight = 23;

export class TableView {
  readonly element: HTMLElement;
  private readonly columns: readonly TableColumn[];
  private readonly headings = new Map<string, HTMLElement>();
  private readonly list: VirtualList;
  private readonly menu = new Menu();
  private readonly empty = el('p', {class: 'empty'}, 'No function matches.');
  private order = new Uint32Array(0);

  constructor(private readonly model: Model, private readonly store: Store) {
    this.columns = columnsOf(model, store);
    this.list = new VirtualList({
      id: 'function', role: 'grid', label: 'Functions', rowHeight: kRowHeight,
      makeRow: () => el('div', {class: 'row', attributes: {role: 'row'}},
          ...this.columns.map((column) => el('span', {
            class: `cell ${column.kind} ${column.key}`, attributes: {role: 'gridcell'}}))),
      fillRow: (row, index) => this.fill(row, index),
      onKey: (event, index) => this.key(event, index),
      onClick: () => undefined,
      onMenu: (event, index) => {
        event.preventDefault();
        this.openMenu(index, event.clientX, event.clientY);
      },
    });
    const head = el('div', {class: 'row head', attributes: {role: 'row'}},
                    ...this.columns.map((column) => this.heading(column)));
    this.element = el('section', {
      class: `functions${model.profile.base === null ? '' : ' compared'}`,
      attributes: {'aria-label': 'Functions'},
    }, head, this.list.element, this.empty);
  }

  update(): void {
    const {state} = this.store;
    const column = this.columns.find(({key}) => key === state.sort) ?? this.columns[0]!;
    this.order = sortFunctions(this.model, column, state.descending);
    for (const [key, heading] of this.headings) {
      heading.setAttribute('aria-sort', key !== column.key ? 'none' :
          state.descending ? 'descending' : 'ascending');
    }
    this.empty.hidden = this.order.length > 0;
    this.list.update(this.order.length);
  }

  private heading(column: TableColumn): HTMLElement {
    const sort = (): void => {
      const {state} = this.store;
      const descending = state.sort === column.key ? !state.descending : column.kind === 'number';
      this.store.update({sort: column.key, descending});
    };
    const heading = el('span', {
      class: `cell ${column.kind} ${column.key}`, attributes: {role: 'columnheader'},
    }, el('button', {attributes: {type: 'button', title: column.help}, on: {click: sort}}, column.label));
    this.headings.set(column.key, heading);
    return heading;
  }

  private fill(row: HTMLElement, index: number): void {
    const func = this.order[index]!;
    row.setAttribute('aria-rowindex', String(index + 2));
    for (const [i, column] of this.columns.entries()) {
      const cell = row.children[i] as HTMLElement;
      const text = column.text(func);
      setText(cell, text);
      if (column.kind === 'text') cell.title = text;
      if (column.share !== undefined) {
        cell.style.setProperty('--share', String(Math.min(1, column.share(func))));
      }
      if (column.sign !== undefined) cell.dataset['sign'] = column.sign(func);
    }
  }

  private key(event: KeyboardEvent, index: number): boolean {
    const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (isMenu || event.key === 'Enter') {
      const box = this.list.boxOf(index);
      this.openMenu(index, box.left + 24, box.bottom);
    } else if (event.key === 'c') {
      this.focus('callers', this.order[index]!);
    } else if (event.key === 'e') {
      this.focus('callees', this.order[index]!);
    } else {
      return false;
    }
    return true;
  }

  private openMenu(index: number, x: number, y: number): void {
    const func = this.order[index]!;
    const name = this.model.profile.functions.name(func);
    this.menu.open(x, y, this.list.element, [
      ['Find in the flame graph', () => this.store.update({search: quotePattern(name), tab: 'flame'})],
      ['Callers of this function', () => this.focus('callers', func)],
      ['Called from this function', () => this.focus('callees', func)],
    ]);
  }

  private focus(shape: 'callers' | 'callees', func: number): void {
    this.store.update({shape, focus: func, zoom: 0, tab: 'flame'});
  }
}
