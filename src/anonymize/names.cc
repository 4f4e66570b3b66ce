#include "anonymize/names.h"

#include <algorithm>
#include <cctype>

#include "anonymize/known.h"
#include "model/distinct_names.h"

namespace headrace::anonymize {
namespace {

constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
constexpr size_t kTokenDigits = 12;

bool is_number(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), digit);
}

/// Calls `each` with every part of `text` between `separator`s; empty parts too.
template <typename Each>
void split(std::string_view text, char separator, Each each) {
  while (true) {
    const size_t end = text.find(separator);
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Names::token(std::string_view text) const {
  std::string said = "t";  // apart from ids
  uint64_t hash = base::siphash(key_, said.append(text));
  std::string token = "~";
  for (size_t i = 0; i < kTokenDigits; ++i, hash >>= 5) token += kDigits[hash & 31];
  return token;
}

uint64_t Names::id(uint64_t value) const {
  if (value == 0) return 0;
  char bytes[9] = {'i'};
  for (size_t i = 0; i < 8; ++i) bytes[i + 1] = static_cast<char>(value >> (8 * i));
  const uint64_t hash = base::siphash(key_, {bytes, sizeof bytes});
  return hash == 0 ? 1 : hash;
}

std::string Names::component(std::string_view text, bool with_suffix) const {
  if (text.empty() || text == "." || text == "..") return std::string(text);
  if (text.find(':') != std::string_view::npos) {
    std::string result;
    split(text, ':', [&](std::string_view part) {
      if (part.data() != text.data()) result += ':';
      result += component(part, with_suffix);
    });
    return result;
  }
  const size_t dot = text.rfind('.');
  const bool kept = with_suffix && dot != std::string_view::npos && dot > 0 && is_common_suffix(text.substr(dot));
  return kept ? token(text).append(text.substr(dot)) : token(text);
}

/// A part of a path by which files of an MPI library are known stays one.
std::string Names::mpi_part(const model::MpiFiles& rule, std::string_view part) const {
  using Match = model::MpiFiles::Match;
  if (rule.match == Match::kPart) return std::string(part);
  if (rule.match == Match::kSession) return std::string(rule.text) + token(part) + ".0";
  if (rule.match == Match::kBeginning) return std::string(rule.text) + token(part);
  const bool hidden = rule.match == Match::kPointer;
  if (hidden) part.remove_prefix(1);
  const size_t end = part.rfind(rule.text);  // then come numbers
  return (hidden ? "." : "") + component(part.substr(0, end), true) + std::string(part.substr(end));
}

std::string Names::path(std::string_view text) const {
  if (text.empty() || is_placeholder(text)) return std::string(text);
  const model::MpiFile own = model::mpi_file(text);
  const bool structured = text.find('/') != std::string_view::npos;
  bool system = text[0] == '/';
  std::string result;
  size_t at = 0;
  split(text, '/', [&](std::string_view part) {
    if (at > 0) result += '/';
    at += part.size() + 1;
    // The parts so far are a path of the original as well as of the result, as long as all of it is kept.
    system = system && (part.empty() ? at == 1 : is_system_path(text.substr(0, at - 1)));
    const bool shows = own.rule && part.data() == own.part.data();
    result += system ? std::string(part) : shows ? mpi_part(*own.rule, part) : component(part, structured);
  });
  return result;
}

std::string Names::word(std::string_view text) const {
  static constexpr std::string_view kBefore = "(\"'`[", kAfter = ".,:;)\"'`]!?";
  const size_t first = std::min(text.find_first_not_of(kBefore), text.size());
  std::string_view core = text.substr(first);
  const size_t last = core.find_last_not_of(kAfter);
  core = core.substr(0, last == std::string_view::npos ? 0 : last + 1);
  std::string lower(core);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (core.empty() ? text.empty() : is_own_word(lower) || is_number(core)) return std::string(text);
  if (core.empty()) return token(text);
  return std::string(text.substr(0, first)) + path(core) + std::string(text.substr(first + core.size()));
}

std::string Names::sentence(std::string_view text) const {
  std::string result;
  split(text, ' ', [&](std::string_view part) {
    if (!result.empty() || part.data() != text.data()) result += ' ';
    result += word(part);
  });
  return result;
}

bool Names::is_identifier(std::string_view text) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 64 && letter(text[0]) && std::all_of(text.begin(), text.end(), fits);
}

bool Names::is_list_of_ranks(std::string_view text) {
  return text.find_first_not_of("0123456789,-.") == std::string_view::npos;
}

std::string Names::mount_type(std::string_view text) const {
  if (text.empty() || is_file_system(text)) return std::string(text);
  return text.starts_with("fuse.") ? "fuse." + token(text.substr(5)) : token(text);
}

std::string Names::mount_source(std::string_view text) const {
  return is_file_system(text) ? std::string(text) : path(text);
}

std::string Names::mount_options(std::string_view text) const {
  std::string result;
  split(text, ',', [&](std::string_view option) {
    if (!result.empty() || option.data() != text.data()) result += ',';
    const size_t equals = option.find('=');
    const bool number = equals != std::string_view::npos && is_mount_number(option.substr(0, equals)) &&
                        is_number(option.substr(equals + 1));
    const bool kept = option.empty() || is_mount_flag(option) || number;
    result += kept ? std::string(option) : token(option);
  });
  return result;
}

std::string Names::property_key(std::string_view text) const {
  // Parts that Headrace chooses; hints are chosen by whoever sets them.
  static constexpr std::string_view kHintsBegin[] = {"hint_asked.", "hint_used."};
  for (std::string_view begin : kHintsBegin) {
    if (!text.starts_with(begin)) continue;
    const std::string_view hint = text.substr(begin.size());
    return is_hint(hint) ? std::string(text) : std::string(begin) + token(hint);
  }
  static constexpr std::string_view kFailedOpen = "failed_open.";  // the name of a file follows
  if (text.starts_with(kFailedOpen)) return std::string(kFailedOpen) + component(text.substr(kFailedOpen.size()), true);
  static constexpr std::string_view kOwn[] = {"hdf5.", "lustre.", "gpfs.", "pnetcdf.", "mpiio.", "ranks."};
  for (std::string_view begin : kOwn) {
    if (!text.starts_with(begin)) continue;
    bool own = true;  // such as lustre.component2.stripe_size
    split(text.substr(begin.size()), '.', [&](std::string_view part) { own = own && is_identifier(part); });
    if (own) return std::string(text);
  }
  // Its value is replaced like any name: whoever guesses one could look whether it is in the sketch.
  return text == model::DistinctNames::kKey ? std::string(text) : path(text);
}

std::string Names::property_value(std::string_view text) const {
  std::string result;
  for (const char separator : {',', ' '}) {
    if (text.find(separator) == std::string_view::npos) continue;
    split(text, separator, [&](std::string_view part) {
      if (!result.empty() || part.data() != text.data()) result += separator;
      result += property_value(part);
    });
    return result;
  }
  return text.empty() || is_number(text) || is_property_word(text) ? std::string(text) : path(text);
}

}  // namespace headrace::anonymize
