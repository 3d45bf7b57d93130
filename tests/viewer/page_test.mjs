// SPDX-License-Identifier: Apache-2.0
// The page of --to html, with made-up recordings, in a browser without a network.
// usage: page_test.mjs FOLDER_OF_THE_BUNDLE
import fs from 'node:fs';
import path from 'node:path';
import {openBrowser, temporaryFolder} from './browser.mjs';
import {finish} from './check.mjs';
import {page} from './container.mjs';
import {checkAccess} from './access_checks.mjs';
import {checkEdges} from './edge_checks.mjs';
import {checkLinks} from './link_checks.mjs';
import {checkSpeed} from './speed_checks.mjs';
import {checkSums} from './sum_checks.mjs';
import {encodeRecording, makeRecording} from './synthetic.mjs';

const bundle = process.argv[2];
const folder = temporaryFolder();
const script = fs.readFileSync(path.join(bundle, 'bundle.js'), 'utf8');
const style = fs.readFileSync(path.join(bundle, 'bundle.css'), 'utf8');

/** Writes a file with a made-up recording. `change` may damage it. */
function write(name, options, change = (text) => text) {
  const recording = makeRecording(options);
  const file = path.join(folder, `${name}.html`);
  fs.writeFileSync(file, change(page({script, style, ...encodeRecording(recording)})));
  return {file, recording};
}

const browser = await openBrowser();
try {
  await checkSums(browser, write);
  await checkEdges(browser, write);
  await checkLinks(browser, write);
  await checkAccess(browser, write);
  await checkSpeed(browser, write);
} finally {
  await browser.close();
  fs.rmSync(folder, {recursive: true});
}
finish();
