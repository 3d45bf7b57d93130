// SPDX-License-Identifier: Apache-2.0
// The view as a link: what differs from the defaults, after '#'. A link is untrusted:
// values out of range are ignored.

import type {Metric, Profile} from '../data/profile';
import type {ShapeKind} from '../data/shape';
import {kDefaults, type ColorBy, type State, type Tab, type Theme} from './store';

const kMetrics: readonly Metric[] = ['samples', 'period'];
const kTabs: readonly Tab[] = ['flame', 'functions', 'threads'];
const kShapes: readonly ShapeKind[] = ['calls', 'reversed', 'callers', 'callees'];
const kColors: readonly ColorBy[] = ['dso', 'package', 'difference'];
const kThemes: readonly Theme[] = ['auto', 'light', 'dark'];
const kMaxSearch = 1000;

/** Defaults that depend on the recording. */
export function defaultsFor(profile: Profile): State {
  const event = profile.meta.shownFirst;
  return {
    ...kDefaults,
    event: event in profile.meta.events ? event : 0,
    color: profile.base === null ? 'dso' : 'difference',
  };
}

export function encodeState(state: State, defaults: State): string {
  const parts = new URLSearchParams();
  const put = (key: string, value: string | number, usual: string | number): void => {
    if (value !== usual) parts.set(key, String(value));
  };
  put('event', state.event, defaults.event);
  put('value', state.metric, defaults.metric);
  if (state.time !== null) parts.set('time', state.time.join('-'));
  if (state.timeZoom !== null) parts.set('span', state.timeZoom.join('-'));
  if (state.threads !== null) parts.set('threads', encodeSet(state.threads));
  if (state.cpus !== null) parts.set('cpus', encodeSet(state.cpus));
  put('rows', state.rows, defaults.rows);
  put('tab', state.tab, defaults.tab);
  put('tree', state.shape, defaults.shape);
  put('function', state.focus, defaults.focus);
  put('merge', Number(state.merge), Number(defaults.merge));
  put('from', state.orientation, defaults.orientation);
  put('color', state.color, defaults.color);
  put('zoom', state.zoom, defaults.zoom);
  put('search', state.search, defaults.search);
  put('sort', (state.descending ? '-' : '') + state.sort, `-${defaults.sort}`);
  put('theme', state.theme, defaults.theme);
  return parts.toString();
}

export function decodeState(hash: string, profile: Profile, defaults: State): State {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (key: string, limit: number, usual: number): number => {
    const value = parts.get(key) ?? '';
    return /^\d{1,9}$/.test(value) && Number(value) < limit ? Number(value) : usual;
  };
  const oneOf = <T extends string>(key: string, values: readonly T[], usual: T): T =>
    values.find((value) => value === parts.get(key)) ?? usual;
  const {bins} = profile.meta.recording.time;
  const focus = number('function', profile.functions.count, -1);
  const shape = oneOf('tree', kShapes, defaults.shape);
  const sort = parts.get('sort') ?? '';
  return {
    event: number('event', profile.meta.events.length, defaults.event),
    metric: oneOf('value', kMetrics, defaults.metric),
    time: range(parts.get('time'), bins),
    timeZoom: range(parts.get('span'), bins),
    threads: decodeSet(parts.get('threads')),
    cpus: decodeSet(parts.get('cpus')),
    rows: oneOf('rows', ['threads', 'cpus'], defaults.rows),
    tab: oneOf('tab', kTabs, defaults.tab),
    shape: focus === -1 && (shape === 'callers' || shape === 'callees') ? 'calls' : shape,
    focus,
    merge: parts.get('merge') === '1',
    orientation: oneOf('from', ['icicle', 'flame'], defaults.orientation),
    color: profile.base === null && parts.get('color') === 'difference' ?
        defaults.color : oneOf('color', kColors, defaults.color),
    zoom: number('zoom', 1e9, 0),
    search: (parts.get('search') ?? '').slice(0, kMaxSearch),
    sort: /^-?[a-z]{1,20}$/.test(sort) ? sort.replace('-', '') : defaults.sort,
    descending: sort === '' ? defaults.descending : sort.startsWith('-'),
    theme: oneOf('theme', kThemes, defaults.theme),
  };
}

function range(text: string | null, limit: number): [number, number] | null {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '');
  if (match === null) return null;
  const from = Number(match[1]);
  const to = Math.min(Number(match[2]), limit);
  return from < to ? [from, to] : null;
}

/** Ascending numbers as runs: 1.4-9.12 */
function encodeSet(values: readonly number[]): string {
  const runs: string[] = [];
  for (let i = 0; i < values.length;) {
    let last = i;
    while (values[last + 1] === values[last]! + 1) last++;
    runs.push(last === i ? `${values[i]}` : `${values[i]}-${values[last]}`);
    i = last + 1;
  }
  return runs.join('.');
}

const kMaxSet = 1_000_000;

function decodeSet(text: string | null): number[] | null {
  if (text === null) return null;
  const values = new Set<number>();
  for (const run of text.split('.')) {
    const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(run);
    if (match === null) return null;
    const last = Number(match[2] ?? match[1]);
    for (let i = Number(match[1]); i <= last && values.size < kMaxSet; i++) values.add(i);
  }
  return [...values].sort((a, b) => a - b);
}
