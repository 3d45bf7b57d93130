// SPDX-License-Identifier: Apache-2.0
// Named checks; the process fails if any of them did.
import assert from 'node:assert/strict';

let failed = 0;
let run = 0;

export async function check(name, body) {
  run++;
  try {
    await body();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error.stack ?? error}`);
  }
}

export function finish() {
  console.log(`${run - failed} of ${run} checks hold`);
  process.exit(failed === 0 && run > 0 ? 0 : 1);
}

export {assert};
