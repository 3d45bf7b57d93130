// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_categories.h"

#include <vector>

#include "converter/emit/json_column.h"

namespace perf2x {
namespace {

struct Category {
  const char* name;
  const char* color;  // of the profiler's own list
  std::vector<const char*> subcategories;
};

// The first grey category is the one for all else, as is the first subcategory
// of each.
enum : uint8_t { kOther, kUser, kKernel, kGenerated, kGuest };
const Category kCategories[] = {
    {"Other", "grey", {"Other"}},
    {"User", "yellow", {"Other", "vDSO", "Anonymous memory"}},
    {"Kernel", "orange", {"Other", "Module", "BPF"}},
    {"JIT", "green", {"Other"}},
    {"Virtualization",
     "lightblue",
     {"Other", "Guest kernel", "Guest user", "Hypervisor"}},
};

}  // namespace

FirefoxCategory CategoryOf(const Dso& dso, const Function& function) {
  switch (dso.kind) {
    case DsoKind::kFile:
      return {kUser, 0};
    case DsoKind::kVdso:
      return {kUser, 1};
    case DsoKind::kAnonymous:
      if (!function.placeholder) return {kGenerated, 0};
      return {kUser, 2};
    case DsoKind::kKernel:
      return {kKernel, 0};
    case DsoKind::kKernelModule:
      return {kKernel, 1};
    case DsoKind::kGenerated:
      if (dso.pid < 0) return {kKernel, 2};
      return {kGenerated, 0};
    case DsoKind::kGuestKernel:
      return {kGuest, 1};
    case DsoKind::kGuestUser:
      return {kGuest, 2};
    case DsoKind::kHypervisor:
      return {kGuest, 3};
    case DsoKind::kUnknown:
    case DsoKind::kMarker:
      return {kOther, 0};
  }
  return {kOther, 0};
}

void WriteCategories(JsonWriter& json) {
  json.Key("categories");
  json.BeginArray();
  for (const Category& category : kCategories) {
    json.BeginObject();
    WriteText(json, "name", category.name);
    WriteText(json, "color", category.color);
    WriteArray(json, "subcategories", category.subcategories.size(),
               [&](size_t i) { json.String(category.subcategories[i]); });
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace perf2x
