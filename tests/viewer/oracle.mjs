// SPDX-License-Identifier: Apache-2.0
// The sums that a page must show, worked out from the rows of a recording in the
// plainest way.

/** The entries of a selection. `threads` and `cpus` (as entry.cpu) may be null. */
export function select(recording, {event, time = null, threads = null, cpus = null}) {
  return recording.entries.filter((entry) => entry.event === event &&
      (time === null || (entry.bin >= time[0] && entry.bin < time[1])) &&
      (threads === null || threads.includes(entry.thread)) &&
      (cpus === null || cpus.includes(entry.cpu)));
}

/** Functions of a stack, leaf first. "other" nodes have the index after the last function. */
export function stackOf({tree, functions}, node) {
  const stack = [];
  for (let at = node; at !== 0; at = tree[at].parent) {
    stack.push(tree[at].flags === 2 ? functions.length : tree[at].func);
  }
  return stack;
}

/** Self and total of each function. */
export function functionSums(recording, entries, metric) {
  const self = new Array(recording.functions.length + 1).fill(0);
  const total = new Array(recording.functions.length + 1).fill(0);
  for (const entry of entries) {
    const stack = stackOf(recording, entry.node);
    self[stack[0]] += entry[metric];
    for (const func of new Set(stack)) total[func] += entry[metric];
  }
  return {self, total};
}

/** A function that is on the path already goes on where it was. */
function withoutRecursion(stack) {
  const path = [];
  for (const func of stack) {
    const known = path.indexOf(func);
    if (known === -1) path.push(func);
    else path.length = known + 1;
  }
  return path;
}

/**
 * What a flame graph shows, as path → total. Paths are lists of functions from the root,
 * joined by ";".
 */
export function graph(recording, entries, metric, {shape, focus = -1, merge = false}) {
  const paths = new Map();
  for (const entry of entries) {
    let stack = stackOf(recording, entry.node);
    const top = stack.lastIndexOf(focus);
    if (shape === 'callers' || shape === 'callees') {
      if (top === -1) continue;
      stack = shape === 'callers' ? stack.slice(top) : stack.slice(0, top + 1);
    }
    if (shape === 'calls' || shape === 'callees') stack.reverse();
    if (merge) stack = withoutRecursion(stack);
    for (let depth = 0; depth <= stack.length; depth++) {
      const path = stack.slice(0, depth).join(';');
      paths.set(path, (paths.get(path) ?? 0) + entry[metric]);
    }
  }
  return paths;
}

/** The value of all samples with a matching function in their stack. */
export function matched(recording, entries, metric, expression) {
  const flags = recording.functions.map(({name}) => expression.test(name));
  let sum = 0;
  for (const entry of entries) {
    if (stackOf(recording, entry.node).some((func) => flags[func])) sum += entry[metric];
  }
  return sum;
}
