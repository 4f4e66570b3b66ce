#include "capture/recorder/exclusion.h"

#include <cstddef>

#include "base/start_code.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {

// A trie over bytes: an excluded open walks it once, and no other operation does.
struct Node {
  uint8_t byte;
  int8_t verdict;  // 0 none, −1 included, n: excluded by rule n − 1
  uint16_t child, sibling;
};
constexpr uint32_t kNodes = 4096, kRuleText = 4000;

struct Rules {
  Node nodes[kNodes];
  uint32_t used_nodes, count, text_used;
  char text[kRuleText];

  constexpr uint16_t child_with(uint16_t node, uint8_t byte) const {
    uint16_t child = nodes[node].child;
    while (child && nodes[child].byte != byte) child = nodes[child].sibling;
    return child;
  }
  constexpr int8_t number_in(const char* prefix, size_t length) {
    if (count + 1 >= kExclusionRules || text_used + length + 1 > kRuleText) return kExclusionRules;
    for (size_t i = 0; i <= length; ++i) text[text_used++] = prefix[i];
    return static_cast<int8_t>(++count);
  }
  constexpr bool add(const char* prefix, bool exclude) {
    size_t length = 0;
    while (prefix[length]) ++length;
    if (length == 0 || used_nodes + length > kNodes) return false;
    uint16_t node = 0;
    for (const char* p = prefix; *p; ++p) {
      uint16_t child = child_with(node, static_cast<uint8_t>(*p));
      if (!child) {
        child = static_cast<uint16_t>(used_nodes++);
        nodes[child] = {static_cast<uint8_t>(*p), 0, 0, nodes[node].child};
        nodes[node].child = child;
      }
      node = child;
    }
    nodes[node].verdict = exclude ? number_in(prefix, length) : int8_t{-1};
    return true;
  }
};

/// Made by the compiler, and most processes only read them: what is written takes memory of each.
constexpr Rules default_rules() {
  Rules made{};
  made.used_nodes = 1;
  constexpr const char* kOut[] = {"/dev/", "/proc/", "/sys/", "/etc/",  "/usr/",
                                  "/bin/", "/sbin/", "/lib",  "/boot/", "/run/"};
  for (const char* prefix : kOut) made.add(prefix, true);
  made.add("/dev/shm/", false);
  return made;
}
constinit Rules rules = default_rules();

}  // namespace

bool add_rule(const char* prefix, bool exclude) { return rules.add(prefix, exclude); }

int excluding_rule(const char* path, uint32_t length) {
  uint16_t node = 0;
  int verdict = -1;
  for (uint32_t i = 0; i < length; ++i) {
    node = rules.child_with(node, static_cast<uint8_t>(path[i]));
    if (!node) break;
    if (rules.nodes[node].verdict) verdict = rules.nodes[node].verdict;
  }
  return verdict > 0 ? verdict - 1 : -1;
}

HEADRACE_AT_START void store_rules() { spool.header->exclusion_rules = allocate_name(rules.text, rules.text_used); }

}  // namespace headrace::capture
