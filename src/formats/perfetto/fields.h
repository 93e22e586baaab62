// Field numbers and constants of Perfetto's trace format, as far as they are
// read or written here. One enum per message, in the order of the messages.
//
// A file is a Trace: packets one after the other, each as field 1.

#ifndef OPSCOPE_FORMATS_PERFETTO_FIELDS_H
#define OPSCOPE_FORMATS_PERFETTO_FIELDS_H

enum perfetto_trace_field {
    PERFETTO_TRACE_PACKET = 1,
};

enum perfetto_packet_field {
    PERFETTO_PACKET_CLOCK_SNAPSHOT = 6,
    PERFETTO_PACKET_TIMESTAMP = 8,
    PERFETTO_PACKET_SEQUENCE = 10, // trusted_packet_sequence_id
    PERFETTO_PACKET_TRACK_EVENT = 11,
    PERFETTO_PACKET_INTERNED_DATA = 12,
    PERFETTO_PACKET_SEQUENCE_FLAGS = 13,
    PERFETTO_PACKET_COMPRESSED = 50, // a zlib stream of packets
    PERFETTO_PACKET_GPU_COUNTER_EVENT = 52,
    PERFETTO_PACKET_GPU_RENDER_STAGE_EVENT = 53,
    PERFETTO_PACKET_CLOCK = 58, // timestamp_clock_id
    PERFETTO_PACKET_DEFAULTS = 59,
    PERFETTO_PACKET_TRACK_DESCRIPTOR = 60,
    PERFETTO_PACKET_FIRST_ON_SEQUENCE = 87,
    PERFETTO_PACKET_TRACE_ATTRIBUTES = 126,
    PERFETTO_PACKET_GPU_INFO = 128,
    PERFETTO_PACKET_COMPRESSED_ZSTD = 133,
    PERFETTO_PACKET_CALLS = 1830, // opscope's own, which Perfetto passes over
};

// What is in a field PERFETTO_PACKET_CALLS: operators and calls in the order of their numbers, from
// 1 on, and how many there are. What is 0 or "" is left out.
enum perfetto_calls_field {
    PERFETTO_CALLS_OPERATOR = 1,
    PERFETTO_CALLS_CALL = 2,
    PERFETTO_CALLS_END = 3,
};

enum perfetto_calls_operator_field {
    PERFETTO_CALLS_OPERATOR_NAME = 1,
    PERFETTO_CALLS_OPERATOR_TYPE = 2,
    PERFETTO_CALLS_OPERATOR_LOCATION = 3,
    PERFETTO_CALLS_OPERATOR_VALUE = 4,
};

enum perfetto_calls_call_field {
    PERFETTO_CALLS_CALL_OPERATOR = 1,
    PERFETTO_CALLS_CALL_PARENT = 2,
    PERFETTO_CALLS_CALL_ITERATION = 3,
    PERFETTO_CALLS_CALL_INVOCATION = 4,
    PERFETTO_CALLS_CALL_DEVICE = 5,
    PERFETTO_CALLS_CALL_REPLAY = 6,
    PERFETTO_CALLS_CALL_DOMAIN = 7,
    PERFETTO_CALLS_CALL_KEY = 8,
    PERFETTO_CALLS_CALL_VALUE = 9,
};

enum perfetto_calls_value_field {
    PERFETTO_CALLS_VALUE_KEY = 1,
    PERFETTO_CALLS_VALUE_KIND = 2, // enum value_kind
    PERFETTO_CALLS_VALUE_PROVENANCE = 3,
    PERFETTO_CALLS_VALUE_NUMBER = 4, // of a real: its bits
    PERFETTO_CALLS_VALUE_TEXT = 5,
};

enum perfetto_calls_end_field {
    PERFETTO_CALLS_END_OPERATORS = 1,
    PERFETTO_CALLS_END_CALLS = 2,
};

// The argument by which an event says its call.
#define PERFETTO_CALL_ARGUMENT "opscope.call"

enum perfetto_sequence_flag {
    PERFETTO_STATE_CLEARED = 1, // SEQ_INCREMENTAL_STATE_CLEARED
    PERFETTO_STATE_NEEDED = 2,  // SEQ_NEEDS_INCREMENTAL_STATE
};

enum perfetto_attributes_field {
    PERFETTO_ATTRIBUTES_ATTRIBUTE = 1,
};

enum perfetto_attribute_field {
    PERFETTO_ATTRIBUTE_KEY = 1,
    PERFETTO_ATTRIBUTE_LONG = 2,
    PERFETTO_ATTRIBUTE_STRING = 3,
};

enum perfetto_defaults_field {
    PERFETTO_DEFAULTS_TRACK_EVENT = 11, // fields 11, 31 and 45 of a track event
    PERFETTO_DEFAULTS_CLOCK = 58,
};

enum perfetto_snapshot_field {
    PERFETTO_SNAPSHOT_CLOCK = 1,
    PERFETTO_SNAPSHOT_PRIMARY = 2,
};

enum perfetto_clock_field {
    PERFETTO_CLOCK_ID = 1,
    PERFETTO_CLOCK_TIMESTAMP = 2,
    PERFETTO_CLOCK_INCREMENTAL = 3,
    PERFETTO_CLOCK_UNIT_NS = 4, // unit_multiplier_ns
};

enum perfetto_clock_number {
    PERFETTO_CLOCK_REALTIME = 1,
    PERFETTO_CLOCK_MONOTONIC = 3,
    PERFETTO_CLOCK_MONOTONIC_RAW = 5,
    PERFETTO_CLOCK_BOOTTIME = 6, // what timestamps without a clock are in
    PERFETTO_CLOCK_TSC = 9,
    PERFETTO_CLOCK_TRACE_FILE = 11,
    PERFETTO_CLOCK_OWN_FIRST = 64, // clocks that belong to one sequence
    PERFETTO_CLOCK_OWN_LAST = 127,
};

enum perfetto_descriptor_field {
    PERFETTO_DESCRIPTOR_UUID = 1,
    PERFETTO_DESCRIPTOR_NAME = 2,
    PERFETTO_DESCRIPTOR_PROCESS = 3,
    PERFETTO_DESCRIPTOR_THREAD = 4,
    PERFETTO_DESCRIPTOR_PARENT = 5,
    PERFETTO_DESCRIPTOR_COUNTER = 8,
    PERFETTO_DESCRIPTOR_CHILD_ORDERING = 11,
    PERFETTO_DESCRIPTOR_RANK = 12, // sibling_order_rank, int32
    PERFETTO_DESCRIPTOR_DESCRIPTION = 14,
    PERFETTO_DESCRIPTOR_MERGE = 15, // sibling_merge_behavior
    PERFETTO_DESCRIPTOR_MERGE_KEY = 16,
    PERFETTO_DESCRIPTOR_MERGE_KEY_INT = 17,
    PERFETTO_DESCRIPTOR_STATE = 18,
    PERFETTO_DESCRIPTOR_PROCESS_ORDERING = 19, // on uuid 0 only
    PERFETTO_DESCRIPTOR_THREAD_ORDERING = 20,  // on uuid 0 only
};

enum perfetto_child_ordering {
    PERFETTO_ORDER_LEXICOGRAPHIC = 1,
    PERFETTO_ORDER_CHRONOLOGICAL = 2,
    PERFETTO_ORDER_EXPLICIT = 3,
};

enum perfetto_merge {
    PERFETTO_MERGE_BY_NAME = 1, // what happens when a descriptor does not say
    PERFETTO_MERGE_NONE = 2,
    PERFETTO_MERGE_BY_KEY = 3,
};

enum perfetto_process_field {
    PERFETTO_PROCESS_PID = 1,
    PERFETTO_PROCESS_COMMAND_LINE = 2,
    PERFETTO_PROCESS_NAME = 6,
    PERFETTO_PROCESS_START_NS = 7,
    PERFETTO_PROCESS_LABEL = 8,
};

enum perfetto_thread_field {
    PERFETTO_THREAD_PID = 1,
    PERFETTO_THREAD_TID = 2,
    PERFETTO_THREAD_NAME = 5,
};

enum perfetto_counter_field {
    PERFETTO_COUNTER_UNIT = 3,
    PERFETTO_COUNTER_UNIT_MULTIPLIER = 4,
    PERFETTO_COUNTER_INCREMENTAL = 5,
    PERFETTO_COUNTER_UNIT_NAME = 6,
    PERFETTO_COUNTER_Y_AXIS_KEY = 7,
};

enum perfetto_counter_unit {
    PERFETTO_UNIT_UNSPECIFIED = 0,
    PERFETTO_UNIT_TIME_NS = 1,
    PERFETTO_UNIT_COUNT = 2,
    PERFETTO_UNIT_SIZE_BYTES = 3,
};

enum perfetto_event_field {
    PERFETTO_EVENT_CATEGORY_IID = 3,
    PERFETTO_EVENT_ANNOTATION = 4, // debug_annotations
    PERFETTO_EVENT_LEGACY = 6,
    PERFETTO_EVENT_TYPE = 9,
    PERFETTO_EVENT_NAME_IID = 10,
    PERFETTO_EVENT_TRACK = 11, // track_uuid
    PERFETTO_EVENT_EXTRA_VALUE = 12,
    PERFETTO_EVENT_CATEGORY = 22,
    PERFETTO_EVENT_NAME = 23,
    PERFETTO_EVENT_COUNTER_VALUE = 30,
    PERFETTO_EVENT_EXTRA_TRACK = 31,
    PERFETTO_EVENT_FLOW_OLD = 36,     // flow_ids as varints, before 47
    PERFETTO_EVENT_FLOW_END_OLD = 42, // terminating_flow_ids as varints, before 48
    PERFETTO_EVENT_DOUBLE_VALUE = 44,
    PERFETTO_EVENT_EXTRA_DOUBLE_TRACK = 45,
    PERFETTO_EVENT_EXTRA_DOUBLE_VALUE = 46,
    PERFETTO_EVENT_FLOW = 47,     // fixed64, one tag each, never packed
    PERFETTO_EVENT_FLOW_END = 48, // terminating_flow_ids, the same
    PERFETTO_EVENT_CORRELATION = 52,
    PERFETTO_EVENT_CORRELATION_TEXT = 53,
    PERFETTO_EVENT_CORRELATION_TEXT_IID = 54,
    PERFETTO_EVENT_CALLSTACK = 55,
    PERFETTO_EVENT_CALLSTACK_IID = 56,
};

enum perfetto_event_type {
    PERFETTO_TYPE_UNSPECIFIED = 0,
    PERFETTO_TYPE_BEGIN = 1,
    PERFETTO_TYPE_END = 2,
    PERFETTO_TYPE_INSTANT = 3,
    PERFETTO_TYPE_COUNTER = 4,
    PERFETTO_TYPE_STATE = 5,
};

// An event with more extra counters than this is dropped whole by Perfetto.
enum { PERFETTO_EXTRA_COUNTERS_MOST = 8 };

// Deeper slices are dropped by Perfetto.
enum { PERFETTO_DEPTH_MOST = 512 };

enum perfetto_legacy_field {
    PERFETTO_LEGACY_NAME_IID = 1,
    PERFETTO_LEGACY_PHASE = 2,
    PERFETTO_LEGACY_DURATION_US = 3,
};

enum perfetto_annotation_field {
    PERFETTO_ANNOTATION_NAME_IID = 1,
    PERFETTO_ANNOTATION_BOOL = 2,
    PERFETTO_ANNOTATION_UINT = 3,
    PERFETTO_ANNOTATION_INT = 4,
    PERFETTO_ANNOTATION_DOUBLE = 5,
    PERFETTO_ANNOTATION_STRING = 6,
    PERFETTO_ANNOTATION_POINTER = 7,
    PERFETTO_ANNOTATION_NESTED = 8, // an older form of dictionaries and arrays
    PERFETTO_ANNOTATION_JSON = 9,
    PERFETTO_ANNOTATION_NAME = 10,
    PERFETTO_ANNOTATION_DICTIONARY_ENTRY = 11,
    PERFETTO_ANNOTATION_ARRAY_VALUE = 12,
    PERFETTO_ANNOTATION_STRING_IID = 17,
};

enum perfetto_interned_field {
    PERFETTO_INTERNED_CATEGORY = 1,
    PERFETTO_INTERNED_EVENT_NAME = 2,
    PERFETTO_INTERNED_ANNOTATION_NAME = 3,
    PERFETTO_INTERNED_STRING = 29, // debug_annotation_string_values
    PERFETTO_INTERNED_CORRELATION = 43,
};

// The same in every entry of interned data.
enum perfetto_entry_field {
    PERFETTO_ENTRY_IID = 1,
    PERFETTO_ENTRY_TEXT = 2,
};

#endif
