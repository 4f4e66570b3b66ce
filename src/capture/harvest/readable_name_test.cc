#include "capture/harvest/readable_name.h"

#include <gtest/gtest.h>

namespace headrace::capture {
namespace {

TEST(ReadableName, IsThatOfTheSource) {
  EXPECT_EQ(readable_name("_ZNK6shapes6Square4growEi"), "shapes::Square::grow(int) const");
  EXPECT_EQ(readable_name("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
}

TEST(ReadableName, NamesOfCAreNoTypes) {
  for (const char* name : {"f", "x", "i", "v", "y", "main", "", "_Z", "_Znonsense"})
    EXPECT_EQ(readable_name(name), name);
}

/// Each step says twice what the one before says.
std::string doubling(int steps) {
  std::string name = "_Z1f1AIiiE";
  for (int i = 0; i < steps; ++i) {
    const std::string number = i == 0 ? "" : std::string(1, static_cast<char>(i < 11 ? '0' + i - 1 : 'A' + i - 11));
    name += "S" + number + "_IS" + number + "_S" + number + "_E";
  }
  return name;
}

TEST(ReadableName, DoublingsStayAsTheyAre) {
  EXPECT_EQ(readable_name(doubling(30)), doubling(30));
  for (int steps = 0; steps < 9; ++steps) {
    const std::string name = doubling(steps), readable = readable_name(name);
    EXPECT_LE(static_cast<double>(readable.size()), longest_readable(name)) << name;
  }
}

TEST(ReadableName, WhatLibrariesHaveIsReadable) {
  const std::string deep =
      "_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_S5_ESt10_Select1stIS8_"
      "ESt4lessIS5_"
      "ESaIS8_EE8_M_eraseEPSt13_Rb_tree_nodeIS8_E";
  EXPECT_TRUE(readable_name(deep).starts_with("std::_Rb_tree<std::__cxx11::basic_string<char"))
      << longest_readable(deep);
}

}  // namespace
}  // namespace headrace::capture
