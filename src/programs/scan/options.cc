#include "programs/scan/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "collect/scan/files.h"
#include "programs/bench/words.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr char kHelp[] =
    "Usage: headrace scan PATH... -o FILE [OPTION]...\n"
    "       headrace scan show|csv|merge|diff ...\n"
    "Walks through file systems and counts what is there: files and bytes by size,\n"
    "age, owner and more. Reads names and inodes, no data; changes nothing.\n"
    "\n"
    "  -o, --output FILE    the scan's file; replaced if it is a scan\n"
    "  --resume             go on with a scan that was interrupted or killed\n"
    "  --files OUT.parquet  also a table with a row for each file\n"
    "  --projects MAP       a TOML or CSV file that says which paths, users and\n"
    "                       groups belong to which project\n"
    "  --file-system NAME   what the file system is called (its path)\n"
    "  --cross-mounts       enter other file systems that are mounted below\n"
    "  --threads N          that walk at once (8, or as many as processors)\n"
    "  --checkpoint SECONDS between two stored states (60)\n"
    "  -q, --quiet          no progress and no summary\n"
    "\n"
    "And of scans:\n"
    "  show FILE            tables in the terminal, or --json\n"
    "  csv FILE             histograms in the format of fsstats\n"
    "  merge A B... -o C    scans of parts of a file system as one\n"
    "  diff A B             growth, and when limits are reached\n"
    "\n"
    "Example:\n"
    "  headrace scan /scratch -o scratch.hr --projects projects.toml\n"
    "  headrace scan show scratch.hr\n";

constexpr unsigned kThreads = 8;  // beyond the processors: threads wait for storage
constexpr uint64_t kMostThreads = 256;

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// Paths apart from options; -o is --output.
void part(const std::vector<std::string>& arguments, const Options& options, std::vector<std::string>& paths,
          std::vector<std::string>& words) {
  bool all_paths = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string word = arguments[i] == "-o" ? "--output" : arguments[i];
    if (!all_paths && word == "--") {
      all_paths = true;
    } else if (all_paths || !is_option(word)) {
      paths.push_back(word);
    } else {
      words.push_back(word);
      const auto option = word.starts_with("--") ? options.find(word.substr(2)) : options.end();
      if (option != options.end() && !option->second.flag && i + 1 < arguments.size()) words.push_back(arguments[++i]);
    }
  }
}

Status take_root(const std::string& path, std::vector<std::string>& roots) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return base::invalid(path + ": " + strerror(errno));
  const std::string root = real;
  free(real);
  struct stat info;
  if (stat(root.c_str(), &info) != 0) return base::invalid(path + ": " + strerror(errno));
  if (!S_ISDIR(info.st_mode)) return base::invalid(path + ": is no directory: name one to scan");
  if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  return {};
}

/// Where the table of files may be written: nothing is there, or a table of an earlier time.
Status check_files(const std::string& path, const std::string& output) {
  std::error_code unknown;
  const auto same = [&](const std::string& one) { return std::filesystem::weakly_canonical(one, unknown); };
  for (const std::string& own :
       {output, collect::state_path(output), collect::links_path(output), collect::rows_path(output)}) {
    if (same(path) == same(own))
      return base::invalid("--files " + path + ": is where the scan writes " + own + ": give another name");
  }
  // It is written when all is done, which may be hours later.
  const std::string directory = collect::directory_of(path);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    return base::invalid("--files " + path + ": nothing can be written to " + directory + ": " + strerror(errno));
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || (S_ISREG(info.st_mode) && info.st_size == 0)) return {};
  char begin[4] = {};
  if (S_ISREG(info.st_mode)) std::ifstream(path).read(begin, sizeof begin);
  if (std::string(begin, sizeof begin) == "PAR1") return {};
  return base::invalid("--files " + path + ": is there and is no Parquet file: give another name, or remove it");
}

}  // namespace

Result<ScanOptions> parse_scan(const std::vector<std::string>& arguments) {
  ScanOptions options;
  collect::ScanSettings& scan = options.scan;
  uint64_t threads = std::max(kThreads, std::thread::hardware_concurrency());
  const Options known = {{"output", text(&scan.output)},
                         {"resume", flag(&options.resume)},
                         {"files", text(&options.files)},
                         {"projects", text(&options.projects)},
                         {"file-system", text(&scan.file_system)},
                         {"cross-mounts", flag(&scan.cross_mounts)},
                         {"threads", number(&threads, kMostThreads)},
                         {"checkpoint", decimal(&scan.checkpoint_seconds)},
                         {"quiet", flag(&options.quiet)}};
  std::vector<std::string> paths, words;
  part(arguments, known, paths, words);
  HEADRACE_TRY(parse_words(words, known, kHelp));
  if (scan.output.empty())
    return base::invalid("say where to keep the scan, for example: headrace scan /scratch -o scratch.hr");
  if (paths.empty() && !options.resume)
    return base::invalid("name a directory, for example: headrace scan /scratch -o scratch.hr");
  if (!options.files.empty()) HEADRACE_TRY(check_files(options.files, scan.output));
  for (const std::string& path : paths) HEADRACE_TRY(take_root(path, scan.roots));
  scan.threads = static_cast<unsigned>(std::max<uint64_t>(threads, 1));
  scan.rows = !options.files.empty();
  return options;
}

}  // namespace headrace::programs
