#include "capture/harvest/cluster_notes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headrace::capture {
namespace {

model::Clusters sample() {
  model::Clusters made;
  made.of_rank.push_back({"", 2, 70000, true, false, true});
  made.of_rank.push_back({"step/dump", 0, 3, false, true, false});
  made.stats.push_back({"step/dump", 1, 99999, 2, 70000, {{"posix", "write", 0.25, 1e-9, 0, 7}}});
  made.phases_left_out = 5;
  return made;
}

std::string text_of(const model::Clusters& clusters) {
  const std::vector<uint8_t> bytes = encode_clusters(clusters);
  return {bytes.begin(), bytes.end()};
}

TEST(ClusterNotes, KeepAll) {
  model::Clusters read;
  ASSERT_TRUE(decode_clusters(text_of(sample()), &read));
  ASSERT_EQ(read.of_rank.size(), 2u);
  EXPECT_EQ(read.of_rank[0].representative, 70000u);
  EXPECT_TRUE(read.of_rank[0].outlier && read.of_rank[0].kept && !read.of_rank[0].missing);
  EXPECT_EQ(read.of_rank[1].phase, "step/dump");
  EXPECT_TRUE(!read.of_rank[1].outlier && !read.of_rank[1].kept && read.of_rank[1].missing);
  ASSERT_EQ(read.stats.size(), 1u);
  EXPECT_EQ(read.stats[0].ranks, 99999u);
  ASSERT_EQ(read.stats[0].features.size(), 1u);
  EXPECT_EQ(read.stats[0].features[0].function, "write");
  EXPECT_EQ(read.stats[0].features[0].most, 7);
  EXPECT_EQ(read.phases_left_out, 5u);
}

TEST(ClusterNotes, StayWithinDamagedBytes) {
  const std::string whole = text_of(sample());
  for (size_t length = 0; length < whole.size(); ++length) {
    model::Clusters read;
    EXPECT_FALSE(decode_clusters(whole.substr(0, length), &read)) << length;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    model::Clusters read;
    (void)decode_clusters(damaged, &read);
  }
}

}  // namespace
}  // namespace headrace::capture
