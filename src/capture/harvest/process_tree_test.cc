#include "capture/harvest/process_tree.h"

#include <gtest/gtest.h>

namespace headrace::capture {
namespace {

using model::Ended;

TEST(ProcessTree, ParentIsTheImageOfThatTime) {
  ProcessTree tree("host");
  const Image shell{10, 100}, program{10, 300}, child{11, 200}, late{12, 400};
  for (const Image& each : {shell, program, child, late}) tree.see(each);
  EXPECT_EQ(tree.parent_of(child, 10, 200, true), tree.id_of(shell));
  EXPECT_EQ(tree.parent_of(late, 10, 400, false), tree.id_of(program));
  EXPECT_EQ(tree.parent_of(shell, 1, 100, false), 0u);
}

TEST(ProcessTree, ExecChains) {
  ProcessTree tree("host");
  const Image shell{10, 100}, program{10, 300}, forked{10, 500};
  tree.see(shell);
  EXPECT_FALSE(tree.has_successor(shell));
  tree.see(program);
  EXPECT_TRUE(tree.has_successor(shell));
  EXPECT_FALSE(tree.has_successor(program));
  tree.end(shell, Ended::kExec, 290);
  EXPECT_EQ(tree.parent_of(program, 1, 300, false), tree.id_of(shell));
  tree.end(program, Ended::kExec, 490);
  EXPECT_EQ(tree.parent_of(forked, 1, 500, true), 0u) << "a forked child has a pid of its own, used again";
}

TEST(ProcessTree, PidsAreUsedAgain) {
  ProcessTree tree("host");
  const Image old{10, 100}, later{10, 900}, child{11, 500};
  tree.see(old);
  tree.end(old, Ended::kExit, 200);
  EXPECT_EQ(tree.parent_of(child, 10, 500, false), 0u) << "the parent was not captured; its pid's former owner is over";
  EXPECT_EQ(tree.parent_of(later, 0, 900, false), 0u) << "it exited, so the later image is another process";
}

TEST(ProcessTree, ForkedChildrenKnowTheirParentThoughItEnded) {
  ProcessTree tree("host");
  const Image shell{10, 100}, daemon{12, 500};
  tree.see(shell);
  tree.see(daemon);
  tree.end(shell, Ended::kExit, 200);
  EXPECT_EQ(tree.parent_of(daemon, 10, 500, true), tree.id_of(shell)) << "it began capture after its parents' end";
}

TEST(ProcessTree, IdsDependOnHostPidAndTime) {
  ProcessTree a("a"), b("b");
  EXPECT_EQ(a.id_of({1, 2}), a.id_of({1, 2}));
  EXPECT_NE(a.id_of({1, 2}), b.id_of({1, 2}));
  EXPECT_NE(a.id_of({1, 2}), a.id_of({2, 1}));
}

TEST(ProcessTree, MemoryIsBounded) {
  ProcessTree tree("host");
  for (uint32_t i = 1; i <= ProcessTree::kKept + 10; ++i) {
    tree.see({i, i});
    tree.end({i, i}, Ended::kExec, i);
  }
  EXPECT_EQ(tree.parent_of({9'999'999, UINT64_MAX}, 1, 1, true), 0u) << "the first are forgotten";
  EXPECT_NE(tree.parent_of({9'999'999, UINT64_MAX}, 1000, 1, true), 0u);
}

}  // namespace
}  // namespace headrace::capture
