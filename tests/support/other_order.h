// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_OTHER_ORDER_H_
#define PERF2X_TESTS_SUPPORT_OTHER_ORDER_H_

#include "tests/support/perf_data_builder.h"

namespace perf2x {

// Returns the same recording in the other byte order: every record and attr
// encoded anew; raw data, user stack dumps and AUX data stay as they are.
// Features that only describe the machine are omitted.
Recording InOtherOrder(const Recording& recording);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_OTHER_ORDER_H_
