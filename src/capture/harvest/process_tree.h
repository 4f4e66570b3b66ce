// Who started whom, from what spools know: a pid, a parent pid, a creation time and how the image ended.
//
// One thread at a time. Memory: about 100 bytes an image; the oldest finished ones are forgotten beyond kKept.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "model/process.h"

namespace headrace::capture {

/// A process image: exec begins a new one under the same pid.
struct Image {
  uint32_t process_id = 0;
  uint64_t created_ns = 0;  // boot clock
  auto operator<=>(const Image&) const = default;
};

class ProcessTree {
 public:
  static constexpr size_t kKept = 1 << 18;
  explicit ProcessTree(std::string host) : host_(std::move(host)) {}

  uint64_t id_of(const Image& image) const { return model::process_id_of(host_, image.process_id, image.created_ns); }
  /// Tells that an image exists; images must be seen before their children ask.
  void see(const Image& image) { images_.try_emplace(image); }
  /// Tells how it ended; `end_at_ns` in the time of the log.
  void end(const Image& image, model::Ended how, uint64_t end_at_ns);
  /// Whether the same pid has an image created later.
  bool has_successor(const Image& image) const;
  /// Id of the image that executed or forked `image`, or 0. `forked`: it began by fork, so it succeeds nobody,
  /// and the parent is known for certain, ended or not.
  uint64_t parent_of(const Image& image, uint32_t parent_process_id, uint64_t start_at_ns, bool forked) const;

 private:
  struct Fate {
    model::Ended how = model::Ended::kRunning;
    uint64_t end_at_ns = 0;
  };
  std::string host_;
  std::map<Image, Fate> images_;
  std::deque<Image> finished_;
};

}  // namespace headrace::capture
