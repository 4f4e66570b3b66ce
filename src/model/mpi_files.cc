#include "model/mpi_files.h"

#include <algorithm>

namespace headrace::model {
namespace {

using Match = MpiFiles::Match;

// Seen in runs of Open MPI 4.1 and MPICH 4.0, or in the sources of these libraries.
const std::vector<MpiFiles> kFiles = {
    {Match::kSession, "ompi.", "Open MPI: its session directory (PMIx, shared memory, sockets)"},
    {Match::kBeginning, "vader_segment.", "Open MPI 4: shared memory of a rank"},
    {Match::kBeginning, "sm_segment.", "Open MPI 5: shared memory of a rank"},
    {Match::kBeginning, "osc_rdma.", "Open MPI: shared memory of windows"},
    {Match::kEnd, ".locktest.", "Open MPI's MPI-IO: tries whether the file system has locks"},
    {Match::kNumbered, "_cid-", "Open MPI's MPI-IO: the file pointer that ranks share, in shared memory"},
    {Match::kPointer, ".shfp.", "ROMIO (MPICH, Open MPI): the file pointer that ranks share"},
    {Match::kPart, ".openmpi", "Open MPI: the user's settings"},
    {Match::kPart, ".pmix", "PMIx: the user's settings"},
    {Match::kBeginning, "mpich_shar_tmp", "MPICH: shared memory of a node"},
    {Match::kBeginning, "ucx_shm_posix_", "UCX (MPICH, Open MPI): shared memory of a rank"},
    {Match::kBeginning, "psm2_shm.", "PSM2 (Omni-Path): shared memory of a rank"},
};

constexpr std::string_view kTemporary[] = {"/dev/shm/", "/tmp/", "/var/tmp/"};

bool is_temporary(std::string_view directory) {
  return std::find(std::begin(kTemporary), std::end(kTemporary), directory) != std::end(kTemporary);
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Digits, and `between` among them.
bool are_numbers(std::string_view text, char between) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return (c >= '0' && c <= '9') || c == between; });
}

/// `ompi.HOST.UID`, `ompi.PID`. A program may have a directory of that form as well, with other things in it.
bool is_session(std::string_view above, std::string_view below) {
  return is_temporary(above) || below.starts_with("/pid.") || below.starts_with("/jf.");
}

bool matches(const MpiFiles& rule, std::string_view part, std::string_view above, std::string_view below) {
  const bool last = below.empty();
  switch (rule.match) {
    case Match::kSession:
      return part.starts_with(rule.text) && is_number(part.substr(part.rfind('.') + 1)) && is_session(above, below);
    case Match::kPart:
      return part == rule.text;
    case Match::kBeginning:
      return last && part.starts_with(rule.text) && is_temporary(above);
    case Match::kEnd: {
      const size_t at = part.rfind(rule.text);
      return last && at != std::string_view::npos && is_number(part.substr(at + rule.text.size()));
    }
    case Match::kPointer: {
      const size_t at = part.find(rule.text);
      return last && part.starts_with('.') && at != std::string_view::npos && at > 1 &&
             are_numbers(part.substr(at + rule.text.size()), '.');
    }
    case Match::kNumbered: {
      constexpr std::string_view kEnding = ".sm";
      const size_t at = part.rfind(rule.text);
      if (!last || at == std::string_view::npos || at == 0 || !part.ends_with(kEnding)) return false;
      const std::string_view rest = part.substr(at + rule.text.size());
      return are_numbers(rest.substr(0, rest.size() - kEnding.size()), '-');
    }
  }
  return false;
}

}  // namespace

const std::vector<MpiFiles>& mpi_files() { return kFiles; }

MpiFile mpi_file(std::string_view path) {
  // Most paths hold none of the texts anywhere.
  const auto occurs = [&](const MpiFiles& rule) { return path.find(rule.text) != std::string_view::npos; };
  if (path.empty() || path[0] != '/' || std::none_of(kFiles.begin(), kFiles.end(), occurs)) return {};
  for (size_t begin = 1; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    for (const MpiFiles& rule : kFiles) {
      if (matches(rule, part, path.substr(0, begin), path.substr(end))) return {&rule, part};
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace headrace::model
