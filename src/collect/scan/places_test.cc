#include "collect/scan/places.h"

#include <gtest/gtest.h>

namespace headrace::collect {
namespace {

TEST(Places, TheDeepestPathIsThePlace) {
  const Places places({{"a", "", "", "/s/a/"}, {"b", "", "", "/s/a/b"}, {"c", "ann", "", ""}});
  EXPECT_EQ(places.of("/s"), 0u);
  EXPECT_EQ(places.of("/s/ab"), 0u);
  EXPECT_EQ(places.of("relative"), 0u);
  const uint32_t a = places.of("/s/a"), b = places.of("/s/a/b");
  EXPECT_NE(a, 0u);
  EXPECT_NE(a, b);
  EXPECT_EQ(places.of("/s/a/c/d"), a);
  EXPECT_EQ(places.of("/s/a/b/d"), b);
}

TEST(Places, TheLastRuleThatFitsCounts) {
  const Places places({{"all", "", "", "/"},
                       {"a", "", "", "/s/a"},
                       {"b", "", "", "/s/a/b"},
                       {"ann", "ann", "", "/s/a"},
                       {"g", "", "g", ""}});
  const uint32_t a = places.of("/s/a/x"), b = places.of("/s/a/b"), other = places.of("/t");
  EXPECT_EQ(places.project(other, "u", ""), "all");
  EXPECT_EQ(places.project(a, "u", ""), "a");
  EXPECT_EQ(places.project(b, "u", ""), "b");
  EXPECT_EQ(places.project(b, "ann", ""), "ann");
  EXPECT_EQ(places.project(other, "ann", ""), "all");
  EXPECT_EQ(places.project(b, "ann", "g"), "g");
  EXPECT_EQ(places.project(99, "u", ""), "");  // a place that there is not is none
}

TEST(Places, WithoutRulesThereIsNoPlace) {
  const Places places({});
  EXPECT_EQ(places.of("/a/b"), 0u);
  EXPECT_EQ(places.project(0, "u", "g"), "");
}

TEST(Places, RulesAsText) {
  const std::vector<ProjectRule> rules = {{"p", "u", "", "/a\nb"}, {"q", "", "g", ""}};
  const std::string text = text_of(rules);
  const auto again = rules_of(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, rules);
  EXPECT_TRUE(rules_of("").ok());
  for (size_t length = 1; length < text.size(); ++length) {
    const auto cut = rules_of(std::string_view(text).substr(0, length));
    EXPECT_TRUE(cut.ok() ? cut->size() == 1 : cut.code() == base::Code::kCorrupt) << length;
  }
}

}  // namespace
}  // namespace headrace::collect
