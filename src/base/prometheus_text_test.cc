#include "base/prometheus_text.h"

#include <gtest/gtest.h>

namespace headrace::base {
namespace {

TEST(PrometheusText, CountersAreDescribedByTheNamesOfTheirSamples) {
  EXPECT_EQ(prometheus_text("# TYPE a_bytes counter\n# UNIT a_bytes bytes\n# HELP a_bytes What it is.\n"
                            "a_bytes_total{x=\"# TYPE y\"} 1\n# TYPE b gauge\n# HELP b Now.\nb 2\n# EOF\n"),
            "# TYPE a_bytes_total counter\n# HELP a_bytes_total What it is.\na_bytes_total{x=\"# TYPE y\"} 1\n"
            "# TYPE b gauge\n# HELP b Now.\nb 2\n# EOF\n");
  EXPECT_EQ(prometheus_text(""), "");
  EXPECT_EQ(prometheus_text("# TYPE"), "# TYPE\n");
  EXPECT_EQ(prometheus_text("# TYPE x"), "# TYPE x\n");
}

TEST(PrometheusText, WhoAsksSaysWhatItReads) {
  const std::string get = "GET /metrics HTTP/1.1\r\n";
  EXPECT_TRUE(accepts_open_metrics(get + "\r\n"));
  EXPECT_TRUE(
      accepts_open_metrics(get + "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n\r\n"));
  EXPECT_FALSE(accepts_open_metrics(get + "accept: */*\r\nUser-Agent: application/openmetrics-text\r\n\r\n"));
  EXPECT_FALSE(accepts_open_metrics(get + "Accept: text/plain\r\n\r\n"));
}

}  // namespace
}  // namespace headrace::base
