// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_SAMPLE_COLUMNS_H_
#define PERF2X_EMIT_TABLES_SAMPLE_COLUMNS_H_

#include "converter/emit/tables/cell.h"

namespace perf2x {

// The columns that tables with rows of samples share. A Row has the members
// `sample`, `thread` and `names` (EventNames), and a function Name(StringId)
// that returns a cell.

template <class Row>
inline constexpr ColumnOf<Row> kTimeColumn = {
    {.name = "time", .type = Column::Type::kTime, .unit = "ns"},
    [](const Row& r) { return Cell::Optional(r.sample.time); }};
template <class Row>
inline constexpr ColumnOf<Row> kCpuColumn = {
    {.name = "cpu", .type = Column::Type::kSigned}, [](const Row& r) {
      return r.sample.cpu < 0 ? Cell() : Cell::Signed(r.sample.cpu);
    }};
template <class Row>
inline constexpr ColumnOf<Row> kPidColumn = {
    {.name = "pid", .type = Column::Type::kSigned},
    [](const Row& r) { return Cell::Signed(r.thread.pid); }};
template <class Row>
inline constexpr ColumnOf<Row> kTidColumn = {
    {.name = "tid", .type = Column::Type::kSigned},
    [](const Row& r) { return Cell::Signed(r.thread.tid); }};
template <class Row>
inline constexpr ColumnOf<Row> kProcessColumn = {
    {.name = "process"},
    [](const Row& r) { return r.Name(r.thread.process_name); }};
template <class Row>
inline constexpr ColumnOf<Row> kThreadColumn = {
    {.name = "thread"}, [](const Row& r) { return r.Name(r.thread.name); }};
template <class Row>
inline constexpr ColumnOf<Row> kEventColumn = {
    {.name = "event"}, [](const Row& r) {
      return Cell::Text(r.names[r.sample.event], r.sample.event);
    }};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_SAMPLE_COLUMNS_H_
