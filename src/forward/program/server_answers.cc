#include "forward/program/server_answers.h"

#include "base/clock.h"
#include "forward/client/channel.h"

namespace headrace::forward::program {
namespace {

const Recorder* told;

ServerAnswer::Kind kind_of(Op op) {
  switch (op) {
    case Op::kRead:
      return ServerAnswer::kRead;
    case Op::kWrite:
    case Op::kAppend:
      return ServerAnswer::kWrite;
    case Op::kCommit:
      return ServerAnswer::kCommit;
    default:
      return ServerAnswer::kMetadata;
  }
}

void answered(const Pending& pending) {
  const auto op = static_cast<Op>(pending.header.op);
  const bool ok = pending.result() == 0;
  const Served times = pending.error == 0 ? served(pending.reply_header) : Served{};
  const uint64_t bytes = op == Op::kRead ? pending.moved : ok ? pending.header.data : 0;
  told->answered({.kind = kind_of(op),
                  .ok = ok,
                  .begun = pending.begun_ticks,
                  .elapsed_ns = base::clock_ns(CLOCK_MONOTONIC) - pending.begun_ns,
                  .waited_ns = times.waited_ns,
                  .worked_ns = times.worked_ns,
                  .bytes = bytes});
}

}  // namespace

void tell_of_answers(const Recorder& recorder) {
  told = &recorder;
  observer = {recorder.now, answered};
}

}  // namespace headrace::forward::program
