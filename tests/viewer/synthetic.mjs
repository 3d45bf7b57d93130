// SPDX-License-Identifier: Apache-2.0
// A made-up recording: its rows as plain objects, and the same as data blocks.
import {encodeBlock} from './container.mjs';

/** A small generator of numbers that are the same everywhere. */
function generator(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

class Strings {
  constructor() {
    this.index = new Map([['', 0]]);
  }
  of(text) {
    if (!this.index.has(text)) this.index.set(text, this.index.size);
    return this.index.get(text);
  }
  columns() {
    const all = [...this.index.keys()].map((text) => Buffer.from(text));
    return {'string.bytes': Buffer.concat(all), 'string.size': all.map((bytes) => bytes.length)};
  }
}

const kDsos = [
  ['/usr/bin/demo', 0], ['[kernel.kallsyms]', 2], ['/usr/lib/x86_64-linux-gnu/libc.so.6', 0],
  ['/usr/lib/libstdc++.so.6', 0], ['/usr/lib/libz.so.1', 0], ['[jit]', 7], ['/opt/go/bin/server', 0],
  ['/usr/lib/libsqlite3.so.0', 0], ['/usr/lib/libcrypto.so.3', 0], ['/usr/lib/libpython3.11.so.1.0', 0],
];
const kPackages = ['demo::audio::', 'sys_', 'str', 'std::vector<int>::', 'inflate_', 'Interpreter:',
  'github.com/acme/server/http.(*Server).', 'sqlite3_', 'EVP_', 'PyEval_'];
const kVerbs = ['Step', 'Mix', 'Read', 'Write', 'Compute', 'Parse', 'Flush', 'Schedule', 'Lookup', 'Update'];
export const kHostile = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</script>',
  `long_${'x'.repeat(4091)}`, '\\u202eevil', '${alert(1)}', '&lt;b&gt;'];

function makeFunctions(count, next) {
  return Array.from({length: count}, (_, i) => {
    const dso = i < 20 ? 0 : next(kDsos.length);
    const name = i < kHostile.length ? kHostile[i] :
        `${kPackages[dso]}${kVerbs[next(kVerbs.length)]}${i}`;
    return {name, dso, file: i % 3 === 0 ? '' : `/src/demo/part${i % 7}.cc`, line: (i * 37) % 900};
  });
}

/** A tree in preorder: {parent, func, depth, flags, folded}. */
function makeTree({nodes, functions, depth}, next) {
  const tree = [{parent: 0, func: 0, depth: 0, flags: 0, folded: 0}];
  while (tree.length < nodes) {
    // The next node of a preorder hangs on the last node or one of its ancestors.
    let parent = tree.length - 1;
    while (parent > 0 && (tree[parent].depth >= depth || tree[parent].flags === 2 || next(100) < 46)) {
      parent = tree[parent].parent;
    }
    // Some call themselves, directly or by way of another.
    const recursion = parent > 0 ? next(16) : -1;
    const caller = recursion === 0 ? parent : recursion === 1 ? tree[parent].parent : 0;
    const isOther = parent > 0 && next(40) === 0;
    tree.push({
      parent, depth: tree[parent].depth + 1,
      func: isOther ? 0 : caller > 0 ? tree[caller].func : next(functions),
      flags: isOther ? 2 : next(9) === 0 ? 1 : 0, folded: isOther ? 3 + next(30) : 0,
    });
  }
  return tree;
}

/** Rows: every entry as {event, thread, bin, cpu, node, samples, period}, sorted. */
function makeEntries(options, next) {
  const entries = [];
  for (let i = 0; i < options.entries; i++) {
    const thread = Math.min(next(options.threads), next(options.threads));
    const event = next(4) === 0 ? 1 : 0;
    const busy = next(3) === 0 ? Math.floor(options.bins * 0.4) + next(Math.ceil(options.bins / 10)) :
        next(options.bins);
    // A few samples have no time.
    const bin = next(500) === 0 ? options.bins : busy;
    const node = 1 + Math.min(next(options.nodes - 1), next(options.nodes - 1));
    const samples = 1 + next(3);
    entries.push({event, thread, bin, cpu: next(options.cpus + 1), node, samples,
      period: samples * 1000 + next(500)});
  }
  return entries.sort((a, b) => a.event - b.event || a.thread - b.thread || a.bin - b.bin ||
      a.cpu - b.cpu || a.node - b.node);
}

export function makeRecording(given = {}) {
  const options = {functions: 400, nodes: 3000, threads: 24, bins: 400, cpus: 8, entries: 40000,
    depth: 25, base: false, exited: false, seed: 1, ...given};
  const next = generator(options.seed);
  const functions = makeFunctions(options.functions, next);
  const tree = makeTree(options, next);
  const entries = makeEntries(options, next);
  const processes = Array.from({length: Math.ceil(options.threads / 3)}, (_, i) => ({
    pid: 1000 + i, name: i < kHostile.length && i % 2 === 1 ? kHostile[i] : `process${i}`,
    parent: i === 0 ? 0 : 1 + Math.floor((i - 1) / 3)}));
  const threads = Array.from({length: options.threads}, (_, i) => ({
    process: Math.floor(i / 3), tid: 1000 + i, name: i === 2 ? kHostile[0] : `worker-${i}`}));
  // The recording has no ids of tasks that had exited: a thread's, and a whole process's.
  if (options.exited) {
    for (const thread of threads.slice(-2)) Object.assign(thread, {tid: -1, name: '[unknown]'});
    Object.assign(processes.at(-1), {pid: -1, name: '[unknown]', parent: 0});
  }
  const base = options.base ?
    entries.filter((entry) => next(3) > 0 && entry.node % 7 !== 0) : null;
  return {options, functions, tree, entries, processes, threads, base};
}

function nodeSums(entries, prefix) {
  const sums = new Map();
  for (const {event, node, samples, period} of entries) {
    const key = event * 2 ** 32 + node;
    const sum = sums.get(key) ?? {event, node, samples: 0, period: 0};
    sum.samples += samples;
    sum.period += period;
    sums.set(key, sum);
  }
  const rows = [...sums.entries()].sort((a, b) => a[0] - b[0]).map(([, sum]) => sum);
  return Object.fromEntries(['event', 'node', 'samples', 'period'].map((name) =>
    [`${prefix}.${name}`, rows.map((row) => row[name])]));
}

function totalsOf(entries) {
  const totals = [{samples: 0, period: 0}, {samples: 0, period: 0}];
  for (const {event, samples, period} of entries) {
    totals[event].samples += samples;
    totals[event].period += period;
  }
  return totals;
}

function recordingMeta(recording, entries, command) {
  const {options} = recording;
  return {
    input: 'perf.data', command, host: 'build-07', kernel: '6.1.0-28-amd64', arch: 'x86_64',
    cpu: 'AMD EPYC 7B13', perf: '6.1.115', clock: 'monotonic', wallStart: '1763895600000000000',
    time: {start: '123456789', duration: options.bins * 1e7, binNs: 1e7, bins: options.bins},
    periodUnit: [1, 1], totals: totalsOf(entries), cpus: [...Array(options.cpus).keys()], entries: entries.length,
    losses: ['1,204 samples were lost: the buffer was full.'],
    advice: [{message: 'Stacks of libc.so.6 end early: it has no frame pointers.',
      next: 'Record with --call-graph dwarf.'}],
  };
}

function profileBlock(recording) {
  const {functions, tree, entries, base} = recording;
  const strings = new Strings();
  const columns = {
    'dso.name': kDsos.map(([name]) => strings.of(name)), 'dso.kind': kDsos.map(([, kind]) => kind),
    'function.name': functions.map(({name}) => strings.of(name)),
    'function.file': functions.map(({file}) => strings.of(file)),
    'function.line': functions.map(({line, file}) => (file ? line : 0)),
    'function.dso': functions.map(({dso}) => dso), 'function.flags': functions.map(() => 0),
    'node.up': tree.map(({parent}, i) => i - parent), 'node.function': tree.map(({func}) => func),
    'node.flags': tree.map(({flags}) => flags), 'node.folded': tree.map(({folded}) => folded),
    ...nodeSums(entries, 'self'), ...(base ? nodeSums(base, 'base') : {}),
  };
  // Names of processes and threads are strings of this block, too.
  for (const {name} of [...recording.processes, ...recording.threads]) strings.of(name);
  Object.assign(columns, strings.columns());
  const meta = {
    format: 1, generator: 'perf2x test', title: 'synthetic', shownFirst: 0,
    events: recording.options.events === 0 ? [] : [
      {name: 'cycles:u', unit: 'count', kind: 'sampled', period: 4000, frequency: true},
      {name: 'task-clock', unit: 'nanoseconds', kind: 'sampled', period: 250000, frequency: false},
    ],
    recording: recordingMeta(recording, entries, 'demo --threads 24 --input <b>data</b>.wav'),
    base: base && recordingMeta(recording, base, 'demo-old --threads 24'),
    cut: {nodes: 812, share: 0.00005},
  };
  return {strings, text: encodeBlock(meta, columns, ['self.node', 'base.node'])};
}

function samplesBlock(recording, strings) {
  const {entries, processes, threads} = recording;
  const groups = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.event === entry.event && last.thread === entry.thread) last.rows.push(entry);
    else groups.push({event: entry.event, thread: entry.thread, rows: [entry]});
  }
  const sum = (rows, name) => rows.reduce((total, row) => total + row[name], 0);
  const least = groups.map(({rows}) => rows.reduce(
      (low, {period, samples}) => Math.min(low, Math.floor(period / samples)), Infinity));
  return encodeBlock({}, {
    'process.pid': processes.map(({pid}) => pid >>> 0),
    'process.name': processes.map(({name}) => strings.of(name)),
    'process.parent': processes.map(({parent}) => parent),
    'thread.process': threads.map(({process}) => process), 'thread.tid': threads.map(({tid}) => tid >>> 0),
    'thread.name': threads.map(({name}) => strings.of(name)),
    'thread.start': threads.map((_, i) => (i % 4 === 0 ? 0 : 1 + i * 1e7)),
    'thread.end': threads.map(() => 0),
    'group.event': groups.map(({event}) => event), 'group.thread': groups.map(({thread}) => thread),
    'group.entries': groups.map(({rows}) => rows.length),
    'group.samples': groups.map(({rows}) => sum(rows, 'samples')),
    'group.period': groups.map(({rows}) => sum(rows, 'period')), 'group.least': least,
    'entry.bin': entries.map(({bin}) => bin), 'entry.cpu': entries.map(({cpu}) => cpu),
    'entry.node': entries.map(({node}) => node), 'entry.samples': entries.map(({samples}) => samples),
    'entry.extra': groups.flatMap(({rows}, g) =>
      rows.map(({period, samples}) => period - samples * least[g])),
  }, ['entry.bin']);
}

/** The two blocks of a recording. */
export function encodeRecording(recording) {
  const {strings, text} = profileBlock(recording);
  return {profile: text, samples: samplesBlock(recording, strings)};
}
