// Does what a call asks for.
#pragma once
#include "forward/backend/backend.h"
#include "forward/protocol/handle.h"
#include "forward/server/call.h"
#include "forward/server/counters.h"

namespace headrace::forward {

/// What calls are executed with; safe in any thread.
struct Services {
  Backend* backend;
  const HandleMaker* handles;
  Counters* counters;
  const Buffers* buffers;
};

/// `call.data` is taken over by the answer when it goes back to the client.
Answer execute(const Services& services, Call& call);
/// The answer to a call that is not executed.
Answer refuse(const Call& call, int error);

}  // namespace headrace::forward
