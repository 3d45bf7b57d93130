// SPDX-License-Identifier: Apache-2.0
// Sums of the selected entries: a value for each node, function, thread and CPU.

import type {Column} from './container';
import type {CallTree, Entries, Metric, NodeSums} from './profile';

/** What is selected. Null does not restrict. */
export interface Selection {
  readonly event: number;
  readonly metric: Metric;
  /** Bins [first, last). */
  readonly time: readonly [number, number] | null;
  /** A flag for each thread. */
  readonly threads: Uint8Array | null;
  /** A flag for each value of Entries.cpu. */
  readonly cpus: Uint8Array | null;
}

/** Sums over the selection. */
export interface Sums {
  /** For each node of the call tree. */
  readonly self: Float64Array;
  /** For each thread, selected or not, of the selected time and CPUs. */
  thread: Float64Array;
  total: number;
}

/** Writes the sums over the whole recording, which need no entries. */
export function setWhole(to: Sums, sums: NodeSums, metric: Metric): void {
  to.self.set(sums[metric]);
  to.total = sumOf(to.self);
}

export function setSelected(to: Sums, entries: Entries, selection: Selection): void {
  to.self.fill(0);
  to.thread.fill(0);
  const last = entries.eventFirst[selection.event + 1]!;
  for (let g = entries.eventFirst[selection.event]!; g < last; g++) {
    const thread = entries.groupThread[g]!;
    const isOn = selection.threads === null || selection.threads[thread] !== 0;
    const sum = addGroup(entries, g, selection, isOn ? to.self : null);
    to.thread[thread] = to.thread[thread]! + sum;
  }
  to.total = sumOf(to.self);
}

export function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

/** Returns the group's sum and adds its entries to `self`. */
function addGroup(entries: Entries, group: number, selection: Selection,
                  self: Float64Array | null): number {
  const {bin, cpu, node} = entries;
  const {cpus, time} = selection;
  const weight = entries[selection.metric];
  let from = entries.groupFirst[group]!;
  let to = entries.groupFirst[group + 1]!;
  if (time !== null) {
    from = lowerBound(bin, from, to, time[0]);
    to = lowerBound(bin, from, to, time[1]);
  }
  let sum = 0;
  for (let i = from; i < to; i++) {
    if (cpus !== null && cpus[cpu[i]!] === 0) continue;
    const w = weight[i]!;
    sum += w;
    if (self === null) continue;
    const n = node[i]!;
    self[n] = self[n]! + w;
  }
  return sum;
}

/** The first place in [from, to) of ascending values whose value is at least `value`. */
export function lowerBound(values: Column, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Turns self values into totals, in place: a parent precedes its children. */
export function addToParents(values: Float64Array, parent: Int32Array): void {
  for (let i = values.length - 1; i > 0; i--) {
    const up = parent[i]!;
    values[up] = values[up]! + values[i]!;
  }
}

/** Self and total of each function. A total counts a sample once, however deep it recurses. */
export class FunctionSums {
  readonly self: Float64Array;
  readonly total: Float64Array;
  private readonly nodeTotal: Float64Array;

  constructor(private readonly tree: CallTree, functionCount: number,
              private readonly outermost: Uint8Array) {
    this.self = new Float64Array(functionCount);
    this.total = new Float64Array(functionCount);
    this.nodeTotal = new Float64Array(tree.count);
  }

  update(nodeSelf: Float64Array): void {
    const {self, total, nodeTotal, outermost} = this;
    const {func, parent, count} = this.tree;
    self.fill(0);
    total.fill(0);
    nodeTotal.set(nodeSelf);
    addToParents(nodeTotal, parent);
    for (let i = 1; i < count; i++) {
      const f = func[i]!;
      self[f] = self[f]! + nodeSelf[i]!;
      if (outermost[i] !== 0) total[f] = total[f]! + nodeTotal[i]!;
    }
  }
}

/** A flag for each node that no other node of its function is above. */
export function outermostNodes(tree: CallTree, functionCount: number): Uint8Array {
  const {parent, func, count} = tree;
  const flags = new Uint8Array(count);
  const {firstChild, nextSibling} = childLinks(tree);
  const open = new Uint32Array(functionCount);
  let node = 0;
  for (;;) {
    if (node !== 0) {
      const f = func[node]!;
      flags[node] = open[f] === 0 ? 1 : 0;
      open[f] = open[f]! + 1;
    }
    if (firstChild[node] !== -1) {
      node = firstChild[node]!;
      continue;
    }
    for (;;) {
      if (node === 0) return flags;
      open[func[node]!] = open[func[node]!]! - 1;
      if (nextSibling[node] !== -1) {
        node = nextSibling[node]!;
        break;
      }
      node = parent[node]!;
    }
  }
}

function childLinks(tree: CallTree): {firstChild: Int32Array; nextSibling: Int32Array} {
  const firstChild = new Int32Array(tree.count).fill(-1);
  const nextSibling = new Int32Array(tree.count).fill(-1);
  for (let i = tree.count - 1; i > 0; i--) {
    const up = tree.parent[i]!;
    nextSibling[i] = firstChild[up]!;
    firstChild[up] = i;
  }
  return {firstChild, nextSibling};
}
