#include "forward/transport/window.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headrace::forward {

std::shared_ptr<Window> Window::make(size_t bytes) {
  const int fd = memfd_create("headrace-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return nullptr;
  const bool sealed = ftruncate(fd, static_cast<off_t>(bytes)) == 0 &&
                      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  if (sealed) return map(fd, bytes);
  close(fd);
  return nullptr;
}

std::shared_ptr<Window> Window::map(int fd, size_t bytes) {
  struct stat status;
  void* data = MAP_FAILED;
  if (fstat(fd, &status) == 0 && static_cast<uint64_t>(status.st_size) >= bytes && bytes > 0)
    data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) {
    close(fd);
    return nullptr;
  }
  return std::shared_ptr<Window>(new Window(static_cast<uint8_t*>(data), bytes, fd));
}

void Window::close_descriptor() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Window::~Window() {
  munmap(data_, size_);
  close_descriptor();
}

}  // namespace headrace::forward
