// Another back end, with delays and failures: a slow or full file system for tests.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "forward/backend/backend.h"

namespace headrace::forward {

struct TrialOptions {
  uint64_t delay_ns = 0;             // before each read, write and commit
  uint64_t fail_after = UINT64_MAX;  // bytes that can be written
  int error = 28;                    // of the writes behind those: ENOSPC
  Extent bad;                        // of every file, which cannot be written
  bool fail_commit = false;          // with the same error
  bool one_writer = false;           // at a time, as in file systems that lock a file to write to it
  std::string stop_file;             // while there is such a file nothing goes on
  std::string stops;                 // only in files whose path begins so
  std::string die_file;  // where there is such a file, the next change removes it, is made, a write by half, and kills
                         // the process before anybody is answered
};

class TrialBackend : public Backend {
  static constexpr uint8_t kDirectoryType = 4;  // DT_DIR

 public:
  TrialBackend(std::unique_ptr<Backend> inner, TrialOptions options) : inner_(std::move(inner)), state_(options) {}

  bool sleeps() const override { return true; }
  std::vector<std::string> roots() const override { return inner_->roots(); }
  Outcome<Found> lookup(Place place, bool follow) override { return inner_->lookup(place, follow); }
  Outcome<Found> create(Place place, const CreateOptions& o) override {
    return state_.die_after(inner_->create(place, o));
  }
  Outcome<Found> mkdir(Place place, uint32_t mode) override { return state_.die_after(inner_->mkdir(place, mode)); }
  Outcome<Found> symlink(Place place, std::string_view to) override {
    return state_.die_after(inner_->symlink(place, to));
  }
  int remove(Place place, bool directory, std::optional<File>* gone = nullptr) override {
    return state_.die_after(inner_->remove(place, directory, gone));
  }
  int rename(Place from, Place to, bool replace, std::optional<File>* gone = nullptr) override {
    return state_.die_after(inner_->rename(from, to, replace, gone));
  }
  Outcome<std::shared_ptr<OpenFile>> open_any(const File& file, bool for_writing) override {
    return file.type == kDirectoryType ? inner_->open_any(file, for_writing) : open(file, for_writing);
  }
  void forget(const File& file) override { inner_->forget(file); }
  bool forget_removed() override { return inner_->forget_removed(); }
  int link(const File& file, Place to) override { return state_.die_after(inner_->link(file, to)); }
  Outcome<Attributes> attributes(const File& file) override { return inner_->attributes(file); }
  int set_attributes(const File& file, uint32_t set, const Attributes& a) override {
    return inner_->set_attributes(file, set, a);
  }
  Outcome<std::string> readlink(const File& file) override { return inner_->readlink(file); }
  Outcome<Space> space(const File& file) override { return inner_->space(file); }
  Outcome<Listing> list(const File& directory, uint64_t cookie, size_t bytes) override {
    return inner_->list(directory, cookie, bytes);
  }
  Outcome<std::shared_ptr<OpenFile>> open(const File& file, bool for_writing) override;

  uint64_t reads() const { return state_.reads; }

  struct State {
    explicit State(TrialOptions given) : options(given) {}
    void delay(const std::string& path) const;
    /// Whether the file was there, which says that the process is to die.
    bool is_to_die() const;
    template <typename Outcome>
    Outcome die_after(Outcome outcome) const {
      if (is_to_die()) die();
      return outcome;
    }
    [[noreturn]] static void die();
    const TrialOptions options;
    std::atomic<uint64_t> written = 0, reads = 0;
    std::mutex one_writer;
  };

 private:
  std::unique_ptr<Backend> inner_;
  State state_;
};

}  // namespace headrace::forward
