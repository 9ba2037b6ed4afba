// Joins the deltas of a model's output, so that a secret that spans several events is found.

import type { Steps } from '../base/slices.ts'
import { type Chain, ChainBuilder, type Slot } from './text-slots.ts'

/** Fields of server-sent events that hold a delta, in all dialects. */
const pieceFields = new Set([
  'arguments',
  'content',
  'delta',
  'input',
  'output',
  'partial_json',
  'reasoning',
  'reasoning_content',
  'refusal',
  'text',
  'thinking',
])

class Chains {
  readonly #builders = new Map<string, ChainBuilder>()

  of(key: string): ChainBuilder {
    const builder = this.#builders.get(key) ?? new ChainBuilder()
    this.#builders.set(key, builder)
    return builder
  }

  build(): Chain[] {
    return [...this.#builders.values()].map((builder) => builder.build())
  }
}

/** The joined deltas of each field and index. `stream` is the joined text of all writes. */
export function* eventChains(stream: Chain): Steps<Chain[]> {
  const chains = new Chains()
  const { text } = stream
  for (let start = 0; start < text.length; ) {
    yield
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    if (text.startsWith('data:', start)) collectPieces(stream, start, end, chains)
    start = end + 1
  }
  return chains.build()
}

const index = /index"\s{0,9}:\s{0,9}(\d{1,9})/g
const colon = /\s{0,9}:\s{0,9}"/y

function collectPieces(stream: Chain, start: number, end: number, chains: Chains): void {
  const line = stream.text.slice(start, end)
  // Parallel calls and choices are separate texts.
  const indexes = [...line.matchAll(index)].map(([, digits]) => digits).join()
  for (let at = line.indexOf('"'); at !== -1; ) {
    const close = literalEnd(line, at)
    if (close === -1) return
    colon.lastIndex = close + 1
    const isName = colon.test(line)
    const name = isName ? line.slice(at + 1, close) : ''
    if (!pieceFields.has(name)) {
      at = line.indexOf('"', close + 1)
      continue
    }
    const from = colon.lastIndex
    const to = literalEnd(line, from - 1)
    if (to === -1) return
    addPieces(stream, { from: start + from, to: start + to }, chains.of(`${name} ${indexes}`))
    at = line.indexOf('"', to + 1)
  }
}

/** Escapes stay escaped. A literal may span several writes. */
function addPieces(stream: Chain, { from, to }: { from: number; to: number }, chain: ChainBuilder): void {
  for (let at = from; at < to; ) {
    const place = stream.at(at)
    const end = Math.min(to, at + place.slot.read().length - place.index)
    chain.add(stream.text.slice(at, end), place)
    at = end
  }
}

/** The index of the closing quote of the literal that opens at `at`; -1 without one. */
function literalEnd(line: string, at: number): number {
  for (let next = at + 1; next < line.length; next++) {
    const code = line.charCodeAt(next)
    if (code === 0x5c) next++
    else if (code === 0x22) return next
  }
  return -1
}

/** The same for the messages of a run. Their slots have one character per byte. */
export function* messageChains(messages: readonly Slot[]): Steps<Chain[]> {
  const chains = new Chains()
  for (const slot of messages) {
    yield
    const bytes = slot.read()
    for (const path of shownPaths) {
      const found = fieldAt(bytes, path)
      if (found) chains.of(path.join()).add(bytes.slice(found.start, found.end), { slot, index: found.start })
    }
  }
  return chains.build()
}

/** Paths in AgentServerMessage: interaction_update, then text_delta, thinking_delta or partial_tool_call, then the text. */
const shownPaths = [
  [1, 1, 1],
  [1, 4, 1],
  [1, 7, 3],
]

/** The last length-delimited field at this path of a protobuf message. Reads without the schema, which is slow to load. */
function fieldAt(bytes: string, path: readonly number[], start = 0, end = bytes.length): Range | undefined {
  const [wanted, ...rest] = path
  if (wanted === undefined) return { start, end }
  let found: Range | undefined
  for (let at = start; at < end; ) {
    const tag = varint(bytes, at)
    const kind = tag.value & 7
    const size = varint(bytes, tag.end)
    const sizes = [size.end, tag.end + 8, kind === 2 ? size.end + size.value : 0, 0, 0, tag.end + 4]
    const next = sizes[kind] ?? 0
    if (next <= at || next > end) return found
    if (kind === 2 && tag.value >>> 3 === wanted) found = fieldAt(bytes, rest, size.end, next)
    at = next
  }
  return found
}

interface Range {
  start: number
  end: number
}

function varint(bytes: string, at: number): { value: number; end: number } {
  let value = 0
  for (let shift = 0; shift < 64 && at < bytes.length; shift += 7) {
    const byte = bytes.charCodeAt(at++)
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  return { value, end: at }
}
