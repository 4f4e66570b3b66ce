#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "forward/program/spec.h"
#include "programs/headrace/forward_up.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"
#include "programs/headrace/serve_options.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kForwardHelp[] =
    "Usage: headrace forward up [OPTION]... --root DIR --prefix PATH -- COMMAND...\n"
    "       headrace forward secret ADDRESS FILE\n"
    "Starts forwarding servers, on this node or on others, runs a command whose\n"
    "files below PATH are those below DIR at these servers, stores all and ends\n"
    "them.\n"
    "\n"
    "      --root DIR        the directory that is served\n"
    "      --prefix PATH     how the command names it; need not be there\n"
    "                        (default: the same as DIR)\n"
    "      --servers N       so many servers, 1 to 64 (default: 1)\n"
    "      --launcher COMMAND\n"
    "                        how to start them on other nodes, such as 'srun -n 4'\n"
    "                        in an allocation or 'mpirun -n 4 --map-by ppr:1:node';\n"
    "                        it is given the command of one server, and starts the N\n"
    "                        of --servers\n"
    "      --interface NAME  with --launcher: what they listen on, such as ib0\n"
    "                        (default: the first of hardware that runs)\n"
    "      --shared DIR      with --launcher: a directory that all nodes see, for a\n"
    "                        few small files (default: where this is started)\n"
    "      --place WHERE     where a file's bytes go: file, all to one server, or\n"
    "                        stripe, for large files that many processes write, or,\n"
    "                        with --launcher, node (default: file)\n"
    "      --stripe-size SIZE\n"
    "                        what --place stripe gives to one server: a stripe of\n"
    "                        the file system (default: 1M); on Lustre new files\n"
    "                        get it\n"
    "      --stripe-count N  so many stripes for new files on Lustre, 65535 for all\n"
    "      --server-memory SIZE\n"
    "                        of each server, for the data of all clients together\n"
    "                        (default: 256M)\n"
    "      --write-through   servers answer writes when the file system has them\n"
    "      --server-config FILE\n"
    "                        more settings of `headrace serve`\n"
    "      --report FILE     write what the servers did there, as JSON\n"
    "  -o, --output FILE     the job's log, which `headrace run` makes (default:\n"
    "                        named for the command, where this is started)\n"
    "  -q, --quiet           say nothing at the end, unless data was lost\n"
    "      --help            show this\n"
    "\n"
    "Options of `headrace run` may be given as well, as --OPTION=VALUE.\n"
    "The exit status is the command's. It is 1 where the command succeeded and data\n"
    "of it could not be stored; 125 where no servers could be started.\n"
    "\n"
    "Example:\n"
    "  headrace forward up --servers 2 --root /scratch/run7 --prefix /fwd -- \\\n"
    "      mpirun -n 16 ./simulation --output /fwd/out\n";

namespace {

Result<std::string> real_directory(const std::string& name, const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return base::invalid(name + " " + path + ": " + strerror(errno));
  std::string text = resolved;
  free(resolved);
  return text;
}

/// Before the job, of which nothing would be known; without making the file, which may not come to be.
Status check_report(const std::string& path) {
  const std::string directory = path.substr(0, std::max<size_t>(1, path.rfind('/')));
  struct stat status;
  const bool there = stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) return base::invalid("--report " + path + ": " + strerror(EISDIR));
  if (there ? access(path.c_str(), W_OK) == 0 : access(directory.c_str(), W_OK | X_OK) == 0) return {};
  return base::invalid("--report " + path + ": cannot be written: " + strerror(errno));
}

Status set_servers(const std::string& value, ForwardUpSettings* settings) {
  char* end = nullptr;
  const unsigned long number = strtoul(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0' || number < 1 || number > 64)
    return base::invalid("--servers is a number from 1 to 64, not " + value);
  settings->servers = static_cast<unsigned>(number);
  settings->servers_given = true;
  return {};
}

/// Options here, and of `headrace serve`.
const std::map<std::string, std::string> kServe = {{"--server-memory", "--memory"},
                                                   {"--server-config", "--config"},
                                                   {"--server-trial", "--trial"},
                                                   {"--stripe-size", "--stripe-size"},
                                                   {"--stripe-count", "--stripe-count"}};

/// As servers read them, but with what is wrong by the names of the options here.
Status check_serve(std::vector<std::string> options) {
  options.insert(options.end(), {"--listen", "unix:/s"});
  const auto parsed = parse_serve(options);
  if (parsed.ok()) return {};
  std::string why = parsed.message();
  for (const auto& [here, of_serve] : kServe) {
    if (why.starts_with(of_serve) && why.find_first_of(": ") == of_serve.size())
      return base::invalid(here + why.substr(of_serve.size()));
  }
  return base::invalid(why);
}

/// An option that takes_value().
Status set(const std::string& name, const std::string& value, ForwardUpSettings* settings) {
  if (name == "--servers") {
    HEADRACE_TRY(set_servers(value, settings));
  } else if (name == "--root") {
    HEADRACE_ASSIGN(settings->root, real_directory(name, value));
  } else if (name == "--prefix") {
    if (!value.starts_with('/')) return base::invalid("--prefix " + value + ": is not an absolute path");
    settings->prefix = value;
  } else if (name == "--launcher") {
    settings->launcher = value;
  } else if (name == "--interface") {
    settings->interface = value;
  } else if (name == "--shared") {
    HEADRACE_ASSIGN(settings->shared, real_directory(name, value));
  } else if (name == "--place") {
    if (value != "file" && value != "stripe" && value != "node")
      return base::invalid("--place " + value + ": is none of file, stripe, node");
    settings->place = value;
  } else if (name == "--report") {
    settings->report = absolute_path(value);
    HEADRACE_TRY(check_report(settings->report));
  } else if (const auto found = kServe.find(name); found != kServe.end()) {
    settings->serve_options.insert(settings->serve_options.end(), {found->second, value});
  } else {
    settings->run_options.insert(settings->run_options.end(), {name, value});
  }
  return {};
}

bool takes_value(const std::string& name) {
  for (const char* each :
       {"--servers", "--root", "--prefix", "--report", "--server-memory", "--server-config", "--server-trial",
        "--place", "--launcher", "--interface", "--shared", "--stripe-size", "--stripe-count", "-o", "--output"})
    if (name == each) return true;
  return false;
}

Status check_places(ForwardUpSettings* settings) {
  if (!settings->place.empty())
    settings->serve_options.insert(settings->serve_options.end(), {"--place", settings->place});
  if (settings->launcher.empty()) {
    if (!settings->shared.empty() || settings->interface != "any")
      return base::invalid("--interface and --shared are for servers that --launcher starts");
    if (settings->place == "node")
      return base::invalid("--place node: there is nothing to choose on one node; --launcher starts servers on others");
    return {};
  }
  if (!settings->servers_given) return base::invalid("--servers says how many servers --launcher starts");
  if (!settings->shared.empty()) return {};
  HEADRACE_ASSIGN(settings->shared, real_directory("the working directory", "."));
  return {};
}

}  // namespace

Result<ForwardUpSettings> parse_forward_up(const std::vector<std::string>& arguments) {
  ForwardUpSettings settings;
  size_t at = 0;
  const bool help = arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h";
  if (help) return Status(Code::kNotFound, "help");
  if (arguments[at++] != "up")
    return base::invalid("'" + arguments[0] + "' is no command of forward: there are up and secret");
  for (; at < arguments.size() && arguments[at].starts_with('-'); ++at) {
    const std::string& word = arguments[at];
    if (word == "--") {
      ++at;
      break;
    }
    const size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string name = word.substr(0, equals);
    if (name == "--help" || name == "-h") return Status(Code::kNotFound, "help");
    if (name == "-q" || name == "--quiet") {
      settings.quiet = true;
    } else if (name == "--write-through") {
      settings.serve_options.push_back(name);
    } else if (!takes_value(name)) {
      settings.run_options.push_back(word);  // which says what is wrong with it
    } else {
      if (equals == word.npos && at + 1 == arguments.size()) return base::invalid(name + " needs a value");
      HEADRACE_TRY(set(name, equals != word.npos ? word.substr(equals + 1) : arguments[++at], &settings));
    }
  }
  settings.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  if (settings.root.empty()) return base::invalid("--root says which directory is served");
  if (settings.command.empty()) return base::invalid("no command is given");
  if (settings.prefix.empty()) settings.prefix = settings.root;
  HEADRACE_TRY(check_places(&settings));
  settings.serve_options.insert(settings.serve_options.end(), {"--root", settings.root});
  HEADRACE_TRY(check_serve(settings.serve_options));
  HEADRACE_TRY(forward::program::parse_spec(settings.prefix + "=" + settings.root + "@unix:/s").status());
  // As `run` reads them, before any server is started.
  std::vector<std::string> as_run = settings.run_options;
  as_run.insert(as_run.end(), {"--forward", settings.prefix + "=" + settings.root + "@unix:/s", "--", "true"});
  std::string warning;
  if (const auto run = parse_run(as_run, &warning); !run.ok())
    return base::invalid("as an option of `headrace run`: " + run.message());
  return settings;
}

}  // namespace headrace::programs
