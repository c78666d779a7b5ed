//===- WeightsTest.cpp - formats of weights through the C API --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

#include <cmath>

namespace {

TEST(CWeights, RowsAreEncodedAndDecoded) {
  std::vector<float> values(3 * 64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i));
  for (const char *format : {"q8_0", "Q4_1", "f32"}) {
    void *bytes = nullptr;
    size_t size = 0;
    ASSERT_QRT_OK(qrt_encode_weights(format, values.data(), 3, 64, &bytes, &size));
    std::vector<float> decoded(values.size());
    ASSERT_QRT_OK(qrt_decode_weights(format, bytes, size, 3, 64, decoded.data()));
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(decoded[i], values[i], 0.08) << format << " " << i;
    EXPECT_EQ(qrt_decode_weights(format, bytes, size - 1, 3, 64, decoded.data()), QRT_ERROR_USAGE);
    qrt_free(bytes);
  }
}

TEST(CWeights, WhatCannotWorkIsSaid) {
  const std::vector<float> values(64);
  void *bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(qrt_encode_weights("q9", values.data(), 1, 64, &bytes, &size), QRT_ERROR_USAGE);
  EXPECT_NE(std::string(qrt_last_error()).find("q8_0"), std::string::npos) << qrt_last_error();
  EXPECT_EQ(qrt_encode_weights("q8_0", values.data(), 1, 33, &bytes, &size), QRT_ERROR_USAGE);
  EXPECT_NE(std::string(qrt_last_error()).find("multiple of 32"), std::string::npos);
  EXPECT_EQ(qrt_encode_weights("q8_0", values.data(), 0, 32, &bytes, &size), QRT_ERROR_USAGE);
  EXPECT_EQ(bytes, nullptr);
}

} // namespace
