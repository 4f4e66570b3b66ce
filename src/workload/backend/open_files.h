// The files that a rank has open, by their numbers in the plan.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>

namespace headrace::workload {

template <typename Handle>
class OpenFiles {
 public:
  struct File {
    Handle handle;
    std::string path;
  };
  void add(uint32_t number, Handle handle, std::string path) {
    last_ = nullptr;
    files_[number] = {handle, std::move(path)};
  }
  /// One that is open; plans open what they use. Most operations are on the same file as the one before.
  File& operator[](uint32_t number) {
    if (last_ == nullptr || last_number_ != number) {
      last_ = &files_[number];
      last_number_ = number;
    }
    return *last_;
  }
  void remove(uint32_t number) {
    last_ = nullptr;
    files_.erase(number);
  }

 private:
  std::unordered_map<uint32_t, File> files_;
  File* last_ = nullptr;
  uint32_t last_number_ = 0;
};

}  // namespace headrace::workload
