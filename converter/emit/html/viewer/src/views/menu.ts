// SPDX-License-Identifier: Apache-2.0
// A menu at a point of the page.

import {button, el} from '../dom';

export type MenuItem = readonly [label: string, run: () => void];

export class Menu {
  private element: HTMLElement | null = null;
  private back: HTMLElement | null = null;

  /** Opens the menu; focus returns to `back` when it closes. */
  open(x: number, y: number, back: HTMLElement, items: readonly MenuItem[]): void {
    this.close(false);
    this.back = back;
    const buttons = items.map(([label, run]) => {
      const item = button(label, '', () => {
        this.close(true);
        run();
      });
      item.setAttribute('role', 'menuitem');
      item.removeAttribute('title');
      return item;
    });
    const menu = el('div', {
      class: 'menu', attributes: {role: 'menu', 'aria-label': 'Frame'},
      on: {keydown: (event) => this.key(event, buttons), focusout: (event) => this.lostFocus(event)},
    }, ...buttons);
    this.element = menu;
    document.body.append(menu);
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 4))}px`;
    buttons[0]?.focus();
  }

  private key(event: KeyboardEvent, buttons: readonly HTMLButtonElement[]): void {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) buttons[(at + step + buttons.length) % buttons.length]!.focus();
    else if (event.key === 'Escape') this.close(true);
    else if (event.key !== 'Enter' && event.key !== ' ' && event.key !== 'Tab') return;
    event.stopPropagation();
    if (step !== 0 || event.key === 'Escape') event.preventDefault();
  }

  private lostFocus(event: FocusEvent): void {
    if (!this.element?.contains(event.relatedTarget as Node | null)) this.close(false);
  }

  private close(returnFocus: boolean): void {
    const {element, back} = this;
    this.element = null;
    this.back = null;
    element?.remove();
    if (returnFocus) back?.focus();
  }
}
