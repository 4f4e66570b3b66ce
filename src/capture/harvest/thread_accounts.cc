#include "capture/harvest/thread_accounts.h"

#include <cstring>

#include "capture/spool_layout.h"

namespace headrace::capture {

std::vector<events::Account> thread_accounts(std::span<const std::byte> spool, uint64_t process) {
  std::vector<events::Account> rows;
  Header header{};
  if (spool.size() < sizeof header) return rows;
  std::memcpy(static_cast<void*>(&header), spool.data(), sizeof header);
  uint64_t sums[kAccounts] = {};  // a thread's block may have been others' before
  uint64_t steps = spool.size() / sizeof(ThreadBlock);
  for (uint64_t offset = header.first_thread; offset != 0 && steps > 0; --steps) {
    ThreadBlock block;
    if (offset > spool.size() || sizeof block > spool.size() - offset) break;
    std::memcpy(static_cast<void*>(&block), spool.data() + offset, sizeof block);
    for (uint32_t i = 0; i < kAccounts; ++i) sums[i] += block.accounts[i];
    offset = block.next;
  }
  for (uint32_t i = 0; i < kAccounts; ++i)
    if (sums[i] != 0) rows.push_back({process, 0, kAccountNames[i], sums[i]});
  return rows;
}

}  // namespace headrace::capture
