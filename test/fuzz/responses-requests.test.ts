// Responses requests of every shape: whatever a client sends is either refused with a typed error or becomes a body that
// the strict simulators accept. Nothing else may be thrown.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { Message, TurnRequest } from '../../src/core/request.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'
import { withoutForeignParts } from '../../src/protocols/requests/opaque-parts.ts'
import {
  anyJson,
  becomesChat,
  becomesMessages,
  claudeNames,
  mostAccepted,
  patience,
  toAnthropic,
  typed,
} from './accepted.ts'
import { earlier, responsesRequests } from './responses-request.ts'
import { fuzz } from './settings.ts'

const read = (body: unknown): TurnRequest | undefined =>
  typed(() => withoutForeignParts(fromResponsesRequest(body, new Notes(), earlier).turn, [], () => undefined))

const byModel = new Map([...claudeNames, 'some-other-model'].map((name) => [name, responsesRequests(name)]))
const anyModel = fc.oneof(...[...byModel].map(([name, body]) => fc.tuple(fc.constant(name), body)))

/** The invariants of core/request.ts. */
function checkHistory(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') expect(messages[at - 1]?.role).toBe('assistant')
    else expect(message.content.length).toBeGreaterThan(0)
    if (message.role !== 'assistant') continue
    const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
    expect(new Set(calls).size).toBe(calls.length)
    const next = messages[at + 1]
    const answered = next?.role === 'tool' ? next.results.map(({ callId }) => callId) : []
    expect([...answered].sort()).toEqual([...calls].sort())
  }
}

describe('Responses requests', patience, () => {
  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    mostAccepted(responsesRequests('gpt-4o'), (body) => {
      const turn = read(body)
      if (!turn) return false
      checkHistory(turn.messages)
      return becomesChat(turn)
    })
  })

  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    mostAccepted(anyModel, ([name, body]) => becomesMessages(read(body), name))
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'model', 'input', 'tools', 'tool_choice', 'text', 'format', 'type', 'role', 'content', 'name', 'namespace', 'id',
      'call_id', 'arguments', 'output', 'summary', 'encrypted_content', 'image_url', 'file_data', '__proto__', 'constructor',
      'mode', 'reasoning', 'effort', 'include', 'metadata', 'previous_response_id', 'store',
    ] // biome-ignore format: a list to be read as one
    const words = [
      'user', 'assistant', 'system', 'message', 'function_call', 'function_call_output', 'custom_tool_call', 'reasoning',
      'item_reference', 'additional_tools', 'function', 'custom', 'namespace', 'allowed_tools', 'input_text', 'input_image',
      'input_file', 'auto', 'required', '{}', '', '[', 'data:,', 'dragoman1.e30', 'resp_1', 'msg_1_0',
    ] // biome-ignore format: a list to be read as one
    const { value, fields } = anyJson(names, words)
    const body = fields.chain((others) =>
      fc
        .record({
          model: fc.constant('m'),
          input: fc.oneof(fc.constantFrom(...words), fc.array(fields, { maxLength: 4 }), value),
        })
        .map((most) => ({ ...others, ...most })),
    )
    fc.assert(
      fc.property(fc.oneof(body, value), (anything) => {
        const turn = read(anything)
        if (turn) toAnthropic(turn, 'claude-opus-4-6')
      }),
      fuzz,
    )
  })
})
