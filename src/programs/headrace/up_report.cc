#include "programs/headrace/up_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "programs/headrace/amounts.h"

namespace headrace::programs {
namespace {

std::string as_json(const ServerTotals& of) {
  return "\"calls\": " + std::to_string(of.calls) + ", \"failed_calls\": " + std::to_string(of.failed_calls) +
         ", \"not_found\": " + std::to_string(of.not_found) + ", \"bytes_read\": " + std::to_string(of.bytes_read) +
         ", \"bytes_written\": " + std::to_string(of.bytes_written) +
         ", \"lost_bytes\": " + std::to_string(of.lost_bytes);
}

std::string quoted(const std::string& text) {
  std::string all;
  base::append_json(all, text);
  return all;
}

}  // namespace

UpReport::UpReport(const CommandServers& servers) {
  for (size_t i = 0; i < servers.addresses().size(); ++i) {
    Server& server = servers_.emplace_back();
    server.trouble = servers.how_died(i);
    if (!server.trouble.empty()) continue;
    const auto totals = ask_totals(servers.addresses()[i], servers.secret());
    if (!totals.ok()) {  // it lives, and may have lost what nobody has told yet
      server.trouble = totals.message();
      server.is_silent = true;
      all_known_ = false;
      continue;
    }
    server.totals = *totals;
    sum_.add(*totals);
    ++answered_;
  }
}

std::string UpReport::in_words() const {
  const size_t all = servers_.size();
  std::string text = (answered_ < all ? std::to_string(answered_) + " of " : "") + std::to_string(all) +
                     (all == 1 ? " server: " : " servers: ") + std::to_string(sum_.calls) + " calls" +
                     (sum_.failed_calls > 0 ? " (" + std::to_string(sum_.failed_calls) + " failed)" : "") + ", " +
                     amount(static_cast<double>(sum_.bytes_written)) + " written, " +
                     amount(static_cast<double>(sum_.bytes_read)) + " read";
  for (size_t i = 0; i < all; ++i)
    if (!servers_[i].trouble.empty())
      text += "; of server " + std::to_string(i + 1) + " nothing is known: " + servers_[i].trouble;
  return text;
}

base::Status UpReport::write(const std::string& path, bool all_stored, int exit_status) const {
  std::string text = "{\n  \"servers\": [";
  for (const Server& each : servers_)
    text += std::string(&each == &servers_[0] ? "\n" : ",\n") + "    {" +
            (each.trouble.empty() ? as_json(each.totals)
                                  : (each.is_silent ? "\"unknown\": " : "\"died\": ") + quoted(each.trouble)) +
            "}";
  text += std::string("\n  ],\n  \"all_stored\": ") + (all_stored ? "true" : "false") +
          ",\n  \"exit_status\": " + std::to_string(exit_status) + "\n}\n";
  FILE* file = fopen(path.c_str(), "we");
  const bool written = file != nullptr && fputs(text.c_str(), file) >= 0;
  if ((file != nullptr && fclose(file) != 0) || !written) return {base::Code::kIo, path + ": " + strerror(errno)};
  return {};
}

}  // namespace headrace::programs
