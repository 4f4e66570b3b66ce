// Options of one letter, as the programs have them whose patterns these are: they become the long ones.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "programs/bench/words.h"

namespace headrace::programs {

struct ShortOption {
  char letter;
  const char* option = nullptr;  // the long one; null: there is none, and none is needed
  const char* value = nullptr;   // that it has then; null: as the long one has it
  const char* why = nullptr;     // it is refused: what to do instead
};

/// "-Fw", "-t1m" and "-t 1m" as "--per-process --write", "--transfer 1m". kInvalid: a letter that means nothing here.
base::Result<std::vector<std::string>> long_words(const std::vector<std::string>& words, const Options& options,
                                                  std::initializer_list<ShortOption> known);

}  // namespace headrace::programs
