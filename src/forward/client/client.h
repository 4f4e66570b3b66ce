// The calls of forwarding, as functions; for any number of servers that store the same files.
//
// Which server a call goes to is for protocol/placement.h to say. Large reads and writes are cut into calls that are
// under way together. Safe in any number of threads; not after fork.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forward/client/channel.h"
#include "forward/client/cutter.h"
#include "forward/client/memory_parts.h"
#include "forward/protocol/outcome.h"

namespace headrace::forward {

using Handle = std::vector<uint8_t>;

struct Node {
  Handle handle;
  Attributes attributes;
};

struct OwnedEntry {
  uint64_t inode = 0, cookie = 0;
  uint8_t type = 0;
  std::string name;
};

class Client {
 public:
  static base::Result<std::unique_ptr<Client>> open(const std::vector<std::string>& addresses,
                                                    const WireOptions& options, uint32_t call_ms = 120'000);

  const std::vector<OwnedRoot>& roots() const { return channels_[0]->roots(); }
  /// The handle of the root that an absolute path is below, and the rest of the path; null when it is below none.
  const OwnedRoot* root_of(std::string_view path, std::string_view* rest) const;

  /// Who opens a file, of those that share an open one; `writes`: perhaps.
  struct Opening {
    Nonce owner{};
    bool writes = false;
  };
  Outcome<Node> lookup(const Handle& directory, std::string_view path, bool follow = true,
                       const Opening* opening = nullptr);
  Outcome<Node> create(const Handle& directory, std::string_view path, uint32_t flags, uint32_t mode, Hints hints = {},
                       const Opening* opening = nullptr);
  /// A regular file or a directory is open from now on, so that it is found whatever becomes of its names; what
  /// lookup() and create() do with `opening`.
  Outcome<Attributes> opened(const Handle& file, const Opening& opening);
  /// It is not any more. `may_be_shared`: a process may have it that has not told so. Does not wait.
  void closed(const Handle& file, const Nonce& owner, bool may_be_shared);
  Outcome<Node> mkdir(const Handle& directory, std::string_view path, uint32_t mode);
  Outcome<Node> symlink(const Handle& directory, std::string_view path, std::string_view target);
  int remove(const Handle& directory, std::string_view path, bool is_directory);
  int rename(const Handle& from, std::string_view path, const Handle& to, std::string_view new_path,
             bool replace = true);
  int link(const Handle& file, const Handle& directory, std::string_view path);
  Outcome<Attributes> attributes(const Handle& file);
  Outcome<Attributes> set_attributes(const Handle& file, uint32_t set, const Attributes& attributes);
  Outcome<Attributes> resize(const Handle& file, uint64_t size);
  Outcome<std::string> readlink(const Handle& file);
  /// Of the file system that it is on.
  Outcome<Space> space(const Handle& file);
  /// All entries, "." and ".." included.
  Outcome<std::vector<OwnedEntry>> list(const Handle& directory);
  /// Some of them, behind the one of this cookie, 0 = from the start; none at the end.
  Outcome<std::vector<OwnedEntry>> list_from(const Handle& directory, uint64_t cookie);

  /// Bytes of `extents`, in their order, from or to `memory`, which has as many in all. A read gives the number of
  /// bytes by extent: fewer than asked for where the file ends. `bad` receives what of a write was not stored.
  Outcome<std::vector<uint64_t>> read(const Handle& file, std::span<const iovec> memory,
                                      std::span<const Extent> extents);
  int write(const Handle& file, std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags = 0,
            std::vector<BadRange>* bad = nullptr);
  /// Where the bytes went: the end of the file at that moment. All of them lie there in a row.
  Outcome<uint64_t> append(const Handle& file, std::span<const iovec> memory, uint32_t flags = 0);
  /// Returns when what was written to the range before will survive a crash, or, with kNoSync, when the file system
  /// has it; length 0 is to the end. `bad` receives what is not stored, each range once: also what a server held that
  /// was killed (EIO). `all_answered` receives whether all servers did that the range concerns.
  int commit(const Handle& file, Extent range = {}, std::vector<BadRange>* bad = nullptr, uint32_t flags = 0,
             bool* all_answered = nullptr);
  struct LockAsked {
    Nonce owner{}, opener{};  // of an open file: the name() of the client that opened it, or zeros
    uint32_t flags = 0;
    Extent range;          // length 0 = to the end
    uint64_t process = 0;  // that others are told to have it; 0 = this one
  };
  struct LockAnswer {
    bool granted = false;
    Extent range;  // what is in the way, and whose
    bool exclusive = false;
    uint64_t process = 0;
  };
  /// Does not wait. Locks end when the connection of `connection()` does.
  Outcome<LockAnswer> lock(const Handle& file, const LockAsked& asked);
  /// The name that the server of this file knows this client by, and the number of the connection to it.
  Nonce name(const Handle& file) { return home_of(file).name(); }
  uint64_t connection(const Handle& file) { return home_of(file).connection(); }
  /// What a server says of itself: text of OpenMetrics.
  Outcome<std::string> status(size_t server);
  /// The server stores what it holds and ends as soon as the connection to it does; EPERM where it is not `--kept`.
  int keep(size_t server);

  const Layout& layout() const { return layout_; }
  /// The server of the file as it is seen from here, and the one of its locks and its end.
  Channel& channel_of(const Handle& handle) { return *channels_[layout_.front(hash_of_file(handle))]; }
  Channel& home_of(const Handle& handle) { return *channels_[layout_.home(hash_of_file(handle))]; }
  Channel& channel(size_t server) { return *channels_[server]; }
  size_t servers() const { return channels_.size(); }
  /// The most that one call to any of the servers may move.
  uint64_t most_data() const;
  /// Those that a commit of the range goes to.
  std::vector<size_t> owners_of(const Handle& file, Extent range) const;
  /// What one of them says, and what is lost with it if it was killed: an error number or 0.
  int commit_answer(size_t server, const Handle& file, Extent range, const Pending& pending,
                    std::vector<BadRange>* bad);
  /// Where appends go at the least, because of what servers hold that are not the file's home.
  Outcome<uint64_t> held_end(const Handle& file);
  /// A part of a read that met the end of the file, as its server saw it.
  struct Short {
    size_t owner;     // index of the caller's extent
    uint64_t inside;  // bytes of that in front of this part
    uint64_t place;   // in the row of the caller's memory
    Extent extent;
    uint64_t got;
  };
  /// Adds what is short of an answer to a read.
  static void add_shorts(const Cut& cut, const Reply& reply, std::vector<Short>* shorts);
  /// Ends each count, which is the length of its extent before, at the first byte that is not there.
  int end_counts(const Handle& file, const Row& row, std::vector<Short>* shorts, std::vector<uint64_t>* counts);

 private:
  Outcome<Node> node(const Request& request);
  Outcome<Node> as_its_servers_see_it(const Handle& directory, Outcome<Node> found, const Opening* opening = nullptr);
  std::vector<size_t> users_of(const Handle& file) const;
  void pass_on(const Reply& reply, const Channel& but);
  Outcome<Attributes> attributes(const Request& request);
  int transfer(Op op, const Handle& file, std::span<const iovec> memory, std::span<const Extent> extents,
               uint32_t flags, std::vector<uint64_t>* counts, std::vector<BadRange>* bad);
  int fill(const Handle& file, const Row& row, std::vector<Short>* shorts);
  base::Status agree();
  struct Held {
    uint64_t end = 0, taken = 0;
    int64_t modified = 0;
  };
  Outcome<Held> ask_others(const Handle& file, size_t but, uint32_t flags, uint64_t size = 0);

  std::vector<std::unique_ptr<Channel>> channels_;
  Layout layout_;
};

}  // namespace headrace::forward
