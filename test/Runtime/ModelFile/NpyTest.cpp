//===- NpyTest.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Npy.h"

#include "Support/TempFolder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

using namespace qrt;
using qrt::test::TempFolder;

namespace {

/// A file of the given version around a header and data.
std::string npy(std::string_view header, std::string_view data, unsigned major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  uint32_t length = static_cast<uint32_t>(header.size());
  out.append(reinterpret_cast<const char *>(&length), major == 1 ? 2 : 4);
  return out + std::string(header) + std::string(data);
}

TEST(Npy, RoundTripOfEveryType) {
  TempFolder folder;
  const std::string bytes = "0123456789abcdef0123456789abcdef0123456789abcdef";
  for (NpyType type :
       {NpyType::F32, NpyType::F16, NpyType::I32, NpyType::I64, NpyType::I8, NpyType::U8}) {
    std::string path = folder.path("a.npy");
    ASSERT_TRUE(writeNpy(path, type, {2, 3}, bytes.data()).ok());
    auto array = readNpy(path);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->type, type);
    EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
    ASSERT_EQ(array->bytes, 6 * npyTypeSize(type));
    EXPECT_EQ(std::memcmp(array->data, bytes.data(), array->bytes), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array->data) % 64, 0u);
  }
}

TEST(Npy, ScalarsVectorsAndEmptyArrays) {
  TempFolder folder;
  float value = 2.5f;
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{}, {1}, {0}, {4, 0, 3}, {1, 1, 1, 1, 1}}) {
    ASSERT_TRUE(writeNpy(folder.path("a.npy"), NpyType::F32, shape, &value).ok());
    auto array = readNpy(folder.path("a.npy"));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->shape, shape);
  }
}

TEST(Npy, HeaderIsAsNumPyWritesIt) {
  TempFolder folder;
  float values[3] = {};
  ASSERT_TRUE(writeNpy(folder.path("a.npy"), NpyType::F32, {3}, values).ok());
  std::string file = TempFolder::read(folder.path("a.npy"));
  EXPECT_EQ(file.substr(10, 57), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(file[127], '\n');
  EXPECT_EQ(file.size(), 128u + 12u);
}

TEST(Npy, EveryVersionAndSpelling) {
  TempFolder folder;
  const char *headers[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }   \n",
      "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}",
  };
  for (unsigned major : {1u, 2u, 3u})
    for (const char *header : headers) {
      auto array = readNpy(folder.write("a.npy", npy(header, "aaaabbbb", major)));
      ASSERT_TRUE(array.ok()) << array.status();
      EXPECT_EQ(array->shape, std::vector<int64_t>{2});
      EXPECT_EQ(array->data[4], 'b');
    }
  // One-byte types with an order that means nothing.
  EXPECT_TRUE(readNpy(folder.write("a.npy", npy("{'descr': '<i1', 'fortran_order': False, "
                                                "'shape': (2,)}",
                                                "ab")))
                  .ok());
}

struct Case {
  const char *name;
  std::string contents;
  const char *message;
};

std::string withHeader(const char *header) { return npy(header, "aaaabbbb"); }

const Case kCases[] = {
    {"Empty", "", "not a .npy file"},
    {"OtherFile", "PK\x03\x04 and so on", "not a .npy file"},
    {"OnlyMagic", "\x93NUMPY", "ends inside its header"},
    {"VersionWithoutLength", std::string("\x93NUMPY\x02\x00\x10\x00", 10), "ends inside"},
    {"Version4", npy("{}", "", 4), ".npy version 4.0"},
    {"HeaderPastTheEnd", std::string("\x93NUMPY\x01\x00\xff\xff{}", 12), "header of 65535 bytes"},
    {"HugeHeader", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), "header of 4294967295"},
    {"NoDictionary", withHeader("[]"), "expected a dictionary"},
    {"Unclosed", withHeader("{'descr': '<f4'"), "comma or the end"},
    {"UnclosedString", withHeader("{'descr"), "key in quotes"},
    {"NoShape", withHeader("{'descr': '<f4', 'fortran_order': False}"), "expected the keys"},
    {"KeyTwice", withHeader("{'descr': '<f4', 'descr': '<f4'}"), "each of the keys"},
    {"OtherKey", withHeader("{'color': '<f4'}"), "each of the keys"},
    {"NegativeSize", withHeader("{'shape': (-2,)}"), "expected 'shape'"},
    {"HugeSize", withHeader("{'shape': (99999999999999999999,)}"), "expected 'shape'"},
    {"ManyDimensions",
     withHeader("{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}"),
     "at most 32 sizes"},
    {"Overflow",
     withHeader("{'descr': '<f4', 'fortran_order': False, "
                "'shape': (4611686018427387904, 4)}"),
     "more than 2^64 bytes"},
    {"TooShort", withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}"),
     "takes 12 bytes, the file has 8"},
    {"TooLong", withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"),
     "takes 4 bytes, the file has 8"},
    {"Behind", withHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x"),
     "nothing behind"},
    {"OrderIsNoBoolean", withHeader("{'fortran_order': 0}"), "True or False"},
    {"Fortran", withHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}"),
     "only C order"},
    {"BigEndian", withHeader("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}"),
     "element type '>f4' is not supported"},
    {"Double", withHeader("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"),
     "element type '<f8' is not supported"},
    {"Structured", withHeader("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
     "'descr' to be a string"},
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class NpyMalformed : public ::testing::TestWithParam<Case> {};

TEST_P(NpyMalformed, IsRefused) {
  TempFolder folder;
  std::string path = folder.write("bad.npy", GetParam().contents);
  auto array = readNpy(path);
  ASSERT_FALSE(array.ok());
  std::string message(array.status().message());
  EXPECT_EQ(message.rfind(path + ": ", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Npy, NpyMalformed, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Npy, WriterRefusesImpossibleShapes) {
  TempFolder folder;
  EXPECT_FALSE(writeNpy(folder.path("a.npy"), NpyType::F32, {-1}, nullptr).ok());
  EXPECT_FALSE(writeNpy(folder.path("a.npy"), NpyType::F32, {int64_t(1) << 62, 16}, nullptr).ok());
  EXPECT_EQ(folder.count(), 0u);
}

} // namespace
