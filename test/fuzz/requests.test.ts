// Chat requests of every shape: whatever a client sends is either refused with a typed error or becomes a body that the
// strict simulators accept. Nothing else may be thrown.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkMessages } from '../../sim/anthropic/check-messages.ts'
import { checkSettings } from '../../sim/anthropic/check-settings.ts'
import { checkThinkingConfig, checkThinkingHistory } from '../../sim/anthropic/check-thinking.ts'
import { checkTools } from '../../sim/anthropic/check-tools.ts'
import { findModel } from '../../sim/anthropic/models.ts'
import { WORDING } from '../../sim/anthropic/refusal.ts'
import type { MessagesRequest } from '../../sim/anthropic/request.ts'
import { messagesShape } from '../../sim/anthropic/schema.ts'
import { ThinkingMemory } from '../../sim/anthropic/thinking-memory.ts'
import { checkRequest } from '../../sim/openai/check-request.ts'
import { WORDING as CHAT_WORDING } from '../../sim/openai/refusal.ts'
import type { ChatRequest } from '../../sim/openai/request.ts'
import { chatShape } from '../../sim/openai/schema.ts'
import { GatewayError } from '../../src/core/errors.ts'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { anthropicModel } from '../../src/protocols/anthropic-messages/models.ts'
import { toAnthropicRequest } from '../../src/protocols/anthropic-messages/request-out.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { toChatRequest } from '../../src/protocols/openai-chat/request-out.ts'
import { serverTraits } from '../../src/protocols/openai-chat/servers.ts'
import { chatRequests } from './chat-request.ts'
import { fuzz } from './settings.ts'

const note = () => undefined

/** Runs `read`; a typed error is an answer too, anything else fails the test. */
function typed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'internal') return undefined
    throw error
  }
}

const read = (body: unknown): TurnRequest | undefined => typed(() => fromChatRequest(body, new Notes()).turn)

function toAnthropic(turn: TurnRequest, name: string): Record<string, unknown> | undefined {
  const options = { model: anthropicModel(name), recall: () => undefined, promptCache: 'auto' as const, note }
  return typed(() => toAnthropicRequest({ ...turn, model: name }, options).body)
}

function acceptedByAnthropic(body: Record<string, unknown>, name: string): void {
  const request = JSON.parse(JSON.stringify(body)) as MessagesRequest
  const model = findModel(name)
  messagesShape([])(request, [], WORDING)
  checkMessages(request, model)
  checkTools(request, model)
  checkThinkingConfig(request, model)
  checkThinkingHistory(request, model, new ThinkingMemory())
  checkSettings(request, model)
}

const modelNames = fc.constantFrom(
  'claude-3-5-haiku-20241022',
  'claude-sonnet-4-5',
  'claude-opus-4-6',
  'claude-opus-4-7',
  'claude-opus-5',
  'claude-sonnet-5-5',
  'claude-opus-5-5',
  'some-other-model',
)

describe('Chat requests', () => {
  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    let accepted = 0
    fc.assert(
      fc.property(chatRequests({ conforming: false }), modelNames, (body, name) => {
        const turn = read(body)
        const upstream = turn && toAnthropic(turn, name)
        if (!upstream) return
        accepted++
        acceptedByAnthropic(upstream, name)
      }),
      fuzz,
    )
    expect(accepted).toBeGreaterThan(fuzz.numRuns / 2)
  })

  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    let accepted = 0
    fc.assert(
      fc.property(chatRequests({ conforming: true }), fc.boolean(), (body, faithful) => {
        const turn = read(body)
        if (!turn) return
        const origin = faithful ? turn.origin : { ...turn.origin, dialect: 'another' }
        const options = { traits: serverTraits('api.openai.com', 'gpt-4o'), recall: () => undefined, note }
        const upstream = typed(() => toChatRequest({ ...turn, model: 'gpt-4o', origin }, options))
        if (!upstream) return
        accepted++
        const wire = JSON.parse(JSON.stringify(upstream)) as ChatRequest
        chatShape(wire, [], CHAT_WORDING)
        checkRequest(wire, { requiresReasoning: false })
      }),
      fuzz,
    )
    expect(accepted).toBeGreaterThan(fuzz.numRuns / 2)
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'model',
      'messages',
      'tools',
      'tool_choice',
      'stop',
      'stream',
      'role',
      'content',
      'type',
      'text',
      'function',
      'name',
      'arguments',
      'tool_calls',
      'id',
      'tool_call_id',
      'image_url',
      'url',
      'file',
      '__proto__',
      'constructor',
      'response_format',
      'n',
    ]
    const words = fc.constantFrom(
      'user',
      'assistant',
      'tool',
      'system',
      'function',
      'text',
      'image_url',
      'auto',
      'required',
      '{}',
      '',
      '[',
      'data:,',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        words,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6 }),
      ),
    }))
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), value),
        messages: fc.oneof(value, fc.array(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }))),
        tools: value,
        tool_choice: value,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(body, value), modelNames, (anything, name) => {
        const turn = read(anything)
        if (turn) toAnthropic(turn, name)
      }),
      fuzz,
    )
  })
})
