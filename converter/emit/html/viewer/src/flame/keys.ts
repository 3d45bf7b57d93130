// SPDX-License-Identifier: Apache-2.0
// Moves between frames with the arrow keys.

import type {Shape} from '../data/shape';
import {kNarrow, type Layout} from './layout';

/** The node that a key leads to from `node`; null if the key is no move. */
export function moveInGraph(key: string, node: number, layout: Layout, shape: Shape,
                            orientation: 'icicle' | 'flame'): number | null {
  const outward = orientation === 'icicle' ? 'ArrowDown' : 'ArrowUp';
  const inward = orientation === 'icicle' ? 'ArrowUp' : 'ArrowDown';
  switch (key) {
    case outward:
      return widestChild(node, layout, shape);
    case inward:
      return Math.max(0, shape.parent[node]!);
    case 'ArrowLeft':
      return neighbour(node, layout, -1);
    case 'ArrowRight':
      return neighbour(node, layout, 1);
    case 'Home':
      return 0;
    default:
      return null;
  }
}

function widestChild(node: number, layout: Layout, shape: Shape): number {
  let best = node;
  let width = 0;
  const row = shape.depth[node]! + 1;
  if (row >= layout.rows) return node;
  for (let i = layout.rowStart[row]!; i < layout.rowStart[row + 1]!; i++) {
    const child = layout.nodeAt(i);
    if (child !== kNarrow && shape.parent[child] === node && layout.width(i) > width) {
      best = child;
      width = layout.width(i);
    }
  }
  return best;
}

/** The next frame of the same row to the left (-1) or right (1), or the node itself. */
function neighbour(node: number, layout: Layout, step: number): number {
  const from = layout.indexOf(node);
  if (from < 0) return node;
  let row = 0;
  while (layout.rowStart[row + 1]! <= from) row++;
  for (let i = from + step; i >= layout.rowStart[row]! && i < layout.rowStart[row + 1]!; i += step) {
    if (layout.nodeAt(i) !== kNarrow) return layout.nodeAt(i);
  }
  return node;
}
