// SPDX-License-Identifier: Apache-2.0
// The page of each recording in testdata/ shows the sums of `--to csv`.
// usage: recordings_test.mjs PERF2X TESTDATA
import childProcess from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {openBrowser, openPage, temporaryFolder} from './browser.mjs';
import {assert, check, finish} from './check.mjs';
import {parseCsv} from './csv.mjs';

const [perf2x, testdata] = process.argv.slice(2);
const folder = temporaryFolder();

function run(...args) {
  return childProcess.execFileSync(perf2x, args, {maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe']});
}

/** Sums by a key: key → {samples, period}. */
function sumBy(rows, keyOf) {
  const sums = {};
  for (const row of rows) {
    const sum = (sums[keyOf(row)] ??= {samples: 0, period: 0});
    sum.samples++;
    sum.period += Number(row.period);
  }
  return sums;
}

/** What the page shows of a selection. */
function shown(page, event, time) {
  return page.evaluate(([event, time]) => {
    const {store, model} = window.perf2x;
    const result = {threads: {}, functions: {}};
    const add = (to, key, metric, value) => {
      if (value !== 0) (to[key] ??= {samples: 0, period: 0})[metric] += value;
    };
    for (const metric of ['samples', 'period']) {
      store.update({event, metric, time});
      const {threads, processes} = model.samples;
      threads.forEach(({tid, process}, i) =>
        add(result.threads, `${processes[process].pid}/${tid}`, metric, model.sums.thread[i]));
      const {functions} = model.profile;
      for (let i = 0; i < functions.count; i++) {
        add(result.functions, functions.name(i), metric, model.functionSums.self[i]);
      }
    }
    return result;
  }, [event, time]);
}

const ids = (row) => `${row.pid}/${row.tid}`;

async function checkEvent(page, meta, index, rows) {
  const all = await shown(page, index, null);
  assert.deepEqual(all.threads, sumBy(rows, ids), 'threads');
  assert.equal(meta.recording.totals[index].samples, rows.length, 'total');
  if (meta.cut.nodes === 0) {
    assert.deepEqual(all.functions, sumBy(rows, (row) => row.function), 'functions');
  }
}

/** Threads and functions of two parts of the time. */
async function checkBrush(page, meta, index, rows) {
  const {start, bins, binNs} = meta.recording.time;
  for (const time of [[0, Math.ceil(bins / 2)], [Math.floor(bins / 3), bins]]) {
    const inside = rows.filter((row) => {
      if (row.time === '') return false;
      const at = Number(BigInt(row.time) - BigInt(start));
      return at >= time[0] * binNs && at < time[1] * binNs;
    });
    const part = await shown(page, index, time);
    const samples = (sums) => Object.fromEntries(
        Object.entries(sums).map(([key, sum]) => [key, sum.samples]).filter(([, sum]) => sum > 0));
    assert.deepEqual(samples(part.threads), samples(sumBy(inside, ids)), `threads of bins ${time}`);
    if (meta.cut.nodes === 0) {
      assert.deepEqual(samples(part.functions), samples(sumBy(inside, (row) => row.function)),
                       `functions of bins ${time}`);
    }
  }
}

/** The share found of some functions' names. */
async function checkSearch(page, meta, index, rows) {
  const names = [...new Set(rows.flatMap((row) => row.stack.split(';')))]
      .filter((name) => /^[\w[\].]+$/.test(name));
  for (const name of names.filter((_, i) => i % Math.ceil(names.length / 5) === 0)) {
    const search = `^${name.replace(/[[\].]/g, '\\$&')}$`;
    const found = await page.evaluate(([event, search]) => {
      const {store, model} = window.perf2x;
      store.update({event, metric: 'samples', time: null, search});
      return model.matched;
    }, [index, search]);
    const flags = /\p{Lu}/u.test(name) ? 'u' : 'iu';
    const expression = new RegExp(search, flags);
    const expected = rows.filter((row) => row.stack.split(';').some((each) => expression.test(each)));
    if (meta.cut.nodes === 0) assert.equal(found, expected.length, `search for ${name}`);
  }
  await page.evaluate(() => window.perf2x.store.update({search: ''}));
}

async function checkRecording(browser, name) {
  const data = path.join(testdata, name);
  const file = path.join(folder, `${name}.html`);
  run('-q', '--to', 'html', '-o', file, data);
  const rows = parseCsv(run('-q', '--to', 'csv', '--table', 'samples', data).toString());
  const {page, faults, context} = await openPage(browser, file);
  const meta = await page.evaluate(() => window.perf2x.model.profile.meta);
  const shownRows = meta.events.map((event) => rows.filter((row) => row.event === event.name));
  for (const [index, ofEvent] of shownRows.entries()) {
    await checkEvent(page, meta, index, ofEvent);
    if (meta.recording.time.bins > 0) await checkBrush(page, meta, index, ofEvent);
    await checkSearch(page, meta, index, ofEvent);
  }
  assert.equal(shownRows.reduce((sum, {length}) => sum + length, 0), rows.length, 'all events');
  assert.deepEqual(faults, []);
  await context.close();
  return rows.length;
}

const browser = await openBrowser();
let samples = 0;
for (const name of fs.readdirSync(testdata).filter((each) => each.endsWith('.data')).sort()) {
  await check(name, async () => {
    samples += await checkRecording(browser, name);
  });
}
await check('there were samples', () => assert.ok(samples > 1000));
console.log(`        ${samples} samples`);
await browser.close();
fs.rmSync(folder, {recursive: true});
finish();
