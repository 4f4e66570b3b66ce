// Several servers of the same files, with every placement: what their clients see is what one file would give them.
#include <errno.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <thread>

#include "forward/backend/posix.h"
#include "forward/client/client.h"
#include "forward/client/started.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kStripe = kStripeUnit;

class Placed : public testing::Test {
 protected:
  Placed() : directory_(testing::TempDir() + "placed" + std::to_string(getpid())), secret_(random_secret()) {
    std::filesystem::create_directories(directory_ + "/root");
  }
  ~Placed() override {
    servers_.clear();
    std::filesystem::remove_all(directory_);
  }
  /// `node`: added to the number of the server is where it is, 0 = here.
  void start(Placing place, size_t count, bool holds = true, bool apart = false) {
    for (size_t i = 0; i < count; ++i) add(place, kStripe, holds, apart ? 1 + i : this_node());
  }
  void add(Placing place, uint64_t stripe, bool holds = true, uint64_t node = this_node()) {
    Server::Options options;
    options.addresses = {"unix:" + directory_ + "/" + std::to_string(servers_.size())};
    options.secret = secret_;
    options.place = place;
    options.stripe = stripe;
    options.node = node;
    options.write_buffer.on = holds;
    options.write_buffer.flush_age_ns = 3'600'000'000'000;
    options.limits.memory = 64 << 20;
    auto backend = PosixBackend::make({directory_ + "/root"}, {});
    auto server = Server::start(std::move(*backend), options);
    ASSERT_TRUE(server.ok()) << server.message();
    addresses_.push_back(server.value()->addresses()[0]);
    servers_.push_back(std::move(*server));
  }
  std::unique_ptr<Client> client() {
    auto made = Client::open(addresses_, {}, 20'000);
    EXPECT_TRUE(made.ok()) << made.message();
    return made.ok() ? std::move(*made) : nullptr;
  }
  Handle create(Client& client, const char* name = "f", uint32_t flags = 0) {
    const auto made = client.create(client.roots()[0].handle, name, flags, 0600);
    EXPECT_TRUE(made.ok());
    return made.ok() ? made->handle : Handle();
  }
  uint64_t size_on_disk(const char* name = "f") { return std::filesystem::file_size(directory_ + "/root/" + name); }

  void two_clients_see_one_file();

  const std::string directory_;
  const Secret secret_;
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<Server>> servers_;
};

std::vector<uint8_t> pattern(uint32_t seed, size_t size) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(1 + random() % 255);
  return bytes;
}

int write(Client& client, const Handle& file, uint64_t offset, std::vector<uint8_t> bytes) {
  const Extent where{offset, bytes.size()};
  const iovec memory{bytes.data(), bytes.size()};
  return client.write(file, {&memory, 1}, {&where, 1});
}

/// What the file has there, in one of the two ways.
std::vector<uint8_t> read(Client& client, const Handle& file, uint64_t offset, size_t size, bool started = false) {
  std::vector<uint8_t> bytes(size, 0xee);
  const Extent where{offset, size};
  const iovec memory{bytes.data(), size};
  uint64_t got = 0;
  if (started) {
    Started request(client, file, {});
    request.read({&memory, 1}, {&where, 1});
    EXPECT_EQ(request.wait(), 0);
    got = request.counts()[0];
  } else {
    const auto counts = client.read(file, {&memory, 1}, {&where, 1});
    EXPECT_TRUE(counts.ok());
    if (counts.ok()) got = (*counts)[0];
  }
  bytes.resize(got);
  return bytes;
}

TEST_F(Placed, TwoClientsSeeOneFileWhateverTheyDo) {
  start(Placing::kStripe, 3);
  two_clients_see_one_file();
}

TEST_F(Placed, TwoClientsSeeOneFileThatIsWrittenThrough) {
  start(Placing::kStripe, 3, false);
  two_clients_see_one_file();
}

TEST_F(Placed, ATruncationThatFailsLosesNothing) {
  start(Placing::kStripe, 3);
  const auto a = client();
  const Handle& root = a->roots()[0].handle;
  std::string name = "f";
  Handle file = create(*a);
  while (hash_of_file(file) % 3 == hash_of_file(root) % 3) file = create(*a, (name += "f").c_str());
  ASSERT_EQ(write(*a, file, kStripe, pattern(1, 100)), 0);  // held by another one than the home
  ASSERT_EQ(a->rename(root, name, root, "g"), 0);
  EXPECT_FALSE(a->resize(file, 0).ok());  // the home has never had it open
  ASSERT_EQ(a->rename(root, "g", root, name), 0);
  EXPECT_EQ(a->commit(file), 0);
  EXPECT_EQ(size_on_disk(name.c_str()), kStripe + 100);
}

TEST_F(Placed, ASizeThatAServerDoesNotTellIsAnError) {
  start(Placing::kStripe, 2);
  const auto a = Client::open(addresses_, {}, 300);
  ASSERT_TRUE(a.ok());
  const Handle root = (*a)->roots()[0].handle;
  ASSERT_EQ(write(**a, create(**a), 0, pattern(1, 2 * kStripe - 100)), 0);
  servers_[1 - hash_of_file(root) % 2].reset();
  EXPECT_EQ((*a)->lookup(root, "f").error(), ETIMEDOUT);
}

void Placed::two_clients_see_one_file() {
  const auto a = client(), b = client();
  const Handle file = create(*a);
  std::vector<uint8_t> model;
  std::mt19937 random(7);
  for (uint32_t step = 0; step < 400; ++step) {
    Client& client = random() % 2 == 0 ? *a : *b;
    Client& other = &client == a.get() ? *b : *a;
    const uint64_t at = random() % (6 * kStripe);
    const size_t size = 1 + random() % (random() % 4 == 0 ? 4 * kStripe : 5000);
    switch (random() % 8) {
      case 0:
      case 1:
      case 2: {
        const auto bytes = pattern(step, size);
        ASSERT_EQ(write(client, file, at, bytes), 0);
        if (model.size() < at + size) model.resize(at + size);
        std::copy(bytes.begin(), bytes.end(), model.begin() + static_cast<ptrdiff_t>(at));
        break;
      }
      case 3: {
        auto bytes = pattern(step, size);
        const iovec memory{bytes.data(), bytes.size()};
        if (random() % 2 == 0) {
          Started request(client, file, {});
          request.append({&memory, 1}, 0);
          ASSERT_EQ(request.wait(), 0);
          ASSERT_EQ(request.offset(), model.size());
        } else {
          const auto where = client.append(file, {&memory, 1});
          ASSERT_TRUE(where.ok());
          ASSERT_EQ(*where, model.size());
        }
        model.insert(model.end(), bytes.begin(), bytes.end());
        break;
      }
      case 4:
        if (random() % 3 != 0) break;
        ASSERT_TRUE(client.resize(file, at).ok());
        model.resize(at);
        break;
      case 5:
        ASSERT_EQ(client.commit(file, random() % 2 == 0 ? Extent{} : Extent{at, size}, nullptr, kNoSync), 0);
        break;
      default:
        break;
    }
    const auto attributes = other.attributes(file);
    ASSERT_TRUE(attributes.ok());
    ASSERT_EQ(attributes->size, model.size()) << step;
    const size_t end = std::min(model.size(), at + size);
    const std::vector<uint8_t> expected(model.begin() + static_cast<ptrdiff_t>(std::min<size_t>(at, end)),
                                        model.begin() + static_cast<ptrdiff_t>(end));
    ASSERT_EQ(read(other, file, at, size, random() % 2 == 0), expected) << step;
  }
  ASSERT_EQ(a->commit(file), 0);
  EXPECT_EQ(size_on_disk(), model.size());
}

TEST_F(Placed, AStripeIsHeldByItsOwnerAlone) {
  start(Placing::kStripe, 2);
  const auto writer = client(), reader = client();
  const Handle file = create(*writer);
  ASSERT_EQ(write(*writer, file, 0, pattern(1, 4 * kStripe - 100)), 0);  // the last one stays held
  const auto seen = reader->lookup(reader->roots()[0].handle, "f");
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->attributes.size, 4 * kStripe - 100);
  for (const auto& server : servers_)
    EXPECT_EQ(server->counters().operations[static_cast<int>(Op::kWrite)].bytes / kStripe,
              1u + (server != servers_[1 - hash_of_file(file) % 2]));
  ASSERT_EQ(reader->commit(file, {}, nullptr, kNoSync), 0);
  EXPECT_EQ(size_on_disk(), 4 * kStripe - 100);
}

TEST_F(Placed, ListsGoToAllOwnersInFewCalls) {
  start(Placing::kStripe, 3);
  const auto a = client();
  const Handle file = create(*a);
  std::vector<Extent> extents;
  for (uint64_t i = 0; i < 3000; ++i) extents.push_back({i * 1000, 10});
  auto bytes = pattern(5, 30'000);
  std::vector<iovec> memory;
  for (size_t at = 0; at < bytes.size(); at += 7500) memory.push_back({bytes.data() + at, 7500});
  ASSERT_EQ(a->write(file, memory, extents), 0);
  uint64_t calls = 0;
  for (const auto& server : servers_) calls += server->counters().operations[static_cast<int>(Op::kWrite)].calls;
  EXPECT_EQ(calls, 3u);
  std::vector<uint8_t> back(30'000);
  const iovec into{back.data(), back.size()};
  const auto got = a->read(file, {&into, 1}, extents);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, std::vector<uint64_t>(3000, 10));
  EXPECT_EQ(back, bytes);
}

TEST_F(Placed, TimesThatAreSetStay) {
  start(Placing::kStripe, 3);
  const auto a = client();
  const Handle file = create(*a);
  ASSERT_EQ(write(*a, file, 0, pattern(1, 3 * kStripe - 1)), 0);
  Attributes to;
  to.modified = 1'000'000'000;
  ASSERT_TRUE(a->set_attributes(file, kSetModified, to).ok());
  ASSERT_EQ(a->commit(file), 0);
  EXPECT_EQ(a->attributes(file)->modified, 1'000'000'000);
  EXPECT_EQ(a->attributes(file)->size, 3 * kStripe - 1);
}

TEST_F(Placed, AFileThatIsEmptiedAtItsCreationIsEmptyEverywhere) {
  start(Placing::kStripe, 3);
  const auto a = client(), b = client();
  const Handle file = create(*a, "f", kTruncate);
  ASSERT_EQ(write(*a, file, 0, pattern(1, 3 * kStripe - 1)), 0);
  const auto again = b->create(b->roots()[0].handle, "f", kTruncate, 0600);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->attributes.size, 0u);
  EXPECT_EQ(b->create(b->roots()[0].handle, "f", kTruncate | kExclusive, 0600).error(), EEXIST);
  ASSERT_EQ(a->commit(file), 0);
  EXPECT_EQ(size_on_disk(), 0u);
  EXPECT_TRUE(read(*a, file, 0, 100).empty());
}

TEST_F(Placed, ARenamedFileIsCommittedWhereItNeverWas) {
  start(Placing::kStripe, 3);
  const auto a = client();
  const Handle file = create(*a);
  const Handle& root = a->roots()[0].handle;
  ASSERT_EQ(write(*a, file, 0, pattern(1, 100)), 0);
  ASSERT_EQ(a->rename(root, "f", root, "g"), 0);
  EXPECT_EQ(a->commit(file), 0);
  EXPECT_EQ(size_on_disk("g"), 100u);
}

TEST_F(Placed, ByNodeOthersSeeItAfterACommit) {
  start(Placing::kNode, 2, true, true);
  const auto at_one = client();
  std::swap(addresses_[0], addresses_[1]);  // another node would choose the other one
  const auto at_other = client();
  std::swap(addresses_[0], addresses_[1]);
  const Handle file = create(*at_one);
  ASSERT_EQ(write(*at_one, file, 0, pattern(1, 1000)), 0);
  EXPECT_EQ(read(*at_one, file, 0, 1000), pattern(1, 1000));
  EXPECT_EQ(at_other->attributes(file)->size, 0u);
  ASSERT_EQ(at_one->commit(file, {}, nullptr, kNoSync), 0);
  EXPECT_EQ(read(*at_other, file, 0, 1000), pattern(1, 1000));
}

TEST_F(Placed, ByNodeLocksCarryWhatWasWrittenUnderThem) {
  start(Placing::kNode, 2, true, true);
  const auto at_one = client();
  const Handle file = create(*at_one);
  Client::LockAsked asked;
  asked.owner = at_one->name(file);
  asked.flags = kExclusively;
  ASSERT_TRUE(at_one->lock(file, asked)->granted);
  ASSERT_EQ(write(*at_one, file, 0, pattern(1, 1000)), 0);
  EXPECT_EQ(size_on_disk(), 0u);
  asked.flags = 0;
  ASSERT_TRUE(at_one->lock(file, asked)->granted);
  EXPECT_EQ(size_on_disk(), 1000u);
}

TEST_F(Placed, AppendsAreKeptApartWithEveryPlacement) {
  for (const Placing place : {Placing::kFile, Placing::kStripe, Placing::kNode}) {
    servers_.clear();
    addresses_.clear();
    start(place, 3, true, true);
    const auto a = client();
    std::swap(addresses_[0], addresses_[1]);  // by node the other one has another server
    const auto b = place == Placing::kNode ? client() : nullptr;
    std::swap(addresses_[0], addresses_[1]);
    const auto c = client();
    const Handle file = create(*a, placing_name(place));
    ASSERT_EQ(write(*a, file, 0, pattern(9, 50)), 0);
    std::vector<uint8_t> expected = pattern(9, 50);
    for (uint32_t i = 0; i < 60; ++i) {
      auto bytes = pattern(i, 1 + i * 300);
      const iovec memory{bytes.data(), bytes.size()};
      const auto where = (i % 2 == 0 ? a : b != nullptr ? b : c)->append(file, {&memory, 1});
      ASSERT_TRUE(where.ok());
      ASSERT_EQ(*where, expected.size()) << placing_name(place) << i;
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
    if (b != nullptr) {
      ASSERT_EQ(b->commit(file, {}, nullptr, kNoSync), 0);
    }
    ASSERT_EQ(a->commit(file), 0);
    EXPECT_EQ(read(*a, file, 0, expected.size() + 1), expected) << placing_name(place);
  }
}

/// Parts of a read meet the old end of the file, or the new one: nothing that is counted may be what nobody filled.
TEST_F(Placed, AReadThatMeetsAGrowingEndCountsOnlyWhatItGot) {
  for (const auto& [place, holds] : {std::pair{Placing::kFile, true}, std::pair{Placing::kFile, false},
                                     std::pair{Placing::kStripe, true}, std::pair{Placing::kStripe, false}}) {
    servers_.clear();
    addresses_.clear();
    for (int i = 0; i < 2; ++i) add(place, kUsualStripe, holds);
    const auto a = client(), b = client();
    const Handle file = create(*a);
    const std::vector<uint8_t> old(512 << 10, 1), more(7680 << 10, 2);
    for (int round = 0; round < 5; ++round) {
      ASSERT_TRUE(a->resize(file, 0).ok());
      ASSERT_EQ(write(*a, file, 0, old), 0);
      std::thread writer([&] { EXPECT_EQ(write(*a, file, old.size(), more), 0); });
      std::vector<std::vector<uint8_t>> all;
      for (int i = 0; i < 4; ++i) all.push_back(read(*b, file, 0, old.size() + more.size(), i % 2 == 0));
      writer.join();
      for (const auto& bytes : all) {
        ASSERT_GE(bytes.size(), old.size());
        ASSERT_EQ(memchr(bytes.data(), 0xee, bytes.size()), nullptr) << placing_name(place) << holds << round;
      }
    }
    ASSERT_EQ(a->remove(a->roots()[0].handle, "f", false), 0);
  }
}

TEST_F(Placed, ServersThatDoNotAgreeAreRefused) {
  add(Placing::kStripe, kStripe);
  add(Placing::kStripe, 2 * kStripe);
  const auto made = Client::open(addresses_, {}, 20'000);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.message().find("do not agree"), std::string::npos) << made.message();
  EXPECT_NE(made.message().find("--stripe-size 131072"), std::string::npos) << made.message();
}

TEST_F(Placed, AServerThatComesBackWithOtherSettingsIsRefused) {
  add(Placing::kStripe, kStripe);
  const auto made = Client::open(addresses_, {}, 500);
  ASSERT_TRUE(made.ok());
  const Handle file = create(**made);
  servers_.clear();
  addresses_.clear();
  add(Placing::kFile, kStripe);
  EXPECT_EQ((*made)->attributes(file).error(), ETIMEDOUT);
}

}  // namespace
}  // namespace headrace::forward
