// SPDX-License-Identifier: Apache-2.0
// What the page shows are the sums of the recording's rows.
import {openPage} from './browser.mjs';
import {assert, check} from './check.mjs';
import * as oracle from './oracle.mjs';
import {kHostile} from './synthetic.mjs';

const kSelections = [
  {event: 0}, {event: 1}, {event: 0, time: [100, 180]}, {event: 1, time: [0, 1]},
  {event: 0, threads: [1, 2, 7]}, {event: 0, cpus: [0, 3]},
  {event: 1, time: [150, 400], threads: [0, 5], cpus: [1, 2, 8]},
];

const near = (a, b) => Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b));

/** Self and total of all functions, as the page has them. */
function pageSums(page, selection, metric) {
  return page.evaluate(([selection, metric]) => {
    const {store, model} = window.perf2x;
    store.update({time: null, threads: null, cpus: null, ...selection, metric});
    return {total: model.sums.total, self: [...model.functionSums.self],
      all: [...model.functionSums.total], thread: [...model.sums.thread]};
  }, [selection, metric]);
}

/** All paths of the flame graph with a value: path → total. */
function pageGraph(page, patch) {
  return page.evaluate((patch) => {
    const {store, model} = window.perf2x;
    store.update({zoom: 0, ...patch});
    const {parent, func, count} = model.shape;
    const path = [''];
    const found = {};
    for (let i = 0; i < count; i++) {
      if (i > 0) path[i] = parent[i] === 0 ? `${func[i]}` : `${path[parent[i]]};${func[i]}`;
      if (model.values.total[i] > 0) found[path[i]] = model.values.total[i];
    }
    return found;
  }, patch);
}

async function checkSelections(page, recording) {
  for (const metric of ['samples', 'period']) {
    for (const selection of kSelections) {
      await check(`sums of ${metric} of ${JSON.stringify(selection)}`, async () => {
        const entries = oracle.select(recording, selection);
        const expected = oracle.functionSums(recording, entries, metric);
        const shown = await pageSums(page, selection, metric);
        assert.ok(near(shown.total, entries.reduce((sum, entry) => sum + entry[metric], 0)));
        expected.self.forEach((value, i) => assert.ok(near(shown.self[i], value), `self of ${i}`));
        expected.total.forEach((value, i) => assert.ok(near(shown.all[i], value), `total of ${i}`));
        const threads = new Array(recording.threads.length).fill(0);
        for (const entry of oracle.select(recording, {...selection, threads: null})) {
          threads[entry.thread] += entry[metric];
        }
        threads.forEach((value, i) => assert.ok(near(shown.thread[i], value), `thread ${i}`));
      });
    }
  }
}

async function checkGraphs(page, recording) {
  const selection = {event: 0, time: [50, 300], threads: null, cpus: null};
  const entries = oracle.select(recording, selection);
  const {total} = oracle.functionSums(recording, entries, 'samples');
  const focus = total.indexOf(Math.max(...total));
  for (const shape of ['calls', 'reversed', 'callers', 'callees']) {
    for (const merge of [false, true]) {
      await check(`flame graph: ${shape}${merge ? ', recursion merged' : ''}`, async () => {
        const expected = oracle.graph(recording, entries, 'samples', {shape, focus, merge});
        const shown = await pageGraph(page, {...selection, metric: 'samples', shape, focus, merge});
        assert.deepEqual(shown, Object.fromEntries(expected));
      });
    }
  }
}

async function checkSearch(page, recording) {
  const entries = oracle.select(recording, {event: 0, time: [20, 200]});
  for (const pattern of ['Mix', 'sys_.*1$', '^sqlite3_', 'zz', '^<script>', 'parse|read']) {
    await check(`search for ${pattern}`, async () => {
      const flags = /[A-Z]/.test(pattern) ? 'u' : 'iu';
      const expected = oracle.matched(recording, entries, 'samples', new RegExp(pattern, flags));
      const shown = await page.evaluate((search) => {
        const {store, model} = window.perf2x;
        store.update({event: 0, metric: 'samples', time: [20, 200], threads: null, cpus: null,
          shape: 'calls', merge: false, search});
        return model.matched;
      }, pattern);
      assert.equal(shown, expected);
    });
  }
  await check('a pattern that is none says so', async () => {
    await page.evaluate(() => window.perf2x.store.update({search: '(['}));
    assert.match(await page.locator('.found').textContent(), /expression/i);
    await page.evaluate(() => window.perf2x.store.update({search: ''}));
  });
}

async function checkOther(page, recording) {
  await check('an "other" frame says how many nodes it stands for', async () => {
    const {tree, functions} = recording;
    const shown = await page.evaluate((other) => {
      const {store, model, flame} = window.perf2x;
      store.update({tab: 'flame', shape: 'calls', merge: false, time: null, zoom: 0});
      const node = model.shape.func.indexOf(other);
      store.update({zoom: node});
      return {node: model.shape.target.indexOf(node), line: flame.element.querySelector('.frame-place').textContent};
    }, functions.length);
    assert.equal(shown.line, `stands for ${tree[shown.node].folded} small call paths`);
    await page.evaluate(() => window.perf2x.store.update({zoom: 0}));
  });
}

async function checkNames(page) {
  await check('hostile names are text', async () => {
    await page.evaluate(() => window.perf2x.store.update(
        {tab: 'functions', sort: 'name', descending: false, time: null, search: '^[<"&$\\\\l]'}));
    const names = await page.locator('.functions .list .cell.name').allTextContents();
    for (const name of kHostile) assert.ok(names.includes(name), name.slice(0, 40));
    assert.equal(await page.locator('#app img, #app script, #app b:not(.fact b)').count(), 0);
    await page.evaluate(() => window.perf2x.store.update({tab: 'flame', search: ''}));
  });
}

async function checkComparison(browser, write) {
  const {file, recording} = write('compared', {base: true});
  const {page, faults, context} = await openPage(browser, file);
  await check('differences to the base', async () => {
    const share = (entries, func) => {
      const {total} = oracle.functionSums(recording, entries, 'samples');
      return total[func] / entries.reduce((sum, {samples}) => sum + samples, 0);
    };
    const ofBase = recording.base.filter(({event}) => event === 0);
    await page.evaluate(() => window.perf2x.store.update({tab: 'functions', sort: 'totaldifference'}));
    const rows = page.locator('.functions .list .row');
    const name = await rows.first().locator('.name').textContent();
    const func = recording.functions.findIndex((each) => each.name === name);
    const expected = (share(oracle.select(recording, {event: 0}), func) - share(ofBase, func)) * 100;
    const shown = await rows.first().locator('.totaldifference').textContent();
    assert.equal(shown, `+${expected.toFixed(2)}`);
    await page.evaluate(() => window.perf2x.store.update({tab: 'flame', color: 'difference'}));
  });
  await check('the comparison makes no request and no message', () => assert.deepEqual(faults, []));
  await context.close();
}

export async function checkSums(browser, write) {
  const {file, recording} = write('sums', {});
  const {page, faults, context} = await openPage(browser, file);
  await checkSelections(page, recording);
  await checkGraphs(page, recording);
  await checkSearch(page, recording);
  await checkOther(page, recording);
  await checkNames(page);
  await check('the page makes no request and no message', () => assert.deepEqual(faults, []));
  await context.close();
  await checkComparison(browser, write);
}
