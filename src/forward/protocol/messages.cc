#include "forward/protocol/messages.h"

namespace headrace::forward {

const char* op_name(Op op) {
  switch (op) {
    case Op::kHello:
      return "hello";
    case Op::kProve:
      return "prove";
    case Op::kStatus:
      return "status";
    case Op::kGoodbye:
      return "goodbye";
    case Op::kKeep:
      return "keep";
    case Op::kSecret:
      return "secret";
    case Op::kLookup:
      return "lookup";
    case Op::kGetattr:
      return "getattr";
    case Op::kSetattr:
      return "setattr";
    case Op::kCreate:
      return "create";
    case Op::kRemove:
      return "remove";
    case Op::kRename:
      return "rename";
    case Op::kLink:
      return "link";
    case Op::kSymlink:
      return "symlink";
    case Op::kReadlink:
      return "readlink";
    case Op::kMkdir:
      return "mkdir";
    case Op::kReaddir:
      return "readdir";
    case Op::kResize:
      return "resize";
    case Op::kRead:
      return "read";
    case Op::kWrite:
      return "write";
    case Op::kAppend:
      return "append";
    case Op::kCommit:
      return "commit";
    case Op::kLock:
      return "lock";
    case Op::kHeld:
      return "held";
    case Op::kSpace:
      return "space";
    case Op::kOpened:
      return "opened";
  }
  return "";
}

bool happens_once(Op op) {
  switch (op) {
    case Op::kCreate:
    case Op::kRemove:
    case Op::kRename:
    case Op::kLink:
    case Op::kSymlink:
    case Op::kMkdir:
    case Op::kAppend:
    case Op::kCommit:  // it takes the errors that it tells with it
      return true;
    default:
      return false;
  }
}

}  // namespace headrace::forward
