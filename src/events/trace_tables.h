#pragma once
// The tables of a trace (docs/formats/trace.md) on their way into it. Internal to events.

#include <span>

#include "base/result.h"
#include "events/trace_writer.h"
#include "format/writer.h"

namespace headrace::events {

base::Status write_locations(format::Writer& writer, std::span<const Location> rows, std::span<const uint64_t> events);
base::Status write_references(format::Writer& writer, std::span<const Reference> rows);
base::Status write_handles(format::Writer& writer, std::span<const Handle> rows);
base::Status write_accounts(format::Writer& writer, std::span<const Account> rows);
base::Status write_clocks(format::Writer& writer, std::span<const ClockRow> rows);

}  // namespace headrace::events
