#pragma once
// The names of one job's world replaced by tokens: the same text always by the same one, and nobody without the key can
// tell which text it was, not even by trying.
//
// Immutable after construction; safe in any thread. Copies hold the key, which never goes into a file.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/siphash.h"
#include "model/mpi_files.h"

namespace headrace::anonymize {

class Names {
 public:
  explicit Names(const base::SipKey& key) : key_(key) {}

  /// A path, component by component, so that depth and common directories stay visible: "/home/~…/~…/~….h5". Kept are
  /// the first components while they are a system directory, "." and "..", and a common suffix below a directory.
  /// A text without '/' is one token: a host, a word. What stands before and behind a colon has tokens of its own, so
  /// that a dataset FILE:NAME still lies in its file. Files of an MPI library keep what shows them to be such.
  std::string path(std::string_view text) const;

  /// A text of Headrace's own, of which only the words that it always uses and numbers are kept.
  std::string sentence(std::string_view text) const;

  /// A name of the C language, as functions have, if it is one.
  static bool is_identifier(std::string_view text);
  /// Whether a text holds nothing but numbers of ranks, such as "0-3,8,...".
  static bool is_list_of_ranks(std::string_view text);

  std::string mount_source(std::string_view text) const;
  std::string mount_type(std::string_view text) const;
  /// Options between commas, one token each unless they say nothing about the site.
  std::string mount_options(std::string_view text) const;

  /// "hint_asked.cb_nodes", "lustre.osts": of a hint that no standard and no library defines, the name is a token.
  std::string property_key(std::string_view text) const;
  /// Numbers and words that every system has stay, also in lists with commas or spaces; all else is a path.
  std::string property_value(std::string_view text) const;

  /// "~" and 12 characters for 60 bits: among a million names, two have the same token once in two million logs.
  std::string token(std::string_view text) const;

  /// A number that stands for an id; 0, which means none, stays.
  uint64_t id(uint64_t value) const;

 private:
  std::string component(std::string_view text, bool with_suffix) const;
  std::string mpi_part(const model::MpiFiles& rule, std::string_view part) const;
  std::string word(std::string_view text) const;

  base::SipKey key_;
};

}  // namespace headrace::anonymize
