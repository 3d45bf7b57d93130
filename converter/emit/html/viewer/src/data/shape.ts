// SPDX-License-Identifier: Apache-2.0
// The trees that a flame graph can show of one call tree. A shape depends on the call
// tree alone: a new selection only sums new values into it.

import {addToParents} from './aggregate';
import type {CallTree} from './profile';

/** From the root to the leaves, reversed, or from one function up or down. */
export type ShapeKind = 'calls' | 'reversed' | 'callers' | 'callees';

export interface Shape {
  readonly count: number;
  /** Of each node; node 0 is the root. A parent precedes its children. */
  readonly parent: Int32Array;
  readonly func: Int32Array;
  readonly depth: Uint16Array;
  readonly inlined: Uint8Array;
  readonly maxDepth: number;
  /** The node that a node of the call tree adds its self value to, or -1. */
  readonly target: Int32Array;
  /** The children of n are children[firstChild[n]] … children[firstChild[n + 1] - 1]. */
  readonly firstChild: Int32Array;
  readonly children: Int32Array;
}

/** Deeper frames than this are not drawn; their values count at the last one drawn. */
const kMaxDepth = 4000;

class TrieBuilder {
  count = 1;
  private parent = new Int32Array(1024);
  private func = new Int32Array(1024);
  private depth = new Uint16Array(1024);
  private inlined = new Uint8Array(1024);
  private slots = new Int32Array(4096);

  constructor() {
    this.parent[0] = -1;
    this.func[0] = -1;
  }

  depthOf(node: number): number {
    return this.depth[node]!;
  }

  /** The frame of `func` at or above `node`; 0 if there is none. */
  atOrAbove(node: number, func: number): number {
    while (node > 0 && this.func[node] !== func) node = this.parent[node]!;
    return node;
  }

  /** The child of `node` for `func`, created on first use. */
  child(node: number, func: number, inlined: number): number {
    if (this.depth[node] === kMaxDepth) return node;
    const mask = this.slots.length - 1;
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(func, 0x85ebca6b));
    slot = (slot ^ (slot >>> 15)) & mask;
    for (let found = this.slots[slot]!; found !== 0; found = this.slots[slot]!) {
      if (this.parent[found] === node && this.func[found] === func) {
        this.inlined[found] = this.inlined[found]! & inlined;
        return found;
      }
      slot = (slot + 1) & mask;
    }
    return this.insert(slot, node, func, inlined);
  }

  finish(target: Int32Array): Shape {
    const count = this.count;
    const parent = this.parent.slice(0, count);
    const depth = this.depth.slice(0, count);
    let maxDepth = 0;
    for (let i = 0; i < count; i++) maxDepth = Math.max(maxDepth, depth[i]!);
    return {
      count, parent, depth, maxDepth, target,
      func: this.func.slice(0, count),
      inlined: this.inlined.slice(0, count),
      ...childLists(parent),
    };
  }

  private insert(slot: number, node: number, func: number, inlined: number): number {
    const added = this.count++;
    if (added === this.parent.length) this.grow();
    this.parent[added] = node;
    this.func[added] = func;
    this.depth[added] = this.depth[node]! + 1;
    this.inlined[added] = inlined;
    this.slots[slot] = added;
    if (this.count * 2 > this.slots.length) this.rehash();
    return added;
  }

  private grow(): void {
    const size = this.parent.length * 2;
    this.parent = enlarged(this.parent, new Int32Array(size));
    this.func = enlarged(this.func, new Int32Array(size));
    this.depth = enlarged(this.depth, new Uint16Array(size));
    this.inlined = enlarged(this.inlined, new Uint8Array(size));
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 4);
    const mask = this.slots.length - 1;
    for (let i = 1; i < this.count; i++) {
      let slot = (Math.imul(this.parent[i]!, 0x9e3779b1) ^ Math.imul(this.func[i]!, 0x85ebca6b));
      slot = (slot ^ (slot >>> 15)) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = i;
    }
  }
}

function enlarged<T extends Int32Array | Uint16Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function childLists(parent: Int32Array): {firstChild: Int32Array; children: Int32Array} {
  const count = parent.length;
  const firstChild = new Int32Array(count + 1);
  for (let i = 1; i < count; i++) firstChild[parent[i]! + 1] = firstChild[parent[i]! + 1]! + 1;
  for (let i = 0; i < count; i++) firstChild[i + 1] = firstChild[i + 1]! + firstChild[i]!;
  const next = firstChild.slice(0, count);
  const children = new Int32Array(Math.max(0, count - 1));
  for (let i = 1; i < count; i++) {
    const up = parent[i]!;
    children[next[up]!] = i;
    next[up] = next[up]! + 1;
  }
  return {firstChild, children};
}

/** The frames from the root to where a walk is, to find a function's among them. */
class Path {
  private readonly frameOf: Int32Array;
  private readonly walkOf: Int32Array;
  private readonly frames = new Int32Array(kMaxDepth + 1);
  private at = 0;
  private walk = 0;

  constructor(private readonly trie: TrieBuilder, functionCount: number) {
    this.frameOf = new Int32Array(functionCount);
    this.walkOf = new Int32Array(functionCount);
  }

  restart(): void {
    this.at = 0;
    this.walk++;
  }

  /** Goes to the function's frame on the path if there is one, else to a child. */
  follow(func: number, inlined: number): number {
    const {trie, frames, frameOf, walkOf} = this;
    const known = walkOf[func] === this.walk ? frameOf[func]! : 0;
    const depth = trie.depthOf(known);
    if (known !== 0 && depth <= trie.depthOf(this.at) && frames[depth] === known) {
      return (this.at = known);
    }
    const frame = trie.child(this.at, func, inlined);
    walkOf[func] = this.walk;
    frameOf[func] = frame;
    frames[trie.depthOf(frame)] = frame;
    return (this.at = frame);
  }
}

/**
 * Builds a shape. `func` is the function of 'callers' and 'callees'. With `merge`, a
 * function that is on a path already goes on at the frame it has there. `used` flags the nodes that have a
 * self value in any event.
 */
export function buildShape(tree: CallTree, kind: ShapeKind, func: number, merge: boolean,
                           used: Uint8Array, outermost: Uint8Array): Shape {
  switch (kind) {
    case 'calls':
      return downward(tree, merge, outermost, null);
    case 'callees':
      return downward(tree, merge, outermost, topsOf(tree, func, outermost));
    case 'reversed':
      return upward(tree, merge, used, null);
    case 'callers':
      return upward(tree, merge, used, topsOf(tree, func, outermost));
  }
}

/** For each node the outermost node of `func` at or above it, or -1. */
function topsOf(tree: CallTree, func: number, outermost: Uint8Array): Int32Array {
  const tops = new Int32Array(tree.count).fill(-1);
  for (let i = 1; i < tree.count; i++) {
    tops[i] = tree.func[i] === func && outermost[i] !== 0 ? i : tops[tree.parent[i]!]!;
  }
  return tops;
}

function downward(tree: CallTree, merge: boolean, outermost: Uint8Array,
                  tops: Int32Array | null): Shape {
  const {parent, func, inlined, count} = tree;
  const trie = new TrieBuilder();
  const target = new Int32Array(count).fill(-1);
  if (tops === null) target[0] = 0;
  for (let i = 1; i < count; i++) {
    if (tops !== null && tops[i] === -1) continue;
    const up = tops !== null && tops[i] === i ? 0 : target[parent[i]!]!;
    const same = merge && outermost[i] === 0 ? trie.atOrAbove(up, func[i]!) : 0;
    target[i] = same !== 0 ? same : trie.child(up, func[i]!, inlined[i]!);
  }
  return trie.finish(target);
}

function upward(tree: CallTree, merge: boolean, used: Uint8Array,
                tops: Int32Array | null): Shape {
  const {parent, func, inlined, count} = tree;
  const trie = new TrieBuilder();
  const path = merge ? new Path(trie, func.reduce((a, b) => Math.max(a, b), 0) + 1) : null;
  const target = new Int32Array(count).fill(-1);
  if (tops === null) target[0] = 0;
  for (let i = 1; i < count; i++) {
    if (tops === null ? used[i] === 0 : tops[i] === -1) continue;
    // All nodes below one occurrence of the function share its callers.
    if (tops !== null && tops[i] !== i) {
      target[i] = target[tops[i]!]!;
      continue;
    }
    let at = 0;
    path?.restart();
    for (let up = i; up > 0; up = parent[up]!) {
      at = path !== null ? path.follow(func[up]!, inlined[up]!)
                         : trie.child(at, func[up]!, inlined[up]!);
    }
    target[i] = at;
  }
  return trie.finish(target);
}

/** Totals of a shape's nodes for the self values of the call tree's nodes. */
export function shapeTotals(shape: Shape, nodeSelf: Float64Array, self: Float64Array,
                            total: Float64Array): void {
  const {target} = shape;
  self.fill(0);
  for (let i = 0; i < target.length; i++) {
    const to = target[i]!;
    if (to >= 0) self[to] = self[to]! + nodeSelf[i]!;
  }
  total.set(self);
  addToParents(total, shape.parent);
}

/** Orders each node's children by `weight`, largest first; ties keep their order. */
export function orderChildren(shape: Shape, weight: Float64Array): void {
  const {firstChild, children, count} = shape;
  for (let i = 0; i < count; i++) {
    const from = firstChild[i]!;
    const to = firstChild[i + 1]!;
    if (to - from > 1) {
      children.subarray(from, to).sort((a, b) => weight[b]! - weight[a]! || a - b);
    }
  }
}
