// Quirks: how real OpenAI-compatible servers differ from OpenAI in otherwise correct answers. Most rows change the tool calls or
// their deltas. Rows without a function are implemented in render.ts and odd-chunks.ts.

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Opaque data of the service. */
  readonly extra?: unknown
}

/** Undefined fields are not sent. */
export interface ToolDelta {
  readonly index?: number | undefined
  readonly id?: string | undefined
  readonly type?: 'function' | undefined
  readonly extra_content?: unknown
  readonly function?: { readonly name?: string | null | undefined; readonly arguments?: unknown }
}

export interface QuirkRule {
  readonly about: string
  /** Changes the calls, in streams and whole answers. */
  readonly calls?: (calls: readonly Call[]) => readonly Call[]
  /** Changes the deltas of one call: first its header, then its arguments. */
  readonly deltas?: (deltas: readonly ToolDelta[]) => readonly ToolDelta[]
  /** Orders the deltas of several calls. Default: one call after the other. */
  readonly order?: (calls: readonly (readonly ToolDelta[])[]) => readonly ToolDelta[]
  /** Replaces the correct finish reason. */
  readonly finish?: string
}

export const QUIRKS = {
  'no-index': {
    about: 'tool call deltas have no `index`',
    deltas: (deltas) => deltas.map((delta) => ({ ...delta, index: undefined })),
  },
  'index-zero': {
    about: 'every call has `index` 0, each with its own id',
    deltas: (deltas) => deltas.map((delta) => ({ ...delta, index: 0 })),
  },
  'late-name': {
    about: 'the name comes with the first piece of the arguments',
    deltas: ([header = {}, first = { index: header.index }, ...rest]) => [
      { ...header, function: { ...header.function, name: undefined } },
      { ...first, function: { name: header.function?.name, ...first.function } },
      ...rest,
    ],
  },
  'repeat-name': {
    about: 'every delta of a call repeats its id and name',
    deltas: ([header = {}, ...rest]) => [
      header,
      ...rest.map((delta) => ({
        ...delta,
        id: header.id,
        function: { name: header.function?.name, ...delta.function },
      })),
    ],
  },
  'null-name': {
    about: 'later deltas carry `name: null`',
    deltas: ([header = {}, ...rest]) => [
      header,
      ...rest.map((delta) => ({ ...delta, function: { name: null, ...delta.function } })),
    ],
  },
  'empty-name': {
    about: 'later deltas carry an empty name and id (DashScope)',
    deltas: ([header = {}, ...rest]) => [
      header,
      ...rest.map((delta) => ({ ...delta, id: '', function: { name: '', ...delta.function } })),
    ],
  },
  'changing-call-id': {
    about: 'every delta of a call has another id (LM Studio)',
    deltas: ([header = {}, ...rest]) => [
      header,
      ...rest.map((delta, at) => ({ ...delta, id: `${header.id}_${at}` })),
    ],
  },
  'index-from-one': {
    about: 'the first call has `index` 1',
    deltas: (deltas) => deltas.map((delta) => ({ ...delta, index: (delta.index ?? 0) + 1 })),
  },
  'no-type': {
    about: 'calls have no `type`',
    deltas: (deltas) => deltas.map((delta) => ({ ...delta, type: undefined })),
  },
  'legacy-call': { about: 'a call comes as `function_call`, the older form', finish: 'function_call' },
  'no-id': {
    about: 'calls have no `id`',
    deltas: (deltas) => deltas.map((delta) => ({ ...delta, id: undefined })),
  },
  'stop-with-calls': { about: 'the finish reason of calls is `stop`', finish: 'stop' },
  'tool-calls-without-calls': {
    about: 'the finish reason is `tool_calls`, but no call comes',
    calls: () => [],
    finish: 'tool_calls',
  },
  'concatenated-arguments': {
    about: 'parallel calls arrive as one, its arguments `{…}{…}`',
    calls: (calls) => {
      const [first] = calls
      return first ? [{ ...first, arguments: calls.map((call) => call.arguments).join('') }] : []
    },
  },
  'object-arguments': {
    about: '`arguments` is an object instead of a string',
    deltas: ([header = {}, ...rest]) => {
      const json = rest.map((delta) => delta.function?.arguments ?? '').join('')
      return [{ ...header, function: { ...header.function, arguments: parseOrKeep(json) } }]
    },
  },
  'empty-object-first': {
    about: 'the header brings `{}`, then come the arguments',
    deltas: ([header = {}, ...rest]) => [
      { ...header, function: { ...header.function, arguments: '{}' } },
      ...rest,
    ],
  },
  'empty-arguments': {
    about: 'a call without arguments has `""` instead of `{}`',
    calls: (calls) => calls.map((call) => (call.arguments === '{}' ? { ...call, arguments: '' } : call)),
  },
  interleaved: {
    about: 'the arguments of parallel calls come in turns',
    order: (calls) => {
      const longest = Math.max(0, ...calls.map((deltas) => deltas.length))
      return Array.from({ length: longest }, (_, row) => calls.flatMap((deltas) => deltas[row] ?? [])).flat()
    },
  },
  'foreign-finish': { about: "finish reasons are Anthropic's (`end_turn`, `tool_use`)" },
  'text-after-end': { about: 'more text comes after the finish reason' },
  'no-done': { about: 'the stream ends without `[DONE]`' },
  'no-finish': { about: 'no chunk has a finish reason' },
  comments: { about: '`: OPENROUTER PROCESSING` comments between the chunks' },
  'usage-every-chunk': { about: 'every chunk carries the usage so far; no usage chunk at the end' },
  'usage-with-finish': { about: 'the usage is in the chunk with the finish reason (DeepSeek, Mistral)' },
  'usage-in-choice': { about: 'the usage is inside the last choice; no usage chunk at the end' },
  'no-choices-usage': { about: 'the usage chunk has no `choices`' },
  reasoning_content: { about: 'reasoning is shown, as `reasoning_content` (DeepSeek, Kimi, Qwen)' },
  reasoning: { about: 'reasoning is shown, as `reasoning` (OpenRouter, newer vLLM)' },
  'think-tags': { about: 'reasoning is shown inside the text, between `<think>` and `</think>` (MiniMax)' },
  'details-fragments': {
    about:
      'reasoning is shown as `reasoning` and as `reasoning_details` in fragments, its signature last (Claude by OpenRouter)',
  },
  'thought-signature': {
    about: 'the first call of an answer brings a `thought_signature` in `extra_content` (Gemini)',
    calls: ([first, ...rest]) =>
      first ? [{ ...first, extra: { google: { thought_signature: `sig-${first.id}` } } }, ...rest] : [],
  },
  'whole-calls': {
    about: 'each call comes in one delta (xAI)',
    deltas: ([header = {}, ...rest]) => [
      {
        ...header,
        function: {
          ...header.function,
          arguments: rest.map((delta) => delta.function?.arguments ?? '').join(''),
        },
      },
    ],
  },
  'careless-calls': {
    about: 'names of tools in another spelling; numbers, booleans, lists and objects as text',
    calls: (calls) =>
      calls.map((call) => ({ ...call, name: misspelt(call.name), arguments: asTexts(call.arguments) })),
  },
  'no-answer-id': { about: 'chunks and answers have no `id`' },
  'no-object': { about: 'chunks and answers have no `object`' },
  'no-created': { about: 'chunks and answers have no `created`' },
  'no-model': { about: 'chunks and answers have no `model`' },
  'changing-answer-id': { about: 'every chunk has another `id`' },
  'changing-created': { about: 'every chunk has another `created` (Groq, xAI)' },
  'no-role': { about: 'the message has no `role`' },
  'repeat-role': { about: 'every delta has the role (Perplexity)' },
  'no-choice-index': { about: 'the choice has no `index`' },
  'no-delta': { about: 'the chunk with the finish reason has no `delta`' },
  'message-beside-delta': { about: 'every chunk has a `message` beside its `delta` (Perplexity)' },
  'filter-results-first': { about: 'the stream begins with a chunk of filter results (Azure)' },
  'not-streamed': { about: 'a request for a stream is answered whole' },
  'error-array': { about: 'errors are a JSON array (Gemini)' },
  'error-flat': { about: 'errors are the fields themselves, without `error` around them (Cerebras)' },
  'error-text': { about: '`error` is a text (LM Studio)' },
  'error-empty': { about: 'errors have no body' },
  'content-parts': { about: 'content is an array of parts, reasoning among them (Mistral)' },
  'message-in-stream': { about: 'one chunk with a whole `message` instead of deltas' },
  'error-in-200': { about: 'status 200, but the body or the first event is an error' },
} satisfies Record<string, QuirkRule>

export type Quirk = keyof typeof QUIRKS

export function rulesOf(quirks: ReadonlySet<Quirk>): QuirkRule[] {
  return [...quirks].map((quirk): QuirkRule => QUIRKS[quirk])
}

/** `ReadFile` for `read_file`, `bash` for `Bash`, `Read` for `read`. */
function misspelt(name: string): string {
  const words = name.split(/[_-]+/).filter((word) => word !== '')
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  if (words.length > 1) return words.map(capital).join('')
  return name === name.toLowerCase() ? capital(name) : name.toLowerCase()
}

function asTexts(json: string): string {
  const input = parseOrKeep(json)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return json
  const texts = Object.entries(input).map(([key, value]): [string, unknown] => [
    key,
    typeof value === 'string' || value === null ? value : JSON.stringify(value),
  ])
  return JSON.stringify(Object.fromEntries(texts))
}

function parseOrKeep(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
