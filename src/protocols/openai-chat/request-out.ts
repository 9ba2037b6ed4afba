// TurnRequest → the body of POST /chat/completions. A Chat request that needed no repair is forwarded with all its fields. Any
// other request is written from the canonical form. Unchanged values keep their identity, by which `body-text.ts` recognises them.

import { isObject } from '../../base/json.ts'
import type { Tool, TurnRequest } from '../../core/request.ts'
import { fittingUser } from '../requests/fitting-user.ts'
import { otherEffort, unusedFields } from '../requests/unused-fields.ts'
import { dialect } from './dialect.ts'
import { writeEffort } from './effort-out.ts'
import { fitFormat } from './format-out.ts'
import { adaptMessages, type HistoryOptions } from './history-out.ts'
import { type ChatMessage, toChatMessages } from './messages-out.ts'
import type { SchemaOptions } from './schemas-out.ts'
import type { ServerTraits } from './servers.ts'
import { fitSettings } from './settings-out.ts'
import { fitTools } from './tools-out.ts'

type ChatRequestOptions = HistoryOptions & SchemaOptions

type Body = Record<string, unknown>

export function toChatRequest(request: TurnRequest, options: ChatRequestOptions): Body {
  const { origin } = request
  const sameDialect = isChat(request)
  // Clients that send null mean "absent"; strict servers refuse it.
  const body: Body = sameDialect
    ? Object.fromEntries(Object.entries(origin.body).filter(([, value]) => value !== null))
    : {}
  body.model = request.model
  const strict = options.traits.strictMessages && hasCacheHints(request)
  if (!sameDialect || !origin.faithful || strict)
    rewrite(body, request, { verbatim: sameDialect && !strict, ...options })
  writeStreaming(body, request, options.traits)
  fitTools(body, request, options)
  fitFormat(body, request, options)
  writeEffort(body, request, options)
  fitSettings(body, options)
  body.messages = adaptMessages(body.messages as ChatMessage[], { sameDialect, ...options })
  return body
}

const isChat = ({ origin }: TurnRequest) => origin.dialect === dialect

function rewrite(
  body: Body,
  request: TurnRequest,
  options: ChatRequestOptions & { verbatim: boolean },
): void {
  // Thinking in a request of another dialect may come from any service. Only servers that insist on reasoning get it.
  const reasoning = isChat(request) || options.traits.reasoningWanted !== 'nowhere'
  body.messages = toChatMessages(request.messages, { verbatim: options.verbatim, reasoning })
  delete body.functions
  delete body.function_call
  delete body.tool_choice
  // Tools come first in the prompt cache: a repair of the messages leaves them unchanged.
  if (!options.verbatim || !areTools(body.tools, request.tools)) {
    const own = (request.opaqueTools ?? []).filter((tool) => tool.dialect === dialect)
    body.tools = [...request.tools.map(toTool), ...own.map(({ value }) => value)]
  }
  const choice = request.toolChoice
  if (choice && request.tools.length > 0) {
    body.tool_choice =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type
  }
  if (!isChat(request)) writeParameters(body, request, options)
}

const toTool = ({ name, description, schema, strict }: Tool): Body => ({
  type: 'function',
  function: {
    name,
    ...(description ? { description } : {}),
    parameters: schema,
    ...(strict === undefined ? {} : { strict }),
  },
})

/** True if the body still has the tools of the request, unchanged. */
const areTools = (given: unknown, tools: readonly Tool[]) =>
  Array.isArray(given) &&
  given.length === tools.length &&
  tools.every(({ name, schema }, at) => {
    const { name: givenName, parameters }: Body = isObject(given[at]?.function) ? given[at].function : {}
    return name === givenName && schema === parameters
  })

function hasCacheHints({ messages, tools }: TurnRequest): boolean {
  const parts = messages.flatMap((message): object[] =>
    message.role === 'tool'
      ? message.results.flatMap((result) => [result, ...result.content])
      : message.content,
  )
  return [...tools, ...parts].some((part) => 'cache' in part)
}

/** Fields of other dialects that this module writes, in addition to those that every backend writes. */
const used = ['max_tokens', 'temperature', 'top_p', 'stop', 'user', otherEffort]

function writeParameters(body: Body, request: TurnRequest, options: ChatRequestOptions): void {
  const { responseFormat: format } = request
  const dropped = unusedFields(request, used)
  if (dropped.length > 0) options.note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
  const fields: Body = {
    parallel_tool_calls: request.tools.length > 0 ? request.parallelToolCalls : undefined,
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    user: fittingUser(request.user, options.note),
    response_format:
      format?.type === 'json-schema'
        ? {
            type: 'json_schema',
            json_schema: { name: format.name, schema: format.schema, strict: format.strict },
          }
        : format && { type: 'json_object' },
  }
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) body[key] = value
}

/** Always requests usage: the gateway counts it, even if the client does not want it. */
function writeStreaming(body: Body, request: TurnRequest, traits: ServerTraits): void {
  if (request.stream) body.stream = true
  if (!request.stream || !traits.streamOptions) {
    delete body.stream_options
    return
  }
  const requested = isObject(body.stream_options) ? body.stream_options : {}
  if (requested.include_usage !== true) body.stream_options = { ...requested, include_usage: true }
}
