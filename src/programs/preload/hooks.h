// The chain of hooks of libheadrace.so: what a call of the program passes through before the C library's own function.
#pragma once
#include "capture/recorder/file_hooks.h"
#include "capture/recorder/name_hooks.h"
#include "capture/recorder/process_hooks.h"
#include "capture/recorder/stream_hooks.h"
#include "capture/recorder/transfer_hooks.h"
#include "intercept/real_hooks.h"
#include "programs/preload/forward_asynchronous_hooks.h"
#include "programs/preload/forward_descriptor_hooks.h"
#include "programs/preload/forward_directory_hooks.h"
#include "programs/preload/forward_name_hooks.h"
#include "programs/preload/forward_open_hooks.h"
#include "programs/preload/forward_transfer_hooks.h"
#include "programs/preload/program_hooks.h"
#include "programs/preload/rare_forward_hooks.h"
#include "programs/preload/search_hooks.h"
#include "programs/preload/static_hooks.h"
#include "programs/preload/swapped_streams.h"

namespace headrace::preload {

template <class Bottom>
using Chain =
    capture::ProcessHooks<capture::StreamHooks<capture::NameHooks<capture::FileHooks<capture::TransferHooks<Bottom>>>>>;
#ifdef HEADRACE_STATIC
using Hooks = OutermostStreamCalls<Chain<StaticHooks>>;
#else
template <class Bottom>
using Forward =
    ForwardNames<ForwardOpens<ForwardDirectories<ForwardTransfers<ForwardDescriptors<ForwardAsynchronous<Bottom>>>>>>;
using Hooks = ProgramHooks<Chain<SearchHooks<RareForwardHooks<Forward<SwappedStreams<intercept::RealHooks>>>>>>;
#endif

}  // namespace headrace::preload
