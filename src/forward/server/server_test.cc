// A server and its clients in one process: what clients get, and that hostile peers get nothing and disturb nobody.
#include "forward/server/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "forward/backend/memory.h"
#include "forward/backend/null.h"
#include "forward/backend/posix.h"
#include "forward/backend/trial.h"
#include "forward/client/client.h"
#include "forward/protocol/codec.h"
#include "forward/transport/interfaces.h"
#include "forward/transport/transport.h"

namespace headrace::forward {
namespace {

using base::Bytes;

class ServerTest : public testing::Test {
 protected:
  ServerTest() : directory_(testing::TempDir() + "server" + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/root");
    options_.addresses = {"unix:" + directory_ + "/socket", "tcp:127.0.0.1:0"};
    options_.secret = random_secret();
  }
  ~ServerTest() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  void start(std::unique_ptr<Backend> backend) {
    auto server = Server::start(std::move(backend), options_);
    ASSERT_TRUE(server.ok()) << server.message();
    server_ = std::move(*server);
  }
  void start_memory() { start(std::make_unique<MemoryBackend>("/m", 256 << 20)); }
  void start_posix() { start(std::move(*PosixBackend::make({directory_ + "/root"}, {}))); }
  std::unique_ptr<Client> client(size_t address = 0) {
    WireOptions wire;
    wire.secret = options_.secret;
    auto client = Client::open({server_->addresses()[address]}, wire, 20'000);
    EXPECT_TRUE(client.ok()) << client.message();
    return client.ok() ? std::move(*client) : nullptr;
  }
  std::unique_ptr<Link> link(size_t address = 0) { return std::move(*connect(server_->addresses()[address], 5000)); }
  /// Waits until the server has ended a connection.
  bool was_ended(Link& link) {
    char byte;
    for (int i = 0; i < 1000; ++i) {
      const ssize_t got = link.receive(&byte, 1);
      if (got == 0 || got == -ECONNRESET) return true;
      if (got == -EAGAIN) usleep(10'000);
    }
    return false;
  }
  void send(Link& link, const std::vector<uint8_t>& bytes) {
    const iovec part{const_cast<uint8_t*>(bytes.data()), bytes.size()};
    EXPECT_EQ(link.send(&part, 1), static_cast<ssize_t>(bytes.size()));
  }
  static std::vector<uint8_t> message(const Request& request, Header header = {}) {
    std::vector<uint8_t> frame;
    encode_request(header, request, &frame);
    return frame;
  }
  static Request hello() {
    Request request;
    request.op = Op::kHello;
    request.oldest = request.newest = kVersion;
    request.client = request.nonce = random_secret();
    return request;
  }
  /// A connection that has said hello and proved; only where nothing has to be proved.
  std::unique_ptr<Link> greeted(const Request& greeting = hello()) {
    auto made = link();
    Request prove;
    prove.op = Op::kProve;
    send(*made, message(greeting));
    receive(*made);
    send(*made, message(prove));
    receive(*made);
    return made;
  }
  /// The next whole frame.
  std::vector<uint8_t> receive(Link& link) {
    std::vector<uint8_t> frame(kHeaderBytes);
    size_t have = 0;
    for (int i = 0; i < 10'000 && have < frame.size(); ++i) {
      const ssize_t got = link.receive(frame.data() + have, frame.size() - have);
      if (got == -EAGAIN) usleep(1000);
      if (got > 0) have += static_cast<size_t>(got);
      if (got > 0 && have == kHeaderBytes) frame.resize(kHeaderBytes + decode_header(frame)->body);
    }
    EXPECT_EQ(have, frame.size());
    return frame;
  }

  const std::string directory_;
  Server::Options options_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, OnlyAServerThatIsToBeKeptIs) {
  start_memory();
  EXPECT_EQ(client()->keep(0), EPERM);
  EXPECT_FALSE(server_->kept());
  server_.reset();
  std::atomic<int> left = 0;
  options_.on_unkept = [&left] { ++left; };
  start_memory();
  auto keeper = client(1);
  EXPECT_EQ(keeper->keep(0), 0);
  EXPECT_TRUE(server_->kept());
  EXPECT_TRUE(client()->status(0).ok());  // others come and go
  EXPECT_EQ(left, 0);
  keeper.reset();
  for (int i = 0; i < 1000 && left == 0; ++i) usleep(10'000);
  EXPECT_EQ(left, 1);
}

TEST(Interfaces, HaveTheirAddressesAsNumbers) {
  EXPECT_EQ(address_of_interface("lo"), "127.0.0.1");
  EXPECT_EQ(address_of_interface("no-such-interface"), "");
  EXPECT_NE(address_of_interface("any"), "127.0.0.1");
}

std::vector<uint8_t> server_pattern(size_t bytes, uint32_t seed) {
  std::vector<uint8_t> made(bytes);
  for (size_t i = 0; i < bytes; ++i) made[i] = static_cast<uint8_t>((i * 2654435761u + seed) >> 11);
  return made;
}

TEST_F(ServerTest, GivesBackLargeDataAndLongListsOverEveryTransport) {
  start_posix();
  for (size_t address = 0; address < 2; ++address) {
    const auto c = client(address);
    const auto file = c->create(c->roots()[0].handle, "f" + std::to_string(address), kTruncate, 0644);
    ASSERT_TRUE(file.ok());
    // Memory in odd pieces, 9,000 extents of odd sizes, backwards.
    std::vector<Extent> extents;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < 9000; ++i) {
      extents.push_back({(9000 - i) * 2000, i % 1300});
      bytes += i % 1300;
    }
    std::vector<uint8_t> data = server_pattern(bytes, 1), back(bytes);
    const auto pieces = [&](std::vector<uint8_t>& of) {
      std::vector<iovec> parts;
      for (size_t at = 0; at < of.size(); at += 77'777)
        parts.push_back({of.data() + at, std::min<size_t>(77'777, of.size() - at)});
      return parts;
    };
    EXPECT_EQ(c->write(file->handle, pieces(data), extents), 0);
    const auto counts = c->read(file->handle, pieces(back), extents);
    ASSERT_TRUE(counts.ok());
    for (size_t i = 0; i < extents.size(); ++i) ASSERT_EQ((*counts)[i], extents[i].length);
    EXPECT_TRUE(data == back);
    EXPECT_EQ(c->commit(file->handle), 0);
    // A read that goes beyond the end gets what there is, each extent by itself.
    const std::vector<Extent> beyond = {{18'000'000 - 10, 100}, {0, 50}, {1 << 30, 5}, {2000, 9}};
    const auto size = c->attributes(file->handle)->size;
    const iovec into{back.data(), 164};
    const auto short_counts = c->read(file->handle, {&into, 1}, beyond);
    ASSERT_TRUE(short_counts.ok());
    EXPECT_EQ((*short_counts)[0], std::min<uint64_t>(100, size - std::min<uint64_t>(size, 18'000'000 - 10)));
    EXPECT_EQ((*short_counts)[1], 50u);
    EXPECT_EQ((*short_counts)[2], 0u);
  }
}

TEST_F(ServerTest, AHandleOfOneServerIsGoodAtAnother) {
  start_posix();
  const auto c = client();
  const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
  Server::Options options = options_;
  options.addresses = {"unix:" + directory_ + "/other"};
  const auto other = Server::start(std::move(*PosixBackend::make({directory_ + "/root"}, {})), options);
  ASSERT_TRUE(other.ok());
  const auto d = Client::open((*other)->addresses(), {}, 20'000);
  EXPECT_TRUE((*d)->attributes(file->handle).ok());
  Handle forged = file->handle;
  forged[4] ^= 1;
  EXPECT_EQ((*d)->attributes(forged).error(), ESTALE);
}

TEST_F(ServerTest, ManyThreadsShareAConnection) {
  start_memory();
  const auto c = client();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const auto file = c->create(c->roots()[0].handle, "f" + std::to_string(t), 0, 0644);
      for (uint32_t i = 0; i < 40; ++i) {
        std::vector<uint8_t> data = server_pattern(1 + i * 7919, t * 100 + i), back(data.size());
        const iovec part{data.data(), data.size()}, into{back.data(), back.size()};
        const Extent where{i * 1000, data.size()};
        if (c->write(file->handle, {&part, 1}, {&where, 1}) != 0) ++wrong;
        if (!c->read(file->handle, {&into, 1}, {&where, 1}).ok() || data != back) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ServerTest, RefusesWhoHasNotTheSecret) {
  start_memory();
  WireOptions wire;
  EXPECT_FALSE(Client::open({server_->addresses()[1]}, wire).ok());
  wire.secret = random_secret();
  const auto wrong = Client::open({server_->addresses()[1]}, wire);
  EXPECT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("another secret"), std::string::npos);
  // Who does not mind what the server says, and claims to know the secret.
  const auto peer = link(1);
  Request prove;
  prove.op = Op::kProve;
  send(*peer, message(hello()));
  receive(*peer);
  send(*peer, message(prove));
  EXPECT_TRUE(was_ended(*peer));
  EXPECT_GE(server_->counters().refused_messages + server_->counters().refused_strangers, 1u);
  EXPECT_NE(client(1), nullptr);
}

TEST_F(ServerTest, RefusesGarbageAndGoesOnWithOthers) {
  start_memory();
  const auto other = client();
  std::vector<std::vector<uint8_t>> garbage = {
      std::vector<uint8_t>(100, 0xff),
      std::vector<uint8_t>(5000, 0),
      server_pattern(4000, 5),
  };
  Request status;
  status.op = Op::kStatus;
  garbage.push_back(message(status));  // before any greeting
  Header header;
  std::vector<uint8_t> oversized = message(hello());
  base::ByteWriter(oversized).set_u32(8, kLongestBody);
  garbage.push_back(oversized);  // more than a stranger may send
  for (const auto& bytes : garbage) {
    for (size_t address = 0; address < 2; ++address) {
      const auto peer = link(address);
      send(*peer, bytes);
      EXPECT_TRUE(was_ended(*peer));
    }
  }
  EXPECT_EQ(server_->counters().refused_messages, 2 * garbage.size());
  // Behind a good greeting: data beyond the limit, extents that lie, places outside of a window that is not there.
  Request write;
  write.op = Op::kWrite;
  write.extents = {{0, 100}};
  header.data = kLongestData;
  for (const uint8_t flags : {uint8_t{0}, kInWindow}) {
    for (const uint32_t bytes : {kLongestData, 99u, 100u}) {
      if (flags == 0 && bytes == 100) continue;
      const auto peer = greeted();
      header.data = bytes;
      header.flags = flags;
      auto frame = message(write, header);
      if (flags == 0) frame.resize(frame.size() + 200);
      send(*peer, frame);
      EXPECT_TRUE(was_ended(*peer)) << int{flags} << " " << bytes;
    }
  }
  EXPECT_TRUE(other->create(other->roots()[0].handle, "f", 0, 0644).ok());
}

TEST_F(ServerTest, EndsSlowPeers) {
  options_.limits.hello_ns = options_.limits.message_ns = 500'000'000;
  start_memory();
  const auto silent = link();
  EXPECT_TRUE(was_ended(*silent));
  const auto slow = greeted();
  auto half = message(hello());
  half.resize(half.size() / 2);
  send(*slow, half);
  EXPECT_TRUE(was_ended(*slow));
  EXPECT_EQ(server_->counters().refused_slow, 2u);
}

TEST_F(ServerTest, DoesOnceWhatIsSentTwice) {
  start_memory();
  const Request greeting = hello();
  Header header;
  header.id = 5;
  header.passed = 5;
  Request mkdir;
  mkdir.op = Op::kMkdir;
  const auto observer = client();
  const Handle root = observer->roots()[0].handle;
  mkdir.handle = root;
  mkdir.name = "d";
  std::vector<uint8_t> first, again;
  {
    const auto peer = greeted(greeting);
    send(*peer, message(mkdir, header));
    first = receive(*peer);
    send(*peer, message(mkdir, header));  // on the same connection
    again = receive(*peer);
    EXPECT_EQ(first, again);
  }
  const auto peer = greeted(greeting);  // and on the next
  send(*peer, message(mkdir, header));
  EXPECT_EQ(receive(*peer), first);
  EXPECT_EQ(decode_header(Bytes(first).first(kHeaderBytes))->limit, 0u);
  EXPECT_EQ(server_->counters().repeated, 2u);
  // Another client's call of that number is a call of its own.
  const auto stranger = greeted();
  send(*stranger, message(mkdir, header));
  EXPECT_EQ(decode_header(Bytes(receive(*stranger)).first(kHeaderBytes))->limit, static_cast<uint32_t>(EEXIST));
  // What was passed does not come back.
  header.id = header.passed = 6;
  mkdir.name = "e";
  send(*peer, message(mkdir, header));
  receive(*peer);
  header.id = header.passed = 5;
  send(*peer, message(mkdir, header));
  EXPECT_TRUE(was_ended(*peer));
}

TEST_F(ServerTest, CallsThatHappenOnceWaitForAVeryOldOne) {
  TrialOptions trial;
  trial.stop_file = directory_ + "/stop";
  close(open(trial.stop_file.c_str(), O_CREAT | O_WRONLY, 0600));
  start(std::make_unique<TrialBackend>(std::make_unique<MemoryBackend>("/m", 1 << 20), trial));
  const auto c = client();
  const Handle root = c->roots()[0].handle;
  const auto file = c->create(root, "f", 0, 0644);
  std::thread old([&] { EXPECT_EQ(c->commit(file->handle, {}, nullptr), 0); });
  while (c->channel_of(root).under_way() == 0) usleep(1000);
  std::atomic<size_t> done = 0;
  std::thread many([&] {
    for (; done < 3 * kMostOnce; ++done) ASSERT_EQ(c->remove(root, "none", false), ENOENT);
  });
  while (done < kMostOnce - 2) usleep(1000);
  unlink(trial.stop_file.c_str());
  many.join();
  old.join();
  EXPECT_EQ(server_->counters().refused_messages, 0u);
  EXPECT_EQ(server_->counters().accepted, 1u);
}

TEST_F(ServerTest, AClientOutlivesItsServer) {
  start_posix();
  const auto c = client();
  const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
  server_.reset();
  std::thread later([&] {
    usleep(100'000);
    start_posix();
  });
  std::vector<uint8_t> data = server_pattern(3 << 20, 4), back(data.size());
  const iovec part{data.data(), data.size()}, into{back.data(), back.size()};
  const Extent where{0, data.size()};
  EXPECT_EQ(c->write(file->handle, {&part, 1}, {&where, 1}), 0);
  later.join();
  EXPECT_TRUE(c->read(file->handle, {&into, 1}, {&where, 1}).ok());
  EXPECT_TRUE(data == back);
}

TEST_F(ServerTest, KeepsItsMemoryBoundWhileTheDiskIsSlow) {
  options_.limits.memory = 16 << 20;
  options_.limits.most_data = 1 << 20;
  options_.storage_threads = 2;
  TrialOptions slow;
  slow.delay_ns = 2'000'000;
  start(std::make_unique<TrialBackend>(std::make_unique<NullBackend>("/n"), slow));
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (size_t i = 0; i < 12; ++i) clients.push_back(client(i % 2));
  for (const auto& c : clients) {
    threads.emplace_back([&failed, &c] {
      std::vector<uint8_t> data(6 << 20, 1);
      const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
      const iovec part{data.data(), data.size()};
      const Extent where{0, data.size()};
      if (c->write(file->handle, {&part, 1}, {&where, 1}) != 0) ++failed;
      if (!c->read(file->handle, {&part, 1}, {&where, 1}).ok()) ++failed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(server_->counters().parked, 0u);
  EXPECT_LE(server_->buffers().most_used(), options_.limits.memory);
}

TEST_F(ServerTest, FreesWhatAClientHeld) {
  start_memory();
  {
    const auto peer = greeted();
    const auto c = client();
    const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
    Request write;
    write.op = Op::kWrite;
    write.handle = file->handle;
    write.extents = {{0, 1 << 20}};
    Header header;
    header.id = 1;
    header.data = 1 << 20;
    auto frame = message(write, header);
    frame.resize(frame.size() + 1000);  // and then it is gone
    send(*peer, frame);
    while (server_->buffers().used() < (5 << 20)) usleep(1000);
  }
  for (int i = 0; i < 1000 && server_->buffers().used() > 0; ++i) usleep(10'000);
  EXPECT_EQ(server_->buffers().used(), 0u);
  EXPECT_EQ(server_->counters().open, 0u);
}

TEST_F(ServerTest, TellsWhichRangesAreNotStored) {
  TrialOptions full;
  full.fail_after = 1500;
  full.error = EDQUOT;
  options_.write_buffer.on = false;
  start(std::make_unique<TrialBackend>(std::make_unique<MemoryBackend>("/m", 1 << 20), full));
  const auto c = client();
  const auto file = c->create(c->roots()[0].handle, "f", 0, 0644);
  std::vector<uint8_t> data(3000);
  const iovec part{data.data(), data.size()};
  const std::vector<Extent> extents = {{0, 1000}, {5000, 1000}, {9000, 1000}};
  std::vector<BadRange> bad;
  EXPECT_EQ(c->write(file->handle, {&part, 1}, extents, 0, &bad), EDQUOT);
  const std::vector<BadRange> expected = {{EDQUOT, {5500, 500}}, {EDQUOT, {9000, 1000}}};
  EXPECT_EQ(bad, expected);
}

}  // namespace
}  // namespace headrace::forward
