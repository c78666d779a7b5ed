//===- CallTest.cpp - loading a library and calling an entry --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "FakeModel.h"

#include "quench-rt/Program/Executable.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace qrt;
using namespace qrt::test;

namespace {

HostTensor floats(std::vector<float> values) {
  HostTensor tensor{ElementType::F32, {int64_t(values.size())}, {}};
  tensor.bytes.resize(values.size() * sizeof(float));
  if (!values.empty())
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

HostTensor scalar(int64_t value) {
  HostTensor tensor{ElementType::I64, {}, std::vector<uint8_t>(8)};
  std::memcpy(tensor.bytes.data(), &value, 8);
  return tensor;
}

TEST(CompiledLibrary, IsLoadedAndDescribed) {
  FakeModel model = makeFakeModel();
  auto library = CompiledLibrary::load(*model.device, fakeLibrary(), "fake");
  ASSERT_TRUE(library.ok()) << library.status();
  const LibraryDescriptor &description = (*library)->descriptor();
  EXPECT_EQ(description.target, "fake");
  EXPECT_EQ(description.maxRows, 8);
  ASSERT_EQ(description.entries.size(), 5u);
  EXPECT_EQ(description.entries[3].name, "round");
  EXPECT_EQ(describe(description.entries[1].results[0]), "tensor<?x32xf32>");
  EXPECT_EQ(CompiledLibrary::load(*model.device, lyingFakeLibrary(), "lies").status().message(),
            "lies: describes 5 entries, but has 3");
}

TEST(Call, ComputesOnEveryThreadCount) {
  for (int threads : {1, 2, 3}) {
    FakeModel model = makeFakeModel(threads);
    auto results = call(*model.executable, "scale",
                        std::vector<HostTensor>{floats({1, 2, 3, 4.5f}), scalar(-2)});
    ASSERT_TRUE(results.ok()) << results.status();
    ASSERT_EQ(results->size(), 1u);
    EXPECT_EQ((*results)[0].bytes, floats({-2, -4, -6, -9}).bytes);
    EXPECT_EQ((*results)[0].dims, std::vector<int64_t>{4});
  }
}

TEST(Call, EmptyArrays) {
  FakeModel model = makeFakeModel();
  auto results = call(*model.executable, "scale", std::vector<HostTensor>{floats({}), scalar(1)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].dims, std::vector<int64_t>{0});
}

TEST(Call, WrongInputsAreNamed) {
  FakeModel model = makeFakeModel();
  auto message = [&](const char *entry, std::vector<HostTensor> inputs) {
    return std::string(call(*model.executable, entry, inputs).status().message());
  };
  EXPECT_EQ(message("nothing", {}), "the program has no entry 'nothing'");
  EXPECT_EQ(message("scale", {floats({1})}), "entry 'scale': got 1 inputs, expected 2");
  EXPECT_EQ(message("scale", {scalar(1), scalar(1)}),
            "entry 'scale': input 0: found tensor<i64>, expected tensor<?xf32> with at most 8 "
            "for each ?");
  EXPECT_EQ(message("scale", {floats(std::vector<float>(9)), scalar(1)}),
            "entry 'scale': input 0: found tensor<9xf32>, expected tensor<?xf32> with at most 8 "
            "for each ?");
  HostTensor lying = floats({1, 2});
  lying.dims = {3};
  EXPECT_EQ(message("scale", {lying, scalar(1)}),
            "entry 'scale': input 0: has 8 bytes, its shape needs 12");
  EXPECT_EQ(message("prefill", {floats({1}), scalar(1)}).substr(0, 45),
            "entry 'prefill': input 0: found tensor<1xf32>");
}

TEST(Executable, EntriesAreHeldAgainstWhatIsExpected) {
  FakeModel model = makeFakeModel();
  const Executable &executable = *model.executable;
  auto entry = executable.entry("logits", {"tensor<?xi32>", "cache"}, {"tensor<?x*xf32>"});
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(*entry, 1u);
  EXPECT_EQ(executable.entry("logits", {"tensor<?xi32>"}, {"tensor<?x*xf32>"}).status().message(),
            "the program's entry 'logits' is (tensor<?xi32>, cache) -> (tensor<?x32xf32>), "
            "expected (tensor<?xi32>) -> (tensor<?x*xf32>)");
  EXPECT_EQ(executable.entry("none", {}, {}).status().code(), absl::StatusCode::kNotFound);
}

} // namespace
