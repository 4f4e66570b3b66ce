#include "anonymize/json_list.h"

#include <cstdint>
#include <cstdio>

namespace headrace::anonymize {
namespace {

void append_utf8(uint32_t code, std::string& to) {
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xc0 | code >> 6);
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    to += static_cast<char>(0xe0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | code >> 18);
    to += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> list() {
    std::vector<std::string> items;
    if (!take('[')) return std::nullopt;
    if (!take(']')) {
      do {
        std::string item;
        if (!string(item)) return std::nullopt;
        items.push_back(std::move(item));
      } while (take(','));
      if (!take(']')) return std::nullopt;
    }
    skip();
    return text_.empty() ? std::optional(std::move(items)) : std::nullopt;
  }

 private:
  void skip() {
    const size_t end = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end);
  }

  bool take(char wanted) {
    skip();
    if (text_.empty() || text_[0] != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool string(std::string& to) {
    if (!take('"')) return false;
    while (!text_.empty()) {
      const char c = text_[0];
      text_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        to += c;
      } else if (!escape(to)) {
        return false;
      }
    }
    return false;
  }

  bool escape(std::string& to) {
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (text_.empty()) return false;
    const char c = text_[0];
    text_.remove_prefix(1);
    if (c == 'u') return unicode(to);
    const size_t place = kNames.find(c);
    if (place == std::string_view::npos) return false;
    to += kMeanings[place];
    return true;
  }

  bool unicode(std::string& to) {
    uint32_t code = 0;
    if (!hexadecimal(&code)) return false;
    if (code >= 0xdc80 && code <= 0xdcff) {
      to += static_cast<char>(code - 0xdc00);
      return true;
    }
    if (code < 0xd800 || code > 0xdfff) {
      append_utf8(code, to);
      return true;
    }
    uint32_t low = 0;
    if (code > 0xdbff || !text_.starts_with("\\u")) return false;
    text_.remove_prefix(2);
    if (!hexadecimal(&low) || low < 0xdc00 || low > 0xdfff) return false;
    append_utf8(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), to);
    return true;
  }

  bool hexadecimal(uint32_t* value) {
    if (text_.size() < 4) return false;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[static_cast<size_t>(i)];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      *value = *value << 4 | static_cast<uint32_t>(digit);
    }
    text_.remove_prefix(4);
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::optional<std::vector<std::string>> parse_list(std::string_view json) { return Parser(json).list(); }

std::string list_of(const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const std::string& text : texts) {
    if (json.size() > 1) json += ", ";
    json += '"';
    for (const char c : text) {
      char escaped[8];
      if (c == '"' || c == '\\') json += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) {
        json += c;
        continue;
      }
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      json += escaped;
    }
    json += '"';
  }
  return json + "]";
}

}  // namespace headrace::anonymize
