// Who connects while many others keep the server busy.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "forward/backend/memory.h"
#include "forward/client/started.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

/// Each write keeps the event loop for a while, and the first until it may go on.
class SlowBackend : public MemoryBackend {
 public:
  SlowBackend() : MemoryBackend("/m", 1 << 20) {}
  std::atomic<unsigned> writes = 0;
  std::atomic<bool> go = false;

 private:
  class SlowFile : public MemoryFile {
   public:
    SlowFile(MemoryRoom* room, SlowBackend& backend) : MemoryFile(room), backend_(backend) {}
    Written write(Extent where, const uint8_t* from) override {
      while (!backend_.go) usleep(1000);
      usleep(20'000);
      backend_.writes += 1;
      return MemoryFile::write(where, from);
    }

   private:
    SlowBackend& backend_;
  };
  std::shared_ptr<MemoryFile> new_file() override { return std::make_shared<SlowFile>(&room_, *this); }
};

TEST(Newcomers, DoNotWaitForATurnOfAllOthers) {
  constexpr unsigned kWriters = 40;
  auto made = std::make_unique<SlowBackend>();
  SlowBackend& backend = *made;
  Server::Options options;
  options.addresses = {"unix:" + testing::TempDir() + "newcomers" + std::to_string(getpid())};
  options.secret = random_secret();
  auto server = Server::start(std::move(made), options);
  ASSERT_TRUE(server.ok()) << server.message();
  WireOptions wire;
  wire.window = 0;
  const auto open = [&] { return std::move(*Client::open(options.addresses, wire, 20'000)); };
  std::vector<std::unique_ptr<Client>> clients;
  for (unsigned i = 0; i < kWriters; ++i) clients.push_back(open());
  const Handle file = clients[0]->create(clients[0]->roots()[0].handle, "f", 0, 0644)->handle;
  uint8_t byte = 1;
  const iovec memory{&byte, 1};
  const Extent where{0, 1};
  std::deque<Started> writes;
  for (const auto& client : clients) writes.emplace_back(*client, file, [] {}).write({&memory, 1}, {&where, 1}, 0);
  // All of them are there when the next turn begins, and so is the newcomer.
  unsigned before = kWriters;
  std::thread newcomer([&] {
    const auto client = open();
    before = backend.writes;
  });
  usleep(50'000);
  backend.go = true;
  newcomer.join();
  EXPECT_LT(before, kWriters - 1);
  for (Started& each : writes) EXPECT_EQ(each.wait(), 0);
}

}  // namespace
}  // namespace headrace::forward
