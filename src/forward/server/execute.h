// Does what a call asks for.
#pragma once
#include "forward/backend/backend.h"
#include "forward/protocol/handle.h"
#include "forward/server/call.h"
#include "forward/server/counters.h"

namespace headrace::forward {

class Appends;
class HeldFile;
class Journal;
class Locks;
class Opens;
class SharedReads;
class WriteBuffer;

/// What calls are executed with; safe in any thread.
struct Services {
  Backend* backend;
  const HandleMaker* handles;
  Counters* counters;
  const Buffers* buffers;
  Appends* appends;
  WriteBuffer* write_buffer;
  Locks* locks;
  SharedReads* reads;
  Opens* opens;
  Journal* journal;  // null: none is kept
};

/// `call.data` is taken over by the answer when it goes back to the client.
Answer execute(const Services& services, Call& call);
/// What clients see of an extent; a number of bytes, fewer where the file ends.
Outcome<uint64_t> read_extent(const Services& services, base::Bytes handle, Extent extent, uint8_t* into);
/// The answer to a read of one extent, whose bytes are in `call.data`.
Answer answer_read(const Services& services, Call& call, Outcome<uint64_t> got, uint64_t begun_ns);
/// The answer to a write that is held, but for what `failed`; `begun_ns`: when it did not wait any more.
Answer answer_write(const Services& services, const Call& call, const std::vector<BadRange>& failed, uint64_t begun_ns);
/// The answer to an append, which appends.h does: where it went, or why `rest` of it is not stored.
Answer answer_append(const Services& services, const Call& call, uint64_t offset, int error, Extent rest,
                     uint64_t begun_ns, bool held);
/// The answer to a call that is not executed.
Answer refuse(const Call& call, int error);

}  // namespace headrace::forward
