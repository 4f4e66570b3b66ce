// What several forwarding servers say of themselves as one text of OpenMetrics 1.0.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace headrace::programs {

/// Each metric has one head and below it the values of all servers, told apart by the label `server`; one `# EOF` ends
/// it. A value that stands under no head is left out, as is a server's head of a metric that an earlier server has.
class ServerMetrics {
 public:
  /// `text`: the answer of one server.
  void add(std::string_view address, std::string_view text);
  /// One that does not answer.
  void add_silent(std::string_view address);
  std::string text() const;

 private:
  struct Family {
    std::string name, head, values;
  };
  Family& family(std::string_view name);

  std::vector<Family> families_;  // as servers have them
  std::string up_;
};

}  // namespace headrace::programs
