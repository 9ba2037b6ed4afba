// The limit of the history of a new run. Models of other vendors refuse a longer history, late and without a reason. The newest turns
// are kept whole; of a single turn that is too long, its beginning and its newest steps.

import type { Message } from '../../core/request.ts'

/** Refused at about 208 messages. */
const mostMessages = 192
const mostBytes = 512 * 1024

/** Only the service's own models accept more. */
export const isOwnModel = (modelId: string): boolean => /^(?:cursor-)?composer|^auto|^default$/.test(modelId)

export interface Sized {
  message: Message
  /** Its encoded messages. */
  roots: Uint8Array[]
}

/** The newest messages that fit beside `reserved`. */
export function newestRoots(messages: readonly Sized[], reserved: readonly Uint8Array[]): Uint8Array[] {
  const room = { messages: mostMessages - reserved.length, bytes: mostBytes - sizeOf(reserved) }
  const kept: Uint8Array[][] = []
  for (const turn of split(messages, beginsTurn).reverse()) {
    const roots = rootsOf(turn)
    if (take(roots, room)) {
      kept.unshift(roots)
      continue
    }
    // A single turn may be the whole history: an agent loop.
    if (kept.length === 0) kept.unshift(newestSteps(turn, room))
    break
  }
  return kept.flat()
}

function newestSteps(turn: readonly Sized[], room: Room): Uint8Array[] {
  const [said = [], ...steps] = split(turn, ({ message }) => message.role === 'assistant')
  const beginning = rootsOf(said)
  take(beginning, room, true)
  const kept: Uint8Array[][] = []
  // A step has its calls and their results: a result is never kept without its call.
  for (const step of steps.reverse()) {
    const roots = rootsOf(step)
    if (!take(roots, room)) break
    kept.unshift(roots)
  }
  return [...beginning, ...kept.flat()]
}

interface Room {
  messages: number
  bytes: number
}

function take(roots: readonly Uint8Array[], room: Room, isForced = false): boolean {
  const bytes = sizeOf(roots)
  if (!isForced && (roots.length > room.messages || bytes > room.bytes)) return false
  room.messages -= roots.length
  room.bytes -= bytes
  return true
}

const rootsOf = (messages: readonly Sized[]) => messages.flatMap(({ roots }) => roots)
const sizeOf = (roots: readonly Uint8Array[]) => roots.reduce((sum, { length }) => sum + length, 0)

const isSaid = (message: Message | undefined) => message?.role === 'user' || message?.role === 'system'
const beginsTurn = ({ message }: Sized, before: Sized | undefined) =>
  isSaid(message) && !isSaid(before?.message)

function split(
  messages: readonly Sized[],
  begins: (one: Sized, before: Sized | undefined) => boolean,
): Sized[][] {
  const parts: Sized[][] = []
  for (const [index, one] of messages.entries()) {
    const last = parts.at(-1)
    if (last === undefined || begins(one, messages[index - 1])) parts.push([one])
    else last.push(one)
  }
  return parts
}
