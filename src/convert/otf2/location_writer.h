#pragma once
// The events of one location as records of OTF2. Internal to otf2.

#include <otf2/otf2.h>

#include <vector>

#include "convert/otf2/collectives_ahead.h"
#include "convert/otf2/definitions.h"
#include "convert/otf2/regions.h"
#include "convert/trace/export.h"

namespace headrace::convert::otf2 {

/// What regions and operations are, by reference, looked up once.
struct Known {
  Operation operation;
  uint32_t paradigm = 0;
};

class LocationWriter {
 public:
  LocationWriter(const events::TraceReader& trace, const events::Location& location, Definitions& definitions,
                 OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, std::vector<Known>& known, Exported& exported,
                 Calls& calls)
      : trace_(trace),
        location_(location),
        definitions_(definitions),
        writer_(writer),
        attributes_(attributes),
        known_(known),
        exported_(exported),
        calls_(calls) {}

  /// Some wait for what comes; with the end of the outermost call they are written.
  void take(const BalancedEvent& balanced);

 private:
  /// A region or operation that is open.
  struct Frame {
    uint64_t matching = 0;    // of the operation that it is told as; 0: it is not
    bool begun = false;       // a collective in it was
    bool collective = false;  // which is `what`
    model::Event what = {};
    uint32_t reference = 0;
  };
  void write(const CollectivesAhead::Told& told);
  void enter(const model::Event& event, bool collective);
  void begin_operation(const model::Event& event, bool made);
  void end_operation(const model::Event& event, bool made);
  void leave(const model::Event& event, bool made);
  void message(const model::Event& event);
  void collective(const model::Event& event);
  bool can_tell(const model::Event& collective) const;
  void end_collective(Frame& frame, uint64_t at);
  const Known& known(uint32_t reference);

  const events::TraceReader& trace_;
  const events::Location& location_;
  Definitions& definitions_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* attributes_;
  std::vector<Known>& known_;
  Exported& exported_;
  Calls& calls_;
  CollectivesAhead ahead_;
  std::vector<Frame> open_;
  uint64_t matching_ = 0;
};

}  // namespace headrace::convert::otf2
