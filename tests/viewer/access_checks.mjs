// SPDX-License-Identifier: Apache-2.0
// The page with the keyboard alone, its labels, contrast, and paper.
import {openPage} from './browser.mjs';
import {assert, check} from './check.mjs';

const state = (page) => page.evaluate(() => window.perf2x.store.state);
const focused = (page) => page.evaluate(() => {
  const {activeElement: at} = document;
  return `${at.tagName.toLowerCase()}.${at.className}`;
});

/** Presses Tab until the element with this class has the focus. */
async function tabTo(page, name) {
  for (let i = 0; i < 60; i++) {
    if ((await focused(page)).includes(name)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${name}`);
}

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

async function walkTimeline(page) {
  await tabTo(page, 'timeline-scroll');
  await press(page, 'ArrowRight', 'Shift+ArrowRight', 'ArrowRight');
  const {time} = await state(page);
  assert.ok(time !== null && time[0] > 0);
  assert.match(await page.locator('.selection').textContent(), /s to .* s/);
  await press(page, 'z');
  assert.deepEqual((await state(page)).timeZoom, time);
  await press(page, 'Escape', 'Escape', 'ArrowDown', 'ArrowDown', 'Enter');
  const {time: none, timeZoom, threads} = await state(page);
  assert.deepEqual([none, timeZoom, threads.length], [null, null, 1]);
  await press(page, 'Enter');
  assert.equal((await state(page)).threads, null);
}

async function walkTree(page) {
  await tabTo(page, 'list');
  await press(page, 'ArrowDown', 'ArrowDown', 'Space');
  assert.equal((await state(page)).threads.length, 1);
  const checked = page.locator('[role=treeitem][aria-checked=true]');
  assert.equal(await checked.count(), 1);
  await press(page, 'Home', 'ArrowLeft');
  assert.equal(await page.locator('[role=treeitem]:visible').first().getAttribute('aria-expanded'), 'false');
  await press(page, 'ArrowRight', 'Escape');
  assert.equal((await state(page)).threads, null);
}

async function walkGraph(page) {
  await tabTo(page, 'flame-scroll');
  const line = page.locator('#frame-line');
  const before = await line.textContent();
  await press(page, 'ArrowDown', 'ArrowDown');
  assert.notEqual(await line.textContent(), before);
  await press(page, 'Enter');
  const {zoom} = await state(page);
  assert.ok(zoom > 0);
  assert.match(page.url(), new RegExp(`zoom=${zoom}`));
  await press(page, 'Escape');
  assert.equal((await state(page)).zoom, 0);
  await press(page, 'Shift+F10');
  assert.equal(await focused(page), 'button.');
  await press(page, 'ArrowDown', 'Enter');
  assert.equal((await state(page)).shape, 'callers');
  await press(page, 'r', 'r', 'i', 'm', 'v');
  const {shape, orientation, merge, metric} = await state(page);
  assert.deepEqual([shape, orientation, merge, metric], ['calls', 'flame', true, 'period']);
  await press(page, 'i', 'm', 'v');
}

async function walkTable(page) {
  await press(page, '2', '/');
  await page.keyboard.type('Mix');
  await press(page, 'Enter');
  assert.equal((await state(page)).search, 'Mix');
  await tabTo(page, 'list');
  assert.match(await page.locator('.functions .list .name').first().textContent(), /Mix/);
  await press(page, 'ArrowDown', 'Enter', 'ArrowDown', 'Enter');
  const {tab, shape} = await state(page);
  assert.deepEqual([tab, shape], ['flame', 'callers']);
  await press(page, '/', 'Escape');
  assert.equal((await state(page)).search, '');
}

/** Elements that take the focus, and have no name. */
const nameless = (page) => page.evaluate(() =>
  [...document.querySelectorAll('button, select, input, [tabindex="0"]')]
      .filter((at) => !(at.getAttribute('aria-label') || at.textContent.trim() || at.closest('label') ||
                        at.title))
      .map((at) => at.outerHTML.slice(0, 100)));

/** The contrast of each pair of colours that text and its ground may have. */
const contrasts = (page) => page.evaluate(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const luminance = (color) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const style = getComputedStyle(document.documentElement);
  const variable = (name) => style.getPropertyValue(`--${name}`).trim();
  const found = {};
  for (const text of ['text', 'muted', 'accent', 'loss', 'more', 'less']) {
    for (const ground of ['background', 'panel', 'raised']) {
      found[`${text} on ${ground}`] = contrast(variable(text), variable(ground));
    }
  }
  found['text on bar'] = contrast(variable('text'), variable('bar'));
  found['text on accent-soft'] = contrast(variable('text'), variable('accent-soft'));
  const {theme} = window.perf2x.flame;
  for (const box of [...theme.groups, ...theme.differences]) {
    found[`${theme.text} on ${box}`] = contrast(theme.text, box);
  }
  found[`match`] = contrast(theme.matchText, theme.match);
  return found;
});

async function checkPaper(page) {
  await page.evaluate(() => window.perf2x.store.update({tab: 'functions', theme: 'dark'}));
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({media: 'print'});
  assert.ok(await page.locator('.printed tbody tr').count() > 5);
  assert.ok(await page.locator('.flame').isVisible());
  assert.ok(await page.locator('.notes-list').isVisible());
  assert.ok(!await page.locator('.toolbar').isVisible());
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.emulateMedia({media: null});
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('.printed tbody tr').count(), 0);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
}

export async function checkAccess(browser, write) {
  const {file} = write('access', {entries: 8000, base: true});
  const {page, faults, context} = await openPage(browser, file);
  await check('keyboard: help', async () => {
    await press(page, '?');
    assert.ok(await page.locator('dialog').isVisible());
    await press(page, 'Escape');
    assert.ok(!await page.locator('dialog').isVisible());
  });
  await check('keyboard: time line', () => walkTimeline(page));
  await check('keyboard: processes and threads', () => walkTree(page));
  await check('keyboard: flame graph', () => walkGraph(page));
  await check('keyboard: search and functions', () => walkTable(page));
  await check('all that takes the focus has a name', async () =>
    assert.deepEqual(await nameless(page), []));
  for (const theme of ['light', 'dark']) {
    await check(`contrast of text, ${theme}`, async () => {
      await page.evaluate((theme) => window.perf2x.store.update({theme}), theme);
      const low = Object.entries(await contrasts(page)).filter(([, value]) => value < 4.5);
      assert.deepEqual(low, []);
    });
  }
  await check('paper', () => checkPaper(page));
  await check('the keyboard makes no request and no message', () => assert.deepEqual(faults, []));
  await context.close();
}
