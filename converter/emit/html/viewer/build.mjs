// SPDX-License-Identifier: Apache-2.0
// Bundles src/ into dist/bundle.js and dist/bundle.css. usage: node build.mjs [OUTPUT_FOLDER]
import {build} from 'esbuild';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const top = path.dirname(fileURLToPath(import.meta.url));
await build({
  absWorkingDir: top,
  entryPoints: {bundle: 'src/main.ts'},
  outdir: path.resolve(process.argv[2] ?? path.join(top, 'dist')),
  bundle: true,
  minify: true,
  // ASCII only: the page may then be read in any encoding.
  charset: 'ascii',
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  banner: {
    js: '/* SPDX-License-Identifier: Apache-2.0. Built from converter/emit/html/viewer/src. */',
    css: '/* SPDX-License-Identifier: Apache-2.0. Built from converter/emit/html/viewer/src. */',
  },
});
