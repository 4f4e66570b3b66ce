#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <memory>

#include "forward/client/client.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/serve.h"
#include "programs/headrace/serve_options.h"
#include "programs/headrace/server_figures.h"

namespace headrace::programs {
namespace {

using base::Result;
using base::Status;

std::string rounded(double value, const char* format) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  return text;
}

/// `before`: figures of the last look, `seconds` ago; for the first look, of the server's start.
std::string table_of(const std::string& address, Figures now, Figures before, double seconds) {
  const std::string prefix = "headrace_forward_";
  const auto value = [&](const std::string& name) { return now[prefix + name]; };
  std::string text = address + ": " + rounded(value("connections"), "%.0f") + " connections (" +
                     rounded(value("windows"), "%.0f") + " with shared memory), " +
                     rounded(value("memory_bytes") / (1 << 20), "%.1f") + " of " +
                     rounded(value("memory_limit_bytes") / (1 << 20), "%.0f") + " MiB in use, at the most " +
                     rounded(value("memory_most_bytes") / (1 << 20), "%.1f") + "\n";
  text += "  held: " + rounded(value("held_bytes") / (1 << 20), "%.1f") + " MiB, the oldest for " +
          rounded(value("held_seconds"), "%.1f") +
          " s; flushed: " + rounded(value("flushed_bytes_total") / (1 << 20), "%.1f") + " MiB in " +
          rounded(value("flush_writes_total"), "%.0f") + " writes";
  for (const char* reason : {"full", "age", "pressure", "commit", "end"}) {
    const double count = value("flushes_total{reason=\"" + std::string(reason) + "\"}");
    if (count > 0) text += std::string(", ") + reason + " " + rounded(count, "%.0f");
  }
  text += "\n";
  if (const double shared = value("shared_reads_total"); shared > 0)
    text += "  reads answered with what another one read: " + rounded(shared, "%.0f") + "\n";
  if (const double lost = value("lost_bytes_total"); lost > 0)
    text += "  not stored: " + rounded(lost, "%.0f") + " bytes\n";
  text += seconds > 0 ? "  operation      calls/s    failed/s     MiB/s  queue us   work us\n"
                      : "  operation        calls      failed       MiB  queue us   work us\n";
  for (const auto& [name, count] : now) {
    const std::string begin = prefix + "calls_total{";
    if (!name.starts_with(begin)) continue;
    const std::string label = name.substr(begin.size() - 1);
    const auto since = [&](const std::string& metric) {
      const std::string key = prefix + metric + "_total" + label;
      return now[key] - before[key];
    };
    const double calls = since("calls");
    if (calls == 0) continue;
    const double per = seconds > 0 ? seconds : 1;
    char line[160];
    snprintf(line, sizeof line, "  %-10s %11.0f %11.0f %9.1f %9.1f %9.1f\n",
             label.substr(12, label.size() - 14).c_str(), calls / per, since("failed_calls") / per,
             since("data_bytes") / per / (1 << 20), since("waiting_seconds") / calls * 1e6,
             since("working_seconds") / calls * 1e6);
    text += line;
  }
  for (const auto& [name, count] : now) {
    if (name.starts_with(prefix + "refused_total{") && count > 0)
      text += "  refused connections " + name.substr(prefix.size() + 13) + ": " + rounded(count, "%.0f") + "\n";
  }
  return text;
}

Status look(const StatusSettings& settings) {
  forward::WireOptions options;
  options.window = 0;
  if (!settings.secret.empty()) {
    HEADRACE_ASSIGN(options.secret, forward::read_secret(settings.secret, false));
  }
  HEADRACE_ASSIGN(auto client, forward::Client::open(settings.addresses, options, 10'000));
  std::vector<Figures> before(settings.addresses.size());
  for (bool first = true;; first = false) {
    for (size_t i = 0; i < settings.addresses.size(); ++i) {
      const auto text = client->status(i);
      if (!text.ok()) return {base::Code::kIo, settings.addresses[i] + ": the server does not answer any more"};
      const auto now = figures_of(*text);
      const std::string shown =
          settings.open_metrics ? *text : table_of(settings.addresses[i], now, before[i], first ? 0 : settings.every);
      before[i] = now;
      if (fputs(shown.c_str(), stdout) < 0 || fflush(stdout) != 0) return {};
    }
    if (settings.every == 0) return {};
    sleep(settings.every);
  }
}

}  // namespace

int server_status(const std::vector<std::string>& arguments) {
  const auto settings = parse_status(arguments);
  if (settings.code() == base::Code::kNotFound) return fputs(kStatusHelp, stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    say("status: " + settings.message() + "; `headrace status --help` lists all options");
    return kMistake;
  }
  const Status status = look(*settings);
  if (!status.ok()) say("status: " + status.message());
  return status.ok() ? 0 : 1;
}

}  // namespace headrace::programs
