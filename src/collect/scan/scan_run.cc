#include "collect/scan/scan_run.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <time.h>

#include <algorithm>

#include "collect/scan/files.h"

namespace headrace::collect {

using base::Status;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr auto kWatch = std::chrono::milliseconds(200);
constexpr double kStateShare = 20;  // storing the state takes at most a twentieth of the time

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void* walk(void* walker) {
  static_cast<Walker*>(walker)->walk();
  return nullptr;
}

}  // namespace

int64_t now_utc_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
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
    mounts.insert({inode.device, inode.number, static_cast<uint32_t>(roots.size()), ""});
    struct statfs system;
    if (devices.insert(inode.device).second && fstatfs(opened.get(), &system) == 0 && system.f_files > system.f_ffree)
      expected += static_cast<int64_t>(system.f_files - system.f_ffree);
    roots.push_back(std::move(opened));
  }
  return {};
}

bool Scan::State::has_its_mounts() const {
  return std::all_of(state.mounts.begin(), state.mounts.end(), [&](const Mount& mount) {
    const size_t slash = mount.path.rfind('/');
    const std::string parent = slash == mount.path.npos ? "" : mount.path.substr(0, slash);
    const Descriptor opened = open_below(facts.descriptors[mount.root], parent);
    Inode inode;
    return opened && look_at(opened.get(), mount.path.substr(slash + 1).c_str(), facts.start, inode) &&
           inode.device == mount.device && inode.number == mount.inode;
  });
}

/// Shares the descriptors that the process may have among its threads: with a low limit they keep fewer directories
/// open, or there are fewer of them, so that none is called unreadable for want of one.
void Scan::State::share_descriptors() {
  constexpr uint64_t kEnough = 8192, kOwn = 4, kMostKept = 8;  // a thread's own: where it is, and on the way there
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (limit.rlim_cur < kEnough && limit.rlim_cur < limit.rlim_max) {
    const rlimit more = {std::min<rlim_t>(kEnough, limit.rlim_max), limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
  }
  const uint64_t used = roots.size() + Pending::kDescriptors + 32;
  const uint64_t left = std::max<uint64_t>(limit.rlim_cur, used) - used;
  uint64_t threads = std::max(1U, state.settings.threads);
  threads = std::clamp<uint64_t>(left / (kOwn + 1), 1, threads);
  state.settings.threads = static_cast<unsigned>(threads);
  facts.parents = std::clamp<uint64_t>(left / threads - std::min(left / threads, kOwn), 1, kMostKept);
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
  state.mounts.assign(mounts.begin(), mounts.end());
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
    if (names < inode.links) {
      ++totals.links_elsewhere;
      totals.links_elsewhere_bytes = add_capped(totals.links_elsewhere_bytes, inode.size);
    }
    if (counts.owners() > kOwners) counts.move_to(state.sums);
  }));
  counts.move_to(state.sums);
  if (rows) HEADRACE_TRY(rows->close());
  state.end_utc_ns = now_utc_ns();
  state.done = true;
  return write_state(state.settings.output, state, nullptr);
}

/// Fewer than wanted where the system gives no more. Called with the lock, so that none of them goes on before all are
/// there.
void Scan::State::start_threads(std::vector<pthread_t>& threads) {
  const unsigned wanted = std::max(1U, state.settings.threads);
  sigset_t all, old;  // signals are for the thread that watches
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = 0;
  while (threads.size() < wanted && error == 0) {
    walkers.push_back(std::make_unique<Walker>(facts, *this));
    pthread_t thread;
    error = pthread_create(&thread, nullptr, walk, walkers.back().get());
    if (error == 0) threads.push_back(thread);
  }
  if (error != 0) walkers.pop_back();
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  running = static_cast<unsigned>(threads.size());
  if (threads.empty()) fail(failed("no thread can be started", error));
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
  share_descriptors();
  begun = Clock::now();
  std::vector<pthread_t> threads;
  resting = stop != nullptr && *stop != 0;  // nothing is begun then
  std::unique_lock lock(mutex);
  start_threads(threads);
  Clock::time_point stored = Clock::now();
  double pause = state.settings.checkpoint_seconds;
  while (!ending && failure.ok()) {
    if (!resting) rested.wait_for(lock, kWatch);
    watch_once(watch);
    const bool stops = stop != nullptr && *stop != 0;
    if (ending || !failure.ok() || (!stops && seconds_since(stored) < pause)) continue;
    resting = true;
    wait_until_rested(lock);
    if (!failure.ok()) break;  // threads that were not waited for still count
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
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  HEADRACE_TRY(failure);
  if (interrupted) return {};
  take_all();
  HEADRACE_TRY(failure);
  return finish();
}

}  // namespace headrace::collect
