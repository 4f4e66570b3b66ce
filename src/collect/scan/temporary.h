#pragma once
// A directory for one test, gone after it. Tests only.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace headrace::collect {

class Temporary {
 public:
  Temporary() {
    std::string name = (std::filesystem::temp_directory_path() / "headrace-scan-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Temporary() { std::filesystem::remove_all(path_); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// Makes a file of `bytes` bytes, and the directories above it.
  std::string file(const std::string& name, size_t bytes) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << std::string(bytes, 'x');
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace headrace::collect
