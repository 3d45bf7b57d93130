// SPDX-License-Identifier: Apache-2.0
// The line above the time line: what is selected, and what can be done with it.

import {button, el, setText} from '../dom';
import {duration, moment} from '../format';
import type {Store} from '../state/store';
import {Choice} from '../views/choice';

export class TimelineBar {
  readonly element: HTMLElement;
  private readonly selection = el('span', {
    class: 'selection', attributes: {id: 'time-line', role: 'status', 'aria-live': 'polite'}});
  private readonly rows: Choice<'threads' | 'cpus'>;
  private readonly clear: HTMLButtonElement;
  private readonly zoom: HTMLButtonElement;
  private readonly whole: HTMLButtonElement;

  constructor(private readonly store: Store, private readonly binNs: number) {
    this.rows = new Choice('Rows', [['threads', 'Threads'], ['cpus', 'CPUs']],
                           (rows) => store.update({rows}));
    this.clear = button('Select all', 'Select the whole time (Escape)', () => store.update({time: null}));
    this.zoom = button('Zoom in', 'Show the selected time alone (z)',
                       () => store.update({timeZoom: store.state.time}));
    this.whole = button('Zoom out', 'Show the whole time', () => store.update({timeZoom: null}));
    this.element = el('div', {class: 'bar'}, el('h2', {}, 'Time'), this.rows.element,
                      this.selection, this.clear, this.zoom, this.whole);
    this.update();
  }

  update(): void {
    const {time, timeZoom, rows} = this.store.state;
    this.rows.set(rows);
    this.clear.hidden = time === null;
    this.zoom.hidden = time === null;
    this.whole.hidden = timeZoom === null;
    setText(this.selection, time === null ? 'Drag to select a time' :
        `${moment(time[0] * this.binNs)} to ${moment(time[1] * this.binNs)}, ` +
        duration((time[1] - time[0]) * this.binNs));
  }

  sayRow(name: string): void {
    setText(this.selection, name);
  }
}
