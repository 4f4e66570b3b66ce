// Appends of many clients to one file over two servers.
#include <errno.h>
#include <gtest/gtest.h>
#include <string.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "forward/backend/memory.h"
#include "forward/backend/posix.h"
#include "forward/backend/trial.h"
#include "forward/client/client.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

class AppendTest : public testing::Test {
 protected:
  AppendTest() : directory_(testing::TempDir() + "append" + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/root");
    secret_ = random_secret();
  }
  ~AppendTest() override {
    servers_.clear();
    std::filesystem::remove_all(directory_);
  }
  void start(std::unique_ptr<Backend> backend, unsigned event_threads = 1, bool buffered = true) {
    Server::Options options;
    options.addresses = {"unix:" + directory_ + "/s" + std::to_string(servers_.size())};
    options.secret = secret_;
    options.event_threads = event_threads;
    options.write_buffer.on = buffered;
    auto server = Server::start(std::move(backend), options);
    ASSERT_TRUE(server.ok()) << server.message();
    servers_.push_back(std::move(*server));
  }
  std::unique_ptr<Client> client() {
    std::vector<std::string> addresses;
    for (const auto& server : servers_) addresses.push_back(server->addresses()[0]);
    return std::move(*Client::open(addresses, {}, 20'000));
  }

  /// As clients do for what one call does not hold, and before they have written there.
  static Outcome<uint64_t> take_range(Client& client, const Handle& file, uint64_t bytes) {
    Request request;
    request.op = Op::kAppend;
    request.handle = file;
    request.flags = kReserve;
    request.size = bytes;
    Pending pending;
    if (const int error = client.channel_of(file).call(request, &pending); error != 0) return Failed{error};
    return pending.reply.size;
  }

  struct Record {
    uint64_t offset;
    uint32_t client, number, size;
  };
  /// Records of random sizes that say who wrote them, some under way at once.
  static std::vector<Record> append_records(Client& client, const Handle& file, uint32_t name, uint32_t count) {
    std::mt19937 random(name);
    struct UnderWay {
      Pending pending;
      std::vector<uint8_t> bytes;
    };
    std::deque<UnderWay> under_way;
    std::vector<Record> records;
    for (uint32_t done = 0, begun = 0; done < count;) {
      if (begun < count && under_way.size() < 8) {
        UnderWay& each = under_way.emplace_back();
        each.bytes.assign(12 + (random() % 50 == 0 ? random() % 40'000 : random() % 200), static_cast<uint8_t>(name));
        const uint32_t words[] = {name, begun++, static_cast<uint32_t>(each.bytes.size())};
        memcpy(each.bytes.data(), words, sizeof words);
        Request request;
        request.op = Op::kAppend;
        request.handle = file;
        request.size = each.bytes.size();
        client.channel_of(file).submit(request, {{each.bytes.data(), each.bytes.size()}}, each.bytes.size(),
                                       &each.pending);
        continue;
      }
      UnderWay& each = under_way.front();
      EXPECT_EQ(client.channel_of(file).wait(&each.pending), 0);
      records.push_back({each.pending.reply.size, name, done++, static_cast<uint32_t>(each.bytes.size())});
      under_way.pop_front();
    }
    return records;
  }

  void many_clients_append(uint32_t clients, uint32_t count) {
    const auto first = client();
    const auto file = first->create(first->roots()[0].handle, "log", 0, 0644);
    ASSERT_TRUE(file.ok());
    std::vector<std::vector<Record>> records(clients);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < clients; ++i) {
      threads.emplace_back([&, i] { records[i] = append_records(*client(), file->handle, i, count); });
    }
    for (std::thread& thread : threads) thread.join();
    // Each record is where its client was told, one behind the other without a gap, and in the client's order.
    std::map<uint64_t, Record> by_offset;
    for (const auto& own : records) {
      for (size_t i = 0; i < own.size(); ++i) {
        EXPECT_TRUE(i == 0 || own[i].offset > own[i - 1].offset);
        EXPECT_TRUE(by_offset.emplace(own[i].offset, own[i]).second);
      }
    }
    const uint64_t size = first->attributes(file->handle)->size;
    std::vector<uint8_t> bytes(size);
    const iovec into{bytes.data(), size};
    const Extent all{0, size};
    ASSERT_TRUE(first->read(file->handle, {&into, 1}, {&all, 1}).ok());
    uint64_t end = 0;
    for (const auto& [offset, record] : by_offset) {
      ASSERT_EQ(offset, end);
      end += record.size;
      uint32_t words[3];
      memcpy(words, bytes.data() + offset, sizeof words);
      EXPECT_TRUE(words[0] == record.client && words[1] == record.number && words[2] == record.size);
      EXPECT_TRUE(record.size == 12 || bytes[end - 1] == static_cast<uint8_t>(record.client));
    }
    EXPECT_EQ(end, size);
  }

  const std::string directory_;
  Secret secret_;
  std::vector<std::unique_ptr<Server>> servers_;
};

TEST_F(AppendTest, NeverOverlapOrLeaveAGapOnFiles) {
  for (int i = 0; i < 2; ++i) start(std::move(*PosixBackend::make({directory_ + "/root"}, {})));
  many_clients_append(6, 400);
}

TEST_F(AppendTest, NeverOverlapOrLeaveAGapInMemoryWithTwoEventLoops) {
  start(std::make_unique<MemoryBackend>("/m", 256 << 20), 2);
  many_clients_append(6, 400);
}

TEST_F(AppendTest, GoWhereTheFileEndsWhoeverMadeItSo) {
  start(std::move(*PosixBackend::make({directory_ + "/root"}, {})));
  const auto c = client();
  const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
  std::vector<uint8_t> bytes(10 << 20, 3);
  const iovec small{bytes.data(), 10}, large{bytes.data(), bytes.size()};
  EXPECT_EQ(*c->append(file->handle, {&small, 1}), 0u);
  const Extent far{1000, 10};
  EXPECT_EQ(c->write(file->handle, {&small, 1}, {&far, 1}), 0);
  EXPECT_EQ(*c->append(file->handle, {&small, 1}), 1010u);
  EXPECT_TRUE(c->resize(file->handle, 7).ok());
  EXPECT_EQ(*c->append(file->handle, {&small, 1}), 7u);
  // More than one call holds: the range is taken first, and another append comes behind all of it.
  EXPECT_EQ(*c->append(file->handle, {&large, 1}), 17u);
  EXPECT_EQ(*c->append(file->handle, {&small, 1}), 17u + bytes.size());
  const uint64_t end = 27 + bytes.size();
  EXPECT_EQ(*take_range(*c, file->handle, 500), end);
  EXPECT_EQ(c->attributes(file->handle)->size, end + 500);
  EXPECT_EQ(*c->append(file->handle, {&small, 1}), end + 500);
  EXPECT_TRUE(c->create(c->roots()[0].handle, "f", kTruncate, 0644).ok());
  EXPECT_EQ(*c->append(file->handle, {&small, 1}), 0u);
}

/// A killed server knows of nothing that it gave away, nor does one that ends in order and is started again.
TEST_F(AppendTest, RangesThatWereTakenStayTakenForServersThatStartAnew) {
  start(std::move(*PosixBackend::make({directory_ + "/root"}, {})));
  auto c = client();
  const Handle file = c->create(c->roots()[0].handle, "f", 0, 0644)->handle;
  std::vector<uint8_t> bytes(10, 7);
  const iovec part{bytes.data(), bytes.size()};
  EXPECT_EQ(*c->append(file, {&part, 1}), 0u);
  EXPECT_EQ(*take_range(*c, file, 500), 10u);
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/root/f"), 510u);
  servers_.clear();
  start(std::move(*PosixBackend::make({directory_ + "/root"}, {})));
  c = client();
  EXPECT_EQ(*c->append(file, {&part, 1}), 510u);
}

TEST_F(AppendTest, OnesThatFailTellSoAndLeaveNoRange) {
  TrialOptions full;
  full.fail_after = 25;
  start(std::make_unique<TrialBackend>(std::make_unique<MemoryBackend>("/m", 1 << 20), full), 1, false);
  const auto c = client();
  const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
  std::vector<uint8_t> bytes(10);
  const iovec part{bytes.data(), bytes.size()};
  EXPECT_EQ(*c->append(file->handle, {&part, 1}), 0u);
  EXPECT_EQ(*c->append(file->handle, {&part, 1}), 10u);
  EXPECT_EQ(c->append(file->handle, {&part, 1}).error(), ENOSPC);
  EXPECT_EQ(c->append(file->handle, {&part, 1}).error(), ENOSPC);
  EXPECT_EQ(c->attributes(file->handle)->size, 25u);
  Handle forged = file->handle;
  forged.back() ^= 1;
  EXPECT_EQ(c->append(forged, {&part, 1}).error(), ESTALE);
}

}  // namespace
}  // namespace headrace::forward
