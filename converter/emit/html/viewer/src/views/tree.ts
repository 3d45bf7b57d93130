// SPDX-License-Identifier: Apache-2.0
// The tree of processes and threads, which selects.

import type {Samples} from '../data/profile';
import {button, el, setText} from '../dom';
import {amount, percent} from '../format';
import {flagsOf, type Model} from '../model';
import type {Changed, Store} from '../state/store';
import {VirtualList} from './list';
import {makeTree, weightOf, type TreeItem} from './tree_items';

const kRowHeight = 23;
/** Larger trees begin with their upper levels open. */
const kMaxOpen = 300;
const kIndent = 14;

export class TreeView {
  readonly element: HTMLElement;
  private readonly list: VirtualList;
  private readonly clear: HTMLButtonElement;
  private roots: readonly TreeItem[] = [];
  private items: TreeItem[] = [];
  private closed = new Set<TreeItem>();
  private flags: Uint8Array | null = null;
  private sum = 0;

  constructor(private readonly model: Model, private readonly store: Store) {
    this.list = new VirtualList({
      id: 'thread', role: 'tree', label: 'Processes and threads. Space selects, Enter selects alone.',
      rowHeight: kRowHeight,
      makeRow: () => el('div', {class: 'row', attributes: {role: 'treeitem'}},
          el('span', {class: 'caret', attributes: {'aria-hidden': 'true'}}),
          el('span', {class: 'check', attributes: {'aria-hidden': 'true'}}),
          el('span', {class: 'label'}), el('span', {class: 'detail'}), el('span', {class: 'value'})),
      fillRow: (row, index) => this.fill(row, index),
      onKey: (event, index) => this.key(event, index),
      onClick: (event, index) => this.click(event, index),
    });
    this.list.element.setAttribute('aria-multiselectable', 'true');
    this.clear = button('Select all', 'Select all threads', () => store.update({threads: null, cpus: null}));
    this.element = el('section', {class: 'threads', attributes: {'aria-label': 'Processes and threads'}},
        el('div', {class: 'bar'}, el('h2', {}, 'Processes and threads'), this.clear), this.list.element);
  }

  setSamples(samples: Samples): void {
    this.rebuild(samples);
    this.update(null);
  }

  update(changed: Changed | null): void {
    const {samples} = this.model;
    if (samples === null) return;
    const {state} = this.store;
    if (changed?.has('event')) this.rebuild(samples);
    this.flags = flagsOf(state.threads, samples.threads.length);
    this.sum = 0;
    for (const value of this.model.sums.thread) this.sum += value;
    this.clear.hidden = state.threads === null && state.cpus === null;
    this.list.update(this.items.length);
  }

  private rebuild(samples: Samples): void {
    const weight = new Float64Array(samples.threads.length);
    const {entries} = samples;
    const {event} = this.store.state;
    for (let g = entries.eventFirst[event]!; g < entries.eventFirst[event + 1]!; g++) {
      const thread = entries.groupThread[g]!;
      for (let i = entries.groupFirst[g]!; i < entries.groupFirst[g + 1]!; i++) {
        weight[thread] = weight[thread]! + entries.samples[i]!;
      }
    }
    this.roots = makeTree(samples, weight);
    this.closed = new Set();
    this.flatten();
    if (this.items.length > kMaxOpen) {
      for (const item of this.items) if (item.level > 1) this.closed.add(item);
      this.flatten();
    }
  }

  private flatten(): void {
    this.items = [];
    const stack = [...this.roots].reverse();
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      this.items.push(item);
      if (!this.closed.has(item)) stack.push(...[...item.children].reverse());
    }
  }

  private fill(row: HTMLElement, index: number): void {
    const item = this.items[index]!;
    const {state} = this.store;
    const [caret, , label, detail, value] = row.children as unknown as HTMLElement[];
    const isOpen = !this.closed.has(item);
    const hasChildren = item.children.length > 0;
    row.style.paddingLeft = `${4 + Math.min(8, item.level - 1) * kIndent}px`;
    row.setAttribute('aria-level', String(item.level));
    row.setAttribute('aria-checked', this.checkedOf(item));
    if (hasChildren) row.setAttribute('aria-expanded', String(isOpen));
    else row.removeAttribute('aria-expanded');
    setText(caret!, hasChildren ? (isOpen ? '▾' : '▸') : '');
    setText(label!, item.label);
    row.title = `${item.label} ${item.detail}`.trimEnd();
    setText(detail!, item.detail);
    const sum = weightOf(item, this.model.sums.thread);
    setText(value!, percent(sum, this.sum));
    value!.title = amount(sum, this.model.eventOf(state), state.metric);
    row.style.setProperty('--share', String(this.sum > 0 ? sum / this.sum : 0));
    row.classList.toggle('dimmed', this.flags !== null && this.checkedOf(item) === 'false');
  }

  private checkedOf(item: TreeItem): 'true' | 'false' | 'mixed' {
    const {flags} = this;
    if (flags === null) return 'false';
    let on = 0;
    for (const thread of item.threads) on += flags[thread]!;
    return on === 0 ? 'false' : on === item.threads.length ? 'true' : 'mixed';
  }

  private click(event: MouseEvent, index: number): void {
    const target = event.target as Element;
    if (target.classList.contains('caret')) this.toggleOpen(index);
    else if (target.classList.contains('check')) this.toggle(index);
    else if (event.ctrlKey || event.metaKey) this.toggle(index);
    else this.selectAlone(index);
  }

  private key(event: KeyboardEvent, index: number): boolean {
    const item = this.items[index]!;
    const isOpen = item.children.length > 0 && !this.closed.has(item);
    if (event.key === ' ') this.toggle(index);
    else if (event.key === 'Enter') this.selectAlone(index);
    else if (event.key === 'Escape') this.store.update({threads: null, cpus: null});
    else if (event.key === 'ArrowRight' && isOpen) this.list.activate(index + 1);
    else if (event.key === 'ArrowRight') this.toggleOpen(index);
    else if (event.key === 'ArrowLeft' && isOpen) this.toggleOpen(index);
    else if (event.key === 'ArrowLeft') this.list.activate(this.parentOf(index));
    else return false;
    return true;
  }

  private parentOf(index: number): number {
    for (let i = index - 1; i >= 0; i--) {
      if (this.items[i]!.level < this.items[index]!.level) return i;
    }
    return index;
  }

  private toggleOpen(index: number): void {
    const item = this.items[index]!;
    if (item.children.length === 0) return;
    if (!this.closed.delete(item)) this.closed.add(item);
    this.flatten();
    this.list.update(this.items.length);
  }

  private toggle(index: number): void {
    const {threads} = this.items[index]!;
    const chosen = new Set(this.store.state.threads);
    const isOn = this.checkedOf(this.items[index]!) === 'true';
    for (const thread of threads) {
      if (isOn) chosen.delete(thread);
      else chosen.add(thread);
    }
    this.select([...chosen]);
  }

  private selectAlone(index: number): void {
    const {threads} = this.items[index]!;
    const before = this.store.state.threads ?? [];
    const isSame = before.length === threads.length && this.checkedOf(this.items[index]!) === 'true';
    this.select(isSame ? [] : threads);
  }

  private select(threads: readonly number[]): void {
    this.store.update({threads: threads.length === 0 ? null : [...threads].sort((a, b) => a - b)});
  }
}
