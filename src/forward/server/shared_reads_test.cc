// Reads of the same bytes at the same time: how often the file is read, and that nobody gets what is too old.
#include <errno.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "forward/backend/posix.h"
#include "forward/backend/trial.h"
#include "forward/client/started.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

class SharedReadsTest : public testing::Test {
 protected:
  SharedReadsTest() : directory_(testing::TempDir() + "reads" + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/root");
    trial_.stop_file = directory_ + "/stop";
  }
  ~SharedReadsTest() override {
    go_on();
    server_.reset();
    std::filesystem::remove_all(directory_);
  }
  void start(Placing place = Placing::kFile, unsigned storage_threads = 8, bool buffered = true) {
    Server::Options options;
    options.write_buffer.on = buffered;
    options.storage_threads = storage_threads;
    options.addresses = {"unix:" + directory_ + "/s"};
    options.secret = random_secret();
    options.place = place;
    options.write_buffer.flush_age_ns = 3'600'000'000'000;
    auto posix = PosixBackend::make({directory_ + "/root"}, {});
    auto backend = std::make_unique<TrialBackend>(std::move(*posix), trial_);
    backend_ = backend.get();
    auto server = Server::start(std::move(backend), options);
    ASSERT_TRUE(server.ok()) << server.message();
    server_ = std::move(*server);
  }
  void stand_still() { std::ofstream(trial_.stop_file).close(); }
  void go_on() { std::filesystem::remove(trial_.stop_file); }
  std::unique_ptr<Client> client(uint32_t window = 4 << 20) {
    WireOptions wire;
    wire.window = window;
    auto made = Client::open({server_->addresses()[0]}, wire, 20'000);
    EXPECT_TRUE(made.ok()) << made.message();
    return std::move(*made);
  }
  void make_file(size_t size, char letter) { std::ofstream(directory_ + "/root/f") << std::string(size, letter); }
  template <typename Reached>
  void until(Reached reached) {
    for (int i = 0; i < 10'000 && !reached(); ++i) usleep(1000);
    EXPECT_TRUE(reached());
  }

  const std::string directory_;
  TrialOptions trial_;
  TrialBackend* backend_ = nullptr;
  std::unique_ptr<Server> server_;
};

/// A read that is under way.
struct Reader {
  Reader(Client& client, const Handle& file, size_t size, uint64_t offset = 0)
      : bytes(size), memory{bytes.data(), size}, where{offset, size}, request(client, file, {}) {
    request.read({&memory, 1}, {&where, 1});
  }
  std::string text() {
    EXPECT_EQ(request.wait(), 0);
    return {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(request.counts()[0])};
  }
  std::vector<uint8_t> bytes;
  iovec memory;
  Extent where;
  Started request;
};

TEST_F(SharedReadsTest, ManyClientsGetOneReadsBytes) {
  constexpr size_t kSize = 200'000, kClients = 16;
  make_file(kSize - 5, 'x');
  start();
  stand_still();
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::unique_ptr<Reader>> readers;
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(client(i % 2 == 0 ? 4 << 20 : 0));
    const auto file = clients[i]->lookup(clients[i]->roots()[0].handle, "f");
    ASSERT_TRUE(file.ok());
    readers.push_back(std::make_unique<Reader>(*clients[i], file->handle, kSize));
  }
  until([&] { return backend_->reads() == 1; });
  // Another range of the file is another read.
  Reader other(*clients[0], clients[0]->lookup(clients[0]->roots()[0].handle, "f")->handle, 10, 1);
  until([&] { return backend_->reads() == 2; });
  usleep(20'000);
  go_on();
  for (const auto& reader : readers) EXPECT_EQ(reader->text(), std::string(kSize - 5, 'x'));
  EXPECT_EQ(other.text(), std::string(10, 'x'));
  EXPECT_EQ(backend_->reads(), 2u);
  EXPECT_EQ(server_->counters().shared_reads, kClients - 1);
}

TEST_F(SharedReadsTest, WhatWasWrittenBeforeAReadBeganIsInIt) {
  make_file(100, 'x');
  start();
  const auto a = client(), b = client();
  const Handle file = a->lookup(a->roots()[0].handle, "f")->handle;
  stand_still();
  Reader before(*a, file, 100);
  until([&] { return backend_->reads() == 1; });
  std::string letter = "y";
  const iovec memory{letter.data(), 1};
  const Extent where{50, 1};
  ASSERT_EQ(b->write(file, {&memory, 1}, {&where, 1}), 0);
  Reader after(*b, file, 100);
  until([&] { return backend_->reads() == 2; });
  go_on();
  EXPECT_EQ(after.text(), std::string(50, 'x') + "y" + std::string(49, 'x'));
  EXPECT_EQ(before.text().size(), 100u);
}

/// By node others write to the same bytes; by stripe, where nothing is held, others cut the file and tell nobody.
class OneOfSeveral : public SharedReadsTest, public testing::WithParamInterface<std::pair<Placing, bool>> {};

INSTANTIATE_TEST_SUITE_P(Placements, OneOfSeveral,
                         testing::Values(std::pair{Placing::kNode, true}, std::pair{Placing::kNode, false},
                                         std::pair{Placing::kStripe, false}));

TEST_P(OneOfSeveral, SharesOnlyWhatHasNotBegun) {
  make_file(100, 'x');
  start(GetParam().first, 8, GetParam().second);
  const auto a = client(), b = client();
  const Handle file = a->lookup(a->roots()[0].handle, "f")->handle;
  stand_still();
  Reader before(*a, file, 100);
  until([&] { return backend_->reads() == 1; });
  Reader after(*b, file, 100);
  until([&] { return backend_->reads() == 2; });
  go_on();
  EXPECT_EQ(before.text(), after.text());
}

TEST_F(SharedReadsTest, ErrorsAreEverybodys) {
  make_file(100, 'x');
  start();
  const auto a = client(), b = client();
  const Handle file = a->lookup(a->roots()[0].handle, "f")->handle;
  std::filesystem::remove(directory_ + "/root/f");
  std::vector<uint8_t> bytes(100);
  const iovec memory{bytes.data(), 100};
  const Extent where{0, 100};
  for (Client* each : {a.get(), b.get()}) EXPECT_EQ(each->read(file, {&memory, 1}, {&where, 1}).error(), ESTALE);
}

/// A file may have two handles, of which one leads nowhere any more.
TEST_F(SharedReadsTest, ErrorsOfOneHandleAreNotThoseOfAnother) {
  make_file(100, 'x');
  std::ofstream(directory_ + "/root/other") << "y";
  start(Placing::kFile, 1);
  const auto a = client(), b = client();
  const auto handle_of = [](Client& c, const char* name) { return c.lookup(c.roots()[0].handle, name)->handle; };
  const Handle other = handle_of(*a, "other"), old = handle_of(*a, "f");
  std::filesystem::rename(directory_ + "/root/f", directory_ + "/root/g");
  const Handle now = handle_of(*b, "g");
  stand_still();
  Reader busy(*a, other, 1);  // keeps the only thread, so that the next two are there when it comes to them
  until([&] { return backend_->reads() == 1; });
  Reader first(*a, old, 100);
  usleep(20'000);
  Reader second(*b, now, 100);
  usleep(20'000);
  go_on();
  EXPECT_EQ(first.request.wait(), ESTALE);
  EXPECT_EQ(second.text(), std::string(100, 'x'));
  EXPECT_EQ(busy.text(), "y");
}

/// Readers of the same places while one writes: what a read gives was written last before it, or during it.
TEST_F(SharedReadsTest, NobodyGetsWhatIsOlderThanTheReadsBeginning) {
  trial_.delay_ns = 50'000;
  make_file(4096, '\0');
  start();
  std::atomic<unsigned> written = 0;
  std::atomic<bool> done = false;
  const auto writer = client();
  const Handle file = writer->lookup(writer->roots()[0].handle, "f")->handle;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto reader = client();
      std::vector<uint8_t> bytes(4096);
      const iovec memory{bytes.data(), 4096};
      const Extent where{0, 4096};
      while (!done) {
        const unsigned before = written;
        ASSERT_TRUE(reader->read(file, {&memory, 1}, {&where, 1}).ok());
        unsigned seen;
        memcpy(&seen, bytes.data() + 100, sizeof seen);
        ASSERT_GE(seen, before);
      }
    });
  }
  for (unsigned i = 1; i < 600; ++i) {
    const iovec memory{&i, sizeof i};
    const Extent where{100, sizeof i};
    ASSERT_EQ(writer->write(file, {&memory, 1}, {&where, 1}), 0);
    written = i;
    if (i % 100 == 0) {
      EXPECT_EQ(writer->commit(file, {}, nullptr, kNoSync), 0);
    }
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(server_->counters().shared_reads, 0u);
}

}  // namespace
}  // namespace headrace::forward
