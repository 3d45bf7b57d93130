// SPDX-License-Identifier: Apache-2.0

// What tests of header features share.

#ifndef PERF2X_TESTS_PERF_HEADER_CHECK_FEATURE_H_
#define PERF2X_TESTS_PERF_HEADER_CHECK_FEATURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/wire.h"
#include "tests/support/wire.h"

namespace perf2x {

inline RawRecord FeatureRecord(ByteOrder order,
                               const std::vector<uint8_t>& body) {
  RawRecord record;
  record.type = kRecordHeaderFeature;
  record.order = order;
  record.body = body;
  return record;
}

inline std::vector<uint8_t> FeatureBody(ByteOrder order, uint64_t feature,
                                        absl::string_view payload) {
  std::vector<uint8_t> body(8);
  Store(feature, body.data(), order);
  const std::vector<uint8_t> rest = Wire(order, payload);
  body.insert(body.end(), rest.begin(), rest.end());
  return body;
}

using FeatureCheck = std::function<void(const HeaderFeatures&)>;

// `payload` (wire.h) gives what `check` expects, in both byte orders; cut at
// any length it is seen to be damaged or, where it may end, still makes sense.
inline void CheckFeature(uint64_t feature, absl::string_view payload,
                         const FeatureCheck& check,
                         const HeaderFeatures& before = {}) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    SCOPED_TRACE(order == ByteOrder::kLittle ? "little-endian" : "big-endian");
    const std::vector<uint8_t> body = FeatureBody(order, feature, payload);
    HeaderFeatures features = before;
    EXPECT_TRUE(
        features.Observe(FeatureRecord(order, body), Budget::Unlimited()));
    EXPECT_TRUE(features.has(static_cast<uint32_t>(feature)));
    check(features);
    for (size_t n = 0; n < body.size(); ++n) {
      const std::vector<uint8_t> cut(body.begin(), body.begin() + n);
      HeaderFeatures less = before;
      less.Observe(FeatureRecord(order, cut), Budget::Unlimited());
    }
    // No count is believed: with all bits set there is never enough behind it.
    for (size_t at = 8; at + 4 <= body.size(); ++at) {
      std::vector<uint8_t> wrong = body;
      std::fill_n(wrong.begin() + at, 4, 0xff);
      HeaderFeatures any = before;
      any.Observe(FeatureRecord(order, wrong), Budget::Unlimited());
    }
  }
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_PERF_HEADER_CHECK_FEATURE_H_
