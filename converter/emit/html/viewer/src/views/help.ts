// SPDX-License-Identifier: Apache-2.0
// The list of keys.

import {button, el} from '../dom';

const kKeys: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ['Everywhere', [
    ['/', 'search'], ['1  2  3', 'flame graph, functions, threads'],
    ['i', 'icicle or flame'], ['r', 'reversed or not'], ['m', 'merge recursion'],
    ['v', 'samples or period'], ['d', 'light or dark'], ['?', 'this list'],
  ]],
  ['Flame graph', [
    ['Arrows', 'move between frames'], ['Enter, click', 'zoom'], ['Backspace', 'zoom out by one frame'],
    ['Escape', 'show all'], ['c', 'callers of the function'], ['e', 'what the function calls'],
    ['Shift+F10, right click', 'menu'],
  ]],
  ['Time line', [
    ['Drag', 'select a time'], ['Left, Right', 'move the selected time'],
    ['Shift+Left, Right', 'narrow or widen it'], ['Up, Down', 'choose a row'],
    ['Enter, Space', 'select the row alone, or in addition'],
    ['+  −, Ctrl+wheel', 'zoom'], ['z', 'zoom to the selected time'], ['Escape', 'select the whole time'],
  ]],
  ['Functions, threads', [
    ['Up, Down, Page keys', 'move'], ['Enter', 'menu of a function; select a thread alone'],
    ['Space', 'select a thread in addition'], ['Left, Right', 'close or open a process'],
    ['c, e', 'callers of a function, what it calls'],
  ]],
];

export function makeHelp(): HTMLDialogElement {
  const groups = kKeys.map(([title, keys]) => el('section', {},
      el('h3', {}, title),
      el('dl', {}, ...keys.flatMap(([key, meaning]) => [el('dt', {}, key), el('dd', {}, meaning)]))));
  const dialog = el('dialog', {attributes: {'aria-label': 'Keys'}},
      el('div', {class: 'help-groups'}, ...groups),
      button('Close', '', () => dialog.close(), 'close'));
  return dialog;
}
