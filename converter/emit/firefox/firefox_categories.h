// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_CATEGORIES_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_CATEGORIES_H_

#include <cstdint>

#include "converter/emit/json_writer.h"
#include "converter/model/model.h"

namespace perf2x {

// An index in the profile's list of categories, and one in that category's list
// of subcategories.
struct FirefoxCategory {
  uint8_t category = 0, subcategory = 0;
};

// Returns the category of a function, by the kind of the DSO that has it. A
// function in anonymous memory counts as a JIT compiler's if it has a symbol
// (from a perf map).
FirefoxCategory CategoryOf(const Dso& dso, const Function& function);
// Writes the list of categories, the member "categories" of "meta".
void WriteCategories(JsonWriter& json);

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_CATEGORIES_H_
