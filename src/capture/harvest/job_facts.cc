#include "capture/harvest/job_facts.h"

#include "capture/harvest/small_file.h"

namespace headrace::capture {

std::map<std::string, std::string> read_job_facts(int directory) {
  std::map<std::string, std::string> facts;
  const std::string text = read_small_file_at(directory, "job", 1 << 20);
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // a last line without its end was cut
    const std::string line = text.substr(at, end - at);
    const size_t equals = line.find('=');
    if (equals != std::string::npos) facts[line.substr(0, equals)] = line.substr(equals + 1);
    at = end + 1;
  }
  return facts;
}

}  // namespace headrace::capture
