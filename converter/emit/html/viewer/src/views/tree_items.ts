// SPDX-License-Identifier: Apache-2.0
// Processes and their threads as a tree.

import type {Samples} from '../data/profile';

export interface TreeItem {
  readonly label: string;
  /** "pid 12", "tid 13"; empty if it has no id. */
  readonly detail: string;
  readonly level: number;
  /** All threads at or below it, by index. */
  readonly threads: readonly number[];
  readonly children: readonly TreeItem[];
}

const kMaxLevel = 60;

/** The roots. Siblings come by weight, heaviest first; a process's threads precede its children. */
export function makeTree(samples: Samples, weight: Float64Array): TreeItem[] {
  const {processes, threads} = samples;
  const threadsOf: number[][] = processes.map(() => []);
  for (const [i, thread] of threads.entries()) threadsOf[thread.process]?.push(i);
  const childrenOf: number[][] = processes.map(() => []);
  const roots: number[] = [];
  for (const [i, {parent}] of processes.entries()) {
    if (parent >= 0 && parent < processes.length && !isAncestor(samples, i, parent)) {
      childrenOf[parent]!.push(i);
    } else {
      roots.push(i);
    }
  }
  const build = (index: number, level: number): TreeItem => {
    const children = childrenOf[index]!.map((child) => build(child, Math.min(kMaxLevel, level + 1)));
    return processItem(samples, index, level, threadsOf[index]!, children, weight);
  };
  return byWeight(roots.map((root) => build(root, 1)), weight);
}

/** Whether `index` is at or above `process`: a loop in a damaged recording. */
function isAncestor({processes}: Samples, index: number, process: number): boolean {
  let steps = 0;
  for (let at = process; at >= 0; at = processes[at]?.parent ?? -1) {
    if (at === index || ++steps > kMaxDepth) return true;
  }
  return false;
}

/** Of parents and children; deeper chains are split. */
const kMaxDepth = 1000;

function processItem(samples: Samples, index: number, level: number, own: readonly number[],
                     children: readonly TreeItem[], weight: Float64Array): TreeItem {
  const {pid, name} = samples.processes[index]!;
  const isAlone = own.length === 1 && children.length === 0;
  const threadItems = isAlone ? [] : own.map((thread) => threadItem(samples, thread, level + 1));
  const label = name || (isAlone ? samples.threads[own[0]!]!.name : '') || '[unknown]';
  return {
    label, level, detail: pid < 0 ? '' : `pid ${pid}`,
    threads: [...own, ...children.flatMap((child) => child.threads)],
    children: [...byWeight(threadItems, weight), ...byWeight(children, weight)],
  };
}

function threadItem(samples: Samples, index: number, level: number): TreeItem {
  const {tid, name} = samples.threads[index]!;
  const detail = tid < 0 ? '' : `tid ${tid}`;
  return {label: name || '[unknown]', detail, level, threads: [index], children: []};
}

/** The sum of the weights of an item's threads. */
export function weightOf(item: TreeItem, weight: Float64Array): number {
  let sum = 0;
  for (const thread of item.threads) sum += weight[thread]!;
  return sum;
}

function byWeight(items: readonly TreeItem[], weight: Float64Array): TreeItem[] {
  return items.map((item) => ({item, sum: weightOf(item, weight)}))
      .sort((a, b) => b.sum - a.sum).map(({item}) => item);
}
