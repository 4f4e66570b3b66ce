#include "programs/monitor/options.h"

#include <stdlib.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <map>

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kMonitorHelp[] =
    "Usage: headrace monitor --at DIR [OPTION]...\n"
    "       headrace monitor show|export|import ...\n"
    "Samples block devices, and targets and mounts of Lustre where there are any,\n"
    "into a store, until it is ended with SIGTERM or SIGINT. Any number of hosts\n"
    "may share a store. `headrace monitor show --help` says how to look at it.\n"
    "\n"
    "      --at DIR          the store; made if it is not there\n"
    "      --interval SECONDS\n"
    "                        time between samples, 0.1 to 3600 (default: 1)\n"
    "      --include PATTERN only block devices of such names, as 'sd*'; again for\n"
    "                        more. Without it all but partitions, loop, ram and\n"
    "                        zram devices, and disks that others are made of\n"
    "                        (multipath, RAID, LVM). Partitions: 'sda1', 'sd?1'\n"
    "      --exclude PATTERN none of such names, as local disks; again for more\n"
    "      --keep-days N     remove files of this host after so many days, 1 to\n"
    "                        36500 (default: none)\n"
    "      --openmetrics-file FILE\n"
    "                        keep the counters there as text of OpenMetrics\n"
    "      --prometheus-file FILE\n"
    "                        the same as Prometheus' older text, for the textfile\n"
    "                        collector of node_exporter (FILE.prom) and promtool\n"
    "      --listen ADDRESS  answer GET /metrics with them, on 127.0.0.1:PORT or\n"
    "                        [::1]:PORT; port 0 takes a free one and prints it\n"
    "      --count N         end after so many samples\n"
    "      --host NAME       name of this host in the store (default: its own)\n"
    "      --root DIR        look for proc and sys below DIR (default: /)\n"
    "      --diskstats FILE  in place of proc/diskstats\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  headrace monitor --at /var/lib/headrace --exclude sda --keep-days 400\n"
    "  headrace monitor show /var/lib/headrace\n";

namespace {

template <typename T>
std::function<Status(const std::string&)> number_into(T* to, uint64_t least, uint64_t most) {
  return [=](const std::string& value) {
    const bool digits = !value.empty() && value.size() <= 18 && value.find_first_not_of("0123456789") == value.npos;
    const uint64_t number = digits ? strtoull(value.c_str(), nullptr, 10) : 0;
    if (!digits || number < least || number > most)
      return base::invalid("'" + value + "' is no number from " + std::to_string(least) + " to " +
                           std::to_string(most));
    *to = static_cast<T>(number);
    return Status();
  };
}

Status set_interval(const std::string& value, int64_t* to) {
  char* end = nullptr;
  const double seconds = strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(seconds >= 0.1 && seconds <= 3600))
    return base::invalid("'" + value + "' is no number of seconds from 0.1 to 3600");
  *to = std::llround(seconds * 1e6);
  return {};
}

std::string own_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

Result<MonitorSettings> parse_monitor(const std::vector<std::string>& arguments) {
  MonitorSettings settings;
  const auto text = [](std::string* to) {
    return [to](const std::string& value) { return *to = value, value.empty() ? base::invalid("is empty") : Status(); };
  };
  const auto list = [](std::vector<std::string>* to) {
    return [to](const std::string& value) { return to->push_back(value), Status(); };
  };
  const std::map<std::string, std::function<Status(const std::string&)>> setters = {
      {"at", text(&settings.directory)},
      {"interval", [&](const std::string& value) { return set_interval(value, &settings.interval_us); }},
      {"include", list(&settings.sources.keep)},
      {"exclude", list(&settings.sources.leave_out)},
      {"keep-days", number_into(&settings.keep_days, 1, 36500)},
      {"openmetrics-file", text(&settings.metrics_file)},
      {"prometheus-file", text(&settings.prometheus_file)},
      {"listen", text(&settings.listen)},
      {"count", number_into(&settings.count, 1, 1'000'000'000'000)},
      {"host", text(&settings.host)},
      {"root", text(&settings.sources.root)},
      {"diskstats", text(&settings.sources.diskstats)},
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") return Status(Code::kNotFound, kMonitorHelp);
    if (!word.starts_with("--")) return base::invalid("'" + word + "' is no option: name the store with --at DIR");
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    const auto setter = setters.find(name);
    if (setter == setters.end()) return base::invalid("there is no option --" + name);
    if (equals == word.npos && i + 1 == arguments.size()) return base::invalid("--" + name + " needs a value");
    const Status set = setter->second(equals == word.npos ? arguments[++i] : word.substr(equals + 1));
    if (!set.ok()) return base::invalid("--" + name + ": " + set.message());
  }
  if (settings.directory.empty()) return base::invalid("name the store with --at DIR");
  if (settings.host.empty()) settings.host = own_name();
  return settings;
}

}  // namespace headrace::programs
