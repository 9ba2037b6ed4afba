// What the strict simulators say of a body, without a server; and what may be thrown on the way to it.

import fc from 'fast-check'
import { expect } from 'vitest'
import { checkMessages } from '../../sim/anthropic/check-messages.ts'
import { checkSettings } from '../../sim/anthropic/check-settings.ts'
import { checkThinkingConfig, checkThinkingHistory } from '../../sim/anthropic/check-thinking.ts'
import { checkTools } from '../../sim/anthropic/check-tools.ts'
import { DOCUMENTED, findModel } from '../../sim/anthropic/models.ts'
import { CONTROLS_BETA, checkPreservedThinking } from '../../sim/anthropic/preserved-thinking.ts'
import { WORDING } from '../../sim/anthropic/refusal.ts'
import type { MessagesRequest } from '../../sim/anthropic/request.ts'
import { messagesShape } from '../../sim/anthropic/schema.ts'
import { ThinkingMemory } from '../../sim/anthropic/thinking-memory.ts'
import { checkRequest } from '../../sim/openai/check-request.ts'
import { WORDING as CHAT_WORDING } from '../../sim/openai/refusal.ts'
import type { ChatRequest } from '../../sim/openai/request.ts'
import { chatShape } from '../../sim/openai/schema.ts'
import { GatewayError } from '../../src/core/errors.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { anthropicModel } from '../../src/protocols/anthropic-messages/models.ts'
import { toAnthropicRequest } from '../../src/protocols/anthropic-messages/request-out.ts'
import { toChatRequest } from '../../src/protocols/openai-chat/request-out.ts'
import { serverTraits } from '../../src/protocols/openai-chat/servers.ts'
import { withoutForeignParts } from '../../src/protocols/requests/opaque-parts.ts'
import { fuzz } from './settings.ts'

type Body = Record<string, unknown>

const note = () => undefined

/** Runs `read`; a typed error is an answer too, anything else fails the test. */
export function typed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'internal') return undefined
    throw error
  }
}

export function toAnthropic(turn: TurnRequest, name: string): Body | undefined {
  const options = {
    model: anthropicModel(name),
    recall: () => undefined,
    isRefused: () => false,
    bindsBlocks: true,
    promptCache: 'auto' as const,
    note,
  }
  return typed(() => toAnthropicRequest({ ...turn, model: name }, options).body)
}

export function acceptedByAnthropic(body: Body, name: string): void {
  const request = JSON.parse(JSON.stringify(body)) as MessagesRequest
  const model = findModel(name)
  messagesShape([CONTROLS_BETA])(request, [], WORDING)
  checkMessages(request, model)
  checkTools(request, model)
  checkThinkingConfig(request, model)
  const memory = new ThinkingMemory()
  checkThinkingHistory(request, model, memory)
  checkPreservedThinking({ request, model, memory, account: { id: 'a', isOlder: false }, hasControls: true })
  checkSettings(request, model)
}

export function toChat(turn: TurnRequest, host = 'api.openai.com'): Body | undefined {
  const options = { traits: serverTraits(host, 'gpt-4o'), recall: () => undefined, note }
  // What OpenAI does not know reaches other servers of its dialect only.
  return typed(() => toChatRequest({ ...withoutForeignParts(turn, [], note), model: 'gpt-4o' }, options))
}

export function acceptedByOpenAI(body: Body): void {
  const wire = JSON.parse(JSON.stringify(body)) as ChatRequest
  chatShape(wire, [], CHAT_WORDING)
  checkRequest(wire, { requiresReasoning: false })
}

export const claudeNames = DOCUMENTED

export const modelNames = fc.constantFrom(...claudeNames, 'some-other-model')

/** Ten thousand cases take their time on a busy machine. */
export const patience = { timeout: 120_000 }

/** `accept` fails, or says whether there was anything to accept: a case that is refused on the way proves nothing. */
export function mostAccepted<T>(
  cases: fc.Arbitrary<T>,
  accept: (value: T) => boolean,
  { least = 0.5, runs = fuzz } = {},
): void {
  let accepted = 0
  const property = fc.property(cases, (value) => {
    if (accept(value)) accepted++
  })
  fc.assert(property, runs)
  expect(accepted).toBeGreaterThan(runs.numRuns * least)
}

/** Whether the turn becomes a Messages request. Fails if the strict simulator refuses that. */
export function becomesMessages(turn: TurnRequest | undefined, name: string): boolean {
  const upstream = turn && toAnthropic(turn, name)
  if (upstream) acceptedByAnthropic(upstream, name)
  return upstream !== undefined
}

/** The same for a Chat request. */
export function becomesChat(turn: TurnRequest | undefined): boolean {
  const upstream = turn && toChat(turn)
  if (upstream) acceptedByOpenAI(upstream)
  return upstream !== undefined
}

/** JSON of any shape that uses these names and words; `fields` is the same as an object. */
export function anyJson(names: readonly string[], words: readonly string[]) {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(...words),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6 }),
    ),
  }))
  return { value, fields: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 }) }
}
