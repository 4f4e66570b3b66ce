#include "programs/finalize/mpi_communicator.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/clock.h"

namespace headrace::programs {

using base::Bytes;
using base::Code;
using base::kNobody;
using base::Status;

namespace {

// A message begins with its length and as much as fits: most have no second part.
constexpr size_t kFirst = 8192, kInFirst = kFirst - sizeof(uint64_t);
constexpr uint64_t kLargestPart = 1 << 30;  // counts are of 32 bits
constexpr uint64_t kLargest = uint64_t{1} << 40;
constexpr int kTag = 77;

}  // namespace

struct MpiCommunicator::Transfer {
  uint64_t request = 0;
  bool started = false, done = false;
};

bool MpiCommunicator::done(Transfer& transfer) const {
  int finished = 0;
  if (!transfer.started || transfer.done) return true;
  if (mpi_.test(&transfer.request, &finished, mpi_.status_ignore) != 0) return false;
  return transfer.done = finished != 0;
}

Status MpiCommunicator::wait(Transfer* transfers, int count) const {
  const uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + mpi_.patience_ns;
  for (uint32_t attempt = 0;; ++attempt) {
    bool all = true;
    for (int i = 0; i < count; ++i) all &= done(transfers[i]);
    if (all) return {};
    if (base::clock_ns(CLOCK_MONOTONIC) > deadline) return {Code::kIo, "another rank did not come in time"};
    // Ranks may be more than processors: give way, and after a while sleep.
    const timespec moment = {0, 100'000};
    if (attempt < 200)
      sched_yield();
    else
      nanosleep(&moment, nullptr);
  }
}

Status MpiCommunicator::exchange(int to, Bytes out, int from, std::vector<uint8_t>* in) {
  const auto start = [](int result, Transfer& transfer) { transfer.started = result == 0; };
  // Not freed when the wait fails: what comes late must find the memory it was promised.
  auto first_out = std::make_unique<uint8_t[]>(kFirst), first_in = std::make_unique<uint8_t[]>(kFirst);
  Transfer first[2], *rest = new Transfer[2];
  const uint64_t sent = out.size();
  const auto give_up = [&](const Status& why) {
    (void)first_out.release();
    (void)first_in.release();
    return why;
  };
  if (from != kNobody)
    start(mpi_.irecv(first_in.get(), kFirst, mpi_.byte_type, from, kTag, mpi_.communicator, &first[0].request), first[0]);
  if (to != kNobody) {
    const size_t part = std::min<size_t>(out.size(), kInFirst);
    std::memcpy(first_out.get(), &sent, sizeof sent);
    if (part > 0) std::memcpy(first_out.get() + sizeof sent, out.data(), part);
    start(mpi_.isend(first_out.get(), static_cast<int>(part + sizeof sent), mpi_.byte_type, to, kTag, mpi_.communicator,
                     &first[1].request),
          first[1]);
  }
  if ((from != kNobody && !first[0].started) || (to != kNobody && !first[1].started))
    return give_up({Code::kIo, "the MPI library refuses a message"});
  if (const Status waited = wait(first, 2); !waited.ok()) return give_up(waited);

  uint64_t received = 0;
  if (from != kNobody) {
    std::memcpy(&received, first_in.get(), sizeof received);
    if (received > kLargest) return {Code::kCorrupt, "a rank sent a message of no length"};
    in->resize(received);
    if (received > 0) std::memcpy(in->data(), first_in.get() + sizeof received, std::min<size_t>(received, kInFirst));
  }
  for (uint64_t at = kInFirst; at < std::max(received, sent); at += kLargestPart) {
    rest[0] = rest[1] = {};
    if (from != kNobody && at < received)
      start(mpi_.irecv(in->data() + at, static_cast<int>(std::min(received - at, kLargestPart)), mpi_.byte_type, from,
                       kTag, mpi_.communicator, &rest[0].request),
            rest[0]);
    if (to != kNobody && at < sent)
      start(mpi_.isend(out.data() + at, static_cast<int>(std::min(sent - at, kLargestPart)), mpi_.byte_type, to, kTag,
                       mpi_.communicator, &rest[1].request),
            rest[1]);
    if (const Status waited = wait(rest, 2); !waited.ok()) {
      if (in) (void)(new std::vector<uint8_t>(std::move(*in)));  // NOLINT: kept for what comes late
      return waited;
    }
  }
  delete[] rest;
  return {};
}

}  // namespace headrace::programs
