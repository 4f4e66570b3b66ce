#include "programs/headrace/server_figures.h"

#include <stdlib.h>

#include "forward/client/client.h"

namespace headrace::programs {
namespace {

constexpr char kPrefix[] = "headrace_forward_";

uint64_t by_operation(const Figures& figures, const std::string& metric, const std::string& operation = "") {
  const std::string begin = kPrefix + metric + "_total{operation=\"" + operation;
  uint64_t sum = 0;
  for (auto at = figures.lower_bound(begin); at != figures.end() && at->first.starts_with(begin); ++at)
    sum += static_cast<uint64_t>(at->second);
  return sum;
}

}  // namespace

Figures figures_of(const std::string& text) {
  Figures values;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const size_t space = line.rfind(' ');
    if (!line.starts_with('#') && space != line.npos)
      values[line.substr(0, space)] = strtod(line.c_str() + space + 1, nullptr);
    at = end + 1;
  }
  return values;
}

void ServerTotals::add(const ServerTotals& other) {
  calls += other.calls;
  failed_calls += other.failed_calls;
  not_found += other.not_found;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  lost_bytes += other.lost_bytes;
}

ServerTotals totals_of(const Figures& figures) {
  const auto single = [&](const char* metric) {
    const auto found = figures.find(kPrefix + std::string(metric) + "_total");
    return found == figures.end() ? 0 : static_cast<uint64_t>(found->second);
  };
  return {
      .calls = by_operation(figures, "calls"),
      .failed_calls = by_operation(figures, "failed_calls"),
      .not_found = single("not_found"),
      .bytes_read = by_operation(figures, "data_bytes", "read\""),
      .bytes_written = by_operation(figures, "data_bytes", "write\"") + by_operation(figures, "data_bytes", "append\""),
      .lost_bytes = single("lost_bytes")};
}

base::Result<std::string> ask_server(const std::string& address, const forward::WireOptions& options) {
  HEADRACE_ASSIGN(auto client, forward::Client::open({address}, options, options.connect_ms));
  auto text = client->status(0);
  if (!text.ok()) return base::Status(base::Code::kIo, address + ": the server does not answer");
  return std::move(*text);
}

base::Result<ServerTotals> ask_totals(const std::string& address, const std::string& secret_file) {
  forward::WireOptions options;
  options.window = 0;
  if (!secret_file.empty()) {
    HEADRACE_ASSIGN(options.secret, forward::read_secret(secret_file, false));
  }
  HEADRACE_ASSIGN(const std::string text, ask_server(address, options));
  return totals_of(figures_of(text));
}

}  // namespace headrace::programs
