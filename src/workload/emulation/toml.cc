#include "workload/emulation/toml.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"

namespace headrace::workload::emulation {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kMostTomlBytes = 1 << 20;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

/// One line, from left to right.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string take_bare() { return std::string(take_while(is_bare)); }
  Result<std::string> take_string(char quote);
  Result<std::string> take_number();
  /// Nothing but a comment may follow.
  Status end() {
    skip_blanks();
    if (rest_.empty() || rest_[0] == '#') return {};
    return {Code::kInvalid, "'" + std::string(rest_) + "' is too much; a comment begins with #"};
  }
  std::string_view rest() const { return rest_; }

 private:
  template <typename F>
  std::string_view take_while(F belongs) {
    const auto length = static_cast<size_t>(std::find_if_not(rest_.begin(), rest_.end(), belongs) - rest_.begin());
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::string_view rest_;
};

/// Escapes: those of one character. Quotes three times in a row begin strings of several lines, which are not read.
Result<std::string> Line::take_string(char quote) {
  if (rest_.starts_with(std::string(2, quote))) return Status(Code::kInvalid, "strings of several lines are not read");
  std::string value;
  while (!rest_.empty() && rest_[0] != quote) {
    char c = rest_[0];
    rest_.remove_prefix(1);
    if (c == '\\' && quote == '"') {
      constexpr std::string_view kWritten = "btnfr\"\\", kMeant = "\b\t\n\f\r\"\\";
      const size_t which = rest_.empty() ? kWritten.npos : kWritten.find(rest_[0]);
      if (which == kWritten.npos) return Status(Code::kInvalid, "a \\ in a string is not followed by one of btnfr\"\\");
      rest_.remove_prefix(1);
      c = kMeant[which];
    }
    value += c;
  }
  if (!take(quote)) return Status(Code::kInvalid, "the string does not end on its line");
  return value;
}

/// Digits, with _ between two of them.
Result<std::string> Line::take_number() {
  const std::string_view written = take_while([](char c) {
    return is_bare(c) || c == '+' || c == '.' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}';
  });
  const Status refused(Code::kInvalid, "'" + std::string(written.empty() ? rest_ : written) +
                                           "' is neither a string, as \"200us\", nor a whole number");
  std::string digits;
  for (size_t i = 0; i < written.size(); ++i) {
    const bool between = written[i] == '_' && i > 0 && i + 1 < written.size() && written[i - 1] != '_';
    if (written[i] >= '0' && written[i] <= '9')
      digits += written[i];
    else if (!between || written[i + 1] == '_')
      return refused;
  }
  if (digits.empty() || digits.size() > 18 || (digits.size() > 1 && digits[0] == '0')) return refused;
  return digits;
}

Result<TomlEntry> parse_entry(Line line) {
  TomlEntry entry{};
  entry.key = line.take_bare();
  if (entry.key.empty())
    return Status(Code::kInvalid, "'" + std::string(line.rest()) + "' does not begin with a key or a [table]");
  line.skip_blanks();
  if (!line.take('=')) return Status(Code::kInvalid, entry.key + ": a key is followed by = and its value");
  line.skip_blanks();
  const char quote = line.rest().empty() ? '\0' : line.rest()[0];
  entry.is_string = quote == '"' || quote == '\'';
  if (entry.is_string) line.take(quote);
  auto value = entry.is_string ? line.take_string(quote) : line.take_number();
  if (!value.ok()) return Status(Code::kInvalid, entry.key + ": " + value.message());
  entry.value = std::move(*value);
  HEADRACE_TRY(line.end());
  return entry;
}

Result<std::string> parse_table(Line line) {
  line.skip_blanks();
  std::string table = line.take_bare();
  line.skip_blanks();
  if (table.empty() || !line.take(']'))
    return Status(Code::kInvalid, "a table is written as [name], of letters, digits, _ and -");
  HEADRACE_TRY(line.end());
  return table;
}

/// Files as TOML has them: UTF-8, lines that end with \n or \r\n, no other control characters.
Status check_bytes(std::string_view line) {
  if (std::any_of(line.begin(), line.end(), is_control)) return {Code::kInvalid, "a control character in a text file"};
  return base::is_utf8(line) ? Status() : Status(Code::kInvalid, "the line is no UTF-8");
}

}  // namespace

Result<std::vector<TomlEntry>> parse_toml(std::string_view text) {
  if (text.size() > kMostTomlBytes) return Status(Code::kInvalid, "line 1: a profile has at most 1 MiB");
  std::vector<TomlEntry> entries;
  std::set<std::string> tables;
  std::set<std::pair<std::string, std::string>> keys;
  std::string table;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view written = text.substr(0, end);
    const bool ended = end < text.size();
    text.remove_prefix(std::min(end + 1, text.size()));
    if (ended && written.ends_with('\r')) written.remove_suffix(1);
    const auto refuse = [number](const Status& why) {
      return Status(Code::kInvalid, "line " + std::to_string(number) + ": " + why.message());
    };
    if (const Status status = check_bytes(written); !status.ok()) return refuse(status);
    Line line(written);
    line.skip_blanks();
    if (line.rest().empty() || line.rest()[0] == '#') continue;
    if (line.take('[')) {
      auto name = parse_table(line);
      if (!name.ok()) return refuse(name.status());
      if (!tables.insert(*name).second || keys.contains({"", *name}))
        return refuse({Code::kInvalid, "[" + *name + "] is there twice"});
      table = std::move(*name);
      continue;
    }
    auto entry = parse_entry(line);
    if (!entry.ok()) return refuse(entry.status());
    entry->line = number;
    entry->table = table;
    if (!keys.insert({table, entry->key}).second) return refuse({Code::kInvalid, entry->key + " is there twice"});
    entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace headrace::workload::emulation
