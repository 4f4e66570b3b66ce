// Showing another node, by the daemons of MUNGE, which user a process is of: short messages that only processes of the
// same user can have made and can read, on all nodes that share MUNGE's key.
//
// The commands `munge` and `unmunge` do it (munge(1), unmunge(1)). Its library cannot be loaded into a program that is
// linked statically. Waits for them, ten seconds at most.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forward/protocol/messages.h"

namespace headrace::forward {

class Munge {
 public:
  /// `socket`: of the daemon, "" = the usual one.
  explicit Munge(std::string socket) : socket_(std::move(socket)) {}
  /// A text that this user alone can open, once on each node and for a few minutes.
  base::Result<std::string> seal(std::string_view message) const;
  /// What such a text says. kInvalid: it was made by another user, was opened before, or is none.
  base::Result<std::string> open(std::string_view sealed) const;

 private:
  base::Result<std::string> run(std::vector<std::string> words, std::string_view input) const;
  std::string socket_;
};

/// What is sealed when a client asks a server for the job's secret, and what the server answers. Both name the random
/// numbers of this one question, so no other connection can use them.
std::string munge_question(const Nonce& client, const Nonce& server);
std::string munge_answer(const Nonce& client, const Nonce& server, const Nonce& secret);
/// Of the answer to this question, or an error.
base::Result<Nonce> secret_of(std::string_view answer, const Nonce& client, const Nonce& server);
/// 32 digits, and back.
std::string hex_of(const Nonce& nonce);
bool nonce_of(std::string_view text, Nonce* nonce);

}  // namespace headrace::forward
