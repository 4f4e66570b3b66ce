#include "forward/transport/interfaces.h"

#include <gtest/gtest.h>
#include <net/if.h>
#include <unistd.h>

#include <filesystem>

namespace headrace::forward {
namespace {

/// A directory like /sys/class/net.
class Interfaces : public testing::Test {
 protected:
  ~Interfaces() override { std::filesystem::remove_all(directory_); }
  void make(const std::string& path) { std::filesystem::create_directories(directory_ + "/" + path); }
  std::string first(const std::vector<Interface>& all) {
    const Interface* found = first_to_other_nodes(all, directory_);
    return found == nullptr ? "" : found->name;
  }
  const std::string directory_ = testing::TempDir() + "interfaces" + std::to_string(getpid());
};

constexpr unsigned kUp = IFF_UP | IFF_RUNNING;

TEST_F(Interfaces, OnesOfHardwareComeBeforeBridgesAndTunnels) {
  make("docker0/bridge");
  make("eth0/device");
  make("bond0/bonding");
  make("ib0/device");
  make("tun0");
  const Interface lo{"lo", kUp | IFF_LOOPBACK}, docker{"docker0", kUp}, tunnel{"tun0", kUp | IFF_POINTOPOINT};
  const Interface ethernet{"eth0", kUp}, bond{"bond0", kUp}, off{"ib0", 0}, unplugged{"ib0", IFF_UP};
  EXPECT_EQ(first({lo, docker, tunnel, ethernet, bond}), "eth0");
  EXPECT_EQ(first({lo, docker, bond, ethernet}), "bond0");
  EXPECT_EQ(first({docker, off, ethernet}), "eth0");
  EXPECT_EQ(first({docker, unplugged, ethernet}), "eth0");
}

TEST_F(Interfaces, WithoutHardwareItIsTheFirstThatIsUp) {
  make("eth0");  // of a container
  const Interface lo{"lo", kUp | IFF_LOOPBACK}, eth{"eth0", kUp}, docker{"docker0", kUp},
      tunnel{"tun0", kUp | IFF_POINTOPOINT};
  EXPECT_EQ(first({lo, eth, docker}), "eth0");
  EXPECT_EQ(first({lo, tunnel}), "tun0");
  EXPECT_EQ(first({lo, tunnel, docker}), "tun0");
  EXPECT_EQ(first({lo, {"eth0", 0}}), "");
  EXPECT_EQ(first({}), "");
}

TEST_F(Interfaces, AnInterfaceHasAnAddress) {
  EXPECT_EQ(address_of_interface("lo"), "127.0.0.1");
  EXPECT_EQ(address_of_interface("no-such0"), "");
}

}  // namespace
}  // namespace headrace::forward
