// The command line of `headrace mount`.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "forward/program/spec.h"

namespace headrace::programs {

extern const char kMountHelp[];

struct MountSettings {
  forward::program::Spec spec;
  forward::program::Setup setup;  // without specs
  std::string mountpoint;         // absolute, links resolved
  std::string unmount;            // a directory to unmount; nothing else counts then
  std::string log;                // file for what is said in the background; "" = the system's log
  bool foreground = false;
};
/// kNotFound: help was asked for. kInvalid: a mistake, in words.
base::Result<MountSettings> parse_mount(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
