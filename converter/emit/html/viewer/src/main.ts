// SPDX-License-Identifier: Apache-2.0
// Starts the page: draws the flame graph from the first data block, then reads the rest.

import './style/theme.css';
import './style/layout.css';
import './style/views.css';
import './style/lists.css';
import './style/print.css';
import {App} from './app';
import {readBlock} from './data/container';
import {decodeProfile, decodeSamples} from './data/decode';
import {Model} from './model';
import {Store, type Changed} from './state/store';
import {decodeState, defaultsFor, encodeState} from './state/url';
import {el} from './dom';

/** Changes that the Back button undoes. */
const kSteps = ['tab', 'shape', 'focus', 'zoom'] as const;

function keepInLink(store: Store, link: () => string): void {
  store.subscribe((_, changed: Changed) => {
    const hash = link();
    if (hash === location.hash.replace(/^#/, '')) return;
    const url = hash === '' ? location.pathname + location.search : `#${hash}`;
    const isStep = kSteps.some((key) => changed.has(key));
    // Some browsers limit how often this may be called; the view works without.
    try {
      if (isStep) history.pushState(null, '', url);
      else history.replaceState(null, '', url);
    } catch {
      return;
    }
  });
}

function domParsed(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', () => resolve(), {once: true});
  });
}

/** Resolves when the first flame graph is on the screen, or soon in a tab out of sight. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });
}

async function start(root: HTMLElement): Promise<void> {
  const block = await readBlock('perf2x-profile');
  if (block === null) throw new Error('the file has no profile');
  const decoded = decodeProfile(block);
  const {profile} = decoded;
  const defaults = defaultsFor(profile);
  const store = new Store(decodeState(location.hash, profile, defaults));
  const model = new Model(profile);
  const app = new App(model, store, root);
  keepInLink(store, () => encodeState(store.state, defaults));
  app.start();
  const page = {model, store, flame: app.flame, firstGraphMs: performance.now(), readyMs: NaN,
    get lastRecomputeMs(): number {
      return model.lastRecomputeMs;
    }};
  // For scripts on the page's console, and for tests.
  (window as unknown as {perf2x: unknown}).perf2x = page;
  const follow = (): void => store.update(decodeState(location.hash, profile, defaults));
  addEventListener('popstate', follow);
  addEventListener('hashchange', follow);
  await painted();
  await domParsed();
  const samples = await readBlock('perf2x-samples');
  if (samples !== null) app.setSamples(decodeSamples(samples, decoded));
  page.readyMs = performance.now();
}

const root = document.getElementById('app') ?? document.body.appendChild(el('div', {}));
start(root).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  root.replaceChildren(el('p', {class: 'failed', attributes: {role: 'alert'}},
      `This file cannot be shown: ${reason}. It needs Chrome or Edge 94, Firefox 113, ` +
      'Safari 16.4 or later.'));
  throw error;
});
