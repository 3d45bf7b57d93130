// SPDX-License-Identifier: Apache-2.0
// Independent readers of Parquet. Each returns the names of a file's columns and its
// rows; numbers are bigints or doubles, times since 1970 are bigints in ns, lists are
// arrays, what is absent is null.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.env.PARQUET_READERS}/package.json`);

function integer(value) {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

async function duckdb() {
  const { DuckDBInstance } = require("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const plain = (value) => {
    if (value === null || typeof value !== "object") return value;
    return "items" in value ? value.items.map(plain) : value.nanos ?? value.nanoseconds;
  };
  return async (file) => {
    const read = await connection.runAndReadAll(`SELECT * FROM read_parquet('${file}', hive_partitioning = false)`);
    return { names: read.columnNames(), rows: read.getRows().map((row) => row.map(plain)) };
  };
}

async function chdb() {
  const { query } = require("chdb");
  return async (file) => {
    const source = `file('${file}', Parquet)`;
    const described = query(`DESCRIBE ${source}`, "JSONCompactEachRow").trim().split("\n").map((l) => JSON.parse(l));
    const types = described.map(([, type]) => type);
    const columns = described.map(([name, type]) => type.includes("DateTime64")
      ? `toUnixTimestamp64Nano(\`${name}\`)` : `\`${name.replaceAll("`", "\\`")}\``);
    const text = query(`SELECT ${columns.join(", ")} FROM ${source} SETTINGS output_format_json_quote_64bit_integers = 1, ` +
      "max_threads = 1", "JSONCompactEachRow");
    const value = (cell, type) => {
      if (cell === null) return null;
      if (Array.isArray(cell)) return cell.map(BigInt);
      return type.includes("Int") || type.includes("DateTime64") ? BigInt(cell) : cell;
    };
    return {
      names: described.map(([name]) => name),
      rows: text.split("\n").filter((line) => line !== "")
        .map((line) => JSON.parse(line).map((cell, i) => value(cell, types[i]))),
    };
  };
}

async function hyparquet() {
  const { parquetReadObjects, parquetMetadata, parquetSchema } = await import(require.resolve("hyparquet"));
  const { compressors } = await import(require.resolve("hyparquet-compressors"));
  const parsers = { timestampFromNanoseconds: (nanos) => BigInt(nanos) };
  return async (path) => {
    const bytes = readFileSync(path);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const names = parquetSchema(parquetMetadata(file)).children.map((child) => child.element.name);
    const objects = await parquetReadObjects({ file, compressors, parsers });
    return { names, rows: objects.map((row) => names.map((name) => row[name] ?? null)) };
  };
}

export const readers = { duckdb, chdb, hyparquet };
export { integer };
