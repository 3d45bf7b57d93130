// SPDX-License-Identifier: Apache-2.0
// Reads a CSV table as perf2x writes it: RFC 4180, text that a spreadsheet would run
// with a ' before it.

/** The rows as lists of cells; the first one is the header. */
export function parseRows(text) {
  const rows = [];
  let row = [];
  let at = 0;
  while (at < text.length) {
    let cell;
    if (text[at] === '"') {
      let end = text.indexOf('"', at + 1);
      while (text[end + 1] === '"') end = text.indexOf('"', end + 2);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      let end = at;
      while (end < text.length && text[end] !== ',' && text[end] !== '\r') end++;
      cell = text.slice(at, end);
      at = end;
    }
    row.push(/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell);
    if (text[at] === ',') {
      at++;
      continue;
    }
    at += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The rows, as objects by the names of the header. */
export function parseCsv(text) {
  const [names, ...values] = parseRows(text);
  return values.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]])));
}
