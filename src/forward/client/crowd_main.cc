// forward_crowd ADDRESS SECRET|- CLIENTS ROUNDS BYTES [idle]: many clients of one server, each with a connection of its
// own. In every round each writes BYTES to its place in one file, and when all have, each reads them and compares.
// idle: they stay connected until standard input ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "forward/client/client.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

double now() { return static_cast<double>(base::clock_ns(CLOCK_MONOTONIC)) / 1e9; }

struct Member {
  std::unique_ptr<Client> client;
  Handle file;
  Pending pending;
  std::vector<uint8_t> data;
};

bool join(const char* address, const WireOptions& options, size_t bytes, Member* member) {
  auto client = Client::open({address}, options);
  if (!client.ok()) return fprintf(stderr, "%s\n", client.message().c_str()), false;
  member->client = std::move(*client);
  const auto file = member->client->create(member->client->roots()[0].handle, "crowd", 0, 0600);
  if (!file.ok()) return fprintf(stderr, "create: %s\n", strerror(file.error())), false;
  member->file = file->handle;
  member->data.resize(bytes);
  return true;
}

uint8_t value_of(size_t member, size_t round, size_t at) {
  return static_cast<uint8_t>(member * 31 + round * 7 + at / 64);
}

/// All at once; gives how many failed.
size_t all(Op op, std::vector<Member>& members) {
  for (size_t i = 0; i < members.size(); ++i) {
    Member& member = members[i];
    Request request;
    request.op = op;
    request.handle = member.file;
    request.extents = {{i * member.data.size(), member.data.size()}};
    member.pending = Pending();
    member.client->channel_of(member.file)
        .submit(request, {{member.data.data(), member.data.size()}}, member.data.size(), &member.pending);
  }
  size_t failed = 0;
  for (Member& member : members) failed += member.client->channel_of(member.file).wait(&member.pending) != 0;
  return failed;
}

/// Gives the members for whom it went wrong.
size_t play(std::vector<Member>& members, size_t round) {
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t at = 0; at < members[i].data.size(); ++at) members[i].data[at] = value_of(i, round, at);
  }
  size_t wrong = all(Op::kWrite, members);
  for (Member& member : members) std::fill(member.data.begin(), member.data.end(), uint8_t{0});
  wrong += all(Op::kRead, members);
  for (size_t i = 0; i < members.size(); ++i) {
    bool same = true;
    for (size_t at = 0; at < members[i].data.size(); ++at) same = same && members[i].data[at] == value_of(i, round, at);
    wrong += !same;
  }
  return wrong;
}

}  // namespace

int main(int count, char** values) {
  if (count < 6) return 2;
  const size_t clients = strtoul(values[3], nullptr, 10), rounds = strtoul(values[4], nullptr, 10);
  const size_t bytes = strtoul(values[5], nullptr, 10);
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  WireOptions options;
  if (strcmp(values[2], "-") != 0) {
    const auto secret = read_secret(values[2], false);
    if (secret.ok()) options.secret = *secret;
  }
  std::vector<Member> members(clients);
  double worst = 0;
  const double begin = now();
  for (Member& member : members) {
    const double start = now();
    if (!join(values[1], options, bytes, &member)) return 1;
    worst = std::max(worst, now() - start);
  }
  const double joined = now();
  size_t wrong = 0;
  for (size_t round = 0; round < rounds; ++round) wrong += play(members, round);
  const double played = now() - joined;
  const auto windows = std::count_if(members.begin(), members.end(), [](Member& member) {
    return member.client->channel_of(member.file).has_window();
  });
  printf("clients %zu joined %.3f s worst %.3f ms windows %zu requests %zu in %.3f s wrong %zu\n", clients,
         joined - begin, worst * 1e3, static_cast<size_t>(windows), 2 * rounds * clients, played, wrong);
  fflush(stdout);
  while (count > 6 && getchar() != EOF) {
  }
  return wrong == 0 ? 0 : 1;
}
