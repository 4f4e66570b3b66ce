// A file system in the server's memory: for tests, and for data that need not outlive the job.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "forward/backend/backend.h"
#include "forward/backend/memory_file.h"

namespace headrace::forward {

class MemoryBackend : public Backend {
 public:
  /// `root`: its path as clients name it. Files hold at most `capacity` bytes in all, then ENOSPC.
  MemoryBackend(std::string root, uint64_t capacity);

  bool sleeps() const override { return false; }
  std::vector<std::string> roots() const override { return {root_path_}; }
  Outcome<Found> lookup(Place place, bool follow) override;
  Outcome<Found> create(Place place, const CreateOptions& options) override;
  Outcome<Found> mkdir(Place place, uint32_t mode) override;
  Outcome<Found> symlink(Place place, std::string_view target) override;
  int remove(Place place, bool directory, std::optional<File>* gone = nullptr) override;
  int rename(Place from, Place to, bool replace, std::optional<File>* gone = nullptr) override;
  int link(const File& file, Place to) override;
  Outcome<Attributes> attributes(const File& file) override;
  int set_attributes(const File& file, uint32_t set, const Attributes& attributes) override;
  Outcome<std::string> readlink(const File& file) override;
  Outcome<Space> space(const File& file) override;
  Outcome<Listing> list(const File& directory, uint64_t cookie, size_t bytes) override;
  Outcome<std::shared_ptr<OpenFile>> open(const File& file, bool for_writing) override;

 protected:
  /// The bytes of a new file.
  virtual std::shared_ptr<MemoryFile> new_file() { return std::make_shared<MemoryFile>(&room_); }
  MemoryRoom room_;

 private:
  struct Node {
    Attributes attributes;
    std::map<std::string, std::shared_ptr<Node>, std::less<>> entries;  // of a directory
    Node* parent = nullptr;                                             // of a directory
    std::string target;                                                 // of a link
    std::shared_ptr<MemoryFile> bytes;                                  // of a file
  };
  struct Spot {  // where a path leads: a directory and a name in it, which may be of nothing
    std::shared_ptr<Node> directory, node;
    std::string name;
  };

  Outcome<Spot> walk(Place place, bool follow);
  Outcome<std::shared_ptr<Node>> node_of(const File& file);
  Outcome<std::shared_ptr<Node>> empty_spot(Place place, Spot* spot);
  std::shared_ptr<Node> add(Spot& spot, uint32_t mode);
  Attributes now_of(const Node& node) const;
  Found found(Place place, const std::shared_ptr<Node>& node) const;
  int drop(const Spot& spot);

  const std::string root_path_;
  std::mutex mutex_;  // of the tree; files have their own
  std::shared_ptr<Node> root_;
  std::unordered_map<uint64_t, std::weak_ptr<Node>> nodes_;  // by inode
  uint64_t last_inode_ = 1;
};

}  // namespace headrace::forward
