// SPDX-License-Identifier: Apache-2.0
// The rows of the time line: threads that have samples of the event, busiest first, or CPUs.

import type {Metric, Profile, Samples} from '../data/profile';
import type {State} from '../state/store';

export interface Row {
  /** Index of the thread, or that of the CPU plus 1. */
  readonly key: number;
  readonly label: string;
  /** Its group of entries; -1 for a CPU. */
  readonly group: number;
}

export function makeRows(profile: Profile, samples: Samples, state: State): Row[] {
  return state.rows === 'threads' ? threadRows(samples, state.event, state.metric) :
      cpuRows(profile, samples, state.event);
}

/**
 * What a thread is called: its name, or its process's where it has none, and its id. A thread
 * without an id has that of its process, if it has one.
 */
export function threadLabel(samples: Samples, index: number): string {
  const thread = samples.threads[index]!;
  const process = samples.processes[thread.process];
  const name = thread.name || process?.name || '[unknown]';
  if (thread.tid >= 0) return `${name} ${thread.tid}`;
  return process && process.pid >= 0 ? `${name} (${process.name} ${process.pid})` : name;
}

function threadRows(samples: Samples, event: number, metric: Metric): Row[] {
  const {entries} = samples;
  const weight = entries[metric];
  const rows: (Row & {readonly sum: number})[] = [];
  for (let g = entries.eventFirst[event]!; g < entries.eventFirst[event + 1]!; g++) {
    let sum = 0;
    for (let i = entries.groupFirst[g]!; i < entries.groupFirst[g + 1]!; i++) sum += weight[i]!;
    const key = entries.groupThread[g]!;
    rows.push({key, group: g, sum, label: threadLabel(samples, key)});
  }
  return rows.sort((a, b) => b.sum - a.sum || a.key - b.key);
}

function cpuRows(profile: Profile, {entries}: Samples, event: number): Row[] {
  const {cpus} = profile.meta.recording;
  const isSeen = new Uint8Array(cpus.length + 1);
  const first = entries.groupFirst[entries.eventFirst[event]!]!;
  const end = entries.groupFirst[entries.eventFirst[event + 1]!]!;
  for (let i = first; i < end; i++) isSeen[entries.cpu[i]!] = 1;
  return [...isSeen.keys()].filter((key) => isSeen[key] !== 0)
      .map((key) => ({key, group: -1,
                      label: key === 0 ? 'CPU not known' : `CPU ${cpus[key - 1]}`}));
}
