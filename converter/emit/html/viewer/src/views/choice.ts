// SPDX-License-Identifier: Apache-2.0
// A row of buttons of which one is on.

import {el} from '../dom';

export class Choice<T extends string> {
  readonly element: HTMLElement;
  private readonly buttons = new Map<T, HTMLButtonElement>();

  constructor(label: string, items: readonly (readonly [T, string, string?])[],
              choose: (value: T) => void) {
    for (const [value, text, title] of items) {
      this.buttons.set(value, el('button', {
        attributes: {type: 'button', 'aria-pressed': 'false', ...(title ? {title} : {})},
        on: {click: () => choose(value)},
      }, text));
    }
    this.element = el('div', {class: 'choice', attributes: {role: 'group', 'aria-label': label}},
                      ...this.buttons.values());
  }

  set(value: T): void {
    for (const [key, item] of this.buttons) item.setAttribute('aria-pressed', String(key === value));
  }
}
