// A request that brings the results of a run's calls, and the fingerprint that ties it to the run's conversation.

import { hash } from 'node:crypto'
import { parseJson } from '../../base/json.ts'
import { isMissingResult } from '../../core/history.ts'
import type { Message, ToolCallPart, ToolResult, UserPart } from '../../core/request.ts'
import { sessionOfResults } from '../../core/session-id.ts'
import { inlineSystem } from '../../protocols/requests/inline-system.ts'
import { reminderTag, splitReminders } from '../../protocols/requests/system-reminders.ts'

export interface FollowUp {
  sessionId: string
  /** Of the messages before the calls. */
  fingerprint: string
  /** The calls as the client sends them back. */
  calls: ToolCallPart[]
  results: Map<string, ToolResult>
  /** What the user says beside the results; undefined if nothing. */
  words: string | undefined
  /** The user also adds images or files. */
  hasMoreThanWords: boolean
}

/** Undefined unless the request ends with the results of one session's calls; user messages may follow them. */
export function readFollowUp(messages: readonly Message[]): FollowUp | undefined {
  const sessionId = sessionOfResults(messages)
  const at = messages.findLastIndex(({ role }) => role === 'tool')
  const tool = messages[at]
  const calling = messages[at - 1]
  if (sessionId === undefined || tool?.role !== 'tool' || calling?.role !== 'assistant') return undefined
  // A missing result may have been delivered ahead.
  const given = tool.results.filter((result) => !isMissingResult(result))
  const added = messages.slice(at + 1).flatMap(saidParts)
  const texts = added.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return {
    sessionId,
    fingerprint: fingerprintOf(messages.slice(0, at - 1)),
    calls: calling.content.filter((part) => part.type === 'tool-call'),
    results: new Map(given.map((result) => [result.callId, result])),
    words: texts.length === 0 ? undefined : texts.join('\n\n'),
    hasMoreThanWords: texts.length < added.length,
  }
}

function saidParts(message: Message): UserPart[] {
  if (message.role === 'user') return message.content
  if (message.role !== 'system') return []
  return message.content.map((part) => ({ type: 'text', text: inlineSystem(part.text ?? '') }))
}

/** Without system prompts: agents put the time and the like into them. */
export function fingerprintOf(messages: readonly Message[]): string {
  let digests = ''
  for (const message of messages) digests += digestOf(message)
  return hash('sha256', digests, 'base64')
}

/** A turn asks for several fingerprints, whose messages are the same. */
const digests = new WeakMap<Message, string>()

/** Empty for a message that is no part of the conversation. */
function digestOf(message: Message): string {
  const known = digests.get(message)
  if (known !== undefined) return known
  const digest = isAside(message) ? '' : hash('sha256', JSON.stringify(plainMessage(message)), 'base64')
  digests.set(message, digest)
  return digest
}

/** Not part of the conversation: a system prompt, or only reminders, as agents add them beside tool results. */
const isAside = (message: Message) =>
  message.role === 'system' || (message.role === 'user' && spokenParts(message.content).length === 0)

/** What a message says, without how the client wrote it: that may change from one request to the next. */
function plainMessage(message: Message): unknown {
  switch (message.role) {
    case 'tool':
      return [
        'tool',
        message.results.map(({ callId, content, isError }) => [
          callId,
          content.flatMap((part) => withoutReminders(part, [reminderTag])).map(plainPart),
          isError === true,
        ]),
      ]
    case 'assistant': {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call' ? [[part.callId, part.name, parseJson(part.input) ?? part.input]] : [],
      )
      // Only some clients send reasoning back.
      return ['assistant', text.trim(), calls]
    }
    default:
      return [message.role, spokenParts(message.content).map(plainPart)]
  }
}

const spokenParts = <Part extends TextOrOther>(parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => withoutReminders(part))

type TextOrOther = { type: string; text?: string }

function withoutReminders<Part extends TextOrOther>(part: Part, tags?: readonly string[]): Part[] {
  if (part.text === undefined) return [part]
  const { words, reminders } = splitReminders(part.text, tags)
  if (reminders.length === 0) return [part]
  const text = words.trim()
  return text === '' ? [] : [{ ...part, text }]
}

const plainPart = <Part extends object>({ cache: _cache, ...part }: Part & { cache?: unknown }) => part
