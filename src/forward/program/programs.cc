// Programs below a prefix, to be executed: the kernel gets a copy in memory, which has the program's path as its name.
// A "#!" line is followed here, by the kernel's rules, since it may name a program below a prefix as well.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "forward/program/attributes.h"
#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/process.h"
#include "forward/program/table.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10
#endif

namespace headrace::forward::program {
namespace {

constexpr size_t kHead = 256;  // what the kernel looks at
constexpr int kMostScripts = 5;
constexpr size_t kCopyBytes = 1 << 20;
constexpr size_t kLongestName = 249;  // of a file in memory

/// What the caller is given pointers into.
struct Prepared {
  std::deque<std::string> texts;
  std::vector<char*> arguments;

  char* keep(std::string text) { return texts.emplace_back(std::move(text)).data(); }
};

Prepared& of_thread() {
  static __thread Prepared* prepared
      __attribute__((tls_model("initial-exec")));  // never deleted: a thread ends with signals let through
  if (prepared == nullptr) prepared = new Prepared;
  return *prepared;
}

/// A program that was found: what it is called in arguments, and where it is.
struct Found {
  int error = 0;
  std::string name;
  std::optional<Place> place;
};

bool may_execute(const Place& place) {
  Client* client = place.servers->client();
  const auto node =
      client == nullptr ? Outcome<Node>(Failed{EIO}) : client->lookup(place.servers->root(), place.below_root());
  return node.ok() && S_ISREG(node->attributes.mode) && check_access(node->attributes, X_OK) == 0;
}

bool may_execute(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// The first of a name in the directories of PATH, if that one is forwarded.
Found find_in_path(const std::string& name) {
  const char* list = getenv("PATH");
  std::string_view left = list == nullptr ? "/bin:/usr/bin" : list;
  while (true) {
    const size_t end = std::min(left.find(':'), left.size());
    const std::string item = end == 0 ? name : std::string(left.substr(0, end)) + "/" + name;
    auto place = place_of(AT_FDCWD, item.c_str());
    if (place.has_value() && may_execute(*place)) return {0, item, std::move(place)};
    if ((!place.has_value() && may_execute(item)) || end == left.size()) return {};
    left.remove_prefix(end + 1);
  }
}

Found find(int directory, const char* path, unsigned how) {
  if (path == nullptr) return {};
  if (*path == '\0') {
    const Held held(directory);
    if (!held) return {};
    const std::string name(held->path());
    return {0, name, place_of(AT_FDCWD, name.c_str())};
  }
  if ((how & kInPath) && strchr(path, '/') == nullptr) return find_in_path(path);
  auto place = place_of(directory, path, true);
  std::string name = place.has_value() && directory != AT_FDCWD ? place->path : path;
  return {0, std::move(name), std::move(place)};
}

int make_memory(const std::string& path) {
  const std::string name =
      path.size() <= kLongestName ? path : path.substr(path.rfind('/') + 1).substr(0, kLongestName);
  // Where an administrator has it so, memory is executable only if that is asked for; older kernels cannot be asked.
  const int memory = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  return memory >= 0 || errno != EINVAL ? memory : memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool put_all(int fd, const uint8_t* from, size_t size) {
  for (ssize_t put = 0; size > 0; from += put, size -= static_cast<size_t>(put)) {
    put = write(fd, from, size);
    if (put <= 0) return false;
  }
  return true;
}

/// An error number.
int copy_to(int memory, Client& client, const Node& from) {
  std::vector<uint8_t> buffer(std::min<uint64_t>(std::max<uint64_t>(from.attributes.size, 1), kCopyBytes));
  for (uint64_t at = 0;;) {
    const iovec part{buffer.data(), buffer.size()};
    const Extent where{at, buffer.size()};
    const auto got = client.read(from.handle, {&part, 1}, {&where, 1});
    if (!got.ok()) return got.error();
    if (!put_all(memory, buffer.data(), (*got)[0])) return errno;
    at += (*got)[0];
    if ((*got)[0] < buffer.size()) break;
  }
  fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return 0;
}

/// A descriptor of a copy, or -1 with errno as execve sets it.
int fetch(const Place& place) {
  Client* client = place.servers->client();
  if (client == nullptr) return fail(EIO);
  const auto node = client->lookup(place.servers->root(), place.below_root());
  if (!node.ok()) return fail(place.servers->error(node.error()));
  if (!S_ISREG(node->attributes.mode) || check_access(node->attributes, X_OK) != 0) return fail(EACCES);
  const int memory = make_memory(place.path);
  if (memory < 0) return -1;
  const int error = place.servers->error(copy_to(memory, *client, *node));
  if (error == 0) return memory;
  close(memory);
  return fail(error);
}

/// The words of a "#!" line: the interpreter, and one argument or none. Empty: it is none that can be followed.
std::vector<std::string> words_of(std::string_view head) {
  constexpr std::string_view kBlank = " \t";
  const size_t line = head.find('\n');
  head = head.substr(2, line == head.npos ? head.npos : line - 2);
  const auto strip = [&](std::string_view text) {
    const size_t first = text.find_first_not_of(kBlank);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
  };
  head = strip(head.substr(0, head.find('\0')));
  const size_t end = std::min(head.find_first_of(kBlank), head.size());
  // A name that goes on behind what is looked at is none.
  if (head.empty() || (line == std::string_view::npos && end == head.size())) return {};
  std::vector<std::string> words{std::string(head.substr(0, end))};
  if (const std::string_view argument = strip(head.substr(end)); !argument.empty()) words.emplace_back(argument);
  return words;
}

/// The interpreter of a script in memory and its argument; empty when it is no script.
std::vector<std::string> interpreter_of(int memory, unsigned how) {
  char head[kHead];
  const ssize_t size = pread(memory, head, sizeof head, 0);
  const std::string_view text(head, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  if (text.starts_with("#!")) return words_of(text.size() < kHead ? std::string(text) + "\n" : text);
  const bool is_text = !text.starts_with("\177ELF") && text.find('\0') == text.npos;
  return (how & kTextToShell) && is_text ? std::vector<std::string>{"/bin/sh"} : std::vector<std::string>{};
}

}  // namespace

bool forwarded_program(int directory, const char* path, unsigned how, char* const* arguments, Program* into,
                       int* result) {
  begin_child();
  return program_called(directory, path, nullptr, how, arguments, into, result);
}

bool program_called(int directory, const char* path, const char* name, unsigned how, char* const* arguments,
                    Program* into, int* result) {
  std::optional<OwnConnections> connections;
  if (how & kInVforkChild) connections.emplace();
  Found found = find(directory, path, how);
  if (!found.place.has_value()) return false;
  if (name != nullptr) found.name = name;
  Prepared& mine = of_thread();
  mine.texts.clear();
  std::vector<char*> words;  // in place of the first argument, the last one first
  *into = {-1, nullptr, arguments};
  *result = -1;
  for (int scripts = 0; scripts <= kMostScripts; ++scripts) {
    const int memory = fetch(*found.place);
    if (memory < 0) return true;
    std::vector<std::string> interpreter = interpreter_of(memory, scripts == 0 ? how : 0);
    if (interpreter.empty()) {
      into->fd = memory;
      *result = 0;
      break;
    }
    close(memory);
    if (!words.empty()) words.pop_back();  // what was the interpreter until now: its name comes here
    words.push_back(mine.keep(found.name));
    if (interpreter.size() > 1) words.push_back(mine.keep(interpreter[1]));
    words.push_back(mine.keep(interpreter[0]));
    found = find(AT_FDCWD, words.back(), 0);
    if (found.place.has_value()) continue;
    into->path = words.back();
    *result = 0;
    break;
  }
  if (*result != 0) errno = ELOOP;
  if (*result != 0 || words.empty()) return true;
  mine.arguments.assign(words.rbegin(), words.rend());
  for (char* const* each = arguments; each != nullptr && *each != nullptr; ++each)
    if (each != arguments) mine.arguments.push_back(*each);
  mine.arguments.push_back(nullptr);
  into->arguments = mine.arguments.data();
  return true;
}

void forget_program(const Program& program) {
  const int saved = errno;
  if (program.fd >= 0) close(program.fd);
  errno = saved;
}

}  // namespace headrace::forward::program
