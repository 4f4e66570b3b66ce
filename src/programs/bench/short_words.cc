#include "programs/bench/short_words.h"

#include <algorithm>

namespace headrace::programs {

using base::Result;
using base::Status;

namespace {

bool has_letters(const std::string& word) { return word.size() > 1 && word[0] == '-' && word[1] != '-'; }

bool is_everywhere(const std::string& word) { return word == "-q" || word == "-h"; }

}  // namespace

Result<std::vector<std::string>> long_words(const std::vector<std::string>& words, const Options& options,
                                            std::initializer_list<ShortOption> known) {
  std::vector<std::string> all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!has_letters(words[i]) || is_everywhere(words[i])) {
      all.push_back(words[i]);
      // The value of a long option may look like anything.
      const auto option = words[i].starts_with("--") ? options.find(words[i].substr(2)) : options.end();
      if (option != options.end() && !option->second.flag && i + 1 < words.size()) all.push_back(words[++i]);
      continue;
    }
    for (size_t at = 1; at < words[i].size(); ++at) {
      const std::string letter(1, words[i][at]);
      const auto* found =
          std::find_if(known.begin(), known.end(), [&](const auto& o) { return o.letter == letter[0]; });
      if (found == known.end()) return base::invalid("there is no option -" + letter + " here; --help names those");
      if (found->why != nullptr) return base::invalid("-" + letter + ": " + found->why);
      if (found->option == nullptr) continue;
      all.push_back("--" + std::string(found->option));
      if (found->value != nullptr) all.emplace_back(found->value);
      if (found->value != nullptr || options.at(found->option).flag) continue;
      const std::string rest = words[i].substr(at + 1);
      if (rest.empty() && i + 1 == words.size()) return base::invalid("-" + letter + " needs a value");
      all.push_back(rest.empty() ? words[++i] : rest);
      break;
    }
  }
  return all;
}

}  // namespace headrace::programs
