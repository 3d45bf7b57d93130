// SPDX-License-Identifier: Apache-2.0
// What the user chose. All views derive from it; a link carries it.

import type {Metric} from '../data/profile';
import type {ShapeKind} from '../data/shape';

export type Tab = 'flame' | 'functions' | 'threads';
export type ColorBy = 'dso' | 'package' | 'difference';
export type Theme = 'auto' | 'light' | 'dark';

export interface State {
  readonly event: number;
  readonly metric: Metric;
  /** Bins [first, last). */
  readonly time: readonly [number, number] | null;
  /** Part of the time line that is shown; bins [first, last). */
  readonly timeZoom: readonly [number, number] | null;
  /** Selected threads, by index, ascending. */
  readonly threads: readonly number[] | null;
  /** Selected CPUs + 1, ascending. */
  readonly cpus: readonly number[] | null;
  readonly rows: 'threads' | 'cpus';
  readonly tab: Tab;
  readonly shape: ShapeKind;
  /** The function of the shapes 'callers' and 'callees', or -1. */
  readonly focus: number;
  readonly merge: boolean;
  readonly orientation: 'icicle' | 'flame';
  readonly color: ColorBy;
  /** Node of the shape that fills the width. */
  readonly zoom: number;
  readonly search: string;
  readonly sort: string;
  readonly descending: boolean;
  readonly theme: Theme;
}

export const kDefaults: State = {
  event: 0, metric: 'samples', time: null, timeZoom: null, threads: null, cpus: null,
  rows: 'threads', tab: 'flame', shape: 'calls', focus: -1, merge: false,
  orientation: 'icicle', color: 'dso', zoom: 0, search: '', sort: 'self', descending: true,
  theme: 'auto',
};

export type Changed = ReadonlySet<keyof State>;
type Listener = (state: State, changed: Changed) => void;

export class Store {
  private readonly listeners: Listener[] = [];

  constructor(private current: State) {}

  get state(): State {
    return this.current;
  }

  /** Listeners run in the order in which they were added. */
  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  update(patch: Partial<State>): void {
    const before = this.current;
    this.current = {...before, ...patch};
    const keys = Object.keys(patch) as (keyof State)[];
    const changed = new Set(keys.filter((key) => this.current[key] !== before[key]));
    if (changed.size === 0) return;
    for (const listener of this.listeners) listener(this.current, changed);
  }
}
