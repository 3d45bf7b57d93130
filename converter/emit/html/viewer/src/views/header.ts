// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was recorded, losses and advice, the event and its value.

import type {Recording} from '../data/profile';
import {button, el, setText} from '../dom';
import {amount, duration, grouped, percent, wallTime} from '../format';
import type {Model} from '../model';
import type {Store, Theme} from '../state/store';
import {Choice} from './choice';

const kThemes: readonly Theme[] = ['auto', 'light', 'dark'];

export class HeaderView {
  readonly element: HTMLElement;
  private readonly events: HTMLSelectElement;
  private readonly metric: Choice<'samples' | 'period'>;
  private readonly total = el('span', {class: 'sum'});
  private readonly theme: HTMLButtonElement;

  constructor(private readonly model: Model, private readonly store: Store, showHelp: () => void) {
    const {meta} = model.profile;
    this.events = el('select', {
      attributes: {'aria-label': 'Event'},
      on: {change: () => store.update({event: this.events.selectedIndex, zoom: 0})},
    }, ...meta.events.map((event) => el('option', {}, event.name)));
    this.metric = new Choice('Value', [
      ['samples', 'Samples', 'Count samples'],
      ['period', 'Period', 'Sum the periods of samples: what the event counted'],
    ], (metric) => store.update({metric}));
    this.theme = button('', 'Change between light and dark', () => this.nextTheme(), 'quiet');
    const title = meta.recording.command || meta.title;
    this.element = el('header', {},
        el('div', {class: 'title'},
            el('h1', {attributes: {title}}, title), this.total,
            el('div', {class: 'controls'}, this.events, this.metric.element, this.theme,
               button('Keys', 'Show all keys (?)', showHelp, 'quiet'))),
        el('div', {class: 'facts'}, ...facts(meta.recording).map(factElement)),
        ...(meta.base === null ? [] : [
          el('div', {class: 'facts'}, el('span', {class: 'fact'}, el('b', {}, 'Compared with')),
             ...baseFacts(meta.base, meta.recording))]),
        ...notes(model));
  }

  update(): void {
    const {state} = this.store;
    const {meta} = this.model.profile;
    this.events.selectedIndex = state.event;
    this.metric.set(state.metric);
    setText(this.theme, `Theme: ${state.theme}`);
    const event = this.model.eventOf(state);
    const whole = meta.recording.totals[state.event]![state.metric];
    const {total} = this.model.sums;
    const unit = state.metric === 'samples' ? ' samples' : event.unit === 'count' ? ` ${event.name}` : '';
    const text = `${amount(whole, event, state.metric)}${unit}`;
    setText(this.total, Math.abs(total - whole) < 0.5 ? text :
        `${amount(total, event, state.metric)} of ${text} selected (${percent(total, whole)})`);
    this.total.title = `Exactly ${grouped(total)} of ${grouped(whole)}`;
  }

  private nextTheme(): void {
    const at = kThemes.indexOf(this.store.state.theme);
    this.store.update({theme: kThemes[(at + 1) % kThemes.length]!});
  }
}

type Fact = readonly [label: string, value: string];

function factElement([label, value]: Fact): HTMLElement {
  return el('span', {class: 'fact', attributes: {title: `${label}: ${value}`}}, el('b', {}, label), value);
}

/** What differs from the recording shown. */
function baseFacts(base: Recording, recording: Recording): HTMLElement[] {
  const same = new Set(facts(recording).map(String));
  const command: Fact[] = base.command === '' ? [] : [['Command', base.command]];
  return [...command, ...facts(base).filter((fact) => !same.has(String(fact)))].map(factElement);
}

function facts(recording: Recording): Fact[] {
  const wall = recording.wallStart === null ? '' : wallTime(recording.wallStart);
  const lasted = recording.time.duration > 0 ? duration(recording.time.duration) : '';
  const all: readonly Fact[] = [
    ['File', recording.input],
    ['Host', recording.host],
    ['Kernel', [recording.kernel, recording.arch].filter(Boolean).join(' ')],
    ['CPU', recording.cpu],
    ['Recorded', wall],
    ['Duration', lasted],
    ['perf', recording.perf],
  ];
  return all.filter(([, value]) => value !== '');
}

/** The notes of the file; nothing if there are none. */
function notes(model: Model): HTMLElement[] {
  const {recording, base, cut} = model.profile.meta;
  const losses = [...recording.losses, ...(base?.losses ?? []).map((text) => `Base: ${text}`)];
  const advice = recording.advice.map(({message, next}) => ({message, next}));
  const remarks: string[] = [];
  if (cut.nodes > 0) {
    remarks.push(`${grouped(cut.nodes)} call paths with less than ${(cut.share * 100).toFixed(3)} % ` +
        'of every event are summed into “other” frames.');
  }
  if (recording.time.bins === 0) remarks.push('The samples have no times: there is no time line.');
  if (losses.length + advice.length + remarks.length === 0) return [];
  const list = el('ul', {class: 'notes-list', attributes: {id: 'notes'}},
      ...losses.map((text) => el('li', {class: 'loss'}, text)),
      ...advice.map(({message, next}) => el('li', {class: 'advice'}, message,
                                            ...(next ? [el('span', {class: 'next'}, next)] : []))),
      ...remarks.map((text) => el('li', {}, text)));
  list.hidden = true;
  const counts = [
    count(losses.length, 'loss', 'losses'), count(advice.length, 'hint', 'hints'),
    count(remarks.length, 'remark', 'remarks'),
  ].filter(Boolean).join(', ');
  const toggle = button(counts, 'Losses of the recording, and how to record better', () => {
    list.hidden = !list.hidden;
    toggle.setAttribute('aria-expanded', String(!list.hidden));
  }, losses.length > 0 ? 'notes-toggle loss' : 'notes-toggle');
  toggle.setAttribute('aria-expanded', 'false');
  toggle.setAttribute('aria-controls', 'notes');
  const first = losses[0] ?? recording.advice[0]?.message ?? remarks[0]!;
  return [el('div', {class: 'notes'}, toggle, el('span', {class: 'first-note'}, first)), list];
}

function count(number: number, one: string, many: string): string {
  return number === 0 ? '' : number === 1 ? `1 ${one}` : `${number} ${many}`;
}
