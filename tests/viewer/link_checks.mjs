// SPDX-License-Identifier: Apache-2.0
// Links keep the view; a bad link does no harm.
import {openPage} from './browser.mjs';
import {assert, check} from './check.mjs';

const kView = {
  event: 1, metric: 'period', time: [30, 90], timeZoom: [10, 200], threads: [0, 1, 2, 9],
  cpus: [1, 4], rows: 'cpus', shape: 'callers', focus: 12, merge: true, orientation: 'flame',
  color: 'package', zoom: 1, search: 'a+b|[Rr]ead&=#', sort: 'name', descending: false,
  theme: 'dark',
};

const kBadLinks = ['#event=99', '#event=-1', '#time=9-3', '#time=1e9-2', '#threads=1-99999999',
  '#tree=callers', '#tree=callees&function=9999999', '#zoom=99999999', '#search=%E0%A4%A', '#%',
  '#sort=constructor', '#sort=__proto__', '#cpus=77', '#threads=', '#span=399-400&time=0-1',
  '#color=difference', '#tab=threads&rows=x&theme=%3Cscript%3E'];

export async function checkLinks(browser, write) {
  const {file} = write('links', {entries: 5000});
  const {page, faults, context} = await openPage(browser, file);
  await check('a link keeps the view', async () => {
    const hash = await page.evaluate((view) => {
      window.perf2x.store.update(view);
      return location.hash;
    }, kView);
    const other = await openPage(browser, file, {hash});
    const state = await other.page.evaluate(() => window.perf2x.store.state);
    for (const [key, value] of Object.entries(kView)) assert.deepEqual(state[key], value, key);
    assert.deepEqual(other.faults, []);
    await other.context.close();
  });
  await check('Back undoes a zoom', async () => {
    await page.evaluate(() => window.perf2x.store.update({shape: 'calls', focus: -1, zoom: 0}));
    await page.evaluate(() => window.perf2x.store.update({zoom: 5}));
    await page.goBack();
    await page.waitForFunction(() => window.perf2x.store.state.zoom === 0);
  });
  await context.close();
  for (const hash of kBadLinks) {
    await check(`the link ${hash}`, async () => {
      const other = await openPage(browser, file, {hash});
      assert.deepEqual(other.faults, []);
      assert.equal(await other.page.locator('.failed').count(), 0);
      await other.context.close();
    });
  }
  await check('links make no request and no message', () => assert.deepEqual(faults, []));
}
