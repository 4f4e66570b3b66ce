#include "workload/plan/psets.h"

#include <gtest/gtest.h>

#include <random>

namespace headrace::workload {
namespace {

TEST(Psets, RanksAndRangesHaveIoNodes) {
  const auto psets = read_psets("# a torus\n0-1 ion0\n3 ion1 # far away\n\n2 ion0\n4-900000000000 ion2\n", 5);
  ASSERT_TRUE(psets.ok()) << psets.message();
  EXPECT_EQ(psets->names, (std::vector<std::string>{"ion0", "ion1", "ion2"}));
  EXPECT_EQ(psets->node, (std::vector<uint32_t>{0, 0, 0, 1, 2}));
}

TEST(Psets, MistakesAreToldWithTheirLine) {
  for (const auto& [text, said] :
       std::vector<std::pair<std::string, std::string>>{{"0 a\n1\n", "line 2"},
                                                        {"0 a b\n", "line 1"},
                                                        {"x a\n", "line 1"},
                                                        {"0-1 a\n1 b\n", "line 2 names rank 1 once more"},
                                                        {"1-0 a\n", "line 1"},
                                                        {"0 a\n", "rank 1 has no I/O node"},
                                                        {"", "rank 0 has no I/O node"},
                                                        {"99999999999999999999 a\n", "line 1"}}) {
    const auto psets = read_psets(text, 2);
    EXPECT_EQ(psets.code(), base::Code::kInvalid);
    EXPECT_NE(psets.message().find(said), std::string::npos) << psets.message();
  }
}

TEST(Psets, AnyBytesAreReadOrRefused) {
  std::mt19937 random(11);
  const std::string letters("0123-- \n\n#a\t\0\xff", 14);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t i = random() % 40; i > 0; --i) text += letters[random() % letters.size()];
    const auto psets = read_psets(text, 3);
    if (!psets.ok()) continue;
    for (const uint32_t node : psets->node) EXPECT_LT(node, psets->names.size());
  }
}

}  // namespace
}  // namespace headrace::workload
