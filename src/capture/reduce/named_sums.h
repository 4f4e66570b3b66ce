// Sums of what ranks have under names, such as functions or phases, brought together in log2(ranks) steps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "base/result.h"

namespace headrace::capture {

/// Equal names have equally many values. Of names that begin with kGreatest the greatest values stay, not the sums.
using NamedSums = std::map<std::string, std::vector<uint64_t>>;

inline constexpr char kGreatest = '>';

void add(NamedSums& into, const NamedSums& from);

/// Collective. Leaves rank 0 with the sums over all ranks, and the others with nothing.
base::Status sum_at_first(base::Communicator& ranks, NamedSums* sums);

/// Collective. Gives everyone the texts of rank 0.
base::Status tell_texts(base::Communicator& ranks, std::vector<std::string>* texts);

}  // namespace headrace::capture
