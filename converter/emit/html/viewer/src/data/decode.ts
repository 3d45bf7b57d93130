// SPDX-License-Identifier: Apache-2.0
// From the columns of the file to what the page works on. The file's format is stated
// in docs/html.md.

import type {Column, Container} from './container';
import type {
  CallTree, Dsos, Entries, Functions, Meta, NodeSums, ProcessInfo, Profile, Samples, ThreadInfo,
} from './profile';

const kPlaceholder = 1;
const kInlined = 1;
const kOther = 2;
const kKernelKinds = new Set([2, 3, 4]);
const kOtherName = '(other: small call paths)';

class Strings {
  private readonly bytes: Column;
  private readonly first: Uint32Array;
  private readonly decoded: (string | undefined)[];
  private readonly text = new TextDecoder();

  constructor(block: Container) {
    this.bytes = block.column('string.bytes');
    const size = block.column('string.size');
    this.first = starts(size);
    this.decoded = new Array<string | undefined>(size.length);
  }

  at(index: number): string {
    const known = this.decoded[index];
    if (known !== undefined) return known;
    const bytes = this.bytes.subarray(this.first[index], this.first[index + 1]) as Uint8Array;
    return (this.decoded[index] = this.text.decode(bytes));
  }
}

/** Running sums: where each of the pieces of these sizes begins, and where the last ends. */
function starts(sizes: Column): Uint32Array {
  const first = new Uint32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) first[i + 1] = first[i]! + sizes[i]!;
  return first;
}

export interface Decoded {
  readonly profile: Profile;
  readonly stringAt: (index: number) => string;
}

const kNoEvent = {name: 'no event', unit: 'count', kind: 'sampled', period: 0, frequency: false};

/** A recording without events gets one that has no samples. */
function withEvent(meta: Meta): Meta {
  if (meta.events.length > 0) return meta;
  const none = [{samples: 0, period: 0}];
  return {...meta, events: [kNoEvent], recording: {...meta.recording, totals: none, periodUnit: [1]}};
}

export function decodeProfile(block: Container): Decoded {
  const meta = withEvent(block.meta as Meta);
  const strings = new Strings(block);
  const dsos = decodeDsos(block, strings);
  const functions = decodeFunctions(block, strings, dsos.count - 1);
  const tree = decodeTree(block, functions.other);
  const profile = {
    meta, dsos, functions, tree,
    sums: decodeSums(block, 'self', meta.events.length, tree.count),
    base: meta.base && decodeSums(block, 'base', meta.events.length, tree.count),
  };
  return {profile, stringAt: (index) => strings.at(index)};
}

function decodeDsos(block: Container, strings: Strings): Dsos {
  const name = block.column('dso.name');
  const kind = block.column('dso.kind');
  const other = name.length;
  return {
    count: other + 1,
    name: (index) => (index === other ? '' : strings.at(name[index]!)),
    isKernel: (index) => index !== other && kKernelKinds.has(kind[index]!),
  };
}

function decodeFunctions(block: Container, strings: Strings, otherDso: number): Functions {
  const name = block.column('function.name');
  const file = block.column('function.file');
  const flags = block.column('function.flags');
  const other = name.length;
  const dso = new Uint32Array(other + 1);
  dso.set(block.column('function.dso'));
  dso[other] = otherDso;
  const line = new Uint32Array(other + 1);
  line.set(block.column('function.line'));
  return {
    count: other + 1, other, dso, line,
    name: (index) => (index === other ? kOtherName : strings.at(name[index]!)),
    file: (index) => (index === other ? '' : strings.at(file[index]!)),
    isPlaceholder: (index) => index !== other && (flags[index]! & kPlaceholder) !== 0,
  };
}

function decodeTree(block: Container, other: number): CallTree {
  const up = block.column('node.up');
  const functions = block.column('node.function');
  const flags = block.column('node.flags');
  const count = up.length;
  const parent = new Int32Array(count);
  const func = new Int32Array(count);
  const inlined = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    parent[i] = i - up[i]!;
    func[i] = (flags[i]! & kOther) !== 0 ? other : functions[i]!;
    inlined[i] = flags[i]! & kInlined;
  }
  parent[0] = -1;
  func[0] = -1;
  return {count, parent, func, inlined, folded: block.column('node.folded')};
}

function decodeSums(block: Container, table: string, events: number, nodes: number): NodeSums[] {
  const event = block.column(`${table}.event`);
  const node = block.column(`${table}.node`);
  const samples = block.column(`${table}.samples`);
  const period = block.column(`${table}.period`);
  const sums = Array.from({length: events}, () => (
    {samples: new Float64Array(nodes), period: new Float64Array(nodes)}));
  for (let i = 0; i < event.length; i++) {
    const to = sums[event[i]!]!;
    to.samples[node[i]!] = samples[i]!;
    to.period[node[i]!] = period[i]!;
  }
  return sums;
}

export function decodeSamples(block: Container, {profile, stringAt}: Decoded): Samples {
  return {
    processes: decodeProcesses(block, stringAt),
    threads: decodeThreads(block, stringAt),
    entries: decodeEntries(block, profile.meta),
  };
}

function decodeProcesses(block: Container, stringAt: (index: number) => string): ProcessInfo[] {
  const pid = block.column('process.pid');
  const name = block.column('process.name');
  const parent = block.column('process.parent');
  return Array.from(pid, (value, i) => (
    {pid: value | 0, name: stringAt(name[i]!), parent: parent[i]! - 1}));
}

function decodeThreads(block: Container, stringAt: (index: number) => string): ThreadInfo[] {
  const process = block.column('thread.process');
  const tid = block.column('thread.tid');
  const name = block.column('thread.name');
  const start = block.column('thread.start');
  const end = block.column('thread.end');
  return Array.from(process, (value, i) => ({
    process: value,
    tid: tid[i]! | 0,
    name: stringAt(name[i]!),
    start: start[i] ? start[i]! - 1 : NaN,
    end: end[i] ? end[i]! - 1 : NaN,
  }));
}

function decodeEntries(block: Container, meta: Meta): Entries {
  const groupEvent = block.column('group.event');
  const groupFirst = starts(block.column('group.entries'));
  const eventFirst = new Uint32Array(meta.events.length + 1);
  for (let g = 0; g < groupEvent.length; g++) eventFirst[groupEvent[g]! + 1] = g + 1;
  for (let e = 1; e < eventFirst.length; e++) {
    eventFirst[e] = Math.max(eventFirst[e]!, eventFirst[e - 1]!);
  }
  const samples = block.column('entry.samples');
  return {
    eventFirst, groupFirst, samples,
    groupThread: block.column('group.thread'),
    bin: block.column('entry.bin'),
    cpu: block.column('entry.cpu'),
    node: block.column('entry.node'),
    period: periods(block, meta, groupEvent, groupFirst, samples),
  };
}

function periods(block: Container, meta: Meta, groupEvent: Column, groupFirst: Uint32Array,
                 samples: Column): Float64Array {
  const extra = block.column('entry.extra');
  const least = block.column('group.least');
  const exact = block.column('group.period');
  const period = new Float64Array(samples.length);
  for (let g = 0; g < groupEvent.length; g++) {
    const unit = meta.recording.periodUnit[groupEvent[g]!]!;
    const perSample = least[g]!;
    const first = groupFirst[g]!;
    const end = groupFirst[g + 1]!;
    let sum = 0;
    for (let i = first; i < end; i++) {
      const value = samples[i]! * perSample + extra[i]! * unit;
      period[i] = value;
      sum += value;
    }
    if (end > first) period[first] = period[first]! + exact[g]! - sum;
  }
  return period;
}
