//===- ProgramTest.cpp - functions through the C API -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The functions of the hand-written library take caches, so that they cannot be called on
// arrays; python/tests and test/Tools call compiled ones.
//
//===----------------------------------------------------------------------===//

#include "CApi/ModelFixture.h"

using namespace qrt::test;

namespace {

class CProgram : public ModelFixture {};

TEST_F(CProgram, FunctionsHaveNames) {
  qrt_program *program = nullptr;
  qrt_program_options options = QRT_PROGRAM_OPTIONS_INIT;
  options.trust_code = 1;
  ASSERT_QRT_OK(qrt_program_load((folder / "package").c_str(), &options, &program));
  std::vector<std::string> names;
  for (size_t i = 0; i < qrt_program_num_functions(program); ++i)
    names.emplace_back(qrt_program_function_name(program, i));
  EXPECT_NE(std::find(names.begin(), names.end(), "greedy"), names.end());
  EXPECT_EQ(qrt_program_function_name(program, names.size()), nullptr);

  qrt_array *results = nullptr;
  size_t count = 0;
  EXPECT_EQ(qrt_program_call(program, "other", nullptr, 0, &results, &count), QRT_ERROR_INPUT);
  EXPECT_NE(std::string(qrt_last_error()).find("@greedy"), std::string::npos) << qrt_last_error();
  EXPECT_EQ(qrt_program_call(program, "greedy", nullptr, 0, &results, &count), QRT_ERROR_INPUT);
  EXPECT_EQ(results, nullptr);

  int32_t data[2] = {1, 2};
  qrt_array array = {QRT_I32, 1, {2, 0, 0, 0}, data};
  const auto refused = [&](const qrt_array &input, const char *mention) {
    EXPECT_EQ(qrt_program_call(program, "greedy", &input, 1, &results, &count), QRT_ERROR_USAGE);
    EXPECT_NE(std::string(qrt_last_error()).find(mention), std::string::npos) << qrt_last_error();
  };
  array.rank = 5;
  refused(array, "rank is 5");
  array.rank = 1;
  array.dims[0] = -1;
  refused(array, "dimension 0 is -1");
  array.dims[0] = int64_t(1) << 62;
  refused(array, "1 TiB");
  array.dims[0] = 2;
  array.data = nullptr;
  refused(array, "data is NULL");
  array.element = 9;
  refused(array, "element is 9");
  qrt_program_free(program);
}

TEST_F(CProgram, APackageHasItsOwnWeights) {
  qrt_program *program = nullptr;
  qrt_program_options options = QRT_PROGRAM_OPTIONS_INIT;
  options.weights = "w.safetensors";
  EXPECT_EQ(qrt_program_load((folder / "package").c_str(), &options, &program), QRT_ERROR_USAGE);
}

} // namespace
