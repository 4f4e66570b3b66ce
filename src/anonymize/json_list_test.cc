#include "anonymize/json_list.h"

#include <gtest/gtest.h>

namespace headrace::anonymize {
namespace {

using Texts = std::vector<std::string>;

TEST(JsonList, ReadsWhatLogsHave) {
  EXPECT_EQ(parse_list("[]"), Texts{});
  EXPECT_EQ(parse_list(R"( [ "a" , "b c" ] )"), (Texts{"a", "b c"}));
  EXPECT_EQ(parse_list(R"(["\"\\\/\b\f\n\r\t\u0001"])"), Texts{"\"\\/\b\f\n\r\t\x01"});
  EXPECT_EQ(parse_list(R"(["\u00e9\u20ac\ud83d\ude00"])"), Texts{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"});
  EXPECT_EQ(parse_list(R"(["\udcff"])"), Texts{"\xff"});
}

TEST(JsonList, RefusesEverythingElse) {
  for (const char* text : {"", "[", "]", "{}", "[1]", "[\"a]", "[\"a\"", "[\"a\" \"b\"]", "[\"a\",]", "[\"\\x\"]",
                           "[\"\\u12\"]", "[\"\\ud800\"]", "[\"\\ud800\\u0041\"]", "[\"\\", "[] x", "\"a\""}) {
    EXPECT_EQ(parse_list(text), std::nullopt) << text;
  }
}

TEST(JsonList, GivesBackWhatItReads) {
  const Texts texts = {"", "a\"b\\c", "\n\x01", "\xc3\xa9"};
  EXPECT_EQ(parse_list(list_of(texts)), texts);
  EXPECT_EQ(list_of({}), "[]");
}

}  // namespace
}  // namespace headrace::anonymize
