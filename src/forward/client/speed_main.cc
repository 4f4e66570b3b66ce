// forward-speed ADDRESS SECRET|- [SECONDS]: how quick a running server is, beside memcpy in the same process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deque>

#include "base/clock.h"
#include "forward/client/client.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

double now() { return static_cast<double>(base::clock_ns(CLOCK_MONOTONIC)) / 1e9; }

Request write_request(const Handle& handle, const Extent& extent) {
  Request request;
  request.op = Op::kWrite;
  request.handle = handle;
  request.size = extent.length;
  request.extents = {extent};
  return request;
}

/// Calls of `bytes` each, `at_once` under way; gives calls a second.
double rate(Client& client, const Handle& file, Op op, size_t bytes, size_t at_once, double seconds) {
  std::vector<uint8_t> data(bytes * at_once, 1);
  Channel& channel = client.channel_of(file);
  std::deque<Pending> under_way;
  uint64_t calls = 0;
  const double begin = now();
  while (now() - begin < seconds || !under_way.empty()) {
    if (under_way.size() < at_once && now() - begin < seconds) {
      const size_t slot = calls % at_once;
      Request request = write_request(file, {slot * bytes, bytes});
      request.op = op;
      if (op == Op::kGetattr || op == Op::kAppend) request.extents.clear();
      std::vector<iovec> memory;
      if (op != Op::kGetattr) memory = {{data.data() + slot * bytes, bytes}};
      channel.submit(request, memory, memory.empty() ? 0 : bytes, &under_way.emplace_back());
      ++calls;
      continue;
    }
    if (channel.wait(&under_way.front()) != 0) exit(1);
    under_way.pop_front();
  }
  return static_cast<double>(calls) / (now() - begin);
}

}  // namespace

int main(int count, char** values) {
  if (count < 3) return 2;
  const double seconds = count > 3 ? atof(values[3]) : 1;
  WireOptions options;
  if (strcmp(values[2], "-") != 0) {
    auto secret = read_secret(values[2], false);
    if (secret.ok()) options.secret = *secret;
  }
  const double start = now();
  auto client = Client::open({values[1]}, options);
  if (!client.ok()) return fprintf(stderr, "%s\n", client.message().c_str()), 1;
  printf("client start            %8.2f ms\n", (now() - start) * 1e3);
  const auto file = (*client)->create((*client)->roots()[0].handle, "speed", kTruncate, 0600);
  if (!file.ok()) return fprintf(stderr, "%s\n", strerror(file.error())), 1;
  Client& c = **client;
  rate(c, file->handle, Op::kWrite, 64, 1, 0.1);
  printf("64 B write, half trip   %8.2f us\n", 1e6 / rate(c, file->handle, Op::kWrite, 64, 1, seconds) / 2);
  printf("64 B write, 32 at once  %8.0f calls/s\n", rate(c, file->handle, Op::kWrite, 64, 32, seconds));
  printf("getattr, 32 at once     %8.0f calls/s\n", rate(c, file->handle, Op::kGetattr, 0, 32, seconds));
  printf("64 B append, half trip  %8.2f us\n", 1e6 / rate(c, file->handle, Op::kAppend, 64, 1, seconds) / 2);
  printf("64 B append, 32 at once %8.0f calls/s\n", rate(c, file->handle, Op::kAppend, 64, 32, seconds));
  for (const size_t at_once : {1, 3}) {
    printf("1 MiB write, %zu at once  %8.2f GB/s\n", at_once,
           rate(c, file->handle, Op::kWrite, 1 << 20, at_once, seconds) * (1 << 20) / 1e9);
    printf("1 MiB read, %zu at once   %8.2f GB/s\n", at_once,
           rate(c, file->handle, Op::kRead, 1 << 20, at_once, seconds) * (1 << 20) / 1e9);
  }
  std::vector<uint8_t> from(1 << 20, 1), to(1 << 20);
  const double begin = now();
  uint64_t copies = 0;
  for (; now() - begin < seconds; ++copies) {
    memcpy(to.data(), from.data(), from.size());
    asm volatile("" ::"r"(to.data()) : "memory");
  }
  printf("memcpy 1 MiB, hot       %8.2f GB/s\n", static_cast<double>(copies << 20) / (now() - begin) / 1e9);
  return 0;
}
