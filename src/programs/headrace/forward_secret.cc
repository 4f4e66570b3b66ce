#include "programs/headrace/forward_secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "forward/client/ask_secret.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/messages.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

const char kHelp[] =
    "Usage: headrace forward secret [--munge=SOCKET] ADDRESS FILE\n"
    "Asks a server that was started with --munge for its job's secret, and writes it\n"
    "to FILE, which only this user may read. MUNGE shows each the other's user.\n"
    "\n"
    "Example:\n"
    "  headrace forward secret tcp:10.0.0.3:7000 /dev/shm/run7.secret\n"
    "  headrace run --forward /fwd=/scratch/run7@tcp:10.0.0.3:7000 \\\n"
    "      --forward-secret /dev/shm/run7.secret -- ./simulation\n";

/// All of it or nothing, and nobody else's file: others may write to the directory.
Status write_secret(const std::string& path, const forward::Secret& secret) {
  const std::string part = path + "." + std::to_string(getpid()) + ".part", text = forward::hex_of(secret) + "\n";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = fd >= 0 && close(fd) == 0;
  if (written && closed && rename(part.c_str(), path.c_str()) == 0) return {};
  const Status failed(Code::kIo, path + ": " + strerror(errno));
  if (fd >= 0) unlink(part.c_str());
  return failed;
}

Status get(const std::string& socket, const std::string& address, const std::string& path) {
  HEADRACE_ASSIGN(const forward::Secret secret, forward::ask_secret(address, forward::Munge(socket)));
  return write_secret(path, secret);
}

}  // namespace

int forward_secret(const std::vector<std::string>& arguments) {
  const std::string option = "--munge=";
  const bool given = !arguments.empty() && arguments[0].starts_with(option);
  if (arguments.empty() || arguments[0] == "--help") return fputs(kHelp, stdout) < 0 ? 1 : 0;
  if (arguments.size() != 2u + given) {
    say("forward secret: needs the address of a server and a file; `headrace forward secret --help` says more");
    return kMistake;
  }
  const Status status = get(given ? arguments[0].substr(option.size()) : "", arguments[given], arguments[given + 1]);
  if (status.ok()) return 0;
  say("forward secret: " + status.message());
  return 1;
}

}  // namespace headrace::programs
