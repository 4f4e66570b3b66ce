#include "capture/recorder/exclusion.h"

#include <string.h>

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
HEADRACE_LARGE Node nodes[kNodes];
uint32_t used_nodes = 1, rules, text_used;
char rule_text[kRuleText];

uint16_t child_with(uint16_t node, uint8_t byte) {
  uint16_t child = nodes[node].child;
  while (child && nodes[child].byte != byte) child = nodes[child].sibling;
  return child;
}

int8_t number_in(const char* prefix, size_t length) {
  if (rules + 1 >= kExclusionRules || text_used + length + 1 > kRuleText) return kExclusionRules;
  memcpy(rule_text + text_used, prefix, length + 1);
  text_used += static_cast<uint32_t>(length + 1);
  return static_cast<int8_t>(++rules);
}

}  // namespace

bool add_rule(const char* prefix, bool exclude) {
  size_t length = strlen(prefix);
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

void add_default_rules() {
  static const char* const kOut[] = {"/dev/", "/proc/", "/sys/", "/etc/",  "/usr/",
                                     "/bin/", "/sbin/", "/lib",  "/boot/", "/run/"};
  for (const char* prefix : kOut) add_rule(prefix, true);
  add_rule("/dev/shm/", false);
}

int excluding_rule(const char* path, uint32_t length) {
  uint16_t node = 0;
  int verdict = -1;
  for (uint32_t i = 0; i < length; ++i) {
    node = child_with(node, static_cast<uint8_t>(path[i]));
    if (!node) break;
    if (nodes[node].verdict) verdict = nodes[node].verdict;
  }
  return verdict > 0 ? verdict - 1 : -1;
}

void store_rules() { spool.header->exclusion_rules = allocate_name(rule_text, text_used); }

}  // namespace headrace::capture
