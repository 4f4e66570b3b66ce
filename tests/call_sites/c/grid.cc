// Namespaces, templates and inlined functions: `grid DIRECTORY`.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace sim {

template <typename T>
class Grid {
 public:
  explicit Grid(size_t n) : values_(n) {}
  __attribute__((noinline)) void dump(const std::string& path) {
    int fd = opened(path);  // LINE: inlined at
    if (::write(fd, values_.data(), values_.size() * sizeof(T)) < 0) _exit(3);
    ::close(fd);
  }
  __attribute__((noinline)) void print(const std::string& path) {
    std::ofstream out(path);  // LINE: stream
    for (const T& value : values_) out << value << '\n';
  }

 private:
  inline __attribute__((always_inline)) int opened(const std::string& path) {
    return ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);  // LINE: open
  }
  std::vector<T> values_;
};

}  // namespace sim

int main(int, char** argv) {
  sim::Grid<double> grid(100);
  grid.dump(argv[1] + std::string("/dump"));
  grid.print(argv[1] + std::string("/print"));
  return 0;
}
