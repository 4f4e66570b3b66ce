#include "programs/monitor/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/clock.h"
#include "base/prometheus_text.h"
#include "base/random.h"
#include "programs/process.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using collect::Moment;

constexpr size_t kMostSaid = 1000;          // different complaints in months of running
constexpr int64_t kPatienceUs = 1'000'000;  // until it is seen that a client of the metrics says or takes no more

volatile sig_atomic_t stopped = 0;

void note_signal(int) { stopped = 1; }

/// Signals come only while this waits: `mask` is what then holds.
void take_signals(sigset_t* mask) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours, number);
  sigprocmask(SIG_BLOCK, &ours, mask);
  struct sigaction action{};
  action.sa_handler = note_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigdelset(mask, number);
    if (!is_ignored(number)) sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
}

sigset_t waiting_mask;

Moment now() {
  return {static_cast<int64_t>(base::clock_ns(CLOCK_REALTIME) / 1000),
          static_cast<int64_t>(base::clock_ns(CLOCK_BOOTTIME) / 1000)};
}

void say(const std::string& text) {
  const std::string line = "headrace monitor: " + text + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string boot_id(std::string root) {
  while (root.ends_with('/')) root.pop_back();
  std::ifstream file(root + "/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id.substr(0, 64);
}

/// Made anew: a link of that name in a directory of many leads nowhere.
int open_partial(const std::string& path) {
  unlink(path.c_str());
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/// Whole at any moment: a collector may read it meanwhile.
Status replace_file(const std::string& path, const std::string& text) {
  const std::string partial = path + ".partial";
  const int file = open_partial(partial);
  const bool done = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  int error = errno;
  if (file >= 0) close(file);
  if (done && rename(partial.c_str(), path.c_str()) == 0) return {};
  if (done) error = errno;
  unlink(partial.c_str());
  return {Code::kIo, path + ": cannot be written: " + strerror(error)};
}

/// It is replaced at each sample and removed in the end, so whose it is is asked before: nobody's, or ours.
Status check_metrics_file(const std::string& option, const std::string& path) {
  const std::string partial = path + ".partial";
  const int made = open_partial(partial);
  if (made < 0) return {Code::kInvalid, option + " " + path + ": cannot be written: " + strerror(errno)};
  close(made);
  unlink(partial.c_str());
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0 || (S_ISREG(info.st_mode) && info.st_size == 0)) return {};
  std::string begin(16, '\0');
  if (S_ISREG(info.st_mode)) std::ifstream(path).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin == "# TYPE headrace_") return {};
  return {Code::kInvalid, option + " " + path + ": is there and is none of a monitor: give another name"};
}

}  // namespace

void Monitor::complain(const std::string& text) {
  if (said_.size() >= kMostSaid) said_.clear();
  if (said_.insert(text).second) say(text);
}

Status Monitor::begin() {
  take_signals(&waiting_mask);
  if (!settings_.metrics_file.empty()) HEADRACE_TRY(check_metrics_file("--openmetrics-file", settings_.metrics_file));
  if (!settings_.prometheus_file.empty())
    HEADRACE_TRY(check_metrics_file("--prometheus-file", settings_.prometheus_file));
  if (!settings_.listen.empty()) {
    HEADRACE_TRY(listener_.listen(settings_.listen));
  }
  sources_.look(now(), look_, problems_);
  if (look_.device_count == 0 && !problems_.empty()) return {Code::kIo, problems_.front()};
  if (look_.device_count == 0) complain("there is no device to sample yet; --include and --exclude choose them");
  problems_.clear();
  collect::StoreSettings store;
  store.directory = settings_.directory;
  store.host = settings_.host;
  store.boot = boot_id(settings_.sources.root);
  store.run = base::random_number();
  store.interval_us = settings_.interval_us;
  store.keep_days = settings_.keep_days;
  HEADRACE_ASSIGN(store_, collect::SampleStore::open(store, now().real_us, problems_));
  for (const std::string& problem : problems_) complain(problem);
  problems_.clear();
  tracker_ = std::make_unique<collect::Tracker>(settings_.interval_us, store.boot, store_->earlier());
  figures_.interval_seconds = static_cast<double>(settings_.interval_us) / 1e6;
  if (listener_.listens()) {
    printf("headrace monitor: listening on port %d\n", listener_.port());
    fflush(stdout);
  }
  return {};
}

void Monitor::sample() {
  sources_.look(now(), look_, problems_);
  for (const std::string& problem : problems_) complain(problem);
  problems_.clear();
  if (look_.garbled != 0 && figures_.garbled == 0)
    complain(std::to_string(look_.garbled) +
             " lines of the kernel's statistics are not understood, and left out; the metrics count them");
  figures_.garbled += look_.garbled;
  keep(tracker_->compare(look_));
  publish();
}

void Monitor::keep(const collect::Rows& rows) {
  const Status stored = store_->add(rows, look_.at.real_us);
  figures_.storing = stored.ok();
  if (!stored.ok()) {
    tracker_->lose();
    ++failed_;
    ++figures_.lost;
    if (failed_ == 1)
      say(stored.message() + "; sampling goes on, and the next sample that can be stored has the sums since the last");
    return;
  }
  for (const std::string& reason : rows.gaps.reason) ++figures_.gaps[reason];
  tracker_->commit();
  ++figures_.samples;
  if (failed_ != 0) say("samples are stored again; " + std::to_string(failed_) + " could not be");
  failed_ = 0;
}

void Monitor::publish() {
  if (settings_.metrics_file.empty() && settings_.prometheus_file.empty()) return;
  const std::string text = open_metrics(look_, figures_);
  const auto put = [&](const std::string& file, const std::string& form) {
    const Status written = file.empty() ? Status() : replace_file(file, form);
    if (!written.ok()) complain(written.message());
  };
  put(settings_.metrics_file, text);
  if (!settings_.prometheus_file.empty()) put(settings_.prometheus_file, base::prometheus_text(text));
}

void Monitor::wait() {
  const Moment begin = now();
  int64_t left = settings_.interval_us - begin.real_us % settings_.interval_us;
  if (left < settings_.interval_us / 4) left += settings_.interval_us;
  const int64_t until = begin.boot_us + left;
  while (stopped == 0) {
    int64_t rest = until - now().boot_us;
    if (rest <= 0) return;
    if (listener_.busy()) rest = std::min(rest, kPatienceUs);
    const timespec time{static_cast<time_t>(rest / 1'000'000), static_cast<long>(rest % 1'000'000 * 1000)}, none{};
    pollfd client = listener_.waits_for();
    const int ready = ppoll(&client, listener_.listens() ? 1 : 0, &time, &waiting_mask);
    if (ready <= 0 && !listener_.busy()) continue;
    listener_.go_on([this] { return open_metrics(look_, figures_); });
    ppoll(nullptr, 0, &none, &waiting_mask);  // signals come where no client is ready, and one may always be
  }
}

Status Monitor::run() {
  HEADRACE_TRY(begin());
  for (uint64_t taken = 1;; ++taken) {
    sample();
    if (stopped != 0 || taken == settings_.count) break;
    wait();  // a signal ends it, and one more sample has what was done until then
  }
  for (const std::string& file : {settings_.metrics_file, settings_.prometheus_file})
    if (!file.empty()) unlink(file.c_str());  // or it would be taken for the present
  const Status closed = store_->close();
  store_.reset();
  if (closed.ok()) return {};
  return {closed.code(), closed.message() + "; the samples are in the store's tail, and the next monitor finishes it"};
}

}  // namespace headrace::programs
