#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Runs the queries of a file in the current folder and prints the last one's rows, a JSON
// array each. For machines without DuckDB's and ClickHouse's own programs.
//
// usage: query.mjs duckdb|clickhouse FILE.sql

import { readFileSync } from "node:fs";

const engines = {
  async duckdb(text) {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    return (await connection.runAndReadAll(text)).getRowsJson();
  },
  async clickhouse(text) {
    const { query } = await import("chdb");
    return query(text, "JSONCompactEachRow").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  },
};

const [engine, file] = process.argv.slice(2);
if (!(engine in engines) || file === undefined) {
  console.error("usage: query.mjs duckdb|clickhouse FILE.sql");
  process.exit(2);
}
for (const row of await engines[engine](readFileSync(file, "utf8"))) console.log(JSON.stringify(row));
