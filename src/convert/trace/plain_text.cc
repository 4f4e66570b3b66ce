#include "convert/trace/plain_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace headrace::convert {

std::string plain_text(std::string_view bytes) {
  std::string text;
  bytes = bytes.substr(0, kLongestText);
  while (!bytes.empty()) {
    const size_t nul = std::min(bytes.find('\0'), bytes.size());
    base::append_escaped(bytes.substr(0, nul), text);
    if (nul < bytes.size()) text += "\\x00";
    bytes.remove_prefix(std::min(nul + 1, bytes.size()));
  }
  return text;
}

}  // namespace headrace::convert
