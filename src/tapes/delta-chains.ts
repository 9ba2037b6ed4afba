// What a model said piece by piece, put together again: a secret in it is in no single event.

import { fromBinary } from '@bufbuild/protobuf'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import type { Chain, Slot } from './slots.ts'

/** Fields of server-sent events that hold a piece of something longer, in all dialects. */
const pieceFields = new Set([
  'arguments',
  'content',
  'delta',
  'input',
  'partial_json',
  'reasoning',
  'reasoning_content',
  'refusal',
  'text',
  'thinking',
])

interface Pieces {
  text: string
  places: number[]
}

/** The pieces of each field and index, of a stream that was put together of its writes. */
export function eventChains(stream: Chain): Chain[] {
  const found = new Map<string, Pieces>()
  let start = 0
  for (const line of stream.text.split('\n')) {
    if (line.startsWith('data:')) collectPieces(line, start, found)
    start += line.length + 1
  }
  return [...found.values()].map(({ text, places }) => ({
    text,
    at: (index) => stream.at(places[index] ?? 0),
  }))
}

function collectPieces(line: string, start: number, found: Map<string, Pieces>): void {
  const index = /"index":(\d{1,9})/.exec(line)?.[1] ?? ''
  for (let at = line.indexOf('"'); at !== -1; ) {
    const end = literalEnd(line, at)
    if (end === -1) return
    const name = line.slice(at + 1, end)
    const value = /^\s{0,9}:\s{0,9}"/.exec(line.slice(end + 1, end + 20))
    if (!value || !pieceFields.has(name)) {
      at = line.indexOf('"', end + 1)
      continue
    }
    const from = end + value[0].length
    const to = literalEnd(line, from)
    if (to === -1) return
    addPiece(`${name} ${index}`, { line, start, from: from + 1, to }, found)
    at = line.indexOf('"', to + 1)
  }
}

interface Literal {
  line: string
  start: number
  from: number
  to: number
}

/** Escapes are left as they are: no secret has any. */
function addPiece(key: string, { line, start, from, to }: Literal, found: Map<string, Pieces>): void {
  const pieces = found.get(key) ?? { text: '', places: [] }
  found.set(key, pieces)
  pieces.text += line.slice(from, to)
  for (let at = from; at < to; at++) pieces.places.push(start + at)
}

/** Where the literal ends that begins at `at`; -1 if it does not. */
function literalEnd(line: string, at: number): number {
  for (let next = at + 1; next < line.length; next++) {
    const char = line[next]
    if (char === '\\') next++
    else if (char === '"') return next
  }
  return -1
}

/** The same of the messages of a run, which are slots of one character for each byte. */
export function messageChains(messages: readonly Slot[]): Chain[] {
  const found = new Map<string, { text: string; places: { slot: Slot; index: number }[] }>()
  for (const slot of messages) {
    const bytes = slot.read()
    const [kind, piece] = shownPiece(bytes)
    const start = piece === '' ? -1 : bytes.indexOf(piece)
    if (start === -1) continue
    const pieces = found.get(kind) ?? { text: '', places: [] }
    found.set(kind, pieces)
    pieces.text += piece
    for (let at = 0; at < piece.length; at++) pieces.places.push({ slot, index: start + at })
  }
  return [...found.values()].map(({ text, places }) => ({
    text,
    at: (index) => places[index] as { slot: Slot; index: number },
  }))
}

function shownPiece(bytes: string): [kind: string, piece: string] {
  try {
    const { message } = fromBinary(AgentServerMessageSchema, Buffer.from(bytes, 'latin1'))
    if (message.case !== 'interactionUpdate') return ['', '']
    const { case: kind, value } = message.value.message
    const text = kind === 'textDelta' || kind === 'thinkingDelta' ? value.text : ''
    const piece = kind === 'partialToolCall' ? value.argsTextDelta : text
    return [kind ?? '', Buffer.from(piece).toString('latin1')]
  } catch {
    return ['', '']
  }
}
