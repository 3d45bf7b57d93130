// SPDX-License-Identifier: Apache-2.0
// A box beside the pointer. Screen readers have the status line instead.

import type {FrameText} from '../describe';
import {el, setText} from '../dom';

const kDistance = 14;

export class Tooltip {
  private readonly name = el('div', {class: 'tooltip-name'});
  private readonly values = el('div');
  private readonly place = el('div', {class: 'tooltip-place'});
  readonly element = el('div', {class: 'tooltip', attributes: {'aria-hidden': 'true'}},
                        this.name, this.values, this.place);

  constructor() {
    this.element.hidden = true;
  }

  show(at: MouseEvent, text: FrameText): void {
    setText(this.name, text.name);
    setText(this.values, text.values);
    setText(this.place, text.place);
    const box = this.element;
    box.hidden = false;
    const right = at.clientX + kDistance;
    const below = at.clientY + kDistance;
    const x = Math.min(right, innerWidth - box.offsetWidth - 4);
    const y = below + box.offsetHeight > innerHeight ? at.clientY - kDistance - box.offsetHeight : below;
    box.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
