#include "collect/scan/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "collect/scan/files.h"
#include "collect/scan/links.h"
#include "collect/scan/state.h"
#include "collect/scan/walker.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr auto kWatch = std::chrono::milliseconds(200);
constexpr double kStateShare = 20;  // storing the state takes at most a twentieth of the time

int64_t now_utc_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

bool is_below(const std::string& path, const std::string& top) {
  return top == "/" || (path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/'));
}

}  // namespace

struct Scan::State : Crew {
  State(ScanSettings wanted, std::string place) : pending(std::move(place)) { state.settings = std::move(wanted); }

  // Of the thread that calls run().
  Status open_roots();
  Status open_parts();
  Status run(const volatile sig_atomic_t* stop, const std::function<void(const Progress&)>& watch);
  void start_threads(std::vector<std::thread>& threads);
  Status store();
  Status finish();
  void wait_until_rested(std::unique_lock<std::mutex>& lock);
  void watch_once(const std::function<void(const Progress&)>& watch);
  void take_all();

  // Of all threads.
  std::optional<Work> next() override;
  void found(uint32_t root, const std::string& parent, std::string names) override;
  void hand_over(std::vector<Inode>& found_links) override;
  void hand_over(RowBuffer& buffer) override;
  void hand_over(Counts& counts) override;
  void problem(std::string path, std::string reason) override;
  bool is_to_rest() const override { return resting.load(std::memory_order_relaxed); }
  bool rest(const OpenDirectory& at) override;
  bool enter_mount(uint64_t device, uint64_t inode) override;
  void fail(const Status& why) {
    if (failure.ok()) failure = why;
    rested.notify_one();
  }

  ScanState state;
  WalkFacts facts;
  std::vector<Descriptor> roots;
  std::unique_ptr<Places> places;
  std::optional<LinkFile> links;
  std::optional<RowFile> rows;
  std::vector<std::unique_ptr<Walker>> walkers;
  int64_t expected = 0, before = 0;
  Clock::time_point begun = Clock::now();

  std::mutex mutex;  // of all that follows, and of `links`, `rows` and the sums and problems of `state`
  std::condition_variable work, rested;
  Pending pending;
  std::vector<OpenDirectory> open;        // of which threads have stopped in the middle
  std::vector<OpenDirectory> unfinished;  // of an earlier run, to go on with
  std::set<std::pair<uint64_t, uint64_t>> mounts;
  unsigned idle = 0, standing = 0, running = 0;
  std::atomic<bool> resting = false;
  bool ending = false, interrupted = false;
  Status failure;
};

/// Called by a thread that has no directory.
std::optional<Work> Scan::State::next() {
  std::unique_lock lock(mutex);
  for (;;) {
    if (ending || !failure.ok()) return {};
    if (!resting && !unfinished.empty()) {
      Work rest_of_one = {{}, std::move(unfinished.back())};
      unfinished.pop_back();
      return rest_of_one;
    }
    if (!resting && !pending.empty()) {
      auto taken = pending.pop();
      if (taken.ok()) return Work{std::move(*taken), {}};
      fail(taken.status());
      continue;
    }
    ++idle;
    if (!resting && idle == running) {  // nobody is left who could find more
      ending = true;
      work.notify_all();
    }
    rested.notify_one();
    if (!ending) work.wait(lock);
    --idle;
  }
}

/// A thread that does not wake up before all shall rest again stands where it stood: only itself takes its place out.
bool Scan::State::rest(const OpenDirectory& at) {
  std::unique_lock lock(mutex);
  open.push_back(at);
  ++standing;
  rested.notify_one();
  work.wait(lock, [&] { return !resting || ending; });
  --standing;
  std::erase_if(open, [&](const OpenDirectory& each) { return each.root == at.root && each.path == at.path; });
  return !ending && failure.ok();
}

void Scan::State::found(uint32_t root, const std::string& parent, std::string names) {
  const std::lock_guard lock(mutex);
  if (const Status pushed = pending.push(root, parent, std::move(names)); !pushed.ok()) fail(pushed);
  if (idle > 0) work.notify_all();
}

void Scan::State::hand_over(std::vector<Inode>& found_links) {
  const std::lock_guard lock(mutex);
  if (const Status added = links->append(found_links); !added.ok()) fail(added);
  found_links.clear();
}

void Scan::State::hand_over(RowBuffer& buffer) {
  const std::lock_guard lock(mutex);
  if (const Status added = rows->append(buffer); !added.ok()) fail(added);
}

void Scan::State::hand_over(Counts& counts) {
  const std::lock_guard lock(mutex);
  counts.move_to(state.sums);
}

void Scan::State::problem(std::string path, std::string reason) {
  const std::lock_guard lock(mutex);
  if (state.problems.size() < kListedProblems) {
    state.problems.push_back({std::move(path), std::move(reason)});
  } else {
    ++state.unlisted_problems;
  }
}

bool Scan::State::enter_mount(uint64_t device, uint64_t inode) {
  const std::lock_guard lock(mutex);
  return mounts.emplace(device, inode).second;
}

Status Scan::State::open_roots() {
  timespec start = {state.start_utc_ns / kSecond, state.start_utc_ns % kSecond};
  facts.start = {start.tv_sec, static_cast<uint32_t>(start.tv_nsec)};
  places = std::make_unique<Places>(state.settings.rules);
  facts.places = places.get();
  facts.rows = state.settings.rows;
  facts.cross_mounts = state.settings.cross_mounts;
  std::set<uint64_t> devices;
  for (const std::string& root : state.settings.roots) {
    Descriptor opened = open_directory(AT_FDCWD, root.c_str());
    Inode inode;
    if (!opened || !look_at(opened.get(), "", facts.start, inode)) return failed(root + ": cannot be read", errno);
    facts.roots.push_back(root == "/" ? "" : root);
    facts.descriptors.push_back(opened.get());
    facts.devices.push_back(inode.device);
    mounts.emplace(inode.device, inode.number);
    struct statfs system;
    if (devices.insert(inode.device).second && fstatfs(opened.get(), &system) == 0 && system.f_files > system.f_ffree)
      expected += static_cast<int64_t>(system.f_files - system.f_ffree);
    roots.push_back(std::move(opened));
  }
  return {};
}

Status Scan::State::open_parts() {
  HEADRACE_ASSIGN(links, LinkFile::open(links_path(state.settings.output), state.link_bytes));
  if (!state.settings.rows) return {};
  HEADRACE_ASSIGN(rows, RowFile::open(rows_path(state.settings.output), state.row_bytes, state.rows));
  return {};
}

/// All that threads have counted, while they stand still.
void Scan::State::take_all() {
  for (const auto& walker : walkers) {
    walker->counts().move_to(state.sums);
    if (!walker->links().empty()) {
      if (const Status added = links->append(walker->links()); !added.ok()) fail(added);
      walker->links().clear();
    }
    if (!rows) continue;
    if (const Status added = rows->append(walker->rows()); !added.ok()) fail(added);
  }
}

/// What the state says must be stored before it is.
Status Scan::State::store() {
  HEADRACE_TRY(failure);
  HEADRACE_TRY(links->sync());
  if (rows) HEADRACE_TRY(rows->sync());
  state.link_bytes = links->bytes();
  state.row_bytes = rows ? rows->bytes() : 0;
  state.rows = rows ? rows->rows() : 0;
  state.end_utc_ns = now_utc_ns();
  state.open = open;
  state.open.insert(state.open.end(), unfinished.begin(), unfinished.end());
  return write_state(state_path(state.settings.output), state, &pending);
}

Status Scan::State::finish() {
  Counts counts;
  HEADRACE_TRY(links->each([&](const Inode& inode, int64_t names) {
    counts.add_inode(inode);
    Totals& totals = counts.totals();
    totals.repeated_links += names - 1;
    if (names >= inode.links) return;
    ++totals.links_elsewhere;
    totals.links_elsewhere_bytes = add_capped(totals.links_elsewhere_bytes, inode.size);
    if (counts.owners() > 64) counts.move_to(state.sums);
  }));
  counts.move_to(state.sums);
  if (rows) HEADRACE_TRY(rows->close());
  state.end_utc_ns = now_utc_ns();
  state.done = true;
  return write_state(state.settings.output, state, nullptr);
}

void Scan::State::start_threads(std::vector<std::thread>& threads) {
  running = std::max(1U, state.settings.threads);
  for (unsigned i = 0; i < running; ++i) walkers.push_back(std::make_unique<Walker>(facts, *this));
  sigset_t all, old;  // signals are for the thread that watches
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (unsigned i = 0; i < running; ++i) {
    threads.emplace_back([walker = walkers[i].get()] { walker->walk(); });
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void Scan::State::wait_until_rested(std::unique_lock<std::mutex>& lock) {
  rested.wait(lock, [&] { return idle + standing == running || !failure.ok(); });
}

void Scan::State::watch_once(const std::function<void(const Progress&)>& watch) {
  if (!watch) return;
  Progress now;
  now.entries = before;
  for (const auto& walker : walkers) now.entries += walker->seen();
  now.seconds = seconds_since(begun);
  now.expected = expected;
  now.unreadable = state.sums.totals.unreadable;
  watch(now);
}

Status Scan::State::run(const volatile sig_atomic_t* stop, const std::function<void(const Progress&)>& watch) {
  before = state.sums.totals.entries();
  begun = Clock::now();
  std::vector<std::thread> threads;
  resting = stop != nullptr && *stop != 0;  // nothing is begun then
  start_threads(threads);
  Clock::time_point stored = Clock::now();
  double pause = state.settings.checkpoint_seconds;
  std::unique_lock lock(mutex);
  while (!ending && failure.ok()) {
    if (!resting) rested.wait_for(lock, kWatch);
    watch_once(watch);
    const bool stops = stop != nullptr && *stop != 0;
    if (ending || !failure.ok() || (!stops && seconds_since(stored) < pause)) continue;
    resting = true;
    wait_until_rested(lock);
    const Clock::time_point began = Clock::now();
    take_all();
    if (const Status kept = store(); !kept.ok()) fail(kept);
    stored = Clock::now();
    pause = std::max(state.settings.checkpoint_seconds, kStateShare * seconds_since(began));
    interrupted = stops;
    if (stops) ending = true;
    resting = false;
    work.notify_all();
  }
  ending = true;
  work.notify_all();
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  HEADRACE_TRY(failure);
  if (interrupted) return {};
  take_all();
  HEADRACE_TRY(failure);
  return finish();
}

Scan::Scan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Scan::Scan(Scan&&) noexcept = default;
Scan& Scan::operator=(Scan&&) noexcept = default;
Scan::~Scan() = default;

Result<Scan> Scan::begin(ScanSettings settings) {
  for (size_t i = 0; i < settings.roots.size(); ++i) {
    for (size_t j = 0; j < settings.roots.size(); ++j) {
      if (i != j && is_below(settings.roots[i], settings.roots[j]))
        return Status(Code::kInvalid, settings.roots[i] + ": lies in " + settings.roots[j] + ": name one of the two");
    }
  }
  HEADRACE_TRY(check_output(settings.output));
  const std::string output = settings.output;
  auto state = std::make_unique<State>(std::move(settings), directory_of(output));
  state->state.start_utc_ns = now_utc_ns();
  state->state.host = host_name();
  HEADRACE_TRY(state->open_roots());
  if (access(state_path(output).c_str(), F_OK) == 0)
    return Status(Code::kInvalid,
                  state_path(output) + ": an earlier scan was interrupted: go on with --resume, or remove it");
  HEADRACE_TRY(state->open_parts());
  for (uint32_t root = 0; root < state->facts.roots.size(); ++root)
    HEADRACE_TRY(state->pending.push(root, "", std::string(1, '\0')));
  return Scan(std::move(state));
}

Result<Scan> Scan::resume(ScanSettings settings) {
  const std::string output = settings.output;
  auto state = std::make_unique<State>(settings, directory_of(output));
  if (access(state_path(output).c_str(), F_OK) != 0)
    return Status(Code::kNotFound, state_path(output) + ": there is no interrupted scan: begin it without --resume");
  HEADRACE_ASSIGN(state->state, read_state(state_path(output), state->pending));
  ScanSettings& kept = state->state.settings;
  const bool same = (settings.roots.empty() || settings.roots == kept.roots) && settings.rows == kept.rows &&
                    (settings.rules.empty() || settings.rules == kept.rules) &&
                    (!settings.cross_mounts || kept.cross_mounts);
  if (!same)
    return Status(Code::kInvalid,
                  state_path(output) + ": the scan was begun with other paths or options: give the same");
  kept.output = output;
  kept.threads = settings.threads;
  kept.checkpoint_seconds = settings.checkpoint_seconds;
  state->unfinished = std::exchange(state->state.open, {});
  HEADRACE_TRY(state->open_roots());
  HEADRACE_TRY(state->open_parts());
  return Scan(std::move(state));
}

Status Scan::run(const volatile sig_atomic_t* stop, const std::function<void(const Progress&)>& watch) {
  return state_->run(stop, watch);
}
bool Scan::done() const { return state_->state.done; }
const ScanSettings& Scan::settings() const { return state_->state.settings; }
const Totals& Scan::totals() const { return state_->state.sums.totals; }
std::string Scan::complete() const { return state_->state.complete(); }
uint64_t Scan::rows() const { return state_->rows ? state_->rows->rows() : 0; }

void Scan::remove_parts() const {
  const std::string& output = state_->state.settings.output;
  unlink(rows_path(output).c_str());
  unlink(state_path(output).c_str());
  unlink(links_path(output).c_str());
}

}  // namespace headrace::collect
