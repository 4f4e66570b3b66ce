#include "forward/client/wire.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

namespace headrace::forward {
namespace {

TEST(Wire, AServerThatTakesConnectionsAndSaysNothingIsNotWaitedForLonger) {
  char directory[] = "/tmp/wire-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string path = std::string(directory) + "/s";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener, 4), 0);
  WireOptions options;
  options.connect_ms = 200;
  Wire wire("unix:" + path, options);
  const uint64_t begun = base::clock_ns(CLOCK_MONOTONIC);
  const base::Status status = wire.connect();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("no answer"), std::string::npos) << status.message();
  EXPECT_LT(base::clock_ns(CLOCK_MONOTONIC) - begun, 30'000'000'000u);
  close(listener);
  unlink(path.c_str());
  rmdir(directory);
}

}  // namespace
}  // namespace headrace::forward
