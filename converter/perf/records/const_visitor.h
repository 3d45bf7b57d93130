// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_CONST_VISITOR_H_
#define PERF2X_PERF_RECORDS_CONST_VISITOR_H_

#include <cstdint>
#include <vector>

#include "converter/perf/records/attr.h"

namespace perf2x {

// The base of visitors (see kernel_records.h) that do not change the record:
// what they share. `Visitor` is the derived class, which may hide any of the
// functions.
template <class Visitor>
class ConstVisitor {
 public:
  // Visits the fields of each element.
  template <class E>
  void List(const char*, uint64_t, const std::vector<E>& elements) {
    for (const E& element : elements) {
      E::Fields(static_cast<Visitor&>(*this), element);
    }
  }
  // Derive and Skip do nothing: what they stand for is no field.
  template <class T, class F>
  void Derive(const T&, F) {}
  void Skip(uint64_t) {}
  // Return the constructor's arguments.
  uint16_t misc() const { return misc_; }
  const EventAttr& attr() const { return attr_; }

 protected:
  // `misc` is from the record's header. `attr` belongs to the record's event,
  // and must outlive the visitor.
  ConstVisitor(uint16_t misc, const EventAttr& attr)
      : misc_(misc), attr_(attr) {}
  ~ConstVisitor() = default;

 private:
  const uint16_t misc_;
  const EventAttr& attr_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_CONST_VISITOR_H_
