// SPDX-License-Identifier: Apache-2.0
// Values of the time line's cells.

import {lowerBound} from '../data/aggregate';
import type {Entries, Metric} from '../data/profile';

/** Bins [first, last) in columns of `step` bins each; the last column may have fewer. */
export interface Columns {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly count: number;
}

/** As many columns as there are bins, but at most `most`. */
export function columnsFor(first: number, last: number, most: number): Columns {
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  return {first, last, step, count: Math.ceil((last - first) / step)};
}

/** Adds one group's entries to a row of cells. `cpus` are flags by Entries.cpu. */
export function addGroup(entries: Entries, group: number, metric: Metric, columns: Columns,
                         cpus: Uint8Array | null, cells: Float64Array): void {
  const {bin, cpu} = entries;
  const weight = entries[metric];
  const {first, last, step} = columns;
  const end = entries.groupFirst[group + 1]!;
  const from = lowerBound(bin, entries.groupFirst[group]!, end, first);
  const to = lowerBound(bin, from, end, last);
  for (let i = from; i < to; i++) {
    if (cpus !== null && cpus[cpu[i]!] === 0) continue;
    const column = ((bin[i]! - first) / step) | 0;
    cells[column] = cells[column]! + weight[i]!;
  }
}

/** Sums over all threads, and the scale of the rows. */
export interface Scan {
  /** For each column: the selected threads and CPUs. */
  readonly all: Float64Array;
  readonly most: number;
  /** Largest cell of any thread's row. */
  readonly mostOfThread: number;
  /** A row for each value of Entries.cpu: the selected threads. */
  readonly byCpu: Float64Array;
  readonly mostOfCpu: number;
}

export function scan(entries: Entries, event: number, metric: Metric, columns: Columns,
                     threads: Uint8Array | null, cpus: Uint8Array | null,
                     cpuRows: number): Scan {
  const all = new Float64Array(columns.count);
  const byCpu = new Float64Array(columns.count * cpuRows);
  const row = new Float64Array(columns.count);
  let mostOfThread = 0;
  for (let g = entries.eventFirst[event]!; g < entries.eventFirst[event + 1]!; g++) {
    row.fill(0);
    addGroup(entries, g, metric, columns, null, row);
    mostOfThread = Math.max(mostOfThread, largest(row));
    if (threads !== null && threads[entries.groupThread[g]!] === 0) continue;
    addByCpu(entries, g, metric, columns, byCpu);
  }
  for (let i = 0; i < byCpu.length; i++) {
    const column = i % columns.count;
    if (cpus !== null && cpus[(i / columns.count) | 0] === 0) continue;
    all[column] = all[column]! + byCpu[i]!;
  }
  return {all, most: largest(all), mostOfThread, byCpu, mostOfCpu: largest(byCpu)};
}

function addByCpu(entries: Entries, group: number, metric: Metric, columns: Columns,
                  cells: Float64Array): void {
  const {bin, cpu} = entries;
  const weight = entries[metric];
  const {first, last, step, count} = columns;
  const end = entries.groupFirst[group + 1]!;
  const from = lowerBound(bin, entries.groupFirst[group]!, end, first);
  const to = lowerBound(bin, from, end, last);
  for (let i = from; i < to; i++) {
    const at = cpu[i]! * count + (((bin[i]! - first) / step) | 0);
    cells[at] = cells[at]! + weight[i]!;
  }
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
  return most;
}
