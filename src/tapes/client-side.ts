// The client's side of a tape (request and answer), and the first difference between two of them.

import { messagesKeepAlive } from '../protocols/anthropic-messages/write.ts'
import { geminiKeepAlive } from '../protocols/gemini/write.ts'
import { isOllamaKeepAlive } from '../protocols/ollama/write.ts'
import { chatKeepAlive } from '../protocols/openai-chat/write.ts'
import { isResponsesKeepAlive } from '../protocols/openai-responses/write.ts'
import type { Frame } from './frame.ts'

export interface Piece {
  /** The number of the frame on its tape, from 1. */
  frame: number
  at: number
  text: string
}

export interface ClientSide {
  request: Piece | undefined
  /** The status and the relevant headers, one per line. */
  head: Piece | undefined
  writes: Piece[]
  /** The client left before the end. */
  isGone: boolean
  /** How many keep-alives were written: the shape of an error depends on them. */
  keptAlive: number
}

/** Keep-alives depend on the clock and are not compared. */
const keepAlives = new Set([messagesKeepAlive, chatKeepAlive, geminiKeepAlive])
const isOther = (text: string) => keepAlives.has(text) || isOllamaKeepAlive(text)
export const isKeepAlive = (text: string): boolean => isOther(text) || isResponsesKeepAlive(text)

/** The numbers of the events after keep-alives that are events themselves. */
const numberPattern = /"sequence_number":(\d+)/g
const renumbered = (text: string, less: number) =>
  less === 0
    ? text
    : text.replace(numberPattern, (_all, number) => `"sequence_number":${Number(number) - less}`)

export function clientSide(frames: readonly Frame[]): ClientSide {
  const side: ClientSide = {
    request: undefined,
    head: undefined,
    writes: [],
    isGone: false,
    keptAlive: 0,
  }
  let events = 0
  for (const [index, frame] of frames.entries()) {
    // Writes after the client left reached no one.
    if (frame.side !== 'client' || side.isGone) continue
    const piece = (text: string): Piece => ({ frame: index + 1, at: frame.at, text })
    if (frame.do === 'request') side.request = piece(`${frame.method} ${frame.path}\n${frame.body}`)
    else if (frame.do === 'response') side.head = piece(headText(frame.status, frame.headers))
    else if (frame.do === 'gone') side.isGone = true
    else if (frame.do === 'write' && isOther(frame.text)) side.keptAlive++
    else if (frame.do === 'write' && isResponsesKeepAlive(frame.text)) {
      side.keptAlive++
      events++
    } else if (frame.do === 'write') side.writes.push(piece(renumbered(frame.text, events)))
  }
  return side
}

function headText(status: number, headers: Record<string, string>): string {
  const shown = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name === 'content-type' || name.startsWith('x-dragoman-'))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return [`HTTP ${status}`, ...shown.map(([name, value]) => `${name}: ${value}`)].join('\n')
}

export const bytesOf = ({ writes }: ClientSide): number =>
  writes.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)

export interface Difference {
  what: 'request' | 'answer head' | 'answer'
  /** The place on each side; undefined where that side is shorter. */
  one: Excerpt | undefined
  other: Excerpt | undefined
}

export interface Excerpt {
  frame: number
  at: number
  /** The text at this place, with some context. */
  text: string
}

/** The first difference; undefined if both sides are equal. */
export function firstDifference(one: ClientSide, other: ClientSide): Difference | undefined {
  return (
    differenceOf('request', one.request ? [one.request] : [], other.request ? [other.request] : []) ??
    differenceOf('answer head', one.head ? [one.head] : [], other.head ? [other.head] : []) ??
    differenceOf('answer', one.writes, other.writes)
  )
}

function differenceOf(
  what: Difference['what'],
  one: readonly Piece[],
  other: readonly Piece[],
): Difference | undefined {
  const [a, b] = [one, other].map((pieces) => pieces.map(({ text }) => text).join('')) as [string, string]
  if (a === b) return undefined
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  return { what, one: excerptAt(one, a, at), other: excerptAt(other, b, at) }
}

const before = 60
const after = 140

/** The excerpt stays within its line: on a stream, a line is an event. */
function excerptAt(pieces: readonly Piece[], whole: string, at: number): Excerpt | undefined {
  let start = 0
  for (const { frame, at: time, text } of pieces) {
    if (at < start + text.length) {
      const lineStart = whole.lastIndexOf('\n', at - 1) + 1
      const found = whole.indexOf('\n', at)
      const lineEnd = found === -1 ? whole.length : Math.max(found, at + 1)
      const from = Math.max(lineStart, at - before)
      const to = Math.min(lineEnd, at + after)
      const shown = whole.slice(from, to)
      return { frame, at: time, text: `${from > lineStart ? '…' : ''}${shown}${to < lineEnd ? '…' : ''}` }
    }
    start += text.length
  }
  return undefined
}
