// forward_speed ADDRESS SECRET|- SECONDS [MEASURE]...: how quick a running server is, a line "NAME VALUE UNIT CALLS"
// for each measure, of which each takes SECONDS; all of them unless some are named.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <string>

#include "base/clock.h"
#include "forward/client/client.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

double now() { return static_cast<double>(base::clock_ns(CLOCK_MONOTONIC)) / 1e9; }

[[noreturn]] void fail(const std::string& why) {
  fprintf(stderr, "forward_speed: %s\n", why.c_str());
  exit(1);
}

enum class Unit { kHalfTripUs, kCallsASecond, kRecordsASecond, kGigabytesASecond };
constexpr const char* kUnits[] = {"us", "calls/s", "records/s", "GB/s"};

struct Measure {
  const char* name;
  Op op;
  size_t bytes, at_once;
  Unit unit;
  size_t records = 1;  // of an append, of `bytes` in all
};

constexpr size_t kMiB = 1 << 20;
constexpr Measure kMeasures[] = {
    {"write-64", Op::kWrite, 64, 1, Unit::kHalfTripUs},
    {"write-64-x32", Op::kWrite, 64, 32, Unit::kCallsASecond},
    {"getattr-x32", Op::kGetattr, 0, 32, Unit::kCallsASecond},
    {"append-64", Op::kAppend, 64, 1, Unit::kHalfTripUs},
    {"append-64-x32", Op::kAppend, 64, 32, Unit::kCallsASecond},
    {"append-64-list256", Op::kAppend, 64 * 256, 2, Unit::kRecordsASecond, 256},
    {"write-1M", Op::kWrite, kMiB, 1, Unit::kGigabytesASecond},
    {"read-1M", Op::kRead, kMiB, 1, Unit::kGigabytesASecond},
    {"write-1M-x3", Op::kWrite, kMiB, 3, Unit::kGigabytesASecond},
    {"read-1M-x3", Op::kRead, kMiB, 3, Unit::kGigabytesASecond},
};

struct Rate {
  uint64_t calls = 0;
  double seconds = 0;
};

/// The memory of one call, in as many parts as it has records.
std::vector<iovec> parts_of(const Measure& measure, uint8_t* data) {
  if (measure.bytes == 0) return {};
  const size_t part = measure.bytes / measure.records;
  std::vector<iovec> parts;
  for (size_t i = 0; i < measure.records; ++i) parts.push_back({data + i * part, part});
  return parts;
}

Rate rate(Client& client, const Handle& file, const Measure& measure, double seconds) {
  std::vector<uint8_t> data(measure.bytes * measure.at_once, 1);
  Channel& channel = client.channel_of(file);
  std::deque<Pending> under_way;
  Rate rate;
  const double begin = now();
  while (now() - begin < seconds || !under_way.empty()) {
    if (under_way.size() < measure.at_once && now() - begin < seconds) {
      const size_t at = rate.calls % measure.at_once * measure.bytes;
      Request request;
      request.op = measure.op;
      request.handle = file;
      request.size = measure.bytes;
      if (measure.op == Op::kWrite || measure.op == Op::kRead) request.extents = {{at, measure.bytes}};
      channel.submit(request, parts_of(measure, data.data() + at), measure.bytes, &under_way.emplace_back());
      ++rate.calls;
      continue;
    }
    if (const int error = channel.wait(&under_way.front()); error != 0)
      fail(std::string(measure.name) + ": " + strerror(error));
    under_way.pop_front();
  }
  rate.seconds = now() - begin;
  return rate;
}

double value_of(const Measure& measure, const Rate& rate) {
  const auto calls = static_cast<double>(rate.calls);
  if (measure.unit == Unit::kHalfTripUs) return rate.seconds / calls / 2 * 1e6;
  if (measure.unit == Unit::kGigabytesASecond) return calls * static_cast<double>(measure.bytes) / rate.seconds / 1e9;
  return calls * static_cast<double>(measure.records) / rate.seconds;
}

/// Connections one after another: the median and the longest time until a client may make its first call.
void measure_starts(const std::string& address, const WireOptions& options, double seconds) {
  std::vector<double> times;
  for (const double begin = now(); now() - begin < seconds || times.empty();) {
    const double start = now();
    const auto client = Client::open({address}, options);
    if (!client.ok()) fail(client.message());
    times.push_back((now() - start) * 1e3);
  }
  std::sort(times.begin(), times.end());
  printf("start %.3f ms %zu\n", times[times.size() / 2], times.size());
  printf("start-worst %.3f ms %zu\n", times.back(), times.size());
}

void measure_memcpy(double seconds) {
  std::vector<uint8_t> from(kMiB, 1), to(kMiB);
  uint64_t copies = 0;
  const double begin = now();
  for (; now() - begin < seconds; ++copies) {
    memcpy(to.data(), from.data(), from.size());
    asm volatile("" ::"r"(to.data()) : "memory");
  }
  printf("memcpy-1M %.3f GB/s %llu\n", static_cast<double>(copies * kMiB) / (now() - begin) / 1e9,
         static_cast<unsigned long long>(copies));
}

}  // namespace

int main(int count, char** values) {
  if (count < 4) return 2;
  const double seconds = atof(values[3]);
  const auto wanted = [&](const char* name) {
    return count == 4 || std::any_of(values + 4, values + count, [&](char* each) { return strcmp(each, name) == 0; });
  };
  WireOptions options;
  if (strcmp(values[2], "-") != 0) {
    const auto secret = read_secret(values[2], false);
    if (!secret.ok()) fail(secret.message());
    options.secret = *secret;
  }
  if (wanted("start")) measure_starts(values[1], options, seconds);
  const auto client = Client::open({values[1]}, options);
  if (!client.ok()) fail(client.message());
  const std::string name = "speed." + std::to_string(getpid());
  const auto& root = (*client)->roots()[0].handle;
  const auto file = (*client)->create(root, name, kTruncate, 0600);
  if (!file.ok()) fail(strerror(file.error()));
  for (const Measure& measure : kMeasures) {
    if (!wanted(measure.name)) continue;
    const Rate got = rate(**client, file->handle, measure, seconds);
    printf("%s %.3f %s %llu\n", measure.name, value_of(measure, got), kUnits[static_cast<int>(measure.unit)],
           static_cast<unsigned long long>(got.calls));
    fflush(stdout);
  }
  if (wanted("memcpy-1M")) measure_memcpy(seconds);
  (void)(*client)->remove(root, name, false);
  return 0;
}
