#include "workload/emulation/toml.h"

#include <gtest/gtest.h>

#include <random>

namespace headrace::workload::emulation {
namespace {

TEST(Toml, EntriesHaveTheirTableAndLine) {
  const auto entries =
      parse_toml("# a comment\r\nname = \"a \\\"b\\\" # c\"  # and one\r\n[ rates ]\nwrite='1\\n'\n big = 1_000\n");
  ASSERT_TRUE(entries.ok()) << entries.message();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].value, "a \"b\" # c");
  EXPECT_EQ((*entries)[0].line, 2);
  EXPECT_EQ((*entries)[0].table, "");
  EXPECT_EQ((*entries)[1].table, "rates");
  EXPECT_EQ((*entries)[1].value, "1\\n");
  EXPECT_EQ((*entries)[2].value, "1000");
  EXPECT_FALSE((*entries)[2].is_string);
}

TEST(Toml, WhatIsNotReadIsRefusedWithItsLine) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"a = 1\nb", "line 2: b: a key is followed by ="},
      {"a = ", "line 1: a: '' is neither"},
      {"a = 1.5", "'1.5' is neither"},
      {"a = -1", "neither"},
      {"a = 007", "neither"},
      {"a = 1__0", "neither"},
      {"a = _1", "neither"},
      {"a = true", "'true' is neither"},
      {"a = [1]", "neither"},
      {"a = {b = 1}", "neither"},
      {"a = 1979-05-27", "neither"},
      {"a = 9999999999999999999", "neither"},
      {"a.b = 1", "a: a key is followed by ="},
      {"\"a\" = 1", "does not begin with a key"},
      {"a = \"b", "does not end on its line"},
      {"a = \"\"\"b\"\"\"", "several lines"},
      {"a = \"\\u0041\"", "a \\ in a string"},
      {"a = \"b\" c", "'c' is too much"},
      {"a = 1 b = 2", "too much"},
      {"[a", "a table is written as [name]"},
      {"[[a]]", "a table is written"},
      {"[a.b]", "a table is written"},
      {"[a]\n[b]\n[a]", "line 3: [a] is there twice"},
      {"a = 1\n[a]", "line 2: [a] is there twice"},
      {"[t]\na = 1\na = 2", "line 3: a is there twice"},
      {"a = 1 # \x01", "control character"},
      {"a = 1\rb = 2", "control character"},
      {"a = \"\xff\"", "no UTF-8"},
  };
  for (const auto& [text, said] : kRefused) {
    const auto entries = parse_toml(text);
    ASSERT_FALSE(entries.ok()) << text;
    EXPECT_NE(entries.message().find(said), std::string::npos) << text << ": " << entries.message();
  }
  EXPECT_FALSE(parse_toml(std::string((1 << 20) + 1, '\n')).ok());
  EXPECT_TRUE(parse_toml("").ok());
}

/// Texts of the pieces that TOML is made of, in any order: what is taken has the form that was promised.
TEST(Toml, AnyTextIsTakenOrRefused) {
  const char* kPieces[] = {"a=1\n", "b='x'\n", "[t]\n", "\nc = \"", "a",  "=",  "\"", "'", "[",        "]", "\n",
                           " ",     "#",       "1",     "_",        "\\", "\r", "b",  ".", "\xc3\xa9", "{", "\t"};
  std::mt19937 random(7);
  size_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t left = random() % 24; left > 0; --left) text += kPieces[random() % std::size(kPieces)];
    const auto entries = parse_toml(text);
    if (!entries.ok()) {
      EXPECT_TRUE(entries.message().starts_with("line ")) << entries.message();
      continue;
    }
    for (const TomlEntry& entry : *entries) {
      ++taken;
      EXPECT_FALSE(entry.key.empty());
      EXPECT_EQ(entry.value.find('\n'), std::string::npos);
      EXPECT_TRUE(entry.is_string || entry.value.find_first_not_of("0123456789") == std::string::npos) << text;
    }
  }
  EXPECT_GT(taken, 20u);
}

}  // namespace
}  // namespace headrace::workload::emulation
