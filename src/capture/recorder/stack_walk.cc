#include "capture/recorder/stack_walk.h"

#include <string.h>

#include "capture/recorder/state.h"

namespace headrace::capture {
namespace {

constexpr uintptr_t kLargestFrame = 256 << 20;  // bytes; Fortran programs keep whole arrays on the stack

/// Rules by address, shared by all threads without a lock: a row that two of them write at once fits no address.
struct CachedRule {
  uint64_t check, rule;  // check = address ^ rule
};
constexpr uint32_t kCachedRules = 1024, kFirstRules = 128;
alignas(4096) HEADRACE_LARGE CachedRule rules[kCachedRules];
uint32_t stored_rules;  // so far: a process that walks rarely needs one page of them

uint32_t rows_of_rules() {
  return __atomic_load_n(&stored_rules, __ATOMIC_RELAXED) < kFirstRules / 2 ? kFirstRules : kCachedRules;
}

uint64_t packed(const FrameRule& rule) {
  const auto small = [](int64_t value, int bits) { return value >> (bits - 1) == 0 || value >> (bits - 1) == -1; };
  if (!small(rule.cfa_offset, 24) || !small(rule.frame_pointer_offset, 16) || !small(rule.return_offset, 16)) return 0;
  return uint64_t{1} << 63 | uint64_t{rule.signal} << 62 | uint64_t{rule.outermost} << 61 | uint64_t{rule.cfa} << 58 |
         uint64_t{rule.frame_pointer} << 56 | (static_cast<uint64_t>(rule.cfa_offset) & 0xffffff) << 32 |
         (static_cast<uint64_t>(rule.frame_pointer_offset) & 0xffff) << 16 |
         (static_cast<uint64_t>(rule.return_offset) & 0xffff);
}

FrameRule unpacked(uint64_t word) {
  FrameRule rule;
  rule.signal = (word >> 62 & 1) != 0;
  rule.outermost = (word >> 61 & 1) != 0;
  rule.cfa = static_cast<FrameRule::Cfa>(word >> 58 & 7);
  rule.frame_pointer = static_cast<FrameRule::Pointer>(word >> 56 & 3);
  rule.cfa_offset = static_cast<int32_t>(static_cast<uint32_t>(word >> 32) << 8) >> 8;
  rule.frame_pointer_offset = static_cast<int16_t>(word >> 16);
  rule.return_offset = static_cast<int16_t>(word);
  return rule;
}

FrameRule rule_at(const LoadedObject& object, uintptr_t pc) {
  CachedRule& row = rules[(pc ^ pc >> 10) % rows_of_rules()];
  const uint64_t word = __atomic_load_n(&row.rule, __ATOMIC_RELAXED),
                 check = __atomic_load_n(&row.check, __ATOMIC_RELAXED);
  if (word != 0 && (check ^ word) == pc) return unpacked(word);
  const FrameRule rule = frame_rule(object, pc);
  // Another library may come to lie where one was unloaded.
  if (const uint64_t made = packed(rule); made != 0 && is_permanent(object)) {
    __atomic_store_n(&row.check, pc ^ made, __ATOMIC_RELAXED);
    __atomic_store_n(&row.rule, made, __ATOMIC_RELAXED);
    if (rows_of_rules() == kFirstRules) __atomic_fetch_add(&stored_rules, 1, __ATOMIC_RELAXED);
  }
  return rule;
}

uintptr_t plain_address(uint64_t address) {
#if defined(__aarch64__)
  register uint64_t x30 asm("x30") = address;
  asm("hint #7" : "+r"(x30));  // xpaclri: takes a signature off; nothing where there are none
  return x30;
#else
  return address;
#endif
}

/// Whether the instruction before `address` is a call: the mark of a return address outside all loaded objects. It
/// looks wherever a stack points to, the heap included.
__attribute__((no_sanitize("address", "thread"))) bool follows_call(uintptr_t address) {
  Readable code;
#if defined(__x86_64__)
  if (address < 8) return false;
  int longest = 7;
  if (!code.covers(address - 7, 7)) {  // the call may be the first of its page, and nothing before that
    longest = static_cast<int>(address % 4096 < 7 ? address % 4096 : 0);
    if (longest == 0 || !code.covers(address - static_cast<uintptr_t>(longest), static_cast<size_t>(longest)))
      return false;
  }
  const auto* end = reinterpret_cast<const unsigned char*>(address);
  if (longest >= 5 && end[-5] == 0xe8) return true;
  for (int length = 2; length <= longest; ++length)  // ff /2: call through a register or memory
    if (end[-length] == 0xff && (end[-length + 1] & 0x38) == 0x10) return true;
  return false;
#else
  uint32_t word;
  if (address % 4 != 0 || address < 8 || !code.covers(address - 4, 4)) return false;
  memcpy(&word, reinterpret_cast<const void*>(address - 4), 4);
  return word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000;
#endif
}

struct Walker {
  Place at;
  Readable memory;
  uintptr_t return_slot = 0;

  bool move(uintptr_t cfa, uint64_t frame, uintptr_t slot) {
    uint64_t address;
    // Frames are one above the other; a coroutine's first frame is the top of its stack.
    if (cfa <= at.stack || cfa - at.stack > kLargestFrame || !memory.load(slot, &address)) return false;
    at = {plain_address(address), cfa, frame};
    return_slot = slot;
    return true;
  }
  bool follow(const FrameRule& rule) {
    uint64_t cfa = rule.cfa == FrameRule::kFromStack || rule.cfa == FrameRule::kAtStack ? at.stack : at.frame;
    cfa += static_cast<uint64_t>(int64_t{rule.cfa_offset});
    if ((rule.cfa == FrameRule::kAtFrame || rule.cfa == FrameRule::kAtStack) && !memory.load(cfa, &cfa)) return false;
    uint64_t frame = at.frame;
    const uintptr_t base = rule.frame_pointer == FrameRule::kSaved ? cfa : at.frame;
    if (rule.frame_pointer != FrameRule::kSame &&
        !memory.load(base + static_cast<uint64_t>(int64_t{rule.frame_pointer_offset}), &frame))
      return false;
    return move(cfa, frame, cfa + static_cast<uint64_t>(int64_t{rule.return_offset}));
  }
  /// By the frame pointer, if it looks like one.
  bool guess() {
    uint64_t frame, address;
    if (at.frame <= at.stack || at.frame - at.stack > kLargestFrame) return false;
    if (!memory.load(at.frame, &frame) || !memory.load(at.frame + 8, &address)) return false;
    return follows_call(plain_address(address)) && move(at.frame + 16, frame, at.frame + 8);
  }
};

}  // namespace

void walk_stack(Place from, Readable stack, Frames* out) {
  out->count = 0;
  out->whole = false;
  // Memory that is read before it is written takes two faults.
  if (__atomic_load_n(&stored_rules, __ATOMIC_RELAXED) == 0) __atomic_fetch_or(&rules[0].rule, 0, __ATOMIC_RELAXED);
  Walker walker{from, stack};
  LoadedObject object;
  uintptr_t pc = from.pc;
  bool known = find_object(pc, &object);
  while (out->count < kWalkFrames) {
    const FrameRule rule = known ? rule_at(object, pc) : FrameRule{};
    // What a signal interrupted did not make this call.
    if (rule.outermost || rule.signal) {
      out->whole = rule.outermost;
      return;
    }
    if (rule.cfa == FrameRule::kUnknown ? !walker.guess() : !walker.follow(rule)) return;
    if (walker.at.pc == 0) {
      out->whole = true;
      return;
    }
    pc = walker.at.pc - 1;  // inside the call, not behind it
    known = find_object(pc, &object);
    const uintptr_t distance = walker.return_slot - from.stack;
    if ((!known && !follows_call(walker.at.pc)) || distance > UINT32_MAX) return;
    out->address[out->count] = walker.at.pc;
    out->slot[out->count++] = static_cast<uint32_t>(distance);
  }
}

}  // namespace headrace::capture
