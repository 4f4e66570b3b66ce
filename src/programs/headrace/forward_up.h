// `headrace forward up`: servers of one command's own, and the command with forwarding to them.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

extern const char kForwardHelp[];

struct ForwardUpSettings {
  unsigned servers = 1;
  bool servers_given = false;
  std::string launcher;                    // a command that starts the servers on nodes; "" = here
  std::string interface = "any";           // of these nodes
  std::string place;                       // as `headrace serve` has it, "" = its default
  std::string shared;                      // directory that they see
  std::string root, prefix;                // absolute
  std::vector<std::string> serve_options;  // as `headrace serve` has them
  std::vector<std::string> run_options;    // as `headrace run` has them
  std::string report;                      // file for the figures as JSON, "" = none
  bool quiet = false;
  std::vector<std::string> command;
};
/// The words after "forward". kNotFound: help was asked for. kInvalid: a mistake, in words.
base::Result<ForwardUpSettings> parse_forward_up(const std::vector<std::string>& arguments);

/// Returns the exit status for this process, or does not return when the command died of a signal.
int forward(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
