// Messages requests of every shape: refused with a typed error, or a body that the strict simulators accept. Nothing else
// may be thrown, and what is forwarded as it came is not touched.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { fromMessagesRequest } from '../../src/protocols/anthropic-messages/request-in.ts'
import {
  acceptedByAnthropic,
  anyJson,
  becomesChat,
  becomesMessages,
  claudeNames,
  modelNames,
  mostAccepted,
  patience,
  toAnthropic,
  toChat,
  typed,
} from './accepted.ts'
import { messagesRequests, tidyMessagesRequests } from './messages-request.ts'
import { fuzz } from './settings.ts'

const read = (body: unknown): TurnRequest | undefined =>
  typed(() => fromMessagesRequest(body, new Notes()).turn)

const named = (names: readonly string[], conforming: boolean) =>
  fc
    .constantFrom(...names)
    .chain((name) => messagesRequests(name, { conforming }).map((body) => ({ name, body })))

describe('Messages requests', patience, () => {
  it('that are plausible become Messages requests that the strict simulator accepts', () => {
    mostAccepted(named(claudeNames, false), ({ name, body }) => {
      const before = JSON.stringify(body)
      const turn = read(body)
      const becomes = becomesMessages(turn, name)
      expect(JSON.stringify(body)).toBe(before)
      return becomes
    })
  })

  it('that are in order go out as they came, unless the model would refuse them', () => {
    let forwarded = 0
    // Enough of them for the share at the end.
    const numRuns = Math.max(fuzz.numRuns, 250)
    const tidy = fc
      .constantFrom(...claudeNames)
      .chain((name) => tidyMessagesRequests(name).map((body) => ({ name, body })))
    fc.assert(
      fc.property(tidy, ({ name, body }) => {
        const upstream = toAnthropic(fromMessagesRequest(body, new Notes()).turn, name) ?? {}
        acceptedByAnthropic(upstream, name)
        if (JSON.stringify(upstream) === JSON.stringify({ ...body, model: name })) forwarded++
        else expect(() => acceptedByAnthropic({ ...body, model: name }, name)).toThrow()
      }),
      { ...fuzz, numRuns },
    )
    expect(forwarded).toBeGreaterThan(numRuns / 10)
  })

  it('that are plausible become Chat requests that the strict simulator accepts', () => {
    mostAccepted(named(['any'], true), ({ body }) => becomesChat(read(body)))
  })

  it('that are anything at all are refused with a typed error, or pass', () => {
    const names = [
      'model', 'messages', 'system', 'tools', 'tool_choice', 'stop_sequences', 'stream', 'role', 'content', 'type', 'text',
      'name', 'input', 'input_schema', 'id', 'tool_use_id', 'source', 'url', 'data', 'media_type', 'thinking', 'signature',
      'budget_tokens', 'cache_control', 'output_config', 'effort', 'metadata', 'user_id', '__proto__', 'constructor',
    ] // biome-ignore format: a list to be read as one
    const words = [
      'user', 'assistant', 'system', 'text', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'image', 'document',
      'base64', 'url', 'content', 'auto', 'any', 'tool', 'enabled', 'adaptive', '{}', '', '[',
    ] // biome-ignore format: a list to be read as one
    const { value, fields } = anyJson(names, words)
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), value),
        messages: fc.oneof(value, fc.array(fields)),
        system: value,
        tools: fc.oneof(value, fc.array(fields)),
        tool_choice: value,
        thinking: fc.oneof(value, fields),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(body, value), modelNames, (anything, name) => {
        const turn = read(anything)
        if (!turn) return
        toAnthropic(turn, name)
        toChat(turn)
      }),
      fuzz,
    )
  })
})
