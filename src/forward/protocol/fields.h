// The one list of what each message consists of; the encoder and the decoder both walk along it.
#pragma once
#include "forward/protocol/messages.h"

namespace headrace::forward {

template <typename Walker, typename M>
void walk_request(Walker& walk, M& message) {
  switch (message.op) {
    case Op::kHello:
      return walk(message.oldest, message.newest, message.client, message.nonce, message.size);
    case Op::kProve:
      return walk(message.proof);
    case Op::kStatus:
    case Op::kGoodbye:
    case Op::kKeep:
      return;
    case Op::kSecret:
      return walk(message.nonce, message.name);
    case Op::kLookup:
      return walk(message.handle, message.name, message.flags, message.owner);
    case Op::kGetattr:
    case Op::kSpace:
    case Op::kReadlink:
      return walk(message.handle);
    case Op::kSetattr:
      return walk(message.handle, message.set, message.attributes);
    case Op::kCreate:
      return walk(message.handle, message.name, message.flags, message.mode, message.hints, message.owner);
    case Op::kRemove:
      return walk(message.handle, message.name, message.flags);
    case Op::kRename:
      return walk(message.handle, message.name, message.other_handle, message.other_name, message.flags);
    case Op::kLink:
      return walk(message.handle, message.other_handle, message.other_name);
    case Op::kSymlink:
      return walk(message.handle, message.name, message.other_name);
    case Op::kMkdir:
      return walk(message.handle, message.name, message.mode);
    case Op::kReaddir:
      return walk(message.handle, message.cookie, message.count);
    case Op::kResize:
      return walk(message.handle, message.size);
    case Op::kRead:
    case Op::kWrite:
      return walk(message.handle, message.flags, message.extents);
    case Op::kAppend:
      return walk(message.handle, message.flags, message.size, message.least);
    case Op::kCommit:
      return walk(message.handle, message.flags, message.range);
    case Op::kLock:
      return walk(message.handle, message.flags, message.owner, message.opener, message.cookie, message.range);
    case Op::kHeld:
      return walk(message.handle, message.flags, message.size);
    case Op::kOpened:
      return walk(message.handle, message.flags, message.owner);
  }
}

/// Of a reply without an error; one with an error has only `bad`.
template <typename Walker, typename M>
void walk_reply(Walker& walk, M& message) {
  switch (message.op) {
    case Op::kHello:
      return walk(message.version, message.nonce, message.proof);
    case Op::kProve:
      return walk(message.most_data, message.window, message.instance, message.placement, message.roots);
    case Op::kGoodbye:
      return walk(message.instance);
    case Op::kSecret:
    case Op::kStatus:
    case Op::kReadlink:
      return walk(message.text);
    case Op::kLookup:
    case Op::kCreate:
    case Op::kSymlink:
    case Op::kMkdir:
      return walk(message.handle, message.attributes);
    case Op::kGetattr:
    case Op::kSetattr:
    case Op::kResize:
    case Op::kLink:
    case Op::kOpened:
      return walk(message.attributes);
    case Op::kSpace:
      return walk(message.space);
    case Op::kRemove:
    case Op::kRename:
      return walk(message.handle);
    case Op::kKeep:
      return;
    case Op::kReaddir:
      return walk(message.at_end, message.entries);
    case Op::kRead:
      return walk(message.counts);
    case Op::kWrite:
    case Op::kAppend:
      return walk(message.size);
    case Op::kCommit:
      return walk(message.bad);
    case Op::kLock:
      return walk(message.granted, message.size, message.bad);
    case Op::kHeld:
      return walk(message.size, message.taken, message.attributes.modified);
  }
}

}  // namespace headrace::forward
