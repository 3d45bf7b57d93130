// SPDX-License-Identifier: Apache-2.0
// A list of many rows of which only those in sight are elements. Has the focus as a
// whole; one row is active.

import {el, oncePerFrame} from '../dom';

export interface ListOptions {
  readonly id: string;
  /** Role of the list: "grid" or "tree". */
  readonly role: string;
  readonly label: string;
  readonly rowHeight: number;
  readonly makeRow: () => HTMLElement;
  readonly fillRow: (row: HTMLElement, index: number) => void;
  readonly onKey: (event: KeyboardEvent, index: number) => boolean;
  readonly onClick: (event: MouseEvent, index: number) => void;
  readonly onMenu?: (event: MouseEvent, index: number) => void;
}

const kSpare = 6;

export class VirtualList {
  readonly element: HTMLElement;
  private readonly space = el('div', {class: 'space', attributes: {role: 'presentation'}});
  private readonly rows: HTMLElement[] = [];
  private count = 0;
  private activeIndex = 0;
  private readonly renderSoon = oncePerFrame(() => this.render());

  constructor(private readonly options: ListOptions) {
    this.element = el('div', {
      class: 'list', attributes: {role: options.role, tabindex: '0', 'aria-label': options.label},
      on: {
        scroll: this.renderSoon,
        keydown: (event) => this.key(event),
        click: (event) => this.pointer(event, options.onClick),
        contextmenu: (event) => options.onMenu && this.pointer(event, options.onMenu),
      },
    }, this.space);
    new ResizeObserver(this.renderSoon).observe(this.element);
  }

  get active(): number {
    return this.activeIndex;
  }

  /** Shows `count` rows; the rows in sight are filled anew. */
  update(count: number): void {
    this.count = count;
    this.activeIndex = Math.max(0, Math.min(this.activeIndex, count - 1));
    this.space.style.height = `${count * this.options.rowHeight}px`;
    if (this.options.role === 'grid') this.element.setAttribute('aria-rowcount', String(count + 1));
    this.render();
  }

  activate(index: number): void {
    this.activeIndex = Math.max(0, Math.min(this.count - 1, index));
    const {rowHeight} = this.options;
    const top = this.activeIndex * rowHeight;
    const {scrollTop, clientHeight} = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + rowHeight - clientHeight;
    this.render();
  }

  /** The place of a row on the screen. */
  boxOf(index: number): DOMRect {
    return (document.getElementById(this.rowId(index)) ?? this.element).getBoundingClientRect();
  }

  private rowId(index: number): string {
    return `${this.options.id}-${index}`;
  }

  private render(): void {
    const {rowHeight, fillRow, makeRow} = this.options;
    const height = this.element.clientHeight;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - kSpare);
    const last = Math.min(this.count, first + Math.ceil(height / rowHeight) + 2 * kSpare);
    const wanted = height === 0 ? 0 : Math.max(0, last - first);
    while (this.rows.length < wanted) {
      const row = makeRow();
      this.rows.push(row);
      this.space.append(row);
    }
    for (const [i, row] of this.rows.entries()) {
      row.hidden = i >= wanted;
      if (i >= wanted) {
        row.removeAttribute('id');
        continue;
      }
      const index = first + i;
      row.id = this.rowId(index);
      row.dataset['index'] = String(index);
      row.style.transform = `translateY(${index * rowHeight}px)`;
      row.classList.toggle('active', index === this.activeIndex);
      fillRow(row, index);
    }
    if (this.count > 0) {
      this.element.setAttribute('aria-activedescendant', this.rowId(this.activeIndex));
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
  }

  private pointer(event: MouseEvent, then: (event: MouseEvent, index: number) => void): void {
    const row = (event.target as Element).closest<HTMLElement>('[data-index]');
    if (row === null) return;
    const index = Number(row.dataset['index']);
    this.activate(index);
    then(event, index);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.options.rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: this.activeIndex + 1, ArrowUp: this.activeIndex - 1,
      PageDown: this.activeIndex + page, PageUp: this.activeIndex - page,
      Home: 0, End: this.count - 1,
    };
    const to = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (to !== undefined) this.activate(to);
    else if (this.count === 0 || !this.options.onKey(event, this.activeIndex)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
