// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_CATEGORIES_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_CATEGORIES_H_

#include <cstdint>

#include "converter/emit/json_writer.h"
#include "converter/model/model.h"

namespace perf2x {

// A function's category in the profiler.
struct FirefoxCategory {
  uint8_t category = 0;     // in the profile's list of categories
  uint8_t subcategory = 0;  // in this category's list of subcategories
};

// Returns the category of a function, by the kind of its DSO. A function in
// anonymous memory counts as JIT code if it has a symbol (from a perf map).
FirefoxCategory CategoryOf(const Dso& dso, const Function& function);
// Writes the list of categories, the member "categories" of "meta".
void WriteCategories(JsonWriter& json);

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_CATEGORIES_H_
