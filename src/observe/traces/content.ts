// Request and answer in the shapes of the conventions. Only if the operator enables it: no other attribute contains conversation
// text.

import { parseJson } from '../../base/json.ts'
import type { CollectedTurn } from '../../core/collect.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { names } from './attributes.ts'
import { finishReason } from './finish-reason.ts'
import type { Attributes } from './span.ts'

type Scrub = (text: string) => string

/** The limit of one text, in characters. */
const longestText = 32 * 1024
/** The limit of all messages; the newest are kept. */
const longestInput = 256 * 1024

/** The answer, complete or not. */
export type Answer = Pick<CollectedTurn, 'parts'> & { reason: string }

export function contentOf(request: TurnRequest, answer: Answer | undefined, scrub: Scrub): Attributes {
  const { messages, tools } = request
  const shown = (text: string) => cut(scrub(text))
  const firstOther = messages.findIndex(({ role }) => role !== 'system')
  const lead = firstOther === -1 ? messages : messages.slice(0, firstOther)
  const system = lead.flatMap((message) => toParts(message, shown))
  const input = newest(messages.slice(lead.length), (message) => toMessage(message, shown))
  return [
    [names.systemInstructions, system.length === 0 ? undefined : asText(system)],
    [names.inputMessages, { text: `[${input.join(',')}]` }],
    [
      names.toolDefinitions,
      tools.length === 0 ? undefined : asText(tools.map((tool) => toDefinition(tool, shown))),
    ],
    [names.outputMessages, answer ? asText([toOutput(answer, shown)]) : undefined],
  ]
}

const asText = (value: unknown) => ({ text: JSON.stringify(value) })

const cut = (text: string) =>
  text.length > longestText
    ? `${text.slice(0, longestText)}… (${text.length - longestText} more characters)`
    : text

/** As many of the last messages as fit; earlier ones are not serialized. */
function newest(messages: readonly Message[], write: (message: Message) => unknown): string[] {
  const kept: string[] = []
  let length = 0
  for (const message of [...messages].reverse()) {
    const text = JSON.stringify(write(message))
    length += text.length
    if (length > longestInput && kept.length > 0) break
    kept.unshift(text)
  }
  return kept
}

const toMessage = (message: Message, shown: Scrub) => ({
  role: message.role,
  parts: toParts(message, shown),
})

function toParts(message: Message, shown: Scrub): unknown[] {
  if (message.role === 'tool')
    return message.results.map(({ callId, content }) => ({
      type: 'tool_call_response',
      id: callId,
      response: shown(
        content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n'),
      ),
    }))
  return message.content.map((part) => {
    if (part.type === 'tool-call') return toCall(part, shown)
    if (part.type === 'text' || part.type === 'reasoning')
      return { type: part.type, content: shown(part.text) }
    // Never the data itself.
    return { type: part.type }
  })
}

interface Call {
  callId: string
  name: string
  input: string
}

function toCall({ callId, name, input }: Call, shown: Scrub): unknown {
  const text = shown(input)
  return { type: 'tool_call', id: callId, name, arguments: parseJson(text) ?? text }
}

function toDefinition({ name, description, schema }: TurnRequest['tools'][number], shown: Scrub): unknown {
  const text = shown(JSON.stringify(schema))
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description: shown(description) }),
    parameters: parseJson(text) ?? text,
  }
}

function toOutput({ parts, reason }: Answer, shown: Scrub): unknown {
  return {
    role: 'assistant',
    parts: parts.map((part) =>
      part.type === 'tool-call' ? toCall(part, shown) : { type: part.type, content: shown(part.text) },
    ),
    finish_reason: finishReason(reason),
  }
}
