#pragma once
// What becomes of each column of a job log. Constants only; safe in any thread.
//
// The rule is the column's role in model/tables.def: ids become others, names and texts become tokens, and numbers
// stay. A text stays as it is only if columns.cc says so, so a column that somebody adds is anonymous until it is
// listed.

#include <cstdint>
#include <string_view>
#include <vector>

namespace headrace::anonymize {

enum class Treatment : uint8_t {
  kDrop,        // unknown to this version: it could hold anything
  kNumber,      // stays
  kId,          // another number
  kName,        // an id of the table `names`
  kNameOfText,  // the id column of `names` itself
  kFactKey,     // together with kFactValue: facts.h
  kFactValue,
  kPath,        // a text of which nothing is known to be harmless; all but the following
  kList,        // such texts, with NUL bytes behind or between them
  kSentence,    // written by Headrace: its own words and numbers stay
  kIdentifier,  // names of intercepted functions stay
  kMountType,
  kMountSource,
  kMountOptions,
  kRanks,  // numbers of ranks
  kPropertyKey,
  kPropertyValue,
};

struct ColumnTreatment {
  std::string_view table, column;
  Treatment treatment;
};

/// Every column of a job log, in the order of model/tables.def and model/counters.def.
const std::vector<ColumnTreatment>& column_treatments();

/// kDrop for what is not in that list.
Treatment treatment_of(std::string_view table, std::string_view column);

bool is_known_table(std::string_view table);

}  // namespace headrace::anonymize
