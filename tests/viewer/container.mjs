// SPDX-License-Identifier: Apache-2.0
// Writes the data blocks and the page of docs/html.md, apart from the program, for tests.
import crypto from 'node:crypto';
import zlib from 'node:zlib';

function widthOf(values) {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  let width = 0;
  while (most >= 2 ** (8 * width)) width++;
  return width;
}

function encodeColumn(values, code) {
  const width = widthOf(values);
  const stored = Float64Array.from(values);
  if (code === 'delta') {
    if (width > 4) throw new Error('a delta column has at most 4 bytes');
    for (let i = stored.length - 1; i > 0; i--) {
      stored[i] -= stored[i - 1];
      if (stored[i] < 0) stored[i] += 2 ** (8 * width);
    }
  }
  const bytes = Buffer.alloc(values.length * width);
  for (let plane = 0; plane < width; plane++) {
    for (let i = 0; i < stored.length; i++) {
      bytes[plane * stored.length + i] = Math.floor(stored[i] / 2 ** (8 * plane)) % 256;
    }
  }
  return {width, bytes};
}

/** Base64 of a block. `columns`: name → values; names in `deltas` are coded as differences. */
export function encodeBlock(meta, columns, deltas = []) {
  const header = {meta, columns: {}};
  const parts = [];
  let offset = 0;
  for (const [name, values] of Object.entries(columns)) {
    const code = deltas.includes(name) ? 'delta' : 'plain';
    const {width, bytes} = encodeColumn(values, code);
    header.columns[name] = {count: values.length, width, code, offset};
    parts.push(bytes);
    offset += bytes.length;
  }
  const json = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  const plain = Buffer.concat([Buffer.from('perf2x-1'), size, json, ...parts]);
  return zlib.gzipSync(plain, {level: 6}).toString('base64');
}

const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;

/** The whole file. */
export function page({script, style, profile, samples, title = 'synthetic'}) {
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
      "img-src data:; base-uri 'none'; form-action 'none'";
  const block = (id, text) =>
    `<script type="application/octet-stream;base64" id="${id}">${text}</script>\n`;
  return '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n' +
      `<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
      '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
      '<meta name="color-scheme" content="light dark">\n' +
      `<title>${title}</title>\n<style>${style}</style></head>\n<body><div id="app"></div>\n` +
      block('perf2x-profile', profile) + `<script>${script}</script>\n` +
      block('perf2x-samples', samples) + '</body></html>\n';
}
