#include "model/distinct_names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace headrace::model {
namespace {

bool is_sketch(std::string_view slots) {
  return slots.size() == DistinctNames::kSlots && std::all_of(slots.begin(), slots.end(), [](char letter) {
           return letter >= DistinctNames::kEmpty &&
                  static_cast<uint32_t>(letter - DistinctNames::kEmpty) <= DistinctNames::kMostLeading;
         });
}

/// What empty slots add.
double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x, factor = 1, before = 0;
  do {
    x *= x;
    before = sum;
    sum += x * factor;
    factor += factor;
  } while (sum != before);
  return sum;
}

/// What full slots add.
double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x, factor = 1, before = 0;
  do {
    x = std::sqrt(x);
    before = sum;
    factor *= 0.5;
    sum -= (1 - x) * (1 - x) * factor;
  } while (sum != before);
  return sum / 3;
}

}  // namespace

bool DistinctNames::unite(char* slots, std::string_view other) {
  if (!is_sketch(other)) return false;
  for (uint32_t i = 0; i < kSlots; ++i) slots[i] = std::max(slots[i], other[i]);
  return true;
}

double DistinctNames::estimate(std::string_view slots) {
  if (!is_sketch(slots)) return 0;
  std::vector<double> with(kMostLeading + 1);  // how many slots have this letter
  for (const char letter : slots) with[static_cast<size_t>(letter - kEmpty)] += 1;
  constexpr double kAll = kSlots;
  double sum = kAll * tau(1 - with[kMostLeading] / kAll);
  for (uint32_t leading = kMostLeading - 1; leading > 0; --leading) sum = 0.5 * (sum + with[leading]);
  sum += kAll * sigma(with[0] / kAll);
  return kAll * kAll / (2 * std::numbers::ln2) / sum;
}

}  // namespace headrace::model
