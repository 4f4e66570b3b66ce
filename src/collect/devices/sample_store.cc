#include "collect/devices/sample_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "collect/devices/host_files.h"
#include "collect/devices/left_files.h"

namespace headrace::collect {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr int64_t kSecond = 1'000'000, kDay = 86'400 * kSecond;
constexpr size_t kMostRows = 100'000;  // of a tail: with the bytes of their texts, one chunk still holds them

std::string time_text(int64_t real_us) {
  const time_t seconds = real_us / kSecond;
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

Status failure(const std::string& path, const std::string& what, int error) {
  const Code code = error == ENOSPC || error == EDQUOT ? Code::kNoSpace : Code::kIo;
  return {code, path + ": " + what + ": " + strerror(error)};
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

/// Takes back what a write that failed may have stored.
void cut(const std::string& path, uint64_t end) {
  [[maybe_unused]] const int ignored = truncate(path.c_str(), static_cast<off_t>(end));
}

}  // namespace

std::string host_directory(const std::string& host) {
  std::string name = host;
  for (char& c : name) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  return name.empty() || name == "." || name == ".." ? "_" : name.substr(0, 200);
}

Result<std::unique_ptr<SampleStore>> SampleStore::open(StoreSettings settings, int64_t now_us,
                                                       std::vector<std::string>& problems) {
  std::unique_ptr<SampleStore> store(new SampleStore(std::move(settings)));
  store->directory_ = store->settings_.directory + "/" + host_directory(store->settings_.host);
  std::error_code error;
  // Nothing above the store itself: a slip in its name fills no other file system.
  for (const std::string& directory : {store->settings_.directory, store->directory_}) {
    std::filesystem::create_directory(directory, error);
    if (error) return failure(directory, "the directory cannot be made", error.value());
  }
  HEADRACE_TRY(store->lock());
  for (const std::string& left : left_files(store->directory_)) {
    const Status finished = finish_left_file(left);
    if (!finished.ok()) problems.push_back(finished.message() + "; it stays as it is");
  }
  store->earlier_ = last_sample(store->directory_, now_us);
  HEADRACE_TRY(store->begin(now_us));
  store->remove_old(now_us);
  return store;
}

SampleStore::~SampleStore() {
  if (lock_ >= 0) ::close(lock_);
}

Status SampleStore::lock() {
  const std::string path = directory_ + "/lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) return failure(path, "cannot be opened", errno);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      char holder[32] = "";
      [[maybe_unused]] const ssize_t got = pread(lock_, holder, sizeof holder - 1, 0);
      return {Code::kInvalid, directory_ + ": another monitor writes here (process " +
                                  std::string(holder, strcspn(holder, "\n")) + "): stop it, or name another directory"};
    }
    return failure(path, "cannot be locked", errno);
  }
  const std::string text = std::to_string(getpid()) + "\n";
  if (ftruncate(lock_, 0) != 0 || pwrite(lock_, text.data(), text.size(), 0) < 0) return {};  // it is for people only
  return {};
}

format::WriterOptions SampleStore::file_options() const {
  format::WriterOptions options;
  options.job = settings_.run;
  options.chunk_rows = format::kMaxRows;
  options.chunk_bytes = format::kMaxPayloadBytes / 2;
  options.planes = true;
  return options;
}

Status SampleStore::begin(int64_t now_us) {
  int64_t named_us = now_us;
  do {
    char run[20];
    snprintf(run, sizeof run, "%016llx", static_cast<unsigned long long>(settings_.run));
    base_ = directory_ + "/" + time_text(named_us) + "-" + run;
    named_us += kSecond;
  } while (exists(base_ + ".open.hr") || exists(base_ + ".hr"));
  const std::string path = base_ + ".open.hr", base = std::exchange(base_, "");
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(path, format::FileSink::Mode::kCreate));
  HEADRACE_ASSIGN(format::Writer writer, format::Writer::open(std::move(sink), file_options()));
  format::TableBuilder facts("monitor");
  const std::vector<std::string_view> host = {settings_.host}, boot = {settings_.boot}, version = {HEADRACE_VERSION};
  const std::vector<uint64_t> run = {settings_.run};
  const std::vector<int64_t> started = {now_us}, interval = {settings_.interval_us};
  facts.text("host", host).text("boot", boot).u64("run", run).i64("started_us", started);
  facts.i64("interval_us", interval).text("version", version);
  if (const Status added = writer.add(facts); !added.ok()) {
    unlink(path.c_str());
    return added;
  }
  file_.emplace(std::move(writer));
  file_end_ = file_->end();
  base_ = base;
  day_ = now_us / kDay;
  return begin_tail();
}

Status SampleStore::begin_tail() {
  tail_.reset();
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(base_ + ".tail.hr", format::FileSink::Mode::kReplace));
  tail_file_ = std::move(sink);
  tail_end_ = 0;
  format::WriterOptions options;
  options.job = settings_.run;
  options.compress = false;
  HEADRACE_ASSIGN(format::Writer writer,
                  format::Writer::open(std::make_unique<format::MemorySink>(tail_bytes_), options));
  tail_.emplace(std::move(writer));
  return {};
}

Status SampleStore::add(const Rows& rows, int64_t now_us) {
  if (base_.empty() || now_us / kDay != day_ || file_end_ >= settings_.file_bytes) {
    HEADRACE_TRY(close());
    HEADRACE_TRY(begin(now_us));
    remove_old(now_us);
  }
  if (tail_end_ >= settings_.tail_bytes || rows_.size() >= kMostRows) HEADRACE_TRY(move_tail());
  if (!tail_) HEADRACE_TRY(begin_tail());
  if (rows.empty()) return {};
  tail_bytes_.clear();
  HEADRACE_TRY(add_rows(*tail_, rows, settings_.host, settings_.boot));
  const auto stored = tail_file_->append(tail_bytes_);  // one write: all of a sample or none of it
  if (!stored.ok()) {
    cut(base_ + ".tail.hr", tail_end_);
    return stored.status();
  }
  tail_end_ += tail_bytes_.size();
  rows_.append(rows, names_);
  return {};
}

Status SampleStore::move_tail() {
  if (!rows_.empty()) {
    rows_.sort();
    const std::string path = base_ + ".open.hr";
    Status moved = file_ ? add_rows(*file_, rows_, settings_.host, settings_.boot) : Status();
    if (file_ && moved.ok()) moved = synchronize(path);
    if (!file_ || !moved.ok()) {
      file_.reset();
      cut(path, file_end_);
      HEADRACE_TRY(moved);
      HEADRACE_ASSIGN(format::Writer again, format::Writer::append(path, file_options()));
      file_.emplace(std::move(again));
      return move_tail();
    }
    file_end_ = file_->end();
    rows_.clear();
    names_.clear();
  }
  return begin_tail();
}

Status SampleStore::close() {
  if (base_.empty()) return {};
  HEADRACE_TRY(move_tail());
  const std::string path = base_ + ".open.hr";
  if (file_) {
    const Status closed = file_->close();
    file_.reset();
    if (!closed.ok()) cut(path, file_end_);  // without an index: readers look for chunks
  }
  HEADRACE_TRY(synchronize(path));
  if (rename(path.c_str(), (base_ + ".hr").c_str()) != 0) return failure(path, "cannot be renamed", errno);
  tail_.reset();
  tail_file_.reset();
  unlink((base_ + ".tail.hr").c_str());
  base_.clear();
  return {};
}

/// Ages count from the last but one change of a finished file, if that is before now: a clock that is wrong for a
/// while, and a file of that time, then remove nothing.
void SampleStore::remove_old(int64_t now_us) const {
  if (settings_.keep_days == 0) return;
  const std::vector<std::pair<int64_t, std::string>> finished = finished_files(directory_);
  if (finished.size() < 2) return;
  const int64_t from = std::min(now_us / kSecond, finished[finished.size() - 2].first);
  for (const auto& [changed, path] : finished) {
    if (changed < from - int64_t{settings_.keep_days} * 86'400) unlink(path.c_str());
  }
}

}  // namespace headrace::collect
