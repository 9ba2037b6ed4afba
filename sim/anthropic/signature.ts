// Signed thinking. The simulator signs its thinking and, like the service, takes back only its own. A signature contains everything
// that a later check compares: the model, the account, the prefix, and the previous thinking block.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const KEY = 'dragoman simulator'
const FORMAT = 'sim2'

export interface Binding {
  readonly model: string
  readonly account?: string
  /** Digest of the system prompt, the tools and everything before the block. Absent: not bound. */
  readonly prefix?: string
  /** The thinking block before this one, by `blockId`; absent for the first. */
  readonly previous?: string
}

export function signThinking(text: string, binding: Binding | string): string {
  const bound: Binding = typeof binding === 'string' ? { model: binding } : binding
  const { model, account = '', prefix = '', previous = '' } = bound
  const facts = [FORMAT, model, account, prefix, previous]
  return Buffer.from(JSON.stringify([...facts, sealOf(facts, text)])).toString('base64')
}

/** The content of the signature; undefined if it belongs to another text or is not the simulator's. */
export function readSignature(text: string, signature: string): Binding | undefined {
  const read = parse(signature)
  if (read === undefined) return undefined
  const { facts, seal } = read
  const wanted = Buffer.from(sealOf(facts, text))
  const actual = Buffer.from(seal)
  if (wanted.length !== actual.length || !timingSafeEqual(wanted, actual)) return undefined
  return toBinding(facts)
}

/** The same for a hidden text. */
export function readSealed(data: string): Binding | undefined {
  const read = parse(data)
  return read && toBinding(read.facts)
}

function toBinding([, model = '', account = '', prefix = '', previous = '']: readonly string[]): Binding {
  return {
    model,
    ...(account && { account }),
    ...(prefix && { prefix }),
    ...(previous && { previous }),
  }
}

/** The name of this block in the signature of the next one. */
export function blockId(proof: string): string {
  return createHash('sha256').update(proof).digest('base64url').slice(0, 16)
}

function parse(signature: string): { facts: string[]; seal: string } | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(signature, 'base64').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 6 || parts[0] !== FORMAT) return undefined
    const texts = parts.map(String)
    return { facts: texts.slice(0, 5), seal: texts[5] ?? '' }
  } catch {
    return undefined
  }
}

const sealOf = (facts: readonly string[], text: string) =>
  createHmac('sha256', KEY)
    .update(JSON.stringify([...facts, text]))
    .digest('base64')
