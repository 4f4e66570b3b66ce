#include "anonymize/columns.h"

#include <algorithm>

#include "model/counters.h"

namespace headrace::anonymize {
namespace {

// Roles of model/tables.def.
namespace role {
constexpr Treatment id = Treatment::kId, u64 = Treatment::kNumber, i64 = Treatment::kNumber, f64 = Treatment::kNumber,
                    name = Treatment::kName, text = Treatment::kPath, list = Treatment::kList;
}  // namespace role

constexpr std::string_view kTables[] = {
#define TABLE(name, doc) #name,
#define COLUMN(table, name, role, unit, doc)
#include "model/tables.def"
#undef TABLE
#undef COLUMN
};

constexpr ColumnTreatment kByRole[] = {
#define TABLE(name, doc)
#define COLUMN(table, name, role_, unit, doc) {#table, #name, role::role_},
#include "model/tables.def"
#undef TABLE
#undef COLUMN
};

// Columns whose texts Headrace chooses, and those that need a treatment of their own.
constexpr ColumnTreatment kListed[] = {
    {"job", "key", Treatment::kFactKey},
    {"job", "value", Treatment::kFactValue},
    {"names", "name", Treatment::kNameOfText},
    {"processes", "ended", Treatment::kSentence},
    {"processes", "reason", Treatment::kSentence},
    {"files", "kind", Treatment::kSentence},
    {"files", "layer", Treatment::kSentence},
    {"shared", "who", Treatment::kRanks},
    {"shares", "layer", Treatment::kSentence},
    {"shares", "kind", Treatment::kSentence},
    {"properties", "key", Treatment::kPropertyKey},
    {"properties", "value", Treatment::kPropertyValue},
    {"sizes", "direction", Treatment::kSentence},
    {"common", "direction", Treatment::kSentence},
    {"common", "what", Treatment::kSentence},
    {"profiles", "function", Treatment::kIdentifier},
    {"profiles", "layer", Treatment::kSentence},
    {"unfinished", "function", Treatment::kIdentifier},
    {"unfinished", "layer", Treatment::kSentence},
    {"series", "direction", Treatment::kSentence},
    {"segments", "layer", Treatment::kSentence},
    {"segments", "direction", Treatment::kSentence},
    {"phases", "ended", Treatment::kSentence},
    {"phase_profiles", "function", Treatment::kIdentifier},
    {"phase_profiles", "layer", Treatment::kSentence},
    {"phase_series", "direction", Treatment::kSentence},
    {"phase_sizes", "layer", Treatment::kSentence},
    {"phase_sizes", "direction", Treatment::kSentence},
    {"cluster_stats", "layer", Treatment::kSentence},
    {"cluster_stats", "function", Treatment::kIdentifier},
    {"mounts", "type", Treatment::kMountType},
    {"mounts", "source", Treatment::kMountSource},
    {"mounts", "options", Treatment::kMountOptions},
    {"sites", "what", Treatment::kSentence},
    {"gaps", "what", Treatment::kSentence},
    {"gaps", "unit", Treatment::kSentence},
    {"gaps", "reason", Treatment::kSentence},
};

std::vector<ColumnTreatment> make_treatments() {
  std::vector<ColumnTreatment> all(std::begin(kByRole), std::end(kByRole));
  for (const model::CounterInfo& counter : model::kCounters) all.push_back({"files", counter.name, Treatment::kNumber});
  for (ColumnTreatment& each : all) {
    for (const ColumnTreatment& listed : kListed) {
      if (listed.table == each.table && listed.column == each.column) each.treatment = listed.treatment;
    }
  }
  return all;
}

}  // namespace

const std::vector<ColumnTreatment>& column_treatments() {
  static const std::vector<ColumnTreatment> all = make_treatments();
  return all;
}

Treatment treatment_of(std::string_view table, std::string_view column) {
  for (const ColumnTreatment& each : column_treatments()) {
    if (each.table == table && each.column == column) return each.treatment;
  }
  return Treatment::kDrop;
}

bool is_known_table(std::string_view table) {
  return std::find(std::begin(kTables), std::end(kTables), table) != std::end(kTables);
}

}  // namespace headrace::anonymize
