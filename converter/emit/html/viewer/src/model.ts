// SPDX-License-Identifier: Apache-2.0
// All that is computed from the profile and the state. Views only read it.

import {groupFunctions, type Grouping} from './color';
import {FunctionSums, outermostNodes, setSelected, setWhole, sumOf, type Sums} from './data/aggregate';
import type {EventMeta, Profile, Samples} from './data/profile';
import {buildShape, orderChildren, shapeTotals, type Shape} from './data/shape';
import {findFunctions, matchedTotal, type Matches} from './search';
import type {Changed, State} from './state/store';

/** Values of a shape's nodes. */
export interface ShapeValues {
  readonly self: Float64Array;
  readonly total: Float64Array;
}

const kSelectionKeys: readonly (keyof State)[] = ['event', 'metric', 'time', 'threads', 'cpus'];
const kShapeKeys: readonly (keyof State)[] = ['shape', 'focus', 'merge'];

export class Model {
  samples: Samples | null = null;
  readonly sums: Sums;
  readonly functionSums: FunctionSums;
  shape!: Shape;
  values!: ShapeValues;
  baseFunctions: FunctionSums | null = null;
  baseValues: ShapeValues | null = null;
  baseTotal = 0;
  grouping!: Grouping;
  /** Null: nothing is searched. A string: why the pattern is none. */
  matches: Matches | string | null = null;
  /** The value of all samples with a match in their stack. */
  matched = 0;
  /** The time that the last change of the selection took, all views included. */
  lastRecomputeMs = 0;
  private readonly outermost: Uint8Array;
  private readonly used: Uint8Array;

  constructor(readonly profile: Profile) {
    const {tree, functions} = profile;
    this.outermost = outermostNodes(tree, functions.count);
    this.sums = {self: new Float64Array(tree.count), thread: new Float64Array(0), total: 0};
    this.functionSums = this.newFunctionSums();
    this.used = usedNodes(profile);
  }

  eventOf(state: State): EventMeta {
    return this.profile.meta.events[state.event]!;
  }

  setSamples(samples: Samples): void {
    this.samples = samples;
    this.sums.thread = new Float64Array(samples.threads.length);
  }

  /** Computes what depends on the changed parts of the state; null: everything. */
  recompute(state: State, changed: Changed | null): void {
    const has = (keys: readonly (keyof State)[]): boolean =>
      changed === null || keys.some((key) => changed.has(key));
    const isOtherValue = has(['event', 'metric']);
    const isOtherShape = has(kShapeKeys);
    const isOtherSelection = has(kSelectionKeys);
    if (isOtherSelection) this.sumSelection(state);
    if (isOtherShape) this.buildShape(state);
    if (isOtherShape || isOtherValue) this.setWholeValues(state);
    if (isOtherShape || isOtherSelection) {
      shapeTotals(this.shape, this.sums.self, this.values.self, this.values.total);
    }
    if (isOtherValue || has(['color'])) this.group(state);
    if (has(['search'])) {
      this.matches = state.search === '' ? null :
          findFunctions(state.search, this.profile.functions);
    }
    if (this.matches === null || typeof this.matches === 'string') {
      this.matched = 0;
    } else if (isOtherShape || isOtherSelection || has(['search'])) {
      this.matched = matchedTotal(this.shape, this.values.total, this.matches.flags);
    }
  }

  /** The share of a node of the shape in all selected samples, and in those of the base. */
  shares(node: number): {now: number; base: number} {
    const share = (value: number, total: number): number => (total > 0 ? value / total : 0);
    return {
      now: share(this.values.total[node]!, this.sums.total),
      base: share(this.baseValues?.total[node] ?? 0, this.baseTotal),
    };
  }

  private newFunctionSums(): FunctionSums {
    return new FunctionSums(this.profile.tree, this.profile.functions.count, this.outermost);
  }

  private sumSelection(state: State): void {
    const {samples, profile} = this;
    if (samples === null) {
      setWhole(this.sums, profile.sums[state.event]!, state.metric);
    } else {
      setSelected(this.sums, samples.entries, {
        event: state.event,
        metric: state.metric,
        time: state.time,
        threads: flagsOf(state.threads, samples.threads.length),
        cpus: flagsOf(state.cpus, profile.meta.recording.cpus.length + 1),
      });
    }
    this.functionSums.update(this.sums.self);
  }

  private buildShape(state: State): void {
    const {tree} = this.profile;
    this.shape = buildShape(tree, state.shape, state.focus, state.merge, this.used, this.outermost);
    const {count} = this.shape;
    this.values = {self: new Float64Array(count), total: new Float64Array(count)};
  }

  /** Values over the whole recording: the order of children, and the base. */
  private setWholeValues(state: State): void {
    const {profile, shape} = this;
    shapeTotals(shape, profile.sums[state.event]![state.metric], this.values.self, this.values.total);
    orderChildren(shape, this.values.total);
    shapeTotals(shape, this.sums.self, this.values.self, this.values.total);
    if (profile.base === null) return;
    const base = profile.base[state.event]![state.metric];
    this.baseTotal = sumOf(base);
    this.baseFunctions ??= this.newFunctionSums();
    this.baseFunctions.update(base);
    this.baseValues = {
      self: new Float64Array(shape.count), total: new Float64Array(shape.count)};
    shapeTotals(shape, base, this.baseValues.self, this.baseValues.total);
  }

  private group(state: State): void {
    const weight = this.newFunctionSums();
    weight.update(this.profile.sums[state.event]![state.metric]);
    this.grouping = groupFunctions(
        this.profile, state.color === 'package' ? 'package' : 'dso', weight.self);
  }
}

function usedNodes(profile: Profile): Uint8Array {
  const used = new Uint8Array(profile.tree.count);
  for (const sums of [...profile.sums, ...(profile.base ?? [])]) {
    for (let i = 0; i < used.length; i++) if (sums.samples[i] !== 0) used[i] = 1;
  }
  return used;
}

/** A flag for each index below `count`; null stays null. */
export function flagsOf(indexes: readonly number[] | null, count: number): Uint8Array | null {
  if (indexes === null) return null;
  const flags = new Uint8Array(count);
  for (const index of indexes) if (index < count) flags[index] = 1;
  return flags;
}
