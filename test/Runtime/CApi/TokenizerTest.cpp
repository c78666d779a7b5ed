//===- TokenizerTest.cpp - tokenizers through the C API --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

using namespace qrt::test;

namespace {

class CTokenizer : public ModelFixture {
protected:
  Ids encode(const std::string &text, uint32_t flags) {
    int32_t *ids = nullptr;
    size_t count = 0;
    EXPECT_QRT_OK(qrt_tokenizer_encode(tokenizer(), text.data(), text.size(), flags, &ids, &count));
    Ids result(ids, ids + count);
    qrt_free(ids);
    return result;
  }
  std::string decode(const Ids &ids, uint32_t flags) {
    char *text = nullptr;
    size_t size = 0;
    EXPECT_QRT_OK(qrt_tokenizer_decode(tokenizer(), ids.data(), ids.size(), flags, &text, &size));
    EXPECT_EQ(text[size], 0);
    std::string result(text, size);
    qrt_free(text);
    return result;
  }
  const qrt_tokenizer *tokenizer() { return qrt_model_tokenizer(model); }
};

TEST_F(CTokenizer, FlagsSayHow) {
  EXPECT_EQ(encode("ab", 0), (Ids{27, 0, 1}));
  EXPECT_EQ(encode("ab", QRT_ENCODE_NO_BOS), (Ids{0, 1}));
  EXPECT_EQ(encode("", QRT_ENCODE_NO_BOS), Ids{});
  EXPECT_EQ(encode("<|im_end|>", QRT_ENCODE_NO_BOS), Ids{30});
  EXPECT_GT(encode("<|im_end|>", QRT_ENCODE_NO_BOS | QRT_ENCODE_NO_SPECIAL).size(), 1u);
  EXPECT_EQ(decode({27, 0, 26, 1}, 0), "a b");
  EXPECT_EQ(decode({27, 0}, QRT_DECODE_SPECIAL), "<s>a");
  EXPECT_EQ(decode({}, 0), "");
  EXPECT_EQ(qrt_tokenizer_size(tokenizer()), 32);
  EXPECT_TRUE(qrt_tokenizer_is_end(tokenizer(), 28));
  EXPECT_FALSE(qrt_tokenizer_is_end(tokenizer(), 0));
  EXPECT_FALSE(qrt_tokenizer_is_end(tokenizer(), -1));
}

TEST_F(CTokenizer, ErrorsAreStatuses) {
  char *text = nullptr;
  size_t size = 0;
  const int32_t ids[] = {1, 32};
  EXPECT_NE(qrt_tokenizer_decode(tokenizer(), ids, 2, 0, &text, &size), QRT_OK);
  EXPECT_NE(std::string(qrt_last_error()).find("32"), std::string::npos);
  EXPECT_EQ(qrt_tokenizer_decode(tokenizer(), ids, 1, 4, &text, &size), QRT_ERROR_USAGE);
}

TEST_F(CTokenizer, ComesFromThePackageAlone) {
  qrt_tokenizer *alone = nullptr;
  ASSERT_QRT_OK(qrt_tokenizer_load((folder / "package").c_str(), &alone));
  EXPECT_EQ(qrt_tokenizer_size(alone), 32);
  qrt_tokenizer_free(alone);
}

} // namespace
