// Files of a mounted file system, below the directories that the server was given.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "forward/backend/backend.h"
#include "forward/backend/confined.h"
#include "forward/backend/open_files.h"

namespace headrace::forward {

class PosixBackend : public Backend {
 public:
  struct Options {
    size_t open_files = 512;  // kept open at most, besides those in use
    bool use_openat2 = true;  // tests switch it off
    Hints hints = {};         // for new files of which a client says nothing
    std::function<void(const std::string&)> note = [](const std::string&) {};  // takes what is told once, in words
    bool assume_lustre = false;                                                // for tests
  };
  static base::Result<std::unique_ptr<PosixBackend>> make(const std::vector<std::string>& directories, Options options);

  bool sleeps() const override { return true; }
  std::vector<std::string> roots() const override;
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
  Outcome<std::shared_ptr<OpenFile>> open_any(const File& file, bool for_writing) override;
  void forget(const File& file) override { open_files_.forget(file); }
  bool forget_removed() override { return open_files_.forget_removed(); }

 private:
  explicit PosixBackend(Options options) : options_(std::move(options)), open_files_(options_.open_files) {}
  Outcome<const Confined*> root_of(const File& file) const;
  std::optional<File> only_name(Place place, const Confined::Parent& parent) const;
  Outcome<Descriptor> open_same(const File& file, int flags) const;
  Outcome<Descriptor> open_again(const File& directory);
  Outcome<Descriptor> open_lent(const File& file, int flags) const;
  int still_there(const File& directory) const;
  Outcome<std::string> path_of(Place place) const;
  Outcome<Confined::Parent> parent_of(Place place) const;
  Outcome<Found> make_node(Place place, uint32_t mode);
  Outcome<Found> describe(Place place, int fd) const;
  Outcome<Descriptor> create_striped(const Confined& root, const std::string& path, const CreateOptions& options,
                                     bool* can_be_used);

  Options options_;
  std::vector<Confined> roots_;
  OpenFiles open_files_;
  std::atomic<bool> noted_ = false;
};

}  // namespace headrace::forward
