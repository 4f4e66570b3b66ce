#include "collect/scan/pending.h"

#include <gtest/gtest.h>

#include <set>

#include "collect/scan/temporary.h"
#include "format/random_table.h"

namespace headrace::collect {
namespace {

using base::Status;

std::string path_of(const PendingDirectory& one) {
  return std::to_string(one.group->root) + ":" + one.group->parent + "/" + one.name;
}

std::multiset<std::string> all_of(const Pending& pending) {
  std::multiset<std::string> found;
  const Status listed = pending.each([&](const PendingGroup& group) {
    for (size_t at = 0, end = 0; at < group.names.size(); at = end + 1) {
      end = group.names.find('\0', at);
      found.insert(std::to_string(group.root) + ":" + group.parent + "/" + group.names.substr(at, end - at));
    }
    return Status();
  });
  EXPECT_TRUE(listed.ok()) << listed.message();
  return found;
}

TEST(Pending, TheLastFoundComesFirst) {
  const Temporary directory;
  Pending pending(directory.path());
  const std::string names("a\0b\0", 4);
  ASSERT_TRUE(pending.push(0, "", std::string(1, '\0')).ok());
  ASSERT_TRUE(pending.push(1, "p", names).ok());
  ASSERT_TRUE(pending.push(1, "nothing", "").ok());
  std::vector<std::string> order;
  while (!pending.empty()) order.push_back(path_of(*pending.pop()));
  EXPECT_EQ(order, (std::vector<std::string>{"1:p/b", "1:p/a", "0:/"}));
}

/// Beside a plain set of all that waits. Memory for few groups, so that most of them go through the file.
TEST(Pending, NothingIsLostOrInventedInTheFile) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Temporary directory;
    format::Random random(seed);
    Pending pending(directory.path(), 1 + random.below(4000));
    std::multiset<std::string> expected;
    for (int step = 0; step < 600; ++step) {
      if (random.below(step < 400 ? 3 : 9) != 0 && !pending.empty()) {
        const auto next = pending.pop();
        ASSERT_TRUE(next.ok());
        const auto known = expected.find(path_of(*next));
        ASSERT_NE(known, expected.end()) << path_of(*next);
        expected.erase(known);
        continue;
      }
      const std::string parent(random.below(300), 'p');
      std::string names;
      for (uint64_t i = random.below(8); i > 0; --i) {
        const std::string name = std::to_string(random.next());
        names += name + '\0';
        expected.insert("0:" + parent + "/" + name);
      }
      ASSERT_TRUE(pending.push(0, parent, names).ok());
      if (step % 50 == 0) {
        EXPECT_EQ(all_of(pending), expected);
      }
    }
    EXPECT_EQ(all_of(pending), expected);
    while (!pending.empty()) {
      const auto next = pending.pop();
      ASSERT_TRUE(next.ok());
      EXPECT_EQ(expected.erase(path_of(*next)), 1u);
    }
    EXPECT_TRUE(expected.empty());
  }
}

TEST(Pending, OnlyTheNewestKeepTheirDirectoryOpen) {
  const Temporary directory;
  Pending pending(directory.path());
  std::vector<std::weak_ptr<const Descriptor>> open;
  for (size_t i = 0; i < 3 * Pending::kDescriptors; ++i) {
    auto one = std::make_shared<const Descriptor>(open_directory(-1, directory.path().c_str()));
    ASSERT_TRUE(*one);
    open.push_back(one);
    ASSERT_TRUE(pending.push(0, "", std::string("d\0", 2), std::move(one)).ok());
  }
  const auto is_open = [](const auto& one) { return !one.expired(); };
  EXPECT_EQ(std::count_if(open.begin(), open.end(), is_open), static_cast<long>(Pending::kDescriptors));
  EXPECT_TRUE(is_open(open.back()));
  const auto taken = pending.pop();
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken->directory, open.back().lock());
  while (!pending.empty()) ASSERT_TRUE(pending.pop().ok());
  EXPECT_EQ(std::count_if(open.begin(), open.end(), is_open), 1);  // that of `taken`
}

TEST(Pending, NoPlaceForTheFile) {
  Pending pending("/proc/none", 1);
  ASSERT_TRUE(pending.push(0, "", std::string("d\0", 2)).ok());
  EXPECT_EQ(pending.push(0, "", std::string("d\0", 2)).code(), base::Code::kIo);
}

}  // namespace
}  // namespace headrace::collect
