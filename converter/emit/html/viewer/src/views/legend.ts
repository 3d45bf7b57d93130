// SPDX-License-Identifier: Apache-2.0
// What the colours of the flame graph mean.

import {kSteps, type CanvasTheme} from '../color';
import {el} from '../dom';
import type {Model} from '../model';
import type {State} from '../state/store';

export class LegendView {
  readonly element = el('div', {class: 'legend', attributes: {'aria-label': 'Colours', role: 'group'}});

  update(model: Model, state: State, theme: CanvasTheme): void {
    this.element.hidden = state.tab !== 'flame';
    const chip = (color: string): HTMLElement => {
      const box = el('i', {attributes: {'aria-hidden': 'true'}});
      box.style.backgroundColor = color;
      return box;
    };
    if (state.color === 'difference' && model.baseValues !== null) {
      const scale = el('span', {class: 'scale'},
                       ...Array.from({length: kSteps}, (_, step) => chip(theme.differences[step]!)));
      this.element.replaceChildren('smaller share than in the base', scale, 'larger share');
      return;
    }
    this.element.replaceChildren(...model.grouping.legend.map(({name, style}) =>
        el('span', {class: 'legend-item', attributes: {title: name}},
           chip(theme.groups[style]!), el('span', {}, name))));
  }
}
