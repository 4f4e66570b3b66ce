// Writes that are held in a server: what readers see meanwhile, what commits tell, and what happens when memory, the
// disk, a client or the server comes to its end.
#include "forward/server/write_buffer.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "forward/backend/memory.h"
#include "forward/backend/posix.h"
#include "forward/backend/trial.h"
#include "forward/client/client.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kNever = 3600'000'000'000;

class WriteBufferTest : public testing::Test {
 protected:
  // Where there is a file system in memory a busy disk does not make the tests slow.
  WriteBufferTest()
      : directory_((access("/dev/shm", W_OK) == 0 ? "/dev/shm/held" : testing::TempDir() + "held") +
                   std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/root");
    options_.addresses = {"unix:" + directory_ + "/socket"};
    options_.secret = random_secret();
    options_.write_buffer.flush_age_ns = kNever;
  }
  ~WriteBufferTest() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }
  void start(TrialOptions trial = {}) {
    auto posix = PosixBackend::make({directory_ + "/root"}, {});
    auto server = Server::start(std::make_unique<TrialBackend>(std::move(*posix), trial), options_);
    ASSERT_TRUE(server.ok()) << server.message();
    server_ = std::move(*server);
  }
  std::unique_ptr<Client> client(uint32_t window = 4 << 20) {
    WireOptions wire;
    wire.window = window;
    return std::move(*Client::open(server_->addresses(), wire, 60'000));
  }
  static Handle create(Client& c, const std::string& name, uint32_t flags = 0, Hints hints = {}) {
    auto made = c.create(c.roots()[0].handle, name, flags, 0644, hints);
    EXPECT_TRUE(made.ok()) << made.error();
    return made->handle;
  }
  static int write(Client& c, const Handle& file, uint64_t offset, const std::vector<uint8_t>& bytes,
                   uint32_t flags = 0) {
    const iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
    const Extent where{offset, bytes.size()};
    return c.write(file, {&part, 1}, {&where, 1}, flags);
  }
  static std::vector<uint8_t> read(Client& c, const Handle& file, uint64_t offset, size_t bytes) {
    std::vector<uint8_t> got(bytes);
    const iovec into{got.data(), bytes};
    const Extent where{offset, bytes};
    const auto counts = c.read(file, {&into, 1}, {&where, 1});
    EXPECT_TRUE(counts.ok()) << counts.error();
    got.resize(counts.ok() ? (*counts)[0] : 0);
    return got;
  }
  /// The bytes on the disk, which nobody has held back.
  std::vector<uint8_t> stored(const std::string& name) {
    std::ifstream file(directory_ + "/root/" + name, std::ios::binary);
    std::vector<uint8_t> bytes(std::filesystem::file_size(directory_ + "/root/" + name));
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }
  uint64_t flushes(FlushReason reason) { return server_->write_buffer().counters.flushes[static_cast<size_t>(reason)]; }

  const std::string directory_;
  Server::Options options_;
  std::unique_ptr<Server> server_;
};

std::vector<uint8_t> filled(size_t bytes, uint8_t with) { return std::vector<uint8_t>(bytes, with); }

TEST_F(WriteBufferTest, HoldsWritesAndStoresThemAtACommit) {
  start();
  const auto a = client(), b = client();
  const Handle file = create(*a, "f");
  EXPECT_EQ(write(*a, file, 10, filled(20, 1)), 0);
  EXPECT_EQ(write(*b, file, 20, filled(20, 2)), 0);
  EXPECT_EQ(stored("f").size(), 0u);
  EXPECT_EQ(a->attributes(file)->size, 40u);
  EXPECT_EQ(a->lookup(a->roots()[0].handle, "f")->attributes.size, 40u);
  std::vector<uint8_t> expected = filled(10, 0);
  expected.insert(expected.end(), 10, 1);
  expected.insert(expected.end(), 20, 2);
  EXPECT_EQ(read(*b, file, 0, 100), expected);
  EXPECT_EQ(read(*b, file, 39, 100).size(), 1u);
  EXPECT_EQ(read(*b, file, 40, 100).size(), 0u);
  EXPECT_EQ(b->commit(file, {}, nullptr, kNoSync), 0);
  EXPECT_EQ(stored("f"), expected);
  EXPECT_EQ(server_->buffers().held, 0u);
}

TEST_F(WriteBufferTest, MergesWhatManyClientsWriteIntoWholeStripes) {
  start();
  const Handle file = create(*client(), "f"), striped = create(*client(), "g", 0, {4, 2 << 20});
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto c = client();
      for (uint64_t at = i * 4096; at < 2 << 20; at += 4 * 4096) {
        EXPECT_EQ(write(*c, file, at, filled(4096, static_cast<uint8_t>(at >> 12))), 0);
        EXPECT_EQ(write(*c, striped, at, filled(4096, 1)), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(client()->commit(file), 0);
  EXPECT_EQ(client()->commit(striped), 0);
  EXPECT_EQ(server_->write_buffer().counters.flush_writes, 2u + 1u);
  const auto bytes = stored("f");
  ASSERT_EQ(bytes.size(), 2u << 20);
  for (size_t i = 0; i < bytes.size(); i += 1000) ASSERT_EQ(bytes[i], static_cast<uint8_t>(i >> 12));
}

TEST_F(WriteBufferTest, FlushesWhatIsOld) {
  options_.write_buffer.flush_age_ns = 5'000'000;
  start();
  const auto c = client();
  const Handle file = create(*c, "f");
  EXPECT_EQ(write(*c, file, 0, filled(100, 1)), 0);
  while (stored("f").size() < 100) usleep(1000);
  EXPECT_EQ(write(*c, file, 100, filled(100, 1)), 0);  // and again
  while (stored("f").size() < 200) usleep(1000);
  EXPECT_EQ(flushes(FlushReason::kAge), 2u);
}

TEST_F(WriteBufferTest, WritesThroughWhereThatIsAskedFor) {
  start();
  const auto c = client();
  const Handle file = create(*c, "f");
  EXPECT_EQ(write(*c, file, 0, filled(100, 1)), 0);
  EXPECT_EQ(write(*c, file, 50, filled(10, 2), kThrough), 0);
  auto expected = filled(100, 1);
  std::fill_n(expected.begin() + 50, 10, uint8_t{2});
  EXPECT_EQ(stored("f"), expected);  // what was held before it did not come after it
  std::vector<uint8_t> more = filled(7, 3);
  const iovec part{more.data(), more.size()};
  EXPECT_EQ(*c->append(file, {&part, 1}, kThrough), 100u);
  EXPECT_EQ(stored("f").size(), 107u);
  server_.reset();
  options_.write_buffer.on = false;
  start();
  const auto d = client();
  EXPECT_EQ(write(*d, file, 0, filled(100, 4)), 0);
  EXPECT_EQ(stored("f")[0], 4);
}

TEST_F(WriteBufferTest, TruncationsAndTimesComeAfterWhatWasWrittenBefore) {
  start();
  const auto c = client();
  const Handle file = create(*c, "f");
  EXPECT_EQ(write(*c, file, 0, filled(3 << 20, 1)), 0);
  EXPECT_EQ(write(*c, file, 5'000'000, filled(100, 1)), 0);
  EXPECT_EQ(c->resize(file, 10)->size, 10u);
  EXPECT_EQ(write(*c, file, 20, filled(5, 2)), 0);
  EXPECT_EQ(c->attributes(file)->size, 25u);
  Attributes then;
  then.modified = 1'000'000'000;
  EXPECT_EQ(c->set_attributes(file, kSetModified, then)->modified, then.modified);
  EXPECT_EQ(c->commit(file), 0);
  EXPECT_EQ(c->attributes(file)->modified, then.modified);
  EXPECT_EQ(stored("f").size(), 25u);
  EXPECT_EQ(write(*c, file, 0, filled(100, 3)), 0);
  create(*c, "f", kTruncate);
  EXPECT_EQ(c->attributes(file)->size, 0u);
  EXPECT_EQ(c->commit(file), 0);
  EXPECT_EQ(stored("f").size(), 0u);
  // A file keeps what is held of it under its new name, and without any.
  EXPECT_EQ(write(*c, file, 0, filled(100, 4)), 0);
  EXPECT_EQ(c->rename(c->roots()[0].handle, "f", c->roots()[0].handle, "g"), 0);
  EXPECT_EQ(c->commit(file), 0);
  EXPECT_EQ(stored("g"), filled(100, 4));
  EXPECT_EQ(write(*c, file, 0, filled(100, 5)), 0);
  EXPECT_EQ(c->remove(c->roots()[0].handle, "g", false), 0);
  EXPECT_EQ(read(*c, file, 0, 100), filled(100, 5));
  EXPECT_EQ(c->commit(file), 0);
}

TEST_F(WriteBufferTest, AppendsGoBehindWhatIsHeld) {
  start();
  const auto a = client(), b = client();
  const Handle file = create(*a, "f");
  std::vector<uint8_t> bytes = filled(10, 1);
  const iovec part{bytes.data(), bytes.size()};
  EXPECT_EQ(*a->append(file, {&part, 1}), 0u);
  EXPECT_EQ(write(*b, file, 1000, bytes), 0);
  EXPECT_EQ(*a->append(file, {&part, 1}), 1010u);
  EXPECT_EQ(*b->append(file, {&part, 1}), 1020u);
  EXPECT_EQ(stored("f").size(), 0u);
  EXPECT_EQ(a->commit(file), 0);
  EXPECT_EQ(stored("f").size(), 1030u);
  EXPECT_EQ(*b->append(file, {&part, 1}), 1030u);
}

TEST_F(WriteBufferTest, TellsEachClientOnceWhatOfItsDataIsLost) {
  for (const int error : {ENOSPC, EDQUOT, EIO}) {
    TrialOptions trial;
    trial.bad = {5000, 1000};
    trial.error = error;
    start(trial);
    const auto a = client(), b = client(), other = client();
    const Handle file = create(*a, "f" + std::to_string(error));
    EXPECT_EQ(write(*a, file, 0, filled(5500, 1)), 0);
    EXPECT_EQ(write(*b, file, 5500, filled(2000, 2)), 0);
    EXPECT_EQ(write(*b, file, 5200, filled(100, 2)), 0);  // which a has written as well
    std::vector<BadRange> bad;
    const auto number = static_cast<uint32_t>(error);
    // A commit of another part has no part in it. Who did not write is told as long as those do not know.
    EXPECT_EQ(a->commit(file, {1 << 20, 100}, &bad), 0);
    EXPECT_EQ(other->commit(file, {}, &bad), error);
    EXPECT_EQ(bad, (std::vector<BadRange>{{number, {5000, 2500}}}));
    EXPECT_EQ(a->commit(file, {0, 5100}, &bad), error);
    EXPECT_EQ(bad, (std::vector<BadRange>{{number, {5000, 100}}}));
    EXPECT_EQ(a->commit(file, {}, &bad), error);
    EXPECT_EQ(bad, (std::vector<BadRange>{{number, {5100, 400}}}));
    EXPECT_EQ(a->commit(file, {}, &bad), 0);
    EXPECT_EQ(b->commit(file, {}, &bad), error);
    EXPECT_EQ(bad, (std::vector<BadRange>{{number, {5200, 100}}, {number, {5500, 2000}}}));
    EXPECT_EQ(b->commit(file, {}, &bad), 0);
    EXPECT_TRUE(server_->finish().empty());
    server_.reset();
  }
}

TEST_F(WriteBufferTest, TellsAllWhenTheFileSystemLosesWhatItHadTaken) {
  TrialOptions trial;
  trial.fail_commit = true;
  trial.error = EIO;
  start(trial);
  const auto a = client(), b = client();
  const Handle file = create(*a, "f");
  EXPECT_EQ(write(*a, file, 0, filled(100, 1)), 0);
  EXPECT_EQ(write(*b, file, 200, filled(100, 1)), 0);
  std::vector<BadRange> bad;
  EXPECT_EQ(b->commit(file, {}, &bad, kNoSync), 0);
  EXPECT_EQ(a->commit(file, {}, &bad), EIO);
  EXPECT_EQ(bad, (std::vector<BadRange>{{EIO, {0, 100}}}));
  EXPECT_EQ(b->commit(file, {}, &bad, kNoSync), EIO);
  EXPECT_EQ(bad, (std::vector<BadRange>{{EIO, {200, 100}}}));
  EXPECT_EQ(b->commit(file, {}, &bad, kNoSync), 0);
  // One who never wrote, and one whose own write goes through, which takes the kernel's error from the others.
  EXPECT_EQ(client()->commit(file, {}, &bad), EIO);
  EXPECT_EQ(write(*b, file, 300, filled(10, 2)), 0);
  EXPECT_EQ(b->commit(file, {}, &bad, kNoSync), 0);
  EXPECT_EQ(write(*a, file, 0, filled(10, 1), kThrough), EIO);
  EXPECT_EQ(b->commit(file, {}, &bad, kNoSync), EIO);
  EXPECT_EQ(bad, (std::vector<BadRange>{{EIO, {300, 10}}}));
}

TEST_F(WriteBufferTest, SaysAtTheEndWhatNobodyKnows) {
  TrialOptions trial;
  trial.fail_after = 1000;
  start(trial);
  {
    const auto c = client();
    const Handle file = create(*c, "f");
    EXPECT_EQ(write(*c, file, 0, filled(1500, 1)), 0);  // and is gone
  }
  const std::vector<std::string> lines = server_->finish();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("/f: 500 bytes from 1000 are not stored: No space left"), std::string::npos) << lines[0];
  EXPECT_EQ(stored("f").size(), 1000u);
}

TEST_F(WriteBufferTest, AClientIsToldByAServerThatEndsThatAllIsStored) {
  start();
  const auto c = client();
  const Handle file = create(*c, "f");
  EXPECT_EQ(write(*c, file, 0, filled(100, 1)), 0);
  server_.reset();
  start();
  EXPECT_EQ(write(*c, file, 100, filled(100, 2)), 0);
  EXPECT_EQ(c->commit(file), 0);
  EXPECT_EQ(stored("f").size(), 200u);
}

TEST_F(WriteBufferTest, AClientWhoseDataIsLostIsToldByTheNextServer) {
  TrialOptions trial;
  trial.fail_after = 150;
  start(trial);
  const auto c = client(), other = client();
  const Handle file = create(*c, "f"), more = create(*other, "g");
  EXPECT_EQ(write(*other, more, 0, filled(100, 1)), 0);
  EXPECT_EQ(other->commit(more, {}, nullptr, kNoSync), 0);
  EXPECT_EQ(write(*c, file, 0, filled(100, 1)), 0);
  server_.reset();
  start();
  std::vector<BadRange> bad;
  EXPECT_EQ(c->commit(file, {}, &bad), EIO);
  EXPECT_EQ(bad.size(), 1u);
  EXPECT_EQ(c->commit(file), 0);
  EXPECT_EQ(other->commit(more), 0);
}

TEST_F(WriteBufferTest, AStoppedDiskMakesItsWritersWaitAndNobodyElse) {
  options_.limits.memory = 16 << 20;
  options_.storage_threads = 4;
  TrialOptions trial;
  trial.stop_file = directory_ + "/stop";
  trial.stops = "stopped";
  start(trial);
  std::ofstream(trial.stop_file).close();
  constexpr size_t kBytes = 12 << 20;
  const Handle file = create(*client(), "stopped");
  std::vector<std::thread> threads;
  std::atomic<int> written = 0;
  for (uint8_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      const auto c = client(i == 0 ? 4 << 20 : 0);
      EXPECT_EQ(write(*c, file, i * kBytes, filled(kBytes, i)), 0);
      ++written;
      EXPECT_EQ(c->commit(file), 0);
    });
  }
  while (server_->write_buffer().counters.waited < 3) usleep(1000);
  const auto other = client(0);
  const Handle quick = create(*other, "quick");
  for (uint64_t i = 0; i < 300; ++i) ASSERT_EQ(write(*other, quick, i * 10'000, filled(10'000, 7)), 0);
  EXPECT_EQ(other->commit(quick), 0);
  EXPECT_EQ(read(*other, quick, 0, 3'000'000), filled(3'000'000, 7));
  EXPECT_EQ(written, 0);
  std::filesystem::remove(trial.stop_file);
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(server_->buffers().most_used(), options_.limits.memory);
  const auto bytes = stored("stopped");
  ASSERT_EQ(bytes.size(), 3 * kBytes);
  for (size_t i = 0; i < bytes.size(); i += 4096) ASSERT_EQ(bytes[i], i / kBytes);
}

/// Clients that write their own parts of a file at the same time as others read, commit and cut another file off, with
/// so little memory that everything has to wait for everything.
TEST_F(WriteBufferTest, ManyAtOnceDisturbNobody) {
  options_.limits.memory = 16 << 20;
  options_.storage_threads = 3;
  options_.write_buffer.flush_age_ns = 500'000;
  options_.event_threads = 2;
  TrialOptions trial;
  trial.delay_ns = 100'000;
  start(trial);
  constexpr uint64_t kSlot = 10'000, kSlots = 300, kClients = 6;
  const Handle file = create(*client(), "f", 0, {1, 64 << 10}), other = create(*client(), "g");
  std::atomic<int> wrong = 0, writing = kClients;
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      const auto c = client(i % 2 == 0 ? 0 : 4 << 20);
      std::mt19937 random(static_cast<uint32_t>(i));
      std::vector<uint8_t> last(kSlots, 0);
      for (int step = 0; step < 300; ++step) {
        const uint64_t slot = random() % kSlots, at = (slot * kClients + i) * kSlot;
        const auto value = static_cast<uint8_t>(1 + random() % 255);
        wrong += write(*c, file, at, filled(kSlot, value), random() % 50 == 0 ? kThrough : 0) != 0;
        last[slot] = value;
        const uint64_t seen = random() % kSlots;
        const auto got = read(*c, file, (seen * kClients + i) * kSlot, kSlot);
        wrong += last[seen] != 0 && got != filled(kSlot, last[seen]);
        wrong += step % 20 == 0 && c->commit(file, {at, kSlot}, nullptr, step % 40 == 0 ? kNoSync : 0) != 0;
        wrong += write(*c, other, random() % (4 << 20), filled(random() % 200'000, value)) != 0;
        wrong += step % 30 == 0 && !c->resize(other, random() % (4 << 20)).ok();
      }
      --writing;
    });
  }
  threads.emplace_back([&] {
    const auto c = client();
    while (writing > 0) wrong += !c->status(0).ok() || !c->attributes(file).ok() || c->commit(other) != 0;
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(server_->buffers().most_used(), options_.limits.memory);
  const uint64_t size = client()->attributes(file)->size, other_size = client()->attributes(other)->size;
  EXPECT_TRUE(server_->finish().empty());
  EXPECT_EQ(server_->buffers().held, 0u);
  const auto bytes = stored("f");
  EXPECT_EQ(bytes.size(), size);
  EXPECT_EQ(stored("g").size(), other_size);
  for (uint64_t at = 0; at + kSlot <= bytes.size(); at += kSlot)
    ASSERT_TRUE(std::all_of(&bytes[at], &bytes[at] + kSlot, [&](uint8_t byte) { return byte == bytes[at]; })) << at;
}

/// Random calls, one after the other, of several clients on one file; after each of them clients see what a plain
/// array in memory holds, and at the end so does the disk.
class ModelTest : public WriteBufferTest, public testing::WithParamInterface<uint32_t> {};

TEST_P(ModelTest, ClientsSeeOneFileWhateverIsHeldOfIt) {
  std::mt19937 random(GetParam());
  options_.limits.memory = 16 << 20;
  options_.write_buffer.flush_age_ns = GetParam() % 2 == 0 ? kNever : 300'000;
  start();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(client(i == 0 ? 0 : 4 << 20));
  const Handle file = create(*clients[0], "f", 0, {1, 64 << 10});
  std::vector<uint8_t> model;
  const auto grow = [&](uint64_t end) { model.resize(std::max<size_t>(model.size(), end)); };
  for (int step = 0; step < 250; ++step) {
    Client& c = *clients[random() % clients.size()];
    const uint64_t offset = random() % 400'000, length = random() % 5 == 0 ? random() % 300'000 : random() % 3000;
    const auto bytes = filled(length, static_cast<uint8_t>(random()));
    switch (random() % 10) {
      case 0:
        ASSERT_TRUE(c.resize(file, offset).ok());
        model.resize(offset);
        break;
      case 1:
        ASSERT_EQ(c.commit(file, {offset, length}, nullptr, random() % 2 == 0 ? kNoSync : 0), 0);
        break;
      case 2: {
        const iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
        const auto at = c.append(file, {&part, 1}, random() % 4 == 0 ? kThrough : 0);
        ASSERT_TRUE(at.ok());
        ASSERT_EQ(*at, model.size());
        model.insert(model.end(), bytes.begin(), bytes.end());
        break;
      }
      case 3: {  // a list of extents, the later ones over the earlier ones
        std::vector<Extent> extents;
        for (uint64_t at = 0; at < length; at += 100)
          extents.push_back({random() % 400'000, std::min<uint64_t>(100, length - at)});
        const iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
        ASSERT_EQ(c.write(file, {&part, 1}, extents), 0);
        for (const Extent& each : extents) {
          grow(each.offset + each.length);
          std::fill_n(model.begin() + static_cast<std::ptrdiff_t>(each.offset), each.length, bytes[0]);
        }
        break;
      }
      default:
        ASSERT_EQ(write(c, file, offset, bytes, random() % 20 == 0 ? kThrough : 0), 0);
        if (length > 0) grow(offset + length);
        std::copy(bytes.begin(), bytes.end(), model.begin() + static_cast<std::ptrdiff_t>(length > 0 ? offset : 0));
    }
    ASSERT_EQ(clients[random() % clients.size()]->attributes(file)->size, model.size()) << step;
    const uint64_t from = random() % 500'000, most = random() % 200'000;
    const auto seen = read(*clients[random() % clients.size()], file, from, most);
    const size_t begin = std::min<size_t>(from, model.size()), end = std::min<size_t>(from + most, model.size());
    ASSERT_TRUE(std::equal(seen.begin(), seen.end(), model.begin() + static_cast<std::ptrdiff_t>(begin),
                           model.begin() + static_cast<std::ptrdiff_t>(end)))
        << step;
  }
  EXPECT_TRUE(server_->finish().empty());
  EXPECT_TRUE(stored("f") == model);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, testing::Range(0u, 8u));

}  // namespace
}  // namespace headrace::forward
