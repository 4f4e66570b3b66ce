#include "forward/mount/lost.h"

#include <errno.h>
#include <gtest/gtest.h>

namespace headrace::forward::mount {
namespace {

TEST(Lost, ALineSaysWhatHowMuchAndWhy) {
  const std::vector<BadRange> one = {{ENOSPC, {100, 12}}};
  EXPECT_EQ(lost_in_words("d/f", ENOSPC, one), "d/f: 12 bytes from 100 are not stored: No space left on device");
  EXPECT_EQ(lost_in_words("f", EIO, {}), "f: not all that was written is stored: Input/output error");
  const std::vector<BadRange> killed = {{ENOSPC, {0, 1}}, {EIO, {0, 0}}};
  EXPECT_EQ(lost_in_words("f", EIO, killed),
            "f: 1 bytes from 0 are not stored: No space left on device; not all that was written is stored: "
            "Input/output error");
}

TEST(Lost, ManyRangesAreAddedUp) {
  std::vector<BadRange> many;
  for (uint64_t i = 0; i < 1000; ++i) many.push_back({EIO, {i * 10, 5}});
  EXPECT_EQ(
      lost_in_words("f", EIO, many),
      "f: 5 bytes from 0, 5 bytes from 10, 5 bytes from 20, 5 bytes from 30 and 4980 bytes in 996 more ranges are "
      "not stored: Input/output error");
}

TEST(Lost, LinesStayWholeAndAreCounted) {
  Lost lost;
  EXPECT_FALSE(lost.any());
  EXPECT_EQ(lost.lines({}, 1000), "");
  for (int i = 0; i < 5000; ++i) lost.add(std::to_string(i) + ": " + std::string(20, 'x'));
  EXPECT_TRUE(lost.any());
  const std::vector<std::string> more = {"one more"};
  const std::string text = lost.lines(more, 200);
  EXPECT_LE(text.size(), 200u);
  EXPECT_TRUE(text.starts_with("0: xxxxxxxxxxxxxxxxxxxx\n1: "));
  EXPECT_TRUE(text.ends_with("\none more\n4995 more are in the log of the mount\n")) << text;
}

}  // namespace
}  // namespace headrace::forward::mount
