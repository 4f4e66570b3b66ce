#include "forward/program/stream_cookies.h"

#include <mutex>

namespace headrace::forward::program {
namespace {

std::mutex& cookies_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
Cookie* cookies = nullptr;

}  // namespace

void enlist(Cookie* cookie, FILE* stream) {
  const std::lock_guard<std::mutex> lock(cookies_mutex());
  cookie->stream = stream;
  cookie->next = cookies;
  cookies = cookie;
}

void strike_out(const Cookie* cookie) {
  const std::lock_guard<std::mutex> lock(cookies_mutex());
  Cookie** at = &cookies;
  while (*at != nullptr && *at != cookie) at = &(*at)->next;
  if (*at != nullptr) *at = cookie->next;
}

Cookie* cookie_of(const FILE* stream) {
  const std::lock_guard<std::mutex> lock(cookies_mutex());
  Cookie* found = cookies;
  while (found != nullptr && found->stream != stream) found = found->next;
  return found;
}

}  // namespace headrace::forward::program
