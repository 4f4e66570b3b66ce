"""A trace of Perfetto, decoded by the published definitions of its messages, and resolved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

_LISTS = ("event_categories", "event_names", "debug_annotation_names")
_TYPES = {1: "begin", 2: "end", 3: "instant", 4: "counter"}


class Decoded:
    """`events`, one a packet of one; `tracks`, descriptors by uuid. Texts have to come before their use."""

    def __init__(self, path: Path) -> None:
        self.trace = protos.Trace()
        self.trace.ParseFromString(path.read_bytes())
        self.tracks: dict[int, Any] = {}
        self.events: list[dict[str, Any]] = []
        self._texts: dict[tuple[int, str], dict[int, str]] = {}
        self._track_of: dict[int, int] = {}
        for packet in self.trace.packet:
            self._take(packet)

    def _take(self, packet: Any) -> None:
        sequence = packet.trusted_packet_sequence_id
        assert sequence != 0
        if packet.sequence_flags & 1:
            self._texts = {key: value for key, value in self._texts.items() if key[0] != sequence}
        if packet.HasField("trace_packet_defaults"):
            self._track_of[sequence] = packet.trace_packet_defaults.track_event_defaults.track_uuid
        if packet.HasField("track_descriptor"):
            assert packet.track_descriptor.uuid not in self.tracks
            self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        for name in _LISTS:
            for entry in getattr(packet.interned_data, name):
                self._add(sequence, name, entry.iid, entry.name)
        for entry in packet.interned_data.debug_annotation_string_values:
            self._add(sequence, "values", entry.iid, entry.str.decode())
        if packet.HasField("track_event"):
            self.events.append(self._event(sequence, packet))

    def _add(self, sequence: int, name: str, number: int, text: str) -> None:
        assert self._texts.setdefault((sequence, name), {}).setdefault(number, text) == text

    def _event(self, sequence: int, packet: Any) -> dict[str, Any]:
        event = packet.track_event
        texts = {name: self._texts.get((sequence, name), {}) for name in (*_LISTS, "values")}
        notes = {
            texts["debug_annotation_names"][note.name_iid]: (
                texts["values"][note.string_value_iid] if note.string_value_iid else note.uint_value
            )
            for note in event.debug_annotations
        }
        track = self.tracks[event.track_uuid or self._track_of[sequence]]
        return {
            "time": packet.timestamp,
            "type": _TYPES[event.type],
            "name": texts["event_names"][event.name_iid] if event.name_iid else None,
            "categories": [texts["event_categories"][each] for each in event.category_iids],
            "tid": track.thread.tid,
            "track": track.name,
            "value": event.double_counter_value,
            "flows": list(event.flow_ids),
            "ends": list(event.terminating_flow_ids),
            **notes,
        }
