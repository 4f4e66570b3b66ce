#pragma once
// Tables of a job log without the names of people, machines, programs and files.
//
// Every figure stays: rows, numbers, and which row belongs to which. One thread at a time: it remembers the names that
// it has seen, about 40 bytes each.

#include <set>
#include <string>
#include <unordered_map>

#include "anonymize/columns.h"
#include "anonymize/names.h"
#include "base/result.h"
#include "base/siphash.h"
#include "format/table_filter.h"

namespace headrace::anonymize {

/// A key from the system's random numbers. kIo: it gives none.
base::Result<base::SipKey> random_key();

/// A key as 32 hexadecimal digits, for the one who keeps it until a log is complete; nothing when it is not one.
std::string key_text(const base::SipKey& key);
base::Result<base::SipKey> parse_key(const std::string& text);

class Anonymizer : public format::TableFilter {
 public:
  explicit Anonymizer(const base::SipKey& key) : names_(key) {}

  const Names& names() const { return names_; }

  /// The table `names` must come before those that refer to it; ids of names that never came become others all the
  /// same. False: a table that this version does not know, of which nothing can be kept.
  bool apply(format::Table& table) override;

  /// What was left out, as "table 'x'", "column 'y' of table 'x'", "fact 'z'". Texts in them may be anything.
  const std::set<std::string>& left_out() const { return left_out_; }

 private:
  void apply_facts(format::Table& table);
  void apply_names(format::Table& table);
  void apply_column(format::Column& column, uint64_t rows, Treatment treatment);
  std::string text(std::string_view text, Treatment treatment) const;
  uint64_t number(uint64_t value, Treatment treatment) const;

  Names names_;
  std::unordered_map<uint64_t, uint64_t> name_ids_;
  std::set<std::string> left_out_;
};

/// The value of a fact about a job without names; nothing when such a fact is not kept: one that this version does not
/// know, or that is nothing but a name, as the user's number.
struct Fact {
  bool kept = false;
  std::string value;
};
Fact anonymous_fact(const Names& names, std::string_view key, std::string_view value);

}  // namespace headrace::anonymize
