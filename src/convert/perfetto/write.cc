#include "convert/perfetto/write.h"

#include <cstdlib>

#include "convert/perfetto/sequence.h"

namespace headrace::convert::perfetto {

using base::Result;
using base::Status;

namespace {

constexpr size_t kBuffer = 1u << 20;

/// What belongs to no thread: when the job began, and its processes.
std::string beginning(const events::TraceReader& trace, const ExportOptions& options, const Tracks& tracks) {
  uint64_t start_utc_ns = 0;
  for (const auto& [key, value] : trace.facts())
    if (key == "start_utc_ns") start_utc_ns = strtoull(value.c_str(), nullptr, 10);
  Message trace_message, packet, snapshot, boot, real;
  boot.number(ClockField::kId, ClockField::kBoottime);
  boot.number(ClockField::kTimestamp, 0);
  real.number(ClockField::kId, ClockField::kRealtime);
  real.number(ClockField::kTimestamp, start_utc_ns);
  snapshot.message(ClockField::kClocks, boot);
  snapshot.message(ClockField::kClocks, real);
  snapshot.number(ClockField::kPrimary, ClockField::kBoottime);
  packet.message(PacketField::kClockSnapshot, snapshot);
  packet.number(PacketField::kSequence, 1);
  trace_message.message(TraceField::kPacket, packet);
  uint64_t last = 0;
  for (const uint32_t location : options.locations) {
    if (tracks.process(location) == last) continue;
    last = tracks.process(location);
    packet.clear();
    packet.message(PacketField::kTrackDescriptor, tracks.describe_process(location));
    packet.number(PacketField::kSequence, 1);
    trace_message.message(TraceField::kPacket, packet);
  }
  return trace_message.bytes();
}

/// Messages are told apart by counting them, so all have to be there.
bool all_messages(const events::TraceReader& trace, const ExportOptions& options) {
  for (const events::TraceLocation& location : trace.locations())
    if (location.missing + location.lost_chunks + location.what.lost > 0) return false;
  return options.range.begin_at_ns == 0;
}

Status flush(format::Sink& sink, std::string& buffer, size_t least) {
  if (buffer.size() <= least) return {};
  HEADRACE_TRY(sink.append({reinterpret_cast<const uint8_t*>(buffer.data()), buffer.size()}).status());
  buffer.clear();
  return {};
}

}  // namespace

Result<Exported> write(events::TraceReader& trace, const ExportOptions& options, format::Sink& sink) {
  Exported exported;
  const Tracks tracks(trace);
  Flows flows(trace, all_messages(trace, options));
  std::string buffer = beginning(trace, options, tracks);
  Status status;
  for (const uint32_t location : options.locations) {
    HEADRACE_TRY(flows.begin(location));
    Sequence sequence(trace, tracks, flows, location, buffer);
    HEADRACE_TRY(for_each_event(trace, location, options, exported, [&](const BalancedEvent& event) {
      sequence.take(event);
      ++exported.records;
      if (status.ok() && buffer.size() > kBuffer) status = flush(sink, buffer, kBuffer);
    }));
    HEADRACE_TRY(status);
  }
  HEADRACE_TRY(flush(sink, buffer, 0));
  HEADRACE_TRY(sink.close());
  return exported;
}

}  // namespace headrace::convert::perfetto
