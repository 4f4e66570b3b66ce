// Memory that a client and a server of one node share, through which large data goes without passing a socket.
//
// The server makes it, so that it counts in the server's memory and cannot be shrunk under its hands: it is sealed. The
// client decides what lies where; the server only looks whether a request's place is inside.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace headrace::forward {

class Window {
 public:
  /// Null when the kernel has no memory for it.
  static std::shared_ptr<Window> make(size_t bytes);
  /// The one behind a descriptor that a server passed, which is consumed; null when it cannot be mapped.
  static std::shared_ptr<Window> map(int fd, size_t bytes);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  int descriptor() const { return fd_; }
  /// The memory stays.
  void close_descriptor();
  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

 private:
  Window(uint8_t* data, size_t size, int fd) : data_(data), size_(size), fd_(fd) {}
  uint8_t* const data_;
  const size_t size_;
  int fd_;
};

}  // namespace headrace::forward
