// SPDX-License-Identifier: Apache-2.0
// The line above the flame graph and the table: what is shown and how, and the search.

import {button, el, setText} from '../dom';
import {percent} from '../format';
import type {Model} from '../model';
import type {ShapeKind} from '../data/shape';
import type {ColorBy, Store, Tab} from '../state/store';
import {Choice} from './choice';

const kSearchDelayMs = 120;

export class Toolbar {
  readonly element: HTMLElement;
  private readonly tabs: Choice<Tab>;
  private readonly shapes: Choice<ShapeKind>;
  private readonly orientation: Choice<'icicle' | 'flame'>;
  private readonly merge: HTMLInputElement;
  private readonly color: HTMLSelectElement;
  private readonly colors: readonly ColorBy[];
  private readonly flameControls: HTMLElement;
  private readonly focus = el('span', {class: 'chip'});
  private readonly reset: HTMLButtonElement;
  private readonly search: HTMLInputElement;
  private readonly found = el('span', {class: 'found', attributes: {role: 'status', 'aria-live': 'polite'}});
  private timer = 0;

  constructor(private readonly model: Model, private readonly store: Store) {
    this.tabs = new Choice('View', [
      ['flame', 'Flame graph', '1'], ['functions', 'Functions', '2'], ['threads', 'Threads', '3'],
    ], (tab) => store.update({tab}));
    this.tabs.element.classList.add('tabs');
    this.shapes = new Choice('Tree', [
      ['calls', 'Calls', 'From the outermost caller down'],
      ['reversed', 'Reversed', 'From the function that was sampled up to its callers (r)'],
    ], (shape) => store.update({shape, focus: -1, zoom: 0}));
    this.orientation = new Choice('Direction', [
      ['icicle', 'Icicle', 'Grows downwards (i)'], ['flame', 'Flame', 'Grows upwards (i)'],
    ], (orientation) => store.update({orientation}));
    this.merge = el('input', {
      attributes: {type: 'checkbox'},
      on: {change: () => store.update({merge: this.merge.checked, zoom: 0})},
    });
    this.colors = model.profile.base === null ? ['dso', 'package'] : ['difference', 'dso', 'package'];
    const names = {dso: 'DSO', package: 'Package', difference: 'Difference'};
    this.color = el('select', {
      on: {change: () => store.update({color: this.colors[this.color.selectedIndex]!})},
    }, ...this.colors.map((color) => el('option', {}, names[color])));
    this.reset = button('Reset zoom', 'Show all (Escape)', () => store.update({zoom: 0}));
    this.flameControls = el('div', {class: 'group'}, this.shapes.element, this.focus,
        this.orientation.element,
        el('label', {attributes: {title: 'A function that calls itself directly is one frame (m)'}},
           this.merge, 'Merge recursion'),
        el('label', {}, 'Colour', this.color), this.reset);
    this.search = el('input', {
      class: 'search',
      attributes: {
        type: 'search', placeholder: 'Search: regular expression  ( / )', spellcheck: 'false',
        autocomplete: 'off', 'aria-label': 'Search functions by regular expression', maxlength: '1000',
      },
      on: {input: () => this.typed(), keydown: (event) => this.key(event)},
    });
    this.element = el('div', {class: 'bar toolbar'}, this.tabs.element, this.flameControls,
                      el('div', {class: 'group searching'}, this.found, this.search));
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  update(): void {
    const {state} = this.store;
    this.tabs.set(state.tab);
    this.shapes.set(state.shape);
    this.orientation.set(state.orientation);
    this.merge.checked = state.merge;
    this.color.selectedIndex = this.colors.indexOf(state.color);
    this.flameControls.hidden = state.tab !== 'flame';
    this.reset.hidden = state.zoom === 0;
    if (document.activeElement !== this.search || this.timer === 0) {
      if (this.search.value !== state.search) this.search.value = state.search;
    }
    this.updateFocus();
    this.updateFound();
  }

  private updateFocus(): void {
    const {shape, focus} = this.store.state;
    const isFocused = shape === 'callers' || shape === 'callees';
    this.focus.hidden = !isFocused;
    if (!isFocused) return;
    const name = this.model.profile.functions.name(focus);
    const close = button('×', 'Back to all calls', () => this.store.update({shape: 'calls', focus: -1, zoom: 0}));
    close.setAttribute('aria-label', 'Back to all calls');
    this.focus.replaceChildren(
        el('span', {class: 'chip-text', attributes: {title: name}},
           `${shape === 'callers' ? 'Callers of' : 'Called from'} ${name}`),
        button('⇅', 'Change between callers and called', () => this.store.update({
          shape: shape === 'callers' ? 'callees' : 'callers', zoom: 0})),
        close);
  }

  private updateFound(): void {
    const {matches, matched, sums} = this.model;
    this.search.setAttribute('aria-invalid', String(typeof matches === 'string'));
    this.found.title = typeof matches === 'string' ? matches : 'Share of samples with a match in their stack';
    if (matches === null) setText(this.found, '');
    else if (typeof matches === 'string') setText(this.found, matches);
    else setText(this.found, `${percent(matched, sums.total)} · ${matches.count} functions`);
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.store.update({search: this.search.value});
    }, kSearchDelayMs);
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== 'Escape' && event.key !== 'Enter') return;
    clearTimeout(this.timer);
    this.timer = 0;
    if (event.key === 'Escape') this.search.value = '';
    this.store.update({search: this.search.value});
    if (event.key === 'Escape') this.search.blur();
    event.stopPropagation();
  }
}
