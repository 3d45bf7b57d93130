// SPDX-License-Identifier: Apache-2.0
// Compares tables that perf2x wrote as CSV and as Parquet, cell for cell.
//
// usage: compare.mjs READER FOLDER...     READER: duckdb, chdb, hyparquet
//        FOLDER has a.csv/ and a.parquet/
// PARQUET_READERS is the folder of package.json, with node_modules.

import { existsSync, readdirSync, readFileSync } from "node:fs";

import { parseRows } from "../viewer/csv.mjs";
import { readers } from "./readers.mjs";

// A cell as the CSV tables have it. `like` is the cell there: whether a number is
// hexadecimal, and a share of six decimals, is a matter of the CSV alone.
function asCsv(value, like, column) {
  if (value === null || value === undefined) return "";
  if (typeof value === "bigint") {
    return like.startsWith("0x") ? `0x${value.toString(16)}` : value.toString();
  }
  if (typeof value === "number") {
    if (column.endsWith("_share")) return value.toFixed(6);
    return Number(like) === value ? like : String(value);
  }
  return value;
}

// The text of each stack: its functions from the root to the leaf.
async function stackTexts(read, folder) {
  const frames = await read(`${folder}/frames.parquet`);
  const stacks = await read(`${folder}/stacks.parquet`);
  const functions = new Map(frames.rows.map((row) => [
    row[frames.names.indexOf("frame")], (row[frames.names.indexOf("function")] ?? "").replaceAll(";", ":")]));
  return new Map(stacks.rows.map((row) => [
    row[stacks.names.indexOf("stack")],
    row[stacks.names.indexOf("frames")].map((frame) => functions.get(BigInt(frame))).join(";")]));
}

async function compare(read, folder) {
  const problems = [];
  let cells = 0;
  const stacks = existsSync(`${folder}/a.parquet/stacks.parquet`)
    ? await stackTexts(read, `${folder}/a.parquet`) : new Map();
  for (const file of readdirSync(`${folder}/a.csv`)) {
    const table = file.replace(".csv", "");
    const [head, ...expected] = parseRows(readFileSync(`${folder}/a.csv/${file}`, "utf8"));
    const { names, rows } = await read(`${folder}/a.parquet/${table}.parquet`);
    if (names.join("|") !== head.join("|")) problems.push(`${table}: columns ${names}`);
    if (rows.length !== expected.length) problems.push(`${table}: ${rows.length} rows, not ${expected.length}`);
    for (let i = 0; i < Math.min(rows.length, expected.length); ++i) {
      for (let c = 0; c < head.length; ++c, ++cells) {
        const value = head[c] === "stack" ? stacks.get(rows[i][c]) : rows[i][c];
        const got = asCsv(value, expected[i][c], head[c]);
        if (got !== expected[i][c] && problems.length < 5) {
          problems.push(`${table} row ${i} ${head[c]}: ${got}, not ${expected[i][c]}`);
        }
      }
    }
  }
  return { problems, cells };
}

const [reader, ...folders] = process.argv.slice(2);
const read = await readers[reader]();
let bad = 0, cells = 0;
for (const folder of folders) {
  let result;
  try {
    result = await compare(read, folder);
  } catch (error) {
    result = { problems: [String(error.stack ?? error)], cells: 0 };
  }
  cells += result.cells;
  if (result.problems.length > 0) ++bad;
  for (const problem of result.problems) console.log(`${folder}: ${problem}`);
}
console.log(`${reader}: ${folders.length} recordings, ${cells} cells, ${bad} recordings differ`);
process.exit(bad > 0 ? 1 : 0);
