#include "programs/headrace/serve_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <fstream>
#include <functional>
#include <map>

#include "programs/headrace/settings.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kServeHelp[] =
    "Usage: headrace serve --root DIR --listen ADDRESS [OPTION]...\n"
    "Serves the files below directories to other processes, until it is ended with\n"
    "SIGTERM or SIGINT. Prints its addresses when it is ready.\n"
    "\n"
    "      --root DIR        a directory to serve; again for more\n"
    "      --listen ADDRESS  unix:PATH or tcp:HOST:PORT, HOST being a number or an\n"
    "                        interface of this node, such as ib0; any: the first one\n"
    "                        to other nodes. Port 0 takes a free one; again for more\n"
    "      --secret FILE     32 digits 0-9 a-f that only this user may read; made\n"
    "                        if it is not there. Needed for tcp:, and the same for\n"
    "                        all servers of a job\n"
    "      --munge[=SOCKET]  tell the secret to processes of this user elsewhere\n"
    "                        that ask with `headrace forward secret`\n"
    "      --addresses FILE  write the addresses there when the server is ready;\n"
    "                        with DIR/ to a file there, named for node and process\n"
    "      --kept            end when the program that started the server is gone\n"
    "                        or does not come within a minute: `headrace forward\n"
    "                        up` says so to servers on other nodes\n"
    "      --memory SIZE     for the data of all clients together, 16M or more\n"
    "                        (default: 256M)\n"
    "      --backend NAME    posix; memory: files are gone with the server; null:\n"
    "                        keeps names and sizes alone, to measure with\n"
    "      --window SIZE     memory that a process on this node shares with the\n"
    "                        server, 1M to 64M, or 0 (default: 4M)\n"
    "      --write-through   answer writes when the file system has them; otherwise\n"
    "                        the server holds them, and commit, close and fsync\n"
    "                        wait until they are stored\n"
    "      --flush-age MS    bring held data to its file after so many milliseconds\n"
    "                        (default: 1000)\n"
    "      --place WHERE     of several servers a file's bytes are at: file, one of\n"
    "                        them; stripe, all of them in turns; node, the one on\n"
    "                        the client's node, and others see them after a commit\n"
    "                        or close. The same for all servers of a job (default:\n"
    "                        file)\n"
    "      --stripe-size SIZE\n"
    "                        how held writes are cut and aligned, and what goes to\n"
    "                        one server with --place stripe: that of the file system\n"
    "                        (default: 1M); given, new files get it on Lustre\n"
    "      --stripe-count N  so many stripes for new files on Lustre, 65535 for all\n"
    "      --event-threads N, --storage-threads N\n"
    "                        for connections and for files (defaults: 1, 8)\n"
    "      --trial LIST      for tests: delay=MICROSECONDS,fail-after=SIZE,\n"
    "                        error=NUMBER,fail-commit,one-writer,stop-file=FILE,\n"
    "                        die-file=FILE\n"
    "      --config FILE     the same as a file: lines NAME = VALUE in TOML\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  headrace serve --root /scratch/run7 --listen unix:/tmp/run7.sock &\n"
    "  headrace status unix:/tmp/run7.sock\n";

const char kStatusHelp[] =
    "Usage: headrace status [OPTION]... ADDRESS...\n"
    "Shows what forwarding servers are doing. The exit status is 1 when one of them\n"
    "does not answer; the others are shown all the same.\n"
    "\n"
    "      --secret FILE     the job's secret, for servers of other nodes\n"
    "      --openmetrics     the figures as text for Prometheus: one text for all,\n"
    "                        with the label server\n"
    "      --prometheus      the same as Prometheus' older text, for the textfile\n"
    "                        collector of node_exporter and promtool\n"
    "      --every SECONDS   again and again, with rates\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  headrace status --every 2 unix:/tmp/run7.sock\n"
    "  headrace status --openmetrics unix:/tmp/run7.sock tcp:node2:7000\n";

namespace {

using Setters = std::map<std::string, std::function<Status(const std::string&)>>;

std::function<Status(const std::string&)> text_into(std::string* to) {
  return [to](const std::string& value) { return *to = value, Status(); };
}
std::function<Status(const std::string&)> list_into(std::vector<std::string>* to) {
  return [to](const std::string& value) { return to->push_back(value), Status(); };
}
std::function<Status(const std::string&)> number_into(unsigned* to, unsigned least, unsigned most) {
  return [=](const std::string& value) {
    char* end = nullptr;
    const unsigned long number = strtoul(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || number < least || number > most)
      return base::invalid("'" + value + "' is no number from " + std::to_string(least) + " to " +
                           std::to_string(most));
    *to = static_cast<unsigned>(number);
    return Status();
  };
}

Status set_trial(const std::string& list, ServeSettings* settings) {
  settings->trial = true;
  for (size_t at = 0; at < list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    const std::string item = list.substr(at, comma - at);
    const std::string value = item.substr(std::min(item.size(), item.find('=') + 1));
    at = comma + 1;
    auto& trial = settings->trial_options;
    unsigned number = 0;
    if (item == "fail-commit") {
      trial.fail_commit = true;
    } else if (item == "one-writer") {
      trial.one_writer = true;
    } else if (item.starts_with("stop-file=")) {
      trial.stop_file = value;
    } else if (item.starts_with("die-file=")) {
      trial.die_file = value;
    } else if (item.starts_with("fail-after=")) {
      HEADRACE_ASSIGN(trial.fail_after, parse_size(value));
    } else if (item.starts_with("error=")) {
      HEADRACE_TRY(number_into(&number, 1, 4095)(value));
      trial.error = static_cast<int>(number);
    } else if (item.starts_with("delay=")) {
      HEADRACE_TRY(number_into(&number, 0, 60'000'000)(value));
      trial.delay_ns = uint64_t{number} * 1000;
    } else {
      return base::invalid("--trial: '" + item +
                           "' is none of delay=, fail-after=, error=, fail-commit, one-writer, stop-file=, die-file=");
    }
  }
  return {};
}

/// The strings of a TOML value: "text", 12 or ["a", "b"].
Result<std::vector<std::string>> values_of(std::string text) {
  std::vector<std::string> values;
  const auto skip = [&](const char* set) { text.erase(0, std::min(text.size(), text.find_first_not_of(set))); };
  const bool list = text.starts_with('[');
  if (list) text.erase(0, 1);
  for (skip(" \t,"); !text.empty() && text[0] != ']' && text[0] != '#'; skip(list ? " \t," : " \t")) {
    const bool quoted = text[0] == '"';
    const size_t end = quoted ? text.find('"', 1) : std::min(text.find_first_of(" \t,]#"), text.size());
    if (end == text.npos || (!list && !values.empty())) return base::invalid("a value is \"text\", a number or a list");
    values.push_back(text.substr(quoted, end - quoted));
    text.erase(0, end + quoted);
  }
  if (list && !text.starts_with(']')) return base::invalid("a list ends with ']' on its line");
  return values;
}

Status read_file(const std::string& path, const Setters& setters) {
  std::ifstream file(path);
  if (!file) return {Code::kIo, path + ": " + strerror(errno)};
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string place = path + ":" + std::to_string(number) + ": ";
    const size_t begin = line.find_first_not_of(" \t\r"), equals = line.find('=');
    if (begin == line.npos || line[begin] == '#') continue;
    if (equals == line.npos) return base::invalid(place + "is not NAME = VALUE");
    std::string name = line.substr(begin, equals - begin);
    name.erase(name.find_last_not_of(" \t") + 1);
    const auto setter = setters.find(name);
    if (setter == setters.end() || name == "config") return base::invalid(place + "there is no setting '" + name + "'");
    const size_t value = line.find_first_not_of(" \t", equals + 1);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    const auto values = values_of(value == line.npos ? "" : line.substr(value));
    if (!values.ok()) return base::invalid(place + values.message());
    for (const std::string& each : *values) {
      if (const Status status = setter->second(each); !status.ok()) return base::invalid(place + status.message());
    }
  }
  return {};
}

/// "--name value" and "--name=value".
Status parse(const std::vector<std::string>& arguments, const Setters& setters, const char* help,
             std::vector<std::string>* rest) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") return {Code::kNotFound, help};
    if (!word.starts_with("--")) {
      if (rest == nullptr) return base::invalid("'" + word + "' is no option");
      rest->push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    const auto setter = setters.find(name);
    if (setter == setters.end()) return base::invalid("there is no option --" + name);
    const bool flag =
        name == "openmetrics" || name == "prometheus" || name == "write-through" || name == "kept" || name == "munge";
    if (equals == word.npos && !flag && i + 1 == arguments.size()) return base::invalid("--" + name + " needs a value");
    const std::string value = equals != word.npos ? word.substr(equals + 1) : flag ? "" : arguments[++i];
    if (const Status status = setter->second(value); !status.ok())
      return base::invalid("--" + name + ": " + status.message());
  }
  return {};
}

}  // namespace

Result<ServeSettings> parse_serve(const std::vector<std::string>& arguments) {
  ServeSettings settings;
  uint64_t window = settings.limits.window;
  unsigned flush_age_ms = 1000;
  const auto size_into = [](uint64_t* to) {
    return [to](const std::string& value) -> Status {
      HEADRACE_ASSIGN(*to, parse_size(value));
      return {};
    };
  };
  Setters setters = {
      {"root", list_into(&settings.roots)},
      {"listen", list_into(&settings.addresses)},
      {"secret", text_into(&settings.secret)},
      {"addresses", text_into(&settings.addresses_file)},
      {"memory", size_into(&settings.limits.memory)},
      {"window", size_into(&window)},
      {"backend", text_into(&settings.backend)},
      {"event-threads", number_into(&settings.event_threads, 1, 64)},
      {"write-through",
       [&settings](const std::string& value) {
         if (!value.empty() && value != "true" && value != "false") return base::invalid("is true or false");
         settings.write_buffer.on = value == "false";
         return Status();
       }},
      {"flush-age", number_into(&flush_age_ms, 1, 3'600'000)},
      {"storage-threads", number_into(&settings.storage_threads, 1, 1024)},
      {"place",
       [&settings](const std::string& value) {
         const auto place = forward::placing_of(value);
         if (!place.has_value()) return base::invalid("'" + value + "' is none of file, stripe, node");
         settings.place = *place;
         return Status();
       }},
      {"stripe-size", size_into(&settings.stripe)},
      {"munge", [&settings](const std::string& value) { return settings.munge = value, Status(); }},
      {"stripe-count", number_into(&settings.stripe_count, 1, forward::kAllStripes)},
      {"kept", [&settings](const std::string& value) { return settings.kept = value != "false", Status(); }},
      {"trial", [&settings](const std::string& value) { return set_trial(value, &settings); }},
  };
  setters["config"] = [&setters](const std::string& path) { return read_file(path, setters); };
  HEADRACE_TRY(parse(arguments, setters, kServeHelp, nullptr));
  if (settings.addresses.empty()) return base::invalid("--listen says where clients find the server");
  if (settings.roots.empty()) return base::invalid("--root says which directory to serve");
  if (settings.limits.memory < 16 << 20) return base::invalid("--memory: less than 16M is not enough");
  if (window > 64 << 20 || (window > 0 && window < 1 << 20)) return base::invalid("--window is 0, or from 1M to 64M");
  if (settings.stripe != 0 && !forward::Placement{.stripe = settings.stripe}.valid())
    return base::invalid("--stripe-size is a multiple of 64K, up to 1G");
  settings.limits.window = static_cast<uint32_t>(window);
  settings.write_buffer.flush_age_ns = uint64_t{flush_age_ms} * 1'000'000;
  if (settings.backend != "posix" && settings.roots.size() > 1)
    return base::invalid("--backend " + settings.backend + " has one --root");
  return settings;
}

Result<StatusSettings> parse_status(const std::vector<std::string>& arguments) {
  StatusSettings settings;
  const Setters setters = {
      {"secret", text_into(&settings.secret)},
      {"every", number_into(&settings.every, 1, 86400)},
      {"openmetrics", [&](const std::string&) { return settings.open_metrics = true, Status(); }},
      {"prometheus", [&](const std::string&) { return settings.open_metrics = settings.prometheus = true, Status(); }},
  };
  HEADRACE_TRY(parse(arguments, setters, kStatusHelp, &settings.addresses));
  if (settings.addresses.empty()) return base::invalid("name the address of a server, as `headrace serve` prints it");
  return settings;
}

}  // namespace headrace::programs
