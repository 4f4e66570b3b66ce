#pragma once
// Collective operations over a Communicator, each in O(log ranks) steps. Every rank must call the same ones in the same
// order. All fail with the communicator's error; the ranks then disagree about what was done.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/communicator.h"

namespace headrace::base {

/// Gives everyone the bytes of rank 0.
Status broadcast(Communicator& ranks, std::vector<uint8_t>* bytes);

/// Combines the values of all ranks, element by element, and gives everyone the result. `combine` is associative and
/// commutative. All ranks have as many values.
Status all_reduce(Communicator& ranks, std::span<uint64_t> values,
                  const std::function<uint64_t(uint64_t, uint64_t)>& combine);

/// The same for values that have to be combined together: the second are added to the first.
Status all_reduce(Communicator& ranks, std::span<uint64_t> values,
                  const std::function<void(std::span<uint64_t>, std::span<const uint64_t>)>& add);

/// Gives rank 0 the bytes of all ranks, one behind the other in the order of the ranks, and the others none.
Status gather(Communicator& ranks, std::vector<uint8_t>* bytes);

/// The sum of the values of all ranks before this one.
Result<uint64_t> exclusive_sum(Communicator& ranks, uint64_t value);

/// Fails at every rank when it failed at one: there with `mine`, elsewhere with the number of ranks that failed.
Status agree(Communicator& ranks, Status mine);

/// The greatest power of two that is not above `size`: as many ranks take part in a butterfly. The others, from there
/// on, give what they have to the rank that many below them and get the answer from it.
int butterfly_size(int size);

}  // namespace headrace::base
