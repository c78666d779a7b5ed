//===- StopMatcherTest.cpp - stop strings in text that comes in pieces ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/TextStream.h"

#include "gtest/gtest.h"

#include <random>

using namespace qrt;

namespace {

TEST(StopMatcher, HoldsBackWhatMayBecomeAStop) {
  StopMatcher matcher({"END", "##"});
  EXPECT_EQ(matcher.append("textE"), "text");
  EXPECT_EQ(matcher.append("N"), "");
  EXPECT_EQ(matcher.append("TER#"), "ENTER");
  EXPECT_FALSE(matcher.stopped());
  EXPECT_EQ(matcher.append("#rest"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.append("more"), "");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, FinishReleasesAnIncompleteStop) {
  StopMatcher matcher({"END"});
  EXPECT_EQ(matcher.append("the EN"), "the ");
  EXPECT_EQ(matcher.finish(), "EN");
}

TEST(StopMatcher, TheFirstToBeCompletedWins) {
  StopMatcher matcher({"later", "at"});
  EXPECT_EQ(matcher.append("wait later"), "wait l");
  EXPECT_TRUE(matcher.stopped());
  StopMatcher longest({"b", "ab"});
  EXPECT_EQ(longest.append("xab"), "x");
}

TEST(StopMatcher, WithoutStopsEverythingPasses) {
  StopMatcher matcher({});
  EXPECT_EQ(matcher.append("abc"), "abc");
  EXPECT_EQ(matcher.finish(), "");
}

/// The definition: byte by byte, until the text ends with a stop.
std::string cut(const std::string &text, const std::vector<std::string> &stops) {
  for (size_t end = 1; end <= text.size(); ++end) {
    size_t longest = 0;
    for (const std::string &stop : stops)
      if (stop.size() <= end && text.compare(end - stop.size(), stop.size(), stop) == 0)
        longest = std::max(longest, stop.size());
    if (longest)
      return text.substr(0, end - longest);
  }
  return text;
}

TEST(StopMatcher, ThePiecesDoNotMatter) {
  std::mt19937 random(5);
  auto letters = [&](unsigned count) {
    std::string text;
    for (; count > 0; --count)
      text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 5000; ++i) {
    std::string text = letters(random() % 30);
    std::vector<std::string> stops = {letters(1 + random() % 5), letters(1 + random() % 5)};
    StopMatcher matcher(stops);
    std::string got;
    for (size_t at = 0; at < text.size();) {
      size_t size = 1 + random() % 4;
      got += matcher.append(absl::string_view(text).substr(at, size));
      at += size;
    }
    got += matcher.finish();
    EXPECT_EQ(got, cut(text, stops)) << text << ": " << stops[0] << ", " << stops[1];
    EXPECT_EQ(matcher.stopped(), cut(text, stops) != text);
  }
}

} // namespace
