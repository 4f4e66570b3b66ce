#include "capture/harvest/topology.h"

#include <gtest/gtest.h>

namespace headrace::capture {
namespace {

Topology topology_of(std::string_view text) {
  auto topology = Topology::parse(text, "t");
  EXPECT_TRUE(topology.ok()) << topology.message();
  return topology.ok() ? *topology : Topology();
}

TEST(Topology, NumbersInBrackets) {
  const Topology topology = topology_of(
      "# compute nodes\n"
      "nid[0001-0064,0070] ion1\n"
      "\n"
      "  nid[0065-0128]\tion2   # the rest\r\n"
      "r[1-2]n[7-11] ion3\n"
      "login login-io\n");
  EXPECT_EQ(topology.io_node_of("nid0001"), "ion1");
  EXPECT_EQ(topology.io_node_of("nid0064"), "ion1");
  EXPECT_EQ(topology.io_node_of("nid0070"), "ion1") << "the first that fits";
  EXPECT_EQ(topology.io_node_of("nid0065"), "ion2");
  EXPECT_EQ(topology.io_node_of("r1n7"), "ion3");
  EXPECT_EQ(topology.io_node_of("r2n11"), "ion3");
  EXPECT_EQ(topology.io_node_of("login"), "login-io");
  EXPECT_EQ(topology.io_node_of("nid0012.cluster.example"), "ion1") << "with its domain";
  for (const char* other : {"", "nid", "nid0000", "nid0129", "nid001", "nid00001", "nid0001x", "xnid0001", "r3n7",
                            "r1n12", "r1n07", "login2", "nid999999999999999999999999"}) {
    EXPECT_EQ(topology.io_node_of(other), "") << other;
  }
}

TEST(Topology, NumbersOutgrowTheirZeros) {
  const Topology topology = topology_of("n[08-120] io");
  EXPECT_EQ(topology.io_node_of("n08"), "io");
  EXPECT_EQ(topology.io_node_of("n100"), "io");
  EXPECT_EQ(topology.io_node_of("n8"), "");
  EXPECT_EQ(topology.io_node_of("n008"), "");
}

TEST(Topology, MistakesNameTheirLine) {
  const auto message = [](std::string_view text) { return Topology::parse(text, "/etc/nodes").message(); };
  EXPECT_EQ(message("a b\nc\n"), "/etc/nodes:2: an I/O node is missing; write: NODES IO-NODE");
  EXPECT_EQ(message("a b c"), "/etc/nodes:1: too many words; write: NODES IO-NODE");
  for (const char* bad : {"a[1 b", "a1] b", "a[] b", "a[1-] b", "a[x-y] b", "a[9-1] b", "a[1,,2] b",
                          "a[9999999999999999999] b", "a[1]b[1]c[1]d[1]e[1]f[1] b"}) {
    EXPECT_TRUE(message(bad).starts_with("/etc/nodes:1: ")) << bad;
  }
  EXPECT_EQ(Topology::read("/nonexistent/nodes").code(), base::Code::kIo);
}

TEST(Topology, TheNearestSwitchThatSlurmTells) {
  EXPECT_EQ(leaf_switch("s0.s4.s7.node12", "switch.switch.switch.node"), "s7");
  EXPECT_EQ(leaf_switch("node12", "node"), "");
  EXPECT_EQ(leaf_switch("", ""), "");
  EXPECT_EQ(leaf_switch("s0", "switch.switch.node"), "s0");
}

}  // namespace
}  // namespace headrace::capture
