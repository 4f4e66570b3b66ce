#include "programs/headrace/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/headrace/child.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/site.h"

namespace headrace::programs {
namespace {

using base::Code;

constexpr char kWrapHelp[] =
    "Usage: headrace wrap COMPILER [ARGUMENT]...\n"
    "Runs a compiler. Where it links a program, the program is linked with the\n"
    "capture library, and its I/O is captured without LD_PRELOAD.\n"
    "\n"
    "A link to this command called headrace-COMPILER does the same:\n"
    "  ln -s headrace headrace-mpicc\n"
    "\n"
    "Compiling, shared libraries and questions to the compiler are left as they\n"
    "are. HEADRACE_LINK=off in the environment leaves everything as it is.\n"
    "\n"
    "Example:\n"
    "  headrace wrap mpicc -o simulation simulation.c\n"
    "  make CC=\"headrace wrap cc\"\n";

enum class Makes { kNothing, kProgram, kStaticProgram };

/// Options with a word of their own behind them, which is no input.
bool takes_word(const std::string& word) {
  for (const char* option :
       {"-o",       "-I",      "-L",         "-D",  "-U",    "-l",      "-x",       "-include",       "-imacros",
        "-isystem", "-iquote", "-idirafter", "-MF", "-MT",   "-MQ",     "-Xlinker", "-Xpreprocessor", "-Xassembler",
        "-T",       "-u",      "-z",         "-J",  "-arch", "--param", "-target"}) {
    if (word == option) return true;
  }
  return false;
}

bool links_nothing(const std::string& word) {
  for (const char* option :
       {"-c", "-S", "-E", "-M", "-MM", "-r", "-shared", "-fsyntax-only", "-###", "--version", "--help", "-V", "-show",
        "-compile-info", "-link-info", "-dumpversion", "-dumpmachine", "-dumpspecs", "-dumpfullversion"}) {
    if (word == option) return true;
  }
  for (const char* begin : {"-print-", "--print-", "--showme", "-showme", "-show:"}) {
    if (word.starts_with(begin)) return true;
  }
  return false;
}

Makes what_it_makes(const std::vector<std::string>& arguments) {
  bool input = false, is_static = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (links_nothing(word)) return Makes::kNothing;
    is_static |= word == "-static" || word == "-static-pie" || word == "--static";
    if (takes_word(word))
      ++i;
    else
      input |= !word.empty() && (word[0] != '-' || word == "-");
  }
  if (!input) return Makes::kNothing;
  return is_static ? Makes::kStaticProgram : Makes::kProgram;
}

std::vector<std::string> words_of(const std::string& flags) {
  std::vector<std::string> words;
  for (size_t at = 0; at < flags.size();) {
    const size_t end = std::min(flags.find(' ', at), flags.size());
    if (end > at) words.push_back(flags.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::vector<std::string> wrapped(const std::vector<std::string>& arguments, const std::string& flags,
                                 const std::string& static_flags) {
  const Makes makes = what_it_makes(arguments);
  if (makes == Makes::kNothing || arguments.empty()) return arguments;
  std::vector<std::string> all = {arguments[0]};
  const std::vector<std::string> words = words_of(makes == Makes::kProgram ? flags : static_flags);
  // First: of libraries that have a function, the one that was named before the others provides it.
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), arguments.begin() + 1, arguments.end());
  return all;
}

int wrap(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    const bool asked = !arguments.empty();
    if (!asked) say("no compiler given; for example: headrace wrap cc -o simulation simulation.c");
    return asked && write(STDOUT_FILENO, kWrapHelp, sizeof kWrapHelp - 1) >= 0 ? 0 : kMistake;
  }
  const auto program = find_program(arguments[0]);
  if (!program.ok()) {
    say(program.message());
    return program.code() == Code::kNotFound ? kNotFound : kCannotRun;
  }
  std::vector<std::string> command = arguments;
  const char* off = getenv("HEADRACE_LINK");
  if (const Makes makes = what_it_makes(arguments);
      makes != Makes::kNothing && (off == nullptr || strcmp(off, "off") != 0)) {
    const auto flags = makes == Makes::kProgram ? link_flags() : static_link_flags();
    if (!flags.ok()) {
      say(flags.message() + "; HEADRACE_LINK=off links without capture");
      return kMistake;
    }
    command = wrapped(arguments, *flags, *flags);
  }
  say(become_program(*program, command, plain_environment()).message());
  return kCannotRun;
}

}  // namespace headrace::programs
