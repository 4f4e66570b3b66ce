#include "forward/protocol/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headrace::forward {
namespace {

using base::Code;
using base::Status;

constexpr size_t kDigits = 32;
constexpr size_t kSealAt = kHeaderBytes - sizeof(uint64_t);

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

base::Result<Secret> parse(const std::string& path, const char* text, ssize_t size) {
  Secret secret{};
  bool good = size == kDigits || (size == kDigits + 1 && text[kDigits] == '\n');
  for (size_t i = 0; good && i < kDigits; ++i) {
    const int value = digit(text[i]);
    good = value >= 0;
    secret[i / 2] = static_cast<uint8_t>(secret[i / 2] << 4 | (value & 15));
  }
  if (!good) return Status(Code::kCorrupt, path + ": is no secret: 32 digits 0-9 a-f; remove it to have one made");
  return secret;
}

/// Written under another name and then linked, so that nobody ever reads half of it.
Status make_file(const std::string& path) {
  std::string text;
  for (const uint8_t byte : random_secret()) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  text += '\n';
  const std::string part = path + "." + std::to_string(getpid()) + ".part";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return {Code::kIo, path + ": cannot be made: " + strerror(errno)};
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  const bool linked = written && (link(part.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int why = errno;
  unlink(part.c_str());
  return linked ? Status() : Status(Code::kIo, path + ": " + strerror(why));
}

}  // namespace

Secret random_secret() {
  Secret secret;
  size_t have = 0;
  while (have < secret.size()) {
    const ssize_t got = getrandom(secret.data() + have, secret.size() - have, 0);
    if (got > 0) have += static_cast<size_t>(got);
  }
  return secret;
}

base::Result<Secret> read_secret(const std::string& path, bool make) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT && make) {
    HEADRACE_TRY(make_file(path));
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  }
  if (fd < 0) return Status(errno == ENOENT ? Code::kNotFound : Code::kIo, path + ": " + strerror(errno));
  struct stat status;
  char text[kDigits + 2];
  const bool known = fstat(fd, &status) == 0;
  const ssize_t size = read(fd, text, sizeof text);
  close(fd);
  if (!known || !S_ISREG(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0)
    return Status(Code::kInvalid, path + ": a secret must be your own file and nobody else's to read: chmod 600 it");
  return parse(path, text, size);
}

base::SipKey derive(const Secret& secret, std::string_view purpose) { return base::siphash128(secret, purpose); }

base::SipKey derive(const Secret& secret, std::string_view purpose, const Nonce& client, const Nonce& server) {
  std::string text(purpose);
  text += '\0';
  text.append(reinterpret_cast<const char*>(client.data()), client.size());
  text.append(reinterpret_cast<const char*>(server.data()), server.size());
  return base::siphash128(secret, text);
}

bool same(const Nonce& a, const Nonce& b) {
  uint8_t differences = 0;
  for (size_t i = 0; i < a.size(); ++i) differences |= static_cast<uint8_t>(a[i] ^ b[i]);
  return differences == 0;
}

bool Sealer::work(uint8_t* frame, size_t size, bool write) {
  if (!on_) return true;
  const uint64_t said = base::load<uint64_t>(frame + kSealAt);
  // The number of the frame in its direction is never sent: both sides count.
  memcpy(frame + kSealAt, &number_, sizeof number_);
  ++number_;
  const uint64_t seal = base::siphash(key_, {reinterpret_cast<const char*>(frame), size});
  memcpy(frame + kSealAt, write ? &seal : &said, sizeof seal);
  return seal == said;
}

}  // namespace headrace::forward
