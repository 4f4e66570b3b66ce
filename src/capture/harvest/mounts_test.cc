#include "capture/harvest/mounts.h"

#include <gtest/gtest.h>

namespace headrace::capture {
namespace {

constexpr std::string_view kText =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro\n"
    "23 22 0:21 / /proc rw - proc proc rw\n"
    "30 22 0:40 / /scratch rw,noatime master:1 propagate_from:2 - lustre 10.0.0.1@tcp:/fs rw,flock\n"
    "31 30 0:41 / /scratch/my\\040dir rw - nfs4 server:/x rw,vers=4.2\n"
    "32 22 0:42 / /scratch rw - tmpfs tmpfs rw,size=1g\n"
    "garbage\n";

TEST(MountTable, LongestPrefixWins) {
  const MountTable table = MountTable::parse(kText);
  ASSERT_EQ(table.mounts().size(), 5u);
  EXPECT_EQ(table.find("/home/a/b")->type, "ext4");
  EXPECT_EQ(table.find("/")->type, "ext4");
  EXPECT_EQ(table.find("/proc/1/stat")->type, "proc");
  EXPECT_EQ(table.find("/procession")->type, "ext4") << "a prefix ends at a slash";
  EXPECT_EQ(table.find("/scratch/my dir/a")->source, "server:/x");
  EXPECT_EQ(table.find("/scratch/my dir")->type, "nfs4");
}

TEST(MountTable, TheLaterOfTwoOnOnePointIsSeen) {
  const MountTable table = MountTable::parse(kText);
  EXPECT_EQ(table.find("/scratch/a")->type, "tmpfs");
  EXPECT_EQ(table.find("/scratch/a")->options, "rw,size=1g");
}

TEST(MountTable, OtherNamesAreOnNone) {
  const MountTable table = MountTable::parse(kText);
  EXPECT_EQ(table.find("pipe:[1]"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
  EXPECT_EQ(MountTable::parse("").find("/a"), nullptr);
}

TEST(MountTable, KnowsWhatIsMountedBelow) {
  const MountTable table = MountTable::parse(kText);
  EXPECT_TRUE(table.has_below("/"));
  EXPECT_TRUE(table.has_below("/scratch"));
  EXPECT_FALSE(table.has_below("/scratch/my dir"));
  EXPECT_FALSE(table.has_below("/scra"));
  EXPECT_FALSE(MountTable::parse("").has_below("/"));
}

TEST(MountTable, IdsAreContent) {
  const MountTable a = MountTable::parse(kText), b = MountTable::parse(kText);
  EXPECT_EQ(a.find("/x")->id, b.find("/y")->id);
  EXPECT_NE(a.find("/x")->id, a.find("/proc/x")->id);
}

TEST(MountTable, ReadsThisMachine) {
  const Mount* proc = MountTable::of_this_process().find("/proc/self/stat");
  ASSERT_NE(proc, nullptr);
}

}  // namespace
}  // namespace headrace::capture
