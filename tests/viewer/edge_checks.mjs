// SPDX-License-Identifier: Apache-2.0
// Recordings with nothing in them, or little.
import {openPage} from './browser.mjs';
import {assert, check} from './check.mjs';

const kRecordings = {
  'no samples': {entries: 0},
  'no events': {entries: 0, events: 0},
  'no times': {entries: 300, bins: 0},
  'one bin': {entries: 300, bins: 1},
  'one node': {entries: 0, nodes: 1},
  'one thread': {entries: 50, threads: 1},
  'no threads': {entries: 0, threads: 0},
  'a deep stack': {entries: 3000, nodes: 9000, depth: 3000, functions: 9},
};

/** Every view and switch once. */
async function tryAll(page) {
  const views = [
    {tab: 'functions'}, {tab: 'threads'}, {tab: 'flame', orientation: 'flame'}, {shape: 'reversed'},
    {merge: true}, {shape: 'callers', focus: 0}, {shape: 'callees'}, {rows: 'cpus'},
    {metric: 'period'}, {color: 'package'}, {search: 'a'}, {time: [0, 1]}, {threads: [0]},
    {cpus: [1]}, {timeZoom: [0, 1]}, {theme: 'dark'},
  ];
  for (const view of views) await page.evaluate((view) => window.perf2x.store.update(view), view);
  for (const place of ['.timeline-scroll', '.flame-scroll', '.threads .list']) {
    const element = page.locator(place);
    if (await element.count() === 0) continue;
    await element.focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp', '+', '-', 'Enter', 'Space',
      'Home', 'End', 'Backspace', 'Escape', 'c', 'e']) {
      await page.keyboard.press(key);
    }
  }
}

export async function checkEdges(browser, write) {
  for (const [name, options] of Object.entries(kRecordings)) {
    await check(name, async () => {
      const {file} = write(name.replaceAll(' ', '-'), {nodes: 40, functions: 30, threads: 6, ...options});
      const {page, faults, context} = await openPage(browser, file);
      await tryAll(page);
      assert.deepEqual(faults, []);
      await context.close();
    });
  }
  await check('tasks without ids are named without them', async () => {
    const {file} = write('exited', {entries: 300, nodes: 40, functions: 30, threads: 4, exited: true});
    const {page, faults, context} = await openPage(browser, file);
    await page.locator('.timeline-scroll').focus();
    const rows = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('ArrowDown');
      rows.push(await page.locator('.selection').textContent());
    }
    assert.deepEqual(rows.sort(), ['[unknown]', '[unknown] (process0 1000)', 'worker-0 1000', 'worker-1 1001']);
    await page.evaluate(() => window.perf2x.store.update({tab: 'threads'}));
    const items = await page.locator('[role=treeitem]:visible').evaluateAll((all) => all.map((item) =>
      ['.label', '.detail'].map((part) => item.querySelector(part).textContent).join(' ').trim()));
    assert.deepEqual(items.sort(), ['[unknown]', '[unknown]', 'process0 pid 1000', 'worker-0 tid 1000',
      'worker-1 tid 1001']);
    assert.deepEqual(faults, []);
    await context.close();
  });
  await check('a file that is cut off says so', async () => {
    const {file} = write('cut', {entries: 10, nodes: 40, functions: 30}, (text) =>
      text.replace(/(id="perf2x-profile">.{900})[^<]*/s, '$1'));
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    await page.locator('.failed').waitFor();
    assert.match(await page.locator('.failed').textContent(), /cannot be shown/);
    await context.close();
  });
}
