#include "programs/finalize/mpi_communicator.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <cstring>

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
// Nobody has more to hand on than the records of all ranks, merged; a length beyond it is none.
constexpr uint64_t kLargest = uint64_t{8} << 30;
constexpr int kTag = 77;

/// Whether there is memory for so much. The vector itself could not say no: the whole reduction would be left.
bool there_is_room(uint64_t bytes) {
  void* memory = malloc(bytes);
  free(memory);
  return memory != nullptr;
}

}  // namespace

struct MpiCommunicator::Transfer {
  uint64_t request = 0;
  bool started = false, done = false;
};

/// All memory of one exchange. It is freed only when the exchange is complete: what comes late, after the patience has
/// ended, must find the memory that MPI was promised.
struct MpiCommunicator::Pending {
  Transfer sending, receiving;
  uint8_t first_out[kFirst], first_in[kFirst];
  std::vector<uint8_t> out, in;
  Pending* next = nullptr;
};

bool MpiCommunicator::done(Transfer& transfer) const {
  int finished = 0;
  if (!transfer.started || transfer.done) return true;
  if (mpi_.test(&transfer.request, &finished, mpi_.status_ignore) != 0) return false;
  return transfer.done = finished != 0;
}

Status MpiCommunicator::wait(Transfer& one, Transfer& other) const {
  const uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + mpi_.patience_ns;
  for (uint32_t attempt = 0;; ++attempt) {
    const bool first = done(one), second = done(other);
    if (first && second) return {};
    if (base::clock_ns(CLOCK_MONOTONIC) > deadline) return {Code::kIo, "another rank did not come in time"};
    // Ranks may be more than processors: give way, and after a while sleep.
    const timespec moment = {0, 100'000};
    if (attempt < 200)
      sched_yield();
    else
      nanosleep(&moment, nullptr);
  }
}

Status MpiCommunicator::send(const uint8_t* bytes, size_t count, int to, Transfer* transfer) const {
  *transfer = {};
  const int result =
      mpi_.isend(bytes, static_cast<int>(count), mpi_.byte_type, to, kTag, mpi_.communicator, &transfer->request);
  transfer->started = result == 0;
  return result == 0 ? Status() : Status(Code::kIo, "MPI does not send");
}

Status MpiCommunicator::receive(uint8_t* bytes, size_t count, int from, Transfer* transfer) const {
  *transfer = {};
  const int result =
      mpi_.irecv(bytes, static_cast<int>(count), mpi_.byte_type, from, kTag, mpi_.communicator, &transfer->request);
  transfer->started = result == 0;
  return result == 0 ? Status() : Status(Code::kIo, "MPI does not receive");
}

Status MpiCommunicator::run(Pending& pending, int to, int from) const {
  const uint64_t sent = to == kNobody ? 0 : pending.out.size();
  if (from != kNobody) HEADRACE_TRY(receive(pending.first_in, kFirst, from, &pending.receiving));
  if (to != kNobody) {
    const size_t part = std::min<size_t>(sent, kInFirst);
    std::memcpy(pending.first_out, &sent, sizeof sent);
    if (part > 0) std::memcpy(pending.first_out + sizeof sent, pending.out.data(), part);
    HEADRACE_TRY(send(pending.first_out, part + sizeof sent, to, &pending.sending));
  }
  HEADRACE_TRY(wait(pending.receiving, pending.sending));
  uint64_t received = 0;
  if (from != kNobody) {
    std::memcpy(&received, pending.first_in, sizeof received);
    if (received > kLargest) return {Code::kCorrupt, "a rank sent a message of no possible length"};
    if (received > kInFirst && !there_is_room(received)) return {Code::kLimit, "no memory for a rank's message"};
    pending.in.resize(received);
    if (received > 0)
      std::memcpy(pending.in.data(), pending.first_in + sizeof received, std::min<size_t>(received, kInFirst));
  }
  for (uint64_t at = kInFirst; at < std::max(received, sent); at += kLargestPart) {
    if (at < received)
      HEADRACE_TRY(receive(pending.in.data() + at, std::min(received - at, kLargestPart), from, &pending.receiving));
    if (at < sent) HEADRACE_TRY(send(pending.out.data() + at, std::min(sent - at, kLargestPart), to, &pending.sending));
    HEADRACE_TRY(wait(pending.receiving, pending.sending));
  }
  return {};
}

Status MpiCommunicator::exchange(int to, Bytes out, int from, std::vector<uint8_t>* in) {
  auto* pending = new Pending;
  if (to != kNobody) pending->out.assign(out.begin(), out.end());
  if (const Status status = run(*pending, to, from); !status.ok()) {
    static Pending* kept = nullptr;  // of this process's one thread that is in MPI_Finalize
    pending->next = kept;
    kept = pending;
    return status;
  }
  if (from != kNobody) *in = std::move(pending->in);
  delete pending;
  return {};
}

}  // namespace headrace::programs
