// What a server counts of its calls and connections.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "forward/protocol/messages.h"

namespace headrace::forward {

class Buffers;

struct Counters {
  struct Operation {
    std::atomic<uint64_t> calls = 0, failed = 0, bytes = 0;
    std::atomic<uint64_t> waited_ns = 0, worked_ns = 0;  // before and while it was done
  };
  std::array<Operation, 64> operations;
  std::atomic<uint64_t> accepted = 0, open = 0, windows = 0;
  std::atomic<uint64_t> refused_strangers = 0;  // another user, or no proof of the secret
  std::atomic<uint64_t> refused_messages = 0;   // garbage, oversized, out of order, or of a broken seal
  std::atomic<uint64_t> refused_full = 0;       // more connections than there is room for
  std::atomic<uint64_t> refused_slow = 0;       // did not end a message, or take its answer, in time
  std::atomic<uint64_t> repeated = 0;           // calls that were done before and are answered from memory
  std::atomic<uint64_t> expired = 0;            // calls whose time was over before they were begun
  std::atomic<uint64_t> not_found = 0;          // lookups of what is not there, which are no failures
  std::atomic<uint64_t> shared_reads = 0;       // answered with what another one read
  std::atomic<uint64_t> parked = 0;             // times that a connection waited for memory

  Operation& of(Op op) { return operations[static_cast<uint8_t>(op) & 63]; }
  /// In the text format of OpenMetrics 1.0, without the line that ends it.
  std::string open_metrics(const Buffers& buffers) const;
};

}  // namespace headrace::forward
