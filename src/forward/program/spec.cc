#include "forward/program/spec.h"

#include <stdlib.h>

#include "forward/transport/transport.h"

namespace headrace::forward::program {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kBetween = '\n';

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<std::string> directory_of(const std::string& text, const std::string& whole) {
  if (!text.starts_with('/'))
    return Status(Code::kInvalid, "--forward " + whole + ": \"" + text + "\" is not an absolute path");
  std::string plain = plain_path(text);
  while (plain.ends_with('/')) plain.pop_back();
  return plain;
}

/// Processes of a run are in directories of their own choice, and two servers in one are none.
Status check_addresses(const std::vector<std::string>& addresses, const std::string& whole) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    HEADRACE_TRY(check_address(addresses[i]));
    if (addresses[i].starts_with("unix:") && !addresses[i].starts_with("unix:/"))
      return {Code::kInvalid, "--forward " + whole + ": give " + addresses[i] + " with an absolute path"};
    for (size_t j = 0; j < i; ++j)
      if (addresses[j] == addresses[i])
        return {Code::kInvalid, "--forward " + whole + ": " + addresses[i] + " is named twice"};
  }
  return {};
}

}  // namespace

std::string plain_path(std::string_view path) {
  std::string plain;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..")
      plain.append("/").append(part);
    else if (const size_t slash = plain.rfind('/'); slash != plain.npos)
      plain.resize(slash);
  }
  const bool directory = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
  return directory || plain.empty() ? plain + '/' : plain;
}

Result<Spec> parse_spec(const std::string& text) {
  const size_t at = text.find('@');
  const size_t equals = text.substr(0, at).find('=');
  if (at == text.npos || text.find(kBetween) != text.npos)
    return Status(Code::kInvalid, "--forward " + text +
                                      ": is not [PREFIX=]DIRECTORY@ADDRESS[,ADDRESS...], such as "
                                      "/fwd=/scratch/run7@unix:/tmp/run7.sock");
  Spec spec;
  const size_t begin = equals == text.npos ? 0 : equals + 1;
  HEADRACE_ASSIGN(spec.directory, directory_of(text.substr(begin, at - begin), text));
  spec.prefix = spec.directory;
  if (equals != text.npos) {
    HEADRACE_ASSIGN(spec.prefix, directory_of(text.substr(0, equals), text));
  }
  if (spec.prefix.empty()) return Status(Code::kInvalid, "--forward " + text + ": / as a whole cannot be forwarded");
  spec.addresses = split(text.substr(at + 1), ',');
  HEADRACE_TRY(check_addresses(spec.addresses, text));
  return spec;
}

std::string to_text(const Setup& setup) {
  std::string text = std::to_string(setup.timeout_seconds) + kBetween + setup.secret;
  for (const Spec& spec : setup.specs) {
    text += kBetween + spec.prefix + "=" + spec.directory + "@";
    for (const std::string& address : spec.addresses) text += (&address == &spec.addresses[0] ? "" : ",") + address;
  }
  return text;
}

Result<Setup> from_text(const std::string& text) {
  const std::vector<std::string> lines = split(text, kBetween);
  if (lines.size() < 3) return Status(Code::kInvalid, std::string(kVariable) + ": is not what `headrace run` makes");
  Setup setup;
  setup.timeout_seconds = static_cast<uint32_t>(strtoul(lines[0].c_str(), nullptr, 10));
  setup.secret = lines[1];
  for (size_t i = 2; i < lines.size(); ++i) {
    HEADRACE_ASSIGN(Spec spec, parse_spec(lines[i]));
    setup.specs.push_back(std::move(spec));
  }
  return setup;
}

}  // namespace headrace::forward::program
