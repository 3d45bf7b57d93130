// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame: the line below the flame graph, and its menu.

import {frameText} from '../describe';
import {button, el, setText} from '../dom';
import type {Model} from '../model';
import type {Store} from '../state/store';
import {Menu} from '../views/menu';

/** A pattern that matches exactly this text. */
export function quotePattern(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
}

export class FrameActions {
  readonly bar: HTMLElement;
  private readonly name = el('span', {class: 'frame-name'});
  private readonly place = el('span', {class: 'frame-place'});
  private readonly values = el('span', {class: 'frame-values'});
  private readonly buttons: HTMLElement;
  private readonly menu = new Menu();
  private node = 0;

  constructor(private readonly model: Model, private readonly store: Store) {
    this.buttons = el('span', {class: 'frame-buttons'},
        button('Callers', 'Show what calls this function (c)', () => this.focus('callers', this.node)),
        button('Called from', 'Show what this function calls (e)', () => this.focus('callees', this.node)),
        button('Find', 'Search this function', () => this.find(this.node)),
        button('Copy', 'Copy the name', () => this.copy(this.node)));
    const line = el('div', {
      class: 'frame-text', attributes: {id: 'frame-line', role: 'status', 'aria-live': 'polite'},
    }, this.name, this.values, this.place);
    this.bar = el('div', {class: 'frame-bar'}, line, this.buttons);
  }

  /** Shows a node of the shape in the line. */
  show(node: number): void {
    this.node = node;
    const text = frameText(this.model, this.store.state, node);
    setText(this.name, text.name);
    setText(this.values, text.values);
    setText(this.place, text.place);
    this.name.title = text.name;
    this.place.title = text.place;
    this.buttons.hidden = node === 0;
  }

  focus(shape: 'callers' | 'callees', node: number): void {
    if (node === 0) return;
    this.store.update({shape, focus: this.model.shape.func[node]!, zoom: 0, tab: 'flame'});
  }

  openMenu(node: number, x: number, y: number, back: HTMLElement): void {
    if (node === 0) return;
    this.menu.open(x, y, back, [
      ['Zoom to this frame', () => this.store.update({zoom: node})],
      ['Callers of this function', () => this.focus('callers', node)],
      ['Called from this function', () => this.focus('callees', node)],
      ['Find this function', () => this.find(node)],
      ['Copy its name', () => this.copy(node)],
    ]);
  }

  private find(node: number): void {
    this.store.update({search: quotePattern(this.nameOf(node))});
  }

  private copy(node: number): void {
    // Needs a secure context, which a file is not everywhere; then nothing can be done.
    navigator.clipboard?.writeText(this.nameOf(node)).catch(() => undefined);
  }

  private nameOf(node: number): string {
    return node === 0 ? '' : this.model.profile.functions.name(this.model.shape.func[node]!);
  }
}
