// The key that recognises a conversation when it returns with one more message: a digest of everything up to the last answer.
// It ignores what clients are known to change in messages that they send back.

import { createHash } from 'node:crypto'
import { isObject } from '../../base/json.ts'
import { plainInput } from '../../core/call-key.ts'
import type { Message, ToolCallPart, TurnRequest } from '../../core/request.ts'
import { splitReminders } from '../requests/system-reminders.ts'

/** Undefined before the first answer: there is no chat to continue. */
export function conversationKey(
  caller: string,
  request: TurnRequest,
  messages: readonly Message[] = request.messages,
): string | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  if (last < 0) return undefined
  // The tools are part of the text that the service received.
  const { model, tools, toolChoice, parallelToolCalls } = request
  const offer = tools.map(({ name, description, schema }) => [name, description, schema])
  const said = plain(messages.slice(0, last + 1))
  return createHash('sha256')
    .update(sorted([caller, model, offer, toolChoice, parallelToolCalls, said]))
    .digest('base64url')
}

function plain(messages: readonly Message[]): unknown[] {
  const told: [string, ...unknown[]][] = []
  let calls: readonly ToolCallPart[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      const places = new Map(calls.map(({ callId }, at) => [callId, at]))
      const results = message.results.map(({ callId, content, isError }): [number, string, boolean] => [
        places.get(callId) ?? -1,
        textIn(content).trim(),
        isError === true,
      ])
      told.push(['tool', results.sort(([a], [b]) => a - b)])
      continue
    }
    if (message.role !== 'assistant') {
      told.push([message.role, splitReminders(textIn(message.content)).words.trim()])
      continue
    }
    calls = message.content.filter((part) => part.type === 'tool-call')
    // Ids are ignored: clients that cannot keep them make new ones.
    told.push([
      'assistant',
      textIn(message.content).trim(),
      calls.map(({ name, input }) => [name, plainInput(input)]),
    ])
  }
  return told
}

const textIn = (content: readonly { type: string; text?: string }[]) =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/**
 * Digests of the reminders that clients put beside the user's words. The key ignores them, because clients leave them out of
 * old messages; but a reminder that they do send back must be one that the chat has received.
 */
export function remindersIn(messages: readonly Message[]): Set<string> {
  const texts = messages.flatMap((message) =>
    message.role === 'user' || message.role === 'system' ? [textIn(message.content)] : [],
  )
  const reminders = texts.flatMap((text) => splitReminders(text).reminders)
  return new Set(reminders.map((reminder) => createHash('sha256').update(reminder).digest('base64url')))
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, entry: unknown) =>
    isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))) : entry,
  )
