// New processes that the C library makes itself, with files to open and a directory to start in. It calls the kernel
// for these, past the wrappers, so what is forwarded is opened here, and the new process gets it from this one by
// /proc/PID/fd: this one waits until the other program has begun.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/process.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

enum Tag : int { kClose, kDup2, kOpen, kChdir, kFchdir };

/// One action as the C library has it (glibc, posix/spawn_int.h). Nobody promises that, so it is tried first.
struct Action {
  int tag;
  union {
    struct {
      int fd, target;
    } number;  // kClose, kDup2, kFchdir
    struct {
      int fd;
      char* path;
      int flags;
      mode_t mode;
    } open;
    char* path;  // kChdir
  };
};

const Action* actions_of(const posix_spawn_file_actions_t& of) {
  return reinterpret_cast<const Action*>(of.__actions);  // NOLINT
}

bool knows_actions() {
  posix_spawn_file_actions_t sample;
  posix_spawn_file_actions_init(&sample);
  posix_spawn_file_actions_addclose(&sample, 5);
  posix_spawn_file_actions_adddup2(&sample, 3, 4);
  posix_spawn_file_actions_addopen(&sample, 7, "/a", O_RDWR, 0640);
  posix_spawn_file_actions_addchdir_np(&sample, "/b");
  posix_spawn_file_actions_addfchdir_np(&sample, 9);
  const Action* found = actions_of(sample);
  const bool known = sample.__used == 5 && found[0].tag == kClose && found[0].number.fd == 5 && found[1].tag == kDup2 &&
                     found[1].number.fd == 3 && found[1].number.target == 4 && found[2].tag == kOpen &&
                     found[2].open.fd == 7 && strcmp(found[2].open.path, "/a") == 0 && found[2].open.flags == O_RDWR &&
                     found[2].open.mode == 0640 && found[3].tag == kChdir && strcmp(found[3].path, "/b") == 0 &&
                     found[4].tag == kFchdir && found[4].number.fd == 9;
  posix_spawn_file_actions_destroy(&sample);
  return known;
}

/// The actions, one after another, with others in place of those that forwarded files are concerned by.
class Actions {
 public:
  explicit Actions(const posix_spawn_file_actions_t* asked) {
    static const bool known = knows_actions();
    if (asked == nullptr || !known) return;
    made_ = *asked;
    actions_.assign(actions_of(*asked), actions_of(*asked) + asked->__used);
  }
  ~Actions() {
    for (const int fd : opened_) close_number(fd);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  /// An error number, as that of the new process that could not do it.
  int replace() {
    for (Action& each : actions_) {
      int error = 0;
      switch (each.tag) {
        case kClose:
          meaning_[each.number.fd] = "";
          break;
        case kDup2:
          meaning_[each.number.target] = path_of(each.number.fd);
          break;
        case kOpen:
          error = replace_open(each);
          break;
        case kChdir:
          error = replace_chdir(each, each.path);
          break;
        case kFchdir:
          error = replace_fchdir(each);
          break;
        default:
          break;
      }
      if (error != 0) return error;
    }
    return 0;
  }
  /// A path as it is meant where the actions have led to.
  std::string here(const char* path) const {
    if (*path == '/' || !known_) return path;
    const std::string base = base_.empty() ? forwarded_base(AT_FDCWD) : base_;
    return base.empty() ? path : plain_path(base + "/" + path);
  }
  char* keep(std::string text) { return texts_.emplace_back(std::move(text)).data(); }
  /// The path by which the new process finds a descriptor of this one, which is closed after that.
  char* handed_on(int fd) {
    opened_.push_back(fd);
    changed_ = true;
    return keep("/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd));
  }
  bool changed() const { return changed_; }
  void set_changed() { changed_ = true; }
  const posix_spawn_file_actions_t* made() {
    made_.__actions = reinterpret_cast<decltype(made_.__actions)>(actions_.data());
    made_.__allocated = made_.__used;
    return actions_.empty() ? nullptr : &made_;
  }

 private:
  /// Of a forwarded file that the number means by now; else "".
  std::string path_of(int fd) const {
    if (const auto known = meaning_.find(fd); known != meaning_.end()) return known->second;
    const Held held(fd);
    return held ? std::string(held->path()) : "";
  }
  void set_path(char** path, const std::string& to) {
    if (to == *path) return;
    *path = keep(to);
    changed_ = true;
  }
  int replace_open(Action& action) {
    const std::string path = here(action.open.path);
    const auto place = place_of(AT_FDCWD, path.c_str());
    meaning_[action.open.fd] = place.has_value() ? place->path : "";
    if (!place.has_value()) return set_path(&action.open.path, path), 0;
    int fd = -1;
    open_path(AT_FDCWD, path.c_str(), action.open.flags | O_CLOEXEC, action.open.mode, &fd);
    if (fd < 0) return errno;
    action.open.path = handed_on(fd);
    action.open.flags = O_PATH | (action.open.flags & O_CLOEXEC);
    return 0;
  }
  int replace_chdir(Action& action, const char* to) {
    const std::string path = here(to);
    const auto place = place_of(AT_FDCWD, path.c_str());
    base_ = place.has_value() ? place->path : path;
    known_ = base_.starts_with('/');
    if (!place.has_value()) return set_path(&action.path, path), 0;
    int fd = -1;
    working_directory(AT_FDCWD, path.c_str(), &fd);
    if (fd < 0) return errno;
    action.tag = kChdir;
    action.path = handed_on(fd);
    return 0;
  }
  int replace_fchdir(Action& action) {
    const std::string path = path_of(action.number.fd);
    if (!path.empty()) return replace_chdir(action, path.c_str());
    known_ = false;
    return 0;
  }

  posix_spawn_file_actions_t made_ = {};
  std::vector<Action> actions_;
  std::deque<std::string> texts_;
  std::vector<int> opened_;
  std::map<int, std::string> meaning_;
  std::string base_;
  bool known_ = true, changed_ = false;
};

}  // namespace

int begin_spawn(const char* path, unsigned how, const posix_spawn_file_actions_t* asked, char* const* arguments,
                Spawn* into) {
  begin_child();
  *into = {path, asked, arguments, nullptr};
  if (path == nullptr) return 0;
  auto actions = std::make_unique<Actions>(asked);
  if (const int error = actions->replace(); error != 0) return error;
  const bool by_name = (how & kInPath) && strchr(path, '/') == nullptr;
  const std::string meant = by_name ? path : actions->here(path);
  Program program;
  int result = 0;
  if (program_called(AT_FDCWD, meant.c_str(), by_name ? nullptr : path, how, arguments, &program, &result)) {
    if (result != 0) return errno;
    into->path = program.fd >= 0 ? actions->handed_on(program.fd) : program.path;
    into->arguments = program.arguments;
    actions->set_changed();
  } else if (meant != path) {
    into->path = actions->keep(meant);
    actions->set_changed();
  }
  if (!actions->changed()) return 0;
  if (asked != nullptr && actions->made() != nullptr) into->actions = actions->made();
  into->memory = actions.release();
  return 0;
}

void end_spawn(const Spawn& spawn) { delete static_cast<Actions*>(spawn.memory); }

}  // namespace headrace::forward::program
