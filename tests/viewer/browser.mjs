// SPDX-License-Identifier: Apache-2.0
// Opens a file in a headless Chromium that has no network. Any request but the one for
// the file itself is a fault, as is any message on the console.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

// node_modules may lie anywhere: PLAYWRIGHT_FOLDER holds it.
const load = createRequire(path.join(process.env.PLAYWRIGHT_FOLDER ?? import.meta.dirname, 'x.js'));
const {chromium} = load('playwright-core');

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND'],
  });
}

/** Opens a file. `faults` grows with what went wrong on the page. */
export async function openPage(browser, file, {hash = '', ...options} = {}) {
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, ...options});
  const page = await context.newPage();
  const faults = [];
  const url = pathToFileURL(path.resolve(file)).href;
  page.on('console', (message) => faults.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) faults.push(`request: ${request.url()}`);
  });
  await page.goto(url + hash);
  await page.waitForFunction(() => window.perf2x?.readyMs > 0);
  return {page, faults, context};
}

export function temporaryFolder() {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'viewer-'));
}
