// Messages that a server refuses: the call fails, and others go on.
#include <errno.h>
#include <gtest/gtest.h>

#include <chrono>

#include "forward/backend/memory.h"
#include "forward/client/client.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

class RefusedTest : public testing::Test {
 protected:
  RefusedTest() {
    Server::Options options;
    options.addresses = {"tcp:127.0.0.1:0"};
    options.secret = secret_;
    auto server = Server::start(std::make_unique<MemoryBackend>("/m", 16 << 20), options);
    EXPECT_TRUE(server.ok()) << server.message();
    server_ = std::move(*server);
    WireOptions wire;
    wire.secret = secret_;
    auto opened = Client::open(server_->addresses(), wire, 20'000);
    EXPECT_TRUE(opened.ok()) << opened.message();
    client_ = std::move(*opened);
    root_ = client_->roots()[0].handle;
  }
  const Secret secret_ = random_secret();
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
  Handle root_;
};

TEST_F(RefusedTest, LengthsAreLookedAtBeforeTheyAreSent) {
  const std::string deep(kLongestPath + 1, 'a'), whole(kLongestPath, 'a');
  const uint64_t connection = client_->connection(root_);
  EXPECT_EQ(client_->lookup(root_, deep).error(), ENAMETOOLONG);
  EXPECT_EQ(client_->create(root_, deep, 0, 0600).error(), ENAMETOOLONG);
  EXPECT_EQ(client_->rename(root_, "a", root_, deep), ENAMETOOLONG);
  EXPECT_EQ(client_->symlink(root_, "a", deep).error(), ENAMETOOLONG);
  EXPECT_EQ(client_->lookup(root_, whole).error(), ENAMETOOLONG);  // of a single name: the file system says so
  EXPECT_EQ(client_->resize(root_, UINT64_MAX).error(), EINVAL);
  EXPECT_TRUE(client_->mkdir(root_, "a", 0700).ok());
  EXPECT_EQ(client_->connection(root_), connection);
}

TEST_F(RefusedTest, ACallThatIsRefusedFailsAndOthersAreDone) {
  const auto file = client_->create(root_, "file", 0, 0600);
  ASSERT_TRUE(file.ok());
  Channel& channel = client_->channel(0);
  std::vector<char> large(channel.most_data() + 4096);
  Request request;
  request.op = Op::kWrite;
  request.handle = file->handle;
  request.extents = {{0, large.size()}};
  Pending refused, good;
  const auto begun = std::chrono::steady_clock::now();
  channel.submit(request, {{large.data(), large.size()}}, large.size(), &refused);
  request.extents = {{0, 1000}};
  channel.submit(request, {{large.data(), 1000}}, 1000, &good);
  EXPECT_EQ(channel.wait(&refused), EPROTO);
  EXPECT_EQ(channel.wait(&good), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
  EXPECT_LT(client_->connection(root_), 12u);
  EXPECT_EQ(client_->attributes(file->handle)->size, 1000u);
}

}  // namespace
}  // namespace headrace::forward
