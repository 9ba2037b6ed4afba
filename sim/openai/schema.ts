// The body of POST /v1/chat/completions as strict shapes, from the types of the openai package. Rules across fields are in
// check-request.ts.

import {
  anything,
  decimal,
  integer,
  list,
  nullable,
  oneOf,
  openRecord,
  optional,
  record,
  type Shape,
  tagged,
  text,
  textOrList,
  truth,
} from '../shape.ts'

const NAME = text({ least: 1, most: 64, pattern: /^[a-zA-Z0-9_-]+$/ })
/** The longest id that the service takes. */
const CALL_ID = text({ most: 40 })
const type = anything
const role = anything

const textPart = record({ type, text: text() })
const refusalPart = record({ type, refusal: text() })
/** Mistral's thinking part. Histories may contain it only in this form. */
const thinkingPart = record({ type, thinking: list(textPart, { least: 1 }), closed: optional(oneOf(true)) })
const userParts = {
  text: textPart,
  image_url: record({
    type,
    image_url: record({ url: text(), detail: optional(oneOf('auto', 'low', 'high')) }),
  }),
  input_audio: record({ type, input_audio: record({ data: text(), format: oneOf('wav', 'mp3') }) }),
  file: record({ type, file: openRecord() }),
}

function content(parts: Readonly<Record<string, Shape>>): Shape {
  return textOrList(text(), list(tagged('type', parts), { least: 1 }))
}

const toolCall = tagged('type', {
  function: record({ id: CALL_ID, type, function: record({ name: NAME, arguments: text() }) }),
  custom: record({ id: CALL_ID, type, custom: record({ name: NAME, input: text() }) }),
})

const systemMessage = record({ role, content: content({ text: textPart }), name: optional(text()) })

const message = (isMistral: boolean) =>
  tagged('role', {
    system: systemMessage,
    assistant: record({
      role,
      content: optional(
        nullable(
          content({ text: textPart, refusal: refusalPart, ...(isMistral ? { thinking: thinkingPart } : {}) }),
        ),
      ),
      ...(isMistral ? { prefix: optional(truth) } : {}),
      refusal: optional(nullable(text())),
      name: optional(text()),
      audio: optional(anything),
      annotations: optional(anything),
      function_call: optional(anything),
      tool_calls: optional(list(toolCall, { least: 1 })),
    }),
    user: record({ role, content: content(userParts), name: optional(text()) }),
    function: record({ role, name: text(), content: nullable(text()) }),
    tool: record({ role, content: content({ text: textPart }), tool_call_id: text() }),
    developer: systemMessage,
  })

const tool = tagged('type', {
  function: record({
    type,
    function: record({
      name: NAME,
      description: optional(text()),
      parameters: optional(openRecord()),
      strict: optional(nullable(truth)),
    }),
  }),
  custom: record({ type, custom: openRecord({ name: NAME }) }),
})

const namedChoice = tagged('type', {
  function: record({ type, function: record({ name: text() }) }),
  custom: record({ type, custom: record({ name: text() }) }),
  allowed_tools: openRecord(),
})

const toolChoice =
  (isMistral: boolean): Shape =>
  (value, path, words) => {
    const more = isMistral ? ['any'] : []
    const shape = typeof value === 'string' ? oneOf('none', 'auto', 'required', ...more) : namedChoice
    shape(value, path, words)
  }

const EFFORT = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')
const penalty = optional(nullable(decimal({ least: -2, most: 2 })))

/** `mistral`: with its thinking parts and its values of `tool_choice`. */
export const shapeOf = (kind: 'openai' | 'mistral' | 'other'): Shape =>
  record({
    model: text(),
    messages: list(message(kind === 'mistral'), { least: 1 }),
    tools: optional(list(tool, { least: 1, most: 128 })),
    tool_choice: optional(toolChoice(kind === 'mistral')),
    parallel_tool_calls: optional(truth),
    stream: optional(nullable(truth)),
    stream_options: optional(
      nullable(record({ include_usage: optional(truth), include_obfuscation: optional(truth) })),
    ),
    max_tokens: optional(nullable(integer({ least: 1 }))),
    max_completion_tokens: optional(nullable(integer({ least: 1 }))),
    n: optional(nullable(integer({ least: 1, most: 128 }))),
    temperature: optional(nullable(decimal({ least: 0, most: 2 }))),
    top_p: optional(nullable(decimal({ least: 0, most: 1 }))),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    stop: optional(nullable(textOrList(text(), list(text(), { most: 4 })))),
    response_format: optional(
      tagged('type', {
        text: record({ type }),
        json_object: record({ type }),
        json_schema: record({ type, json_schema: openRecord({ name: NAME }) }),
      }),
    ),
    reasoning_effort: optional(nullable(kind === 'openai' ? EFFORT : text())),
    verbosity: optional(nullable(oneOf('low', 'medium', 'high'))),
    service_tier: optional(nullable(oneOf('auto', 'default', 'flex', 'scale', 'priority'))),
    user: optional(text({ most: 64 })),
    store: optional(nullable(truth)),
    metadata: optional(nullable(openRecord())),
    seed: optional(nullable(integer())),
    logprobs: optional(nullable(truth)),
    top_logprobs: optional(nullable(integer({ least: 0, most: 20 }))),
    logit_bias: optional(nullable(openRecord())),
    modalities: optional(nullable(list(text()))),
    audio: optional(anything),
    prediction: optional(anything),
    functions: optional(list(openRecord())),
    function_call: optional(anything),
    prompt_cache_key: optional(nullable(text())),
    prompt_cache_options: optional(anything),
    prompt_cache_retention: optional(nullable(text())),
    safety_identifier: optional(nullable(text())),
    moderation: optional(anything),
    web_search_options: optional(anything),
  })

export const chatShape = shapeOf('openai')
