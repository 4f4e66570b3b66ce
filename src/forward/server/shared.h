// What all event loops and connections of a server share.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/random.h"
#include "forward/backend/backend.h"
#include "forward/protocol/handle.h"
#include "forward/protocol/secret.h"
#include "forward/server/appends.h"
#include "forward/server/buffers.h"
#include "forward/server/counters.h"
#include "forward/server/execute.h"
#include "forward/server/locks.h"
#include "forward/server/opens.h"
#include "forward/server/pool.h"
#include "forward/server/sessions.h"
#include "forward/server/shared_reads.h"
#include "forward/server/write_buffer.h"
#include "forward/transport/munge.h"

namespace headrace::forward {

struct Limits {
  uint64_t memory = 256 << 20;   // for data, in all
  uint32_t most_data = 4 << 20;  // of one call
  uint32_t window = 4 << 20;     // of one client, at the most; half of the memory is for them
  uint32_t most_connections = 8192;
  uint64_t hello_ns = 10'000'000'000;    // until a peer has shown who it is
  uint64_t message_ns = 60'000'000'000;  // until a message that has begun is there, and an answer is taken
};

struct Shared {
  Limits limits;
  Secret secret;
  Backend& backend;
  Buffers& buffers;
  Pool& pool;
  Sessions& sessions;
  Counters& counters;
  const HandleMaker& handles;
  Appends& appends;
  WriteBuffer& write_buffer;
  Locks& locks;
  SharedReads& reads;
  Opens& opens;
  Services services;
  Placement placement;
  const Munge* munge;               // null: the secret is told to nobody
  Pool& munge_pool;                 // waits for it, so that no peer can keep others from files
  std::function<void()> on_unkept;  // who kept the server is gone; empty = nobody may
  std::atomic<bool> kept = false;   // somebody did
  std::atomic<uint64_t> window_bytes = 0;
  const uint64_t instance = base::random_number();  // tells this start of the server from others
};

}  // namespace headrace::forward
