// What a client knows to be lost when a server is started again that could not store all.
#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "forward/backend/posix.h"
#include "forward/backend/trial.h"
#include "forward/client/started.h"
#include "forward/server/server.h"

namespace headrace::forward {
namespace {

constexpr Extent kGood{0, 4}, kBad{5 << 20, 4};  // the second is where nothing can be stored

class RestartTest : public testing::Test {
 protected:
  RestartTest() : directory_(testing::TempDir() + "restart" + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/root");
    trial_.stop_file = directory_ + "/stop";
    trial_.bad = kBad;
  }
  ~RestartTest() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }
  void start() {
    server_.reset();
    Server::Options options;
    options.addresses = {"unix:" + directory_ + "/s"};
    options.secret = secret_;
    options.write_buffer.flush_age_ns = 3'600'000'000'000;
    auto posix = PosixBackend::make({directory_ + "/root"}, {});
    auto server = Server::start(std::make_unique<TrialBackend>(std::move(*posix), trial_), options);
    ASSERT_TRUE(server.ok()) << server.message();
    server_ = std::move(*server);
  }
  std::unique_ptr<Client> client() { return std::move(*Client::open(server_->addresses(), {}, 20'000)); }
  static int write(Client& client, const Handle& file, Extent where) {
    std::string text = "text";
    const iovec memory{text.data(), text.size()};
    return client.write(file, {&memory, 1}, {&where, 1});
  }

  const std::string directory_;
  const Secret secret_ = random_secret();
  TrialOptions trial_;
  std::unique_ptr<Server> server_;
};

TEST_F(RestartTest, WhatWasAnsweredWhileACommitWasUnderWayIsToldWhenItIsGone) {
  start();
  const auto c = client();
  const Handle file = c->create(c->roots()[0].handle, "f", 0, 0644)->handle;
  ASSERT_EQ(write(*c, file, kGood), 0);
  std::ofstream(trial_.stop_file).close();
  Started commit(*c, file, [] {});
  commit.commit({}, 0);
  ASSERT_EQ(write(*c, file, kBad), 0);
  std::filesystem::remove(trial_.stop_file);
  EXPECT_EQ(commit.wait(), 0);
  start();
  EXPECT_EQ(c->commit(file, {}, nullptr), EIO);
  EXPECT_EQ(c->commit(file, {}, nullptr), 0);
}

TEST_F(RestartTest, WhatWasCommittedIsNotToldToBeGone) {
  start();
  const auto c = client(), other = client();
  const Handle file = c->create(c->roots()[0].handle, "f", 0, 0644)->handle;
  ASSERT_EQ(write(*c, file, kGood), 0);
  ASSERT_EQ(c->commit(file, {}, nullptr), 0);
  ASSERT_EQ(write(*other, file, kBad), 0);
  start();
  EXPECT_EQ(c->commit(file, {}, nullptr), 0);
  EXPECT_EQ(other->commit(file, {}, nullptr), EIO);
}

}  // namespace
}  // namespace headrace::forward
