//===- SamplingOptionsTest.cpp - which values make sense ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/SamplingOptions.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

using namespace qrt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string refusal(const std::function<void(SamplingOptions &)> &change) {
  SamplingOptions options;
  change(options);
  return std::string(options.check(32).message());
}

TEST(SamplingOptions, DefaultsAreGreedy) {
  SamplingOptions options;
  EXPECT_TRUE(options.check(32).ok());
  EXPECT_TRUE(options.isPlainGreedy());
}

TEST(SamplingOptions, RefusalsSayWhatIsExpected) {
  EXPECT_EQ(refusal([](auto &o) { o.temperature = -1; }),
            "temp: found -1, expected 0 (the likeliest token) or a positive number");
  EXPECT_NE(refusal([](auto &o) { o.temperature = std::nan(""); }), "");
  EXPECT_NE(refusal([](auto &o) { o.temperature = kInfinity; }), "");
  EXPECT_EQ(refusal([](auto &o) { o.topK = -1; }),
            "top-k: found -1, expected 0 (all tokens) or more");
  EXPECT_EQ(refusal([](auto &o) { o.topP = 1.5; }), "top-p: found 1.5, expected 0 to 1");
  EXPECT_EQ(refusal([](auto &o) { o.topP = std::nan(""); }), "top-p: found nan, expected 0 to 1");
  EXPECT_EQ(refusal([](auto &o) { o.minP = -0.1; }), "min-p: found -0.1, expected 0 to 1");
  EXPECT_EQ(refusal([](auto &o) { o.repeatLastN = -2; }),
            "repeat-last-n: found -2, expected -1 (the whole text), 0 (no penalties) or more");
  EXPECT_EQ(refusal([](auto &o) { o.repeatPenalty = 0; }),
            "repeat-penalty: found 0, expected a positive number; 1 is no penalty");
  EXPECT_EQ(refusal([](auto &o) { o.frequencyPenalty = kInfinity; }),
            "frequency-penalty: found inf, expected a finite number");
  EXPECT_EQ(refusal([](auto &o) { o.presencePenalty = std::nan(""); }),
            "presence-penalty: found nan, expected a finite number");
  EXPECT_EQ(refusal([](auto &o) { o.biases = {{31, 1}, {32, 1}}; }),
            "logit-bias: found token 32, expected a token from 0 to 31");
  EXPECT_NE(refusal([](auto &o) { o.biases = {{-1, 1}}; }), "");
  EXPECT_EQ(refusal([](auto &o) { o.biases = {{0, kInfinity}}; }),
            "logit-bias: found inf, expected a finite number, or -inf to exclude the token");
  EXPECT_NE(refusal([](auto &o) { o.biases = {{0, std::nan("")}}; }), "");
  EXPECT_EQ(refusal([](auto &o) { o.logprobs = -1; }), "logprobs: found -1, expected 0 or more");
}

TEST(SamplingOptions, BoundsAreAccepted) {
  EXPECT_EQ(refusal([](auto &o) {
              o.topK = 0;
              o.topP = 0;
              o.minP = 1;
              o.repeatLastN = -1;
              o.repeatPenalty = 1e-30;
              o.frequencyPenalty = -2;
              o.biases = {{0, -kInfinity}, {31, -100}};
              o.logprobs = 0;
            }),
            "");
}

TEST(SamplingOptions, WhatNeedsAllLogits) {
  auto plain = [](const std::function<void(SamplingOptions &)> &change) {
    SamplingOptions options;
    change(options);
    return options.isPlainGreedy();
  };
  EXPECT_FALSE(plain([](auto &o) { o.temperature = 0.1; }));
  EXPECT_FALSE(plain([](auto &o) { o.repeatPenalty = 1.1; }));
  EXPECT_FALSE(plain([](auto &o) { o.frequencyPenalty = 0.1; }));
  EXPECT_FALSE(plain([](auto &o) { o.presencePenalty = -0.1; }));
  EXPECT_FALSE(plain([](auto &o) { o.biases = {{1, 0}}; }));
  EXPECT_FALSE(plain([](auto &o) { o.logprobs = 0; }));
  EXPECT_TRUE(plain([](auto &o) { o.topK = 1; }));
  EXPECT_TRUE(plain([](auto &o) { o.seed = 1; }));
  EXPECT_TRUE(plain([](auto &o) {
    o.repeatPenalty = 1.1;
    o.repeatLastN = 0;
  }));
}

} // namespace
