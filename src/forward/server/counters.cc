#include "forward/server/counters.h"

#include "forward/server/buffers.h"
#include "forward/server/metrics.h"

namespace headrace::forward {
std::string Counters::open_metrics(const Buffers& buffers) const {
  std::string text;
  const auto by_operation = [&](const char* name, const char* unit, const char* help, auto value_of) {
    add_metric(&text, name, "counter", unit, help);
    for (uint8_t i = 0; i < operations.size(); ++i) {
      if (is_op(i) && operations[i].calls != 0)
        add_value(&text, std::string(name) + "_total", "operation=\"" + std::string(op_name(static_cast<Op>(i))) + "\"",
                  value_of(operations[i]));
    }
  };
  by_operation("calls", "", "Calls that were answered.", [](auto& o) { return std::to_string(o.calls); });
  by_operation("failed_calls", "", "Of these, those with an error; not lookups of names that are not there.",
               [](auto& o) { return std::to_string(o.failed); });
  by_operation("data_bytes", "bytes", "Data read and written.", [](auto& o) { return std::to_string(o.bytes); });
  by_operation("waiting_seconds", "seconds", "Time in the queue.", [](auto& o) { return seconds_text(o.waited_ns); });
  by_operation("working_seconds", "seconds", "Time at work.", [](auto& o) { return seconds_text(o.worked_ns); });

  const auto refusals = {std::pair{"stranger", &refused_strangers}, std::pair{"message", &refused_messages},
                         std::pair{"full", &refused_full}, std::pair{"slow", &refused_slow}};
  add_metric(&text, "refused", "counter", "", "Connections that were ended, by reason.");
  for (const auto& [reason, count] : refusals)
    add_value(&text, "refused_total", std::string("reason=\"") + reason + "\"", std::to_string(*count));

  const auto single = [&](const char* name, const char* type, const char* unit, const char* help, uint64_t value) {
    add_single(&text, name, type, unit, help, std::to_string(value));
  };
  single("connections_accepted", "counter", "", "Connections since the start.", accepted);
  single("connections", "gauge", "", "Connections now.", open);
  single("windows", "gauge", "", "Connections with shared memory now.", windows);
  single("repeated_calls", "counter", "", "Calls that had been done before and were answered again.", repeated);
  single("expired_calls", "counter", "", "Calls whose time was over before they were begun.", expired);
  single("not_found", "counter", "", "Lookups of names that are not there.", not_found);
  single("shared_reads", "counter", "", "Reads that were answered with what another one read.", shared_reads);
  single("parked", "counter", "", "Times that a connection waited for memory.", parked);
  single("memory_bytes", "gauge", "bytes", "Memory in use for data.", buffers.used());
  single("memory_most_bytes", "gauge", "bytes", "The most that was in use.", buffers.most_used());
  single("memory_limit_bytes", "gauge", "bytes", "The most that may be.", buffers.memory());
  return text;
}

}  // namespace headrace::forward
