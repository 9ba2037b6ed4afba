// Every metric of the gateway: name, type, labels and help text. To add one: add a row here, count it with `metrics.count`,
// `metrics.gauge` or `metrics.observe` where it happens, and describe it in docs/metrics.md. test/telemetry/metrics-doc.test.ts
// compares table, code and document.

/** How a gauge combines over several processes. */
export type Combined = 'sum' | 'min' | 'max'

interface MetricFacts {
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
  help: string
  /** For a gauge; default: the sum. */
  combined?: Combined
  /** For a histogram: upper bounds; default: those for latencies. */
  buckets?: readonly number[]
}

/** Upper bounds in seconds. */
const latencyBuckets: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** For delays that should be close to zero. */
const delayBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export const metricFacts = {
  dragoman_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    help: 'Always 1; the labels name the version and the runtime.',
    combined: 'max',
  },
  dragoman_start_time_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Start time of the process, in seconds since 1970.',
    combined: 'min',
  },
  dragoman_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Resident memory of the process.' },
  dragoman_event_loop_delay_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Delay of a timer, measured four times a second.',
    buckets: delayBuckets,
  },
  dragoman_connections: { type: 'gauge', labels: [], help: 'Open client connections.' },
  dragoman_active_requests: { type: 'gauge', labels: [], help: 'Requests in progress.' },
  dragoman_config_reloads_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Changed configurations that were taken over or refused.',
  },
  dragoman_config_refused: {
    type: 'gauge',
    labels: [],
    help: 'Whether the configuration file is refused, and an earlier one in force (1) or not (0).',
  },
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
    labels: ['key', 'backend', 'model', 'direction'],
    help: 'Tokens by key, backend, model and direction.',
  },
  dragoman_cache_tokens_total: {
    type: 'counter',
    labels: ['backend', 'direction'],
    help: 'Input tokens read from or written to a prompt cache.',
  },
  dragoman_turn_seconds: { type: 'histogram', labels: ['backend'], help: 'Duration of turns.' },
  dragoman_first_output_seconds: {
    type: 'histogram',
    labels: ['backend'],
    help: 'Time from the request to the first output.',
  },
  dragoman_upstream_response_seconds: {
    type: 'histogram',
    labels: ['backend'],
    help: 'Time to the response headers of an upstream.',
  },
  dragoman_tool_calls_total: {
    type: 'counter',
    labels: ['backend', 'outcome'],
    help: 'Tool calls of models.',
  },
  dragoman_tool_text_repairs_total: {
    type: 'counter',
    labels: ['backend', 'kind'],
    help: 'Malformed tool calls in text, by how they were handled.',
  },
  dragoman_call_checks_total: {
    type: 'counter',
    labels: ['backend', 'outcome'],
    help: 'Tool calls by the outcome of their check.',
  },
  dragoman_tool_searches_total: {
    type: 'counter',
    labels: ['backend', 'outcome'],
    help: 'Searches of deferred tools that the gateway answered.',
  },
  dragoman_lacks_total: {
    type: 'counter',
    labels: ['kind', 'outcome'],
    help: 'What the gateway did for models that lack it.',
  },
  dragoman_answer_repairs_total: {
    type: 'counter',
    labels: ['backend', 'kind'],
    help: 'Turns whose upstream answer was repaired, by kind of repair.',
  },
  dragoman_notes_total: {
    type: 'counter',
    labels: ['backend'],
    help: 'Notes about changes to requests and answers.',
  },
  dragoman_keep_alives_total: {
    type: 'counter',
    labels: ['door'],
    help: 'Keep-alives sent on silent streams.',
  },
  dragoman_attempts_failed_total: {
    type: 'counter',
    labels: ['backend', 'code', 'next'],
    help: 'Upstream attempts that failed before anything reached the client.',
  },
  dragoman_breaker_open: {
    type: 'gauge',
    labels: ['backend', 'model'],
    help: 'Open circuit breakers: 1 for each model.',
    combined: 'max',
  },
  dragoman_breaker_opened_total: {
    type: 'counter',
    labels: ['backend', 'model'],
    help: 'Times that a circuit breaker opened.',
  },
  dragoman_breaker_refused_total: {
    type: 'counter',
    labels: ['backend', 'model'],
    help: 'Calls refused by an open circuit breaker.',
  },
  dragoman_account_state: {
    type: 'gauge',
    labels: ['backend', 'account', 'state'],
    help: 'Accounts of backends: 1 for the present state of each.',
    combined: 'max',
  },
  dragoman_account_inflight: {
    type: 'gauge',
    labels: ['backend', 'account'],
    help: 'Turns that an account of a pool answers now.',
  },
  dragoman_account_bindings: {
    type: 'gauge',
    labels: ['backend', 'account'],
    help: 'Conversations that stay with an account of a pool.',
  },
  dragoman_account_switches_total: {
    type: 'counter',
    labels: ['backend', 'why'],
    help: 'Turns that went to another account than their own.',
  },
  dragoman_sessions_answering: { type: 'gauge', labels: [], help: 'Runs that answer a request now.' },
  dragoman_sessions_waiting: { type: 'gauge', labels: [], help: 'Runs that wait for tool results.' },
  dragoman_sessions_waiting_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Memory of runs that wait for tool results.',
  },
  dragoman_session_turns_total: {
    type: 'counter',
    labels: ['backend', 'state'],
    help: 'Turns of session backends: with a waiting, a resumed or a new run.',
  },
  dragoman_local_tools_running: { type: 'gauge', labels: [], help: 'Local tools running now.' },
  dragoman_local_tool_runs_total: {
    type: 'counter',
    labels: ['tool', 'outcome'],
    help: 'Runs of local tools by tool and outcome.',
  },
  dragoman_log_lines_lost_total: {
    type: 'counter',
    labels: [],
    help: 'Log lines that could not be written.',
  },
  dragoman_workers: { type: 'gauge', labels: [], help: 'Running worker processes.' },
  dragoman_worker_restarts_total: {
    type: 'counter',
    labels: [],
    help: 'Worker processes that were restarted.',
  },
  dragoman_cluster_redis_up: {
    type: 'gauge',
    labels: [],
    help: 'Connection to Redis: 1 while it works.',
    combined: 'min',
  },
  dragoman_cluster_sessions: {
    type: 'gauge',
    labels: [],
    help: 'Sessions of this instance that other instances can find.',
  },
  dragoman_relayed_turns_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Turns relayed to the instance that holds their session.',
  },
  dragoman_takeovers_total: {
    type: 'counter',
    labels: [],
    help: 'Sessions taken over from other instances.',
  },
  dragoman_telemetry_spans_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Trace spans by export outcome.',
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
