// SPDX-License-Identifier: Apache-2.0
// Spans of time in bins: zooming, and moving a selection with keys.

import type {State} from '../state/store';

type Span = readonly [number, number];

const kFewestBins = 4;

/** A span zoomed around a bin; null if it is the whole time. */
export function zoomed(span: Span | null, bins: number, around: number, factor: number): Span | null {
  const [first, last] = span ?? [0, bins];
  const width = Math.round(Math.max(Math.min(kFewestBins, bins), (last - first) * factor));
  if (width >= bins) return null;
  const share = (around - first) / (last - first);
  const from = Math.max(0, Math.min(bins - width, Math.round(around - share * width)));
  return [from, from + width];
}

/** What a key of the time line changes; null if it has no meaning there. */
export function keyPatch(key: string, isShift: boolean, state: State, bins: number): Partial<State> | null {
  const [first, last] = state.timeZoom ?? [0, bins];
  const middle = state.time === null ? (first + last) / 2 : (state.time[0] + state.time[1]) / 2;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      return {time: moved(key === 'ArrowLeft' ? -1 : 1, isShift, state.time, [first, last], bins)};
    case 'Escape':
      return state.time !== null ? {time: null} : {timeZoom: null};
    case '+':
    case '=':
      return {timeZoom: zoomed(state.timeZoom, bins, middle, 0.5)};
    case '-':
      return {timeZoom: zoomed(state.timeZoom, bins, middle, 2)};
    case 'z':
      return {timeZoom: state.time};
    default:
      return null;
  }
}

/** Moves a selection, or with Shift its end. The first move selects a tenth of the view. */
function moved(direction: number, isEnd: boolean, time: Span | null, view: Span, bins: number): Span {
  const width = view[1] - view[0];
  const step = Math.max(1, Math.round(width / 100)) * direction;
  if (time === null) {
    const from = view[0];
    return [from, Math.min(bins, from + Math.max(1, Math.round(width / 10)))];
  }
  if (isEnd) return [time[0], Math.max(time[0] + 1, Math.min(bins, time[1] + step))];
  const shift = Math.max(-time[0], Math.min(bins - time[1], step));
  return [time[0] + shift, time[1] + shift];
}
