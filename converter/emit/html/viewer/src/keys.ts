// SPDX-License-Identifier: Apache-2.0
// Keys that work everywhere on the page.

import type {State, Store} from './state/store';
import type {Toolbar} from './views/toolbar';

export function handleKeys(store: Store, toolbar: Toolbar, help: HTMLDialogElement): void {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (isTyping || help.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') toolbar.focusSearch();
    else if (event.key === '?') help.showModal();
    else {
      const patch = patchOf(event.key, store.state);
      if (patch === null) return;
      store.update(patch);
    }
    event.preventDefault();
  });
}

function patchOf(key: string, state: State): Partial<State> | null {
  switch (key) {
    case '1':
      return {tab: 'flame'};
    case '2':
      return {tab: 'functions'};
    case '3':
      return {tab: 'threads'};
    case 'i':
      return {orientation: state.orientation === 'icicle' ? 'flame' : 'icicle'};
    case 'r':
      return {shape: state.shape === 'reversed' ? 'calls' : 'reversed', focus: -1, zoom: 0};
    case 'm':
      return {merge: !state.merge, zoom: 0};
    case 'v':
      return {metric: state.metric === 'samples' ? 'period' : 'samples'};
    case 'd':
      return {theme: document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark'};
    case 'Escape':
      return state.zoom !== 0 ? {zoom: 0} : null;
    default:
      return null;
  }
}
