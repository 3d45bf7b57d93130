// SPDX-License-Identifier: Apache-2.0
// What the page shows, as typed arrays. Nothing here is an object per sample or node.

import type {Column} from './container';

export type Metric = 'samples' | 'period';

export interface EventMeta {
  readonly name: string;
  /** Of the period: "count", "nanoseconds", … */
  readonly unit: string;
  readonly kind: string;
  /** 0: not known. */
  readonly period: number;
  /** `period` is in samples a second. */
  readonly frequency: boolean;
}

/** Facts of a recording. Texts are "" if not known. */
export interface Recording {
  readonly input: string;
  readonly command: string;
  readonly host: string;
  readonly kernel: string;
  readonly arch: string;
  readonly cpu: string;
  readonly perf: string;
  readonly clock: string;
  /** Nanoseconds since 1970, decimal. */
  readonly wallStart: string | null;
  readonly time: {
    readonly start: string | null;
    readonly duration: number;
    readonly binNs: number;
    /** 0: samples have no times. */
    readonly bins: number;
  };
  readonly periodUnit: readonly number[];
  /** Exact, for each event. */
  readonly totals: readonly {readonly samples: number; readonly period: number}[];
  /** The CPUs that samples ran on, ascending. */
  readonly cpus: readonly number[];
  readonly losses: readonly string[];
  readonly advice: readonly {readonly message: string; readonly next: string}[];
}

export interface Meta {
  readonly generator: string;
  readonly title: string;
  readonly events: readonly EventMeta[];
  readonly shownFirst: number;
  readonly recording: Recording;
  readonly base: Recording | null;
  readonly cut: {readonly nodes: number; readonly share: number};
}

/**
 * Functions, by index. The last one is not of the recording: it stands for small nodes
 * that the file sums up.
 */
export interface Functions {
  readonly count: number;
  readonly other: number;
  readonly dso: Column;
  readonly line: Column;
  name(index: number): string;
  file(index: number): string;
  isPlaceholder(index: number): boolean;
}

/** Programs, libraries and kernels, by index. The last one is that of `Functions.other`. */
export interface Dsos {
  readonly count: number;
  /** A path, or a name in brackets. */
  name(index: number): string;
  isKernel(index: number): boolean;
}

/** The call tree. Node 0 is the root, which is no function. A parent precedes its children. */
export interface CallTree {
  readonly count: number;
  /** -1 for the root. */
  readonly parent: Int32Array;
  /** -1 for the root. */
  readonly func: Int32Array;
  readonly inlined: Uint8Array;
  /** For nodes of `Functions.other`: the number of nodes summed up. */
  readonly folded: Column;
}

/** Self values of all nodes of the call tree for one event, over a whole recording. */
export interface NodeSums {
  readonly samples: Float64Array;
  readonly period: Float64Array;
}

/** What suffices for a first flame graph. */
export interface Profile {
  readonly meta: Meta;
  readonly functions: Functions;
  readonly dsos: Dsos;
  readonly tree: CallTree;
  /** For each event. */
  readonly sums: readonly NodeSums[];
  /** Those of the recording that this one is compared with. */
  readonly base: readonly NodeSums[] | null;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly name: string;
  /** Index of the parent, or -1. */
  readonly parent: number;
}

export interface ThreadInfo {
  /** Index of its process. */
  readonly process: number;
  readonly tid: number;
  readonly name: string;
  /** Nanoseconds since the recording's start, or NaN. */
  readonly start: number;
  readonly end: number;
}

/** Values at (time bin, CPU, node). Entries of one event and thread form a group. */
export interface Entries {
  /** The groups of event e are [eventFirst[e], eventFirst[e + 1]). */
  readonly eventFirst: Uint32Array;
  readonly groupThread: Column;
  /** The entries of group g are [groupFirst[g], groupFirst[g + 1]), ordered by bin. */
  readonly groupFirst: Uint32Array;
  /** The number of bins stands for samples without a time. */
  readonly bin: Column;
  /** Index in Recording.cpus, plus 1; 0 is not known. */
  readonly cpu: Column;
  readonly node: Column;
  readonly samples: Column;
  readonly period: Float64Array;
}

/** What the time line, the tree of threads and any selection need. */
export interface Samples {
  readonly processes: readonly ProcessInfo[];
  readonly threads: readonly ThreadInfo[];
  readonly entries: Entries;
}
