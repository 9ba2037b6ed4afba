// Helpers for the tests of Messages answers: the official client, the events on the wire, and the whole answer.

import Anthropic from '@anthropic-ai/sdk'
import { expect } from 'vitest'
import { type CollectedTurn, TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'
import { createSseReader } from '../streams/sse.ts'
import { messagesAnswer } from './answer.ts'
import type { MessagesWriterOptions } from './write.ts'

export const options: MessagesWriterOptions = {
  id: 'msg_1',
  model: 'asked/for',
  showsThinking: true,
  requestId: 'turn_1',
  toolArguments: 'whole',
  lateNotes: () => [],
}
export const start: Extract<TurnEvent, { type: 'turn-start' }> = { type: 'turn-start', id: 'x', model: 'm' }

/** The official client on these bytes. */
export function sdkReads(raw: string | ReadableStream<Uint8Array>): Promise<Anthropic.Message> {
  const headers = { 'content-type': 'text/event-stream' }
  const client = new Anthropic({
    apiKey: 'any',
    maxRetries: 0,
    fetch: async () => new Response(raw, { headers }),
  })
  return client.messages.stream({ model: 'm', max_tokens: 1, messages: [] }).finalMessage()
}

export function collected(events: readonly TurnEvent[]): CollectedTurn {
  const collector = new TurnCollector()
  collector.push(events)
  return collector.turn
}

interface WireEvent {
  type: string
  index?: number
  content_block?: { type: string }
}

export const wireEvents = (raw: string) =>
  createSseReader()
    .push(new TextEncoder().encode(raw))
    .map(({ event, data }) => {
      const json = JSON.parse(data) as WireEvent
      expect(json.type).toBe(event)
      return json
    })

export const answerOf = (turn: CollectedTurn, showsThinking = true): Anthropic.Message =>
  JSON.parse(messagesAnswer(turn, { id: 'msg_1', model: 'asked/for', showsThinking }))

export const shownBlocks = (turn: CollectedTurn, showsThinking: boolean) =>
  answerOf(turn, showsThinking).content
