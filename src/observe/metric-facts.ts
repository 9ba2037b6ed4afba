// Every figure there is: what it is called, by what it is counted, and what it means. docs/metrics.md is this table in
// words, and test/telemetry/metrics-doc.test.ts holds the two together.

/** What a figure of the moment is for several processes together. */
export type Combined = 'sum' | 'min' | 'max'

interface MetricFacts {
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
  help: string
  /** Of a gauge; the sum unless it says otherwise. */
  combined?: Combined
  /** Of a histogram: its upper bounds; those for latencies unless it says otherwise. */
  buckets?: readonly number[]
}

/** Upper bounds, in seconds. */
const latencyBuckets: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** Of what should not take any time. */
const delayBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export const metricFacts = {
  dragoman_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    help: 'Always 1; the labels say what runs.',
    combined: 'max',
  },
  dragoman_start_time_seconds: {
    type: 'gauge',
    labels: [],
    help: 'When the process started, in seconds since 1970.',
    combined: 'min',
  },
  dragoman_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Memory of the process.' },
  dragoman_event_loop_delay_seconds: {
    type: 'histogram',
    labels: [],
    help: 'How late a timer was, four times a second.',
    buckets: delayBuckets,
  },
  dragoman_connections: { type: 'gauge', labels: [], help: 'Open connections of clients.' },
  dragoman_active_requests: { type: 'gauge', labels: [], help: 'Requests being answered now.' },
  dragoman_requests_refused_total: {
    type: 'counter',
    labels: ['code'],
    help: 'Requests answered with an error.',
  },
  dragoman_turns_total: {
    type: 'counter',
    labels: ['key', 'backend', 'model', 'outcome'],
    help: 'Turns by key, backend, model and outcome.',
  },
  dragoman_tokens_total: {
    type: 'counter',
    labels: ['key', 'backend', 'direction'],
    help: 'Tokens by key and direction.',
  },
  dragoman_cache_tokens_total: {
    type: 'counter',
    labels: ['backend', 'direction'],
    help: 'Input tokens that were read from or written to a prompt cache.',
  },
  dragoman_turn_seconds: { type: 'histogram', labels: ['backend'], help: 'Whole turns.' },
  dragoman_first_output_seconds: {
    type: 'histogram',
    labels: ['backend'],
    help: 'Time to the first output.',
  },
  dragoman_upstream_response_seconds: {
    type: 'histogram',
    labels: ['backend'],
    help: 'Time until an upstream began to answer a request.',
  },
  dragoman_tool_calls_total: {
    type: 'counter',
    labels: ['backend', 'outcome'],
    help: 'Tool calls that models made.',
  },
  dragoman_tool_text_repairs_total: {
    type: 'counter',
    labels: ['backend', 'kind'],
    help: 'Tool calls in text that were not right as they came.',
  },
  dragoman_notes_total: {
    type: 'counter',
    labels: ['backend'],
    help: 'Notes of what was changed on the way.',
  },
  dragoman_keep_alives_total: {
    type: 'counter',
    labels: ['door'],
    help: 'Keep-alives sent into silent streams.',
  },
  dragoman_attempts_failed_total: {
    type: 'counter',
    labels: ['backend', 'code', 'next'],
    help: 'Upstream attempts that failed before anything reached the client.',
  },
  dragoman_breaker_open: {
    type: 'gauge',
    labels: ['backend', 'model'],
    help: 'Models that are left alone after too many failures.',
    combined: 'max',
  },
  dragoman_breaker_opened_total: {
    type: 'counter',
    labels: ['backend', 'model'],
    help: 'Models that began to be left alone.',
  },
  dragoman_breaker_refused_total: {
    type: 'counter',
    labels: ['backend', 'model'],
    help: 'Calls that were not made because the model had failed too often.',
  },
  dragoman_sessions_answering: { type: 'gauge', labels: [], help: 'Runs that are being answered.' },
  dragoman_sessions_waiting: { type: 'gauge', labels: [], help: 'Runs that wait for tool results.' },
  dragoman_sessions_waiting_bytes: { type: 'gauge', labels: [], help: 'What those keep.' },
  dragoman_session_turns_total: {
    type: 'counter',
    labels: ['backend', 'state'],
    help: 'Turns of session backends by how they came to their run.',
  },
  dragoman_local_tools_running: { type: 'gauge', labels: [], help: 'Local tools at work.' },
  dragoman_local_tool_runs_total: {
    type: 'counter',
    labels: ['tool', 'outcome'],
    help: 'Local tools that were run.',
  },
  dragoman_log_lines_lost_total: {
    type: 'counter',
    labels: [],
    help: 'Log lines that could not be written.',
  },
  dragoman_workers: { type: 'gauge', labels: [], help: 'Worker processes that run now.' },
  dragoman_worker_restarts_total: { type: 'counter', labels: [], help: 'Workers that were replaced.' },
  dragoman_cluster_redis_up: {
    type: 'gauge',
    labels: [],
    help: 'Whether Redis can be used.',
    combined: 'min',
  },
  dragoman_cluster_sessions: {
    type: 'gauge',
    labels: [],
    help: 'Sessions here that other instances can find.',
  },
  dragoman_relayed_turns_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Turns sent to the instance with their session.',
  },
  dragoman_takeovers_total: {
    type: 'counter',
    labels: [],
    help: 'Sessions of other instances that went on here.',
  },
  dragoman_telemetry_spans_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Spans of finished work, by what became of them.',
  },
} as const satisfies Record<string, MetricFacts>

type Facts = typeof metricFacts

export type MetricName = keyof Facts

type NameOf<Type> = { [Name in MetricName]: Facts[Name]['type'] extends Type ? Name : never }[MetricName]

export type CounterName = NameOf<'counter'>
export type GaugeName = NameOf<'gauge'>
export type HistogramName = NameOf<'histogram'>

export type LabelsOf<Name extends MetricName> = Record<Facts[Name]['labels'][number], string>

export const factsOf = (name: MetricName): MetricFacts => metricFacts[name]

export const bucketsOf = (name: HistogramName): readonly number[] => factsOf(name).buckets ?? latencyBuckets
