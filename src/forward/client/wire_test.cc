#include "forward/client/wire.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

namespace headrace::forward {
namespace {

/// A server that takes connections, by the kernel, and says nothing.
class SilentServer {
 public:
  SilentServer() {
    EXPECT_NE(mkdtemp(directory_), nullptr);
    path_ = std::string(directory_) + "/s";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
  }
  ~SilentServer() {
    close(listener_);
    unlink(path_.c_str());
    rmdir(directory_);
  }
  /// How long it was waited for.
  uint64_t try_it_ns() const {
    WireOptions options;
    options.connect_ms = 200;
    Wire wire("unix:" + path_, options);
    const uint64_t begun = base::clock_ns(CLOCK_MONOTONIC);
    const base::Status status = wire.connect();
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find("no answer"), std::string::npos) << status.message();
    return base::clock_ns(CLOCK_MONOTONIC) - begun;
  }

 private:
  char directory_[20] = "/tmp/wire-XXXXXX";
  std::string path_;
  const int listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

TEST(Wire, AServerThatTakesConnectionsAndSaysNothingIsNotWaitedForLonger) {
  EXPECT_LT(SilentServer().try_it_ns(), 30'000'000'000u);
}

constexpr int kSignals = 6000;  // 30 s of them
volatile sig_atomic_t signals_left = kSignals;

void count_down(int) {
  const itimerval never{};
  signals_left = signals_left - 1;
  if (signals_left == 0) setitimer(ITIMER_REAL, &never, nullptr);
}

TEST(Wire, SignalsDoNotMakeItWaitLonger) {
  const SilentServer server;
  struct sigaction action = {}, before = {};
  action.sa_handler = count_down;  // without SA_RESTART
  sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 5000}, {0, 5000}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  server.try_it_ns();
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_GT(signals_left, 0);  // it was over before they were
}

}  // namespace
}  // namespace headrace::forward
