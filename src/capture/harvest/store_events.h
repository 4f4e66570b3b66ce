// Puts what a process recorded event by event into a trace, behind what flushers have put there before.
#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "capture/harvest/event_reader.h"
#include "capture/harvest/flush_account.h"
#include "events/trace_writer.h"
#include "model/process.h"

namespace headrace::capture {

/// Adds what is not in the trace yet, of threads that `is_wanted`, and keeps in `account` what is there now.
/// `location`: of the process; its thread is set here. Names that `recorded` lacks are taken from the account, and
/// given to it. Once `is_full` says so, which it is asked before each block of some ten thousand events, nothing more
/// of them is stored: they count in `recorded.beyond`, and the trace has a mark.
base::Status store_events(RecordedEvents& recorded, const ClockMap& clock, events::Location& location,
                          const std::function<bool(uint32_t)>& is_wanted, const std::function<bool()>& is_full,
                          FlushAccount& account, events::TraceWriter& writer);

/// Why calls of it are missing, and what brings them back; empty: none are.
std::string reason_of_loss(const RecordedEvents& recorded);

/// Adds what flushers have put into a part beside the spool, whose times count from the process's start, `later_ns`
/// after the job's. The account then tells how to go on in the trace. kCorrupt: the part cannot be read; kNoSpace, kIo:
/// the trace cannot be written.
base::Status take_part(const std::string& part, const model::Process& process, uint64_t later_ns, FlushAccount& account,
                       events::TraceWriter& writer);

}  // namespace headrace::capture
