// headrace-scan: what `headrace scan` becomes.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "programs/process.h"
#include "programs/scan/options.h"
#include "programs/scan/parts.h"
#include "programs/scan/progress.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using collect::Scan;

constexpr int kUsage = 2, kUnusable = 3, kNotWritten = 4;
constexpr double kQuietSeconds = 2;  // shorter scans show no progress

volatile sig_atomic_t stop_signal = 0;

void note_signal(int number) { stop_signal = number; }

/// The first one ends the scan with its state stored; another one at once. Also where whoever started this has blocked
/// them.
void take_signals() {
  sigset_t ours;
  sigemptyset(&ours);
  struct sigaction action{};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (is_ignored(number)) continue;
    sigaction(number, &action, nullptr);
    sigaddset(&ours, number);
  }
  sigprocmask(SIG_UNBLOCK, &ours, nullptr);
}

void say(const std::string& text) { fprintf(stderr, "headrace scan: %s\n", text.c_str()); }

int failed(const Status& status) {
  if (!status.message().empty()) say(status.message());
  if (status.code() == Code::kInvalid || status.code() == Code::kNotFound) return kUsage;
  return status.code() == Code::kNoSpace || status.code() == Code::kIo ? kNotWritten : kUnusable;
}

void show(const collect::Progress& now) {
  if (now.seconds >= kQuietSeconds) fprintf(stderr, "\r\033[K%s", progress_text(now).c_str());
}

void summarize(const Scan& scan) {
  const collect::Totals& totals = scan.totals();
  printf("%s: %s files, %s%s bytes, %s directories, %s symbolic links\n", scan.settings().output.c_str(),
         grouped(totals.files).c_str(), totals.bytes == INT64_MAX ? "at least " : "", grouped(totals.bytes).c_str(),
         grouped(totals.directories).c_str(), grouped(totals.symlinks).c_str());
  if (totals.unreadable > 0)
    say("of " + grouped(totals.unreadable) +
        " directories something could not be read; `headrace scan show` lists them");
  if (totals.vanished > 0) say(grouped(totals.vanished) + " entries were gone before they could be looked at");
}

/// The exit status.
int end(const Scan& scan, const ScanOptions& options) {
  const std::string& output = scan.settings().output;
  if (!scan.done()) {
    say("interrupted; `headrace scan --resume -o " + output + "` with the same options goes on");
    return 128 + stop_signal;
  }
  if (!options.files.empty()) {
    const Status written = write_parquet_rows(collect::rows_path(output), options.files);
    if (!written.ok()) {
      failed(written);
      say("the rows are kept: `headrace scan parquet " + collect::rows_path(output) + " -o " + options.files +
          "` tries again");
      return kNotWritten;
    }
  }
  scan.remove_parts();
  if (!options.quiet) summarize(scan);
  return 0;
}

int main_of(const std::vector<std::string>& arguments) {
  auto options = parse_scan(arguments);
  if (!options.ok() && options.code() == Code::kNotFound)
    return fputs(options.message().c_str(), stdout) < 0 ? kNotWritten : 0;
  if (!options.ok()) {
    say(options.message() + "; `headrace scan --help` says more");
    return kUsage;
  }
  if (!options->projects.empty()) {
    auto rules = read_projects(options->projects);
    if (!rules.ok()) return failed(rules.status());
    options->scan.rules = std::move(*rules);
  }
  reserve_standard_streams();
  take_signals();
  auto scan = options->resume ? Scan::resume(options->scan) : Scan::begin(options->scan);
  if (!scan.ok()) return failed(scan.status());
  const bool shows = !options->quiet && isatty(STDERR_FILENO) != 0;
  const Status walked = scan->run(&stop_signal, shows ? show : std::function<void(const collect::Progress&)>());
  if (shows) fputs("\r\033[K", stderr);
  if (!walked.ok()) return failed(walked);
  return end(*scan, *options);
}

}  // namespace
}  // namespace headrace::programs

int main(int count, char** values) {
  return headrace::programs::main_of(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
}
