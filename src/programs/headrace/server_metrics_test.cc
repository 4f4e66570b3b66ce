#include "programs/headrace/server_metrics.h"

#include <gtest/gtest.h>

namespace headrace::programs {
namespace {

constexpr char kHead[] =
    "# TYPE headrace_forward_up gauge\n# HELP headrace_forward_up 1: the server answers; 0: it does not.\n";
constexpr char kCalls[] =
    "# TYPE headrace_forward_calls counter\n"
    "# HELP headrace_forward_calls Calls that were answered.\n";

TEST(ServerMetrics, OneHeadAboveTheValuesOfAll) {
  ServerMetrics all;
  all.add("unix:/a", std::string(kCalls) + "headrace_forward_calls_total{operation=\"read\"} 1\n" +
                         "# TYPE headrace_forward_held_bytes gauge\nheadrace_forward_held_bytes 5\n# EOF\n");
  all.add("unix:/b", std::string(kCalls) + "headrace_forward_calls_total{operation=\"read\"} 2\n# EOF\n");
  EXPECT_EQ(all.text(), std::string(kHead) +
                            "headrace_forward_up{server=\"unix:/a\"} 1\n"
                            "headrace_forward_up{server=\"unix:/b\"} 1\n" +
                            kCalls +
                            "headrace_forward_calls_total{server=\"unix:/a\",operation=\"read\"} 1\n"
                            "headrace_forward_calls_total{server=\"unix:/b\",operation=\"read\"} 2\n"
                            "# TYPE headrace_forward_held_bytes gauge\n"
                            "headrace_forward_held_bytes{server=\"unix:/a\"} 5\n# EOF\n");
}

TEST(ServerMetrics, MetricsOfANewerServerAndOfASilentOne) {
  ServerMetrics all;
  all.add_silent("tcp:n1:7");
  all.add("unix:/b", "# TYPE new_one gauge\n# UNIT new_one bytes\nnew_one 3");
  EXPECT_EQ(all.text(), std::string(kHead) +
                            "headrace_forward_up{server=\"tcp:n1:7\"} 0\nheadrace_forward_up{server=\"unix:/b\"} 1\n"
                            "# TYPE new_one gauge\n# UNIT new_one bytes\nnew_one{server=\"unix:/b\"} 3\n# EOF\n");
}

TEST(ServerMetrics, AddressesAreEscapedAndLinesOfNoMetricLeftOut) {
  ServerMetrics all;
  all.add("unix:/a\"b\\c\n", "stray 1\n# EOF\n# TYPE one gauge\nother 2\none\none 4\n");
  EXPECT_EQ(all.text(), std::string(kHead) +
                            "headrace_forward_up{server=\"unix:/a\\\"b\\\\c\\n\"} 1\n"
                            "# TYPE one gauge\none{server=\"unix:/a\\\"b\\\\c\\n\"} 4\n# EOF\n");
}

}  // namespace
}  // namespace headrace::programs
