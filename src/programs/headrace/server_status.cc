#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/prometheus_text.h"
#include "programs/headrace/amounts.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/serve.h"
#include "programs/headrace/serve_options.h"
#include "programs/headrace/server_figures.h"
#include "programs/headrace/server_metrics.h"

namespace headrace::programs {
namespace {

using base::Result;

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
                     rounded(value("windows"), "%.0f") + " with shared memory), " + amount(value("memory_bytes")) +
                     " of " + amount(value("memory_limit_bytes")) + " in use, at the most " +
                     amount(value("memory_most_bytes")) + "\n";
  text += "  held: " + amount(value("held_bytes")) + ", the oldest for " + rounded(value("held_seconds"), "%.1f") +
          " s; flushed: " + amount(value("flushed_bytes_total")) + " in " +
          rounded(value("flush_writes_total"), "%.0f") + " writes";
  for (const char* reason : {"full", "age", "pressure", "commit", "end"}) {
    const double count = value("flushes_total{reason=\"" + std::string(reason) + "\"}");
    if (count > 0) text += std::string(", ") + reason + " " + rounded(count, "%.0f");
  }
  text += "\n";
  if (const double shared = value("shared_reads_total"); shared > 0)
    text += "  reads answered with what another one read: " + rounded(shared, "%.0f") + "\n";
  if (const double not_found = value("not_found_total"); not_found > 0)
    text += "  names that were looked for and are not there: " + rounded(not_found, "%.0f") + "\n";
  if (const double lost = value("lost_bytes_total"); lost > 0)
    text += "  not stored: " + rounded(lost, "%.0f") + " bytes\n";
  text += seconds > 0 ? "  operation      calls/s    failed/s      data/s  queue us   work us\n"
                      : "  operation        calls      failed        data  queue us   work us\n";
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
    snprintf(line, sizeof line, "  %-10s %11.0f %11.0f %11s %9.1f %9.1f\n", label.substr(12, label.size() - 14).c_str(),
             calls / per, since("failed_calls") / per, amount(since("data_bytes") / per).c_str(),
             since("waiting_seconds") / calls * 1e6, since("working_seconds") / calls * 1e6);
    text += line;
  }
  for (const auto& [name, count] : now) {
    if (name.starts_with(prefix + "refused_total{") && count > 0)
      text += "  refused connections " + name.substr(prefix.size() + 13) + ": " + rounded(count, "%.0f") + "\n";
  }
  return text;
}

/// One of those that are looked at.
struct Looked {
  std::string address;
  Figures before;  // empty: it was not there
  uint64_t at_ns = 0;
};

/// Figures only grow while a server lives.
bool is_another_start(const Figures& now, const Figures& before) {
  const auto accepted = [](const Figures& all) {
    const auto found = all.find("headrace_forward_connections_accepted_total");
    return found == all.end() ? 0 : found->second;
  };
  return accepted(now) <= accepted(before);
}

/// What one of them says, to be printed. An error: it does not answer.
Result<std::string> look_at(Looked* server, const forward::WireOptions& options) {
  const auto text = ask_server(server->address, options);
  if (!text.ok()) server->before.clear();
  if (!text.ok()) return text;
  const Figures now = figures_of(*text);
  const uint64_t now_ns = base::clock_ns(CLOCK_MONOTONIC);
  if (is_another_start(now, server->before)) server->before.clear();
  const double seconds = server->before.empty() ? 0 : static_cast<double>(now_ns - server->at_ns) / 1e9;
  std::string shown = table_of(server->address, now, server->before, seconds);
  server->before = now;
  server->at_ns = now_ns;
  return shown;
}

bool print(const std::string& text) { return fputs(text.c_str(), stdout) >= 0 && fflush(stdout) == 0; }

/// Looks at all once; gives how many do not answer, and nothing when nobody reads what is printed.
std::optional<size_t> look_once(std::vector<Looked>* servers, const forward::WireOptions& options, bool open_metrics,
                                bool prometheus) {
  size_t silent = 0;
  ServerMetrics metrics;
  for (Looked& server : *servers) {
    const auto shown = open_metrics ? ask_server(server.address, options) : look_at(&server, options);
    if (!shown.ok()) {
      ++silent;
      metrics.add_silent(server.address);
      say("status: " + shown.status().message());
    } else if (open_metrics) {
      metrics.add(server.address, *shown);
    } else if (!print(*shown)) {
      return std::nullopt;
    }
  }
  if (open_metrics && !print(prometheus ? base::prometheus_text(metrics.text()) : metrics.text())) return std::nullopt;
  return silent;
}

/// Those that are there are shown, whatever became of others. Looks at all of them every few seconds go on as long as
/// one was there at first. Gives how many were not, the last time.
Result<size_t> look(const StatusSettings& settings) {
  forward::WireOptions options;
  options.window = 0;
  if (settings.every != 0) options.connect_ms = std::min(options.connect_ms, 1000 * std::max(settings.every, 2u));
  if (!settings.secret.empty()) {
    HEADRACE_ASSIGN(options.secret, forward::read_secret(settings.secret, false));
  }
  std::vector<Looked> servers;
  for (const std::string& address : settings.addresses) {
    const auto is_it = [&](const Looked& server) { return server.address == address; };
    if (std::none_of(servers.begin(), servers.end(), is_it)) servers.push_back({address, {}});
  }
  for (bool first = true;; first = false) {
    const auto silent = look_once(&servers, options, settings.open_metrics, settings.prometheus);
    if (!silent) return 0;
    if (settings.every == 0 || (first && *silent == servers.size())) return *silent;
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
  const auto silent = look(*settings);
  if (!silent.ok()) say("status: " + silent.status().message());
  if (!silent.ok() || *silent == 0) return silent.ok() ? 0 : 1;
  const size_t all = settings->addresses.size();
  if (all > 1) say("status: " + std::to_string(*silent) + " of " + std::to_string(all) + " servers did not answer");
  return 1;
}

}  // namespace headrace::programs
