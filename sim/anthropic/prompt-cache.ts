// Prompt caching as the service counts it. The blocks of the prompt are hashed in order, a cache_control mark stores the prefix up to
// its block, and a later request reads the longest stored prefix near a mark.

import { createHash } from 'node:crypto'
import { isRecord, type Json } from '../shape.ts'
import { estimateTokens } from '../tokens.ts'
import { countPromptTokens } from './check-settings.ts'
import { type MessagesRequest, toBlocks } from './request.ts'

/** How many blocks before a mark are searched for a stored prefix. */
const LOOKBACK_BLOCKS = 20

export interface InputUsage {
  input_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number }
}

interface Prefix {
  readonly hash: string
  readonly tokens: number
  readonly ttl: string | undefined
}

export class PromptCache {
  readonly #stored = new Set<string>()

  /** Counts the tokens of the prompt, and stores its marked prefixes. */
  count(request: MessagesRequest): InputUsage {
    const prefixes = toPrefixes(request)
    const last = prefixes.findLastIndex(({ ttl }) => ttl !== undefined)
    const read = Math.max(0, ...this.#readable(prefixes, last).map(({ tokens }) => tokens))
    const created = Math.max(0, (prefixes[last]?.tokens ?? 0) - read)
    for (const { hash, ttl } of prefixes) if (ttl !== undefined) this.#stored.add(hash)
    const isHour = prefixes[last]?.ttl === '1h'
    return {
      input_tokens: Math.max(0, countPromptTokens(request) - read - created),
      cache_creation_input_tokens: created,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: isHour ? 0 : created,
        ephemeral_1h_input_tokens: isHour ? created : 0,
      },
    }
  }

  #readable(prefixes: readonly Prefix[], last: number): Prefix[] {
    return prefixes.filter(({ hash }, index) => {
      const isNear = prefixes.some(
        ({ ttl }, mark) => ttl !== undefined && index <= mark && mark - index <= LOOKBACK_BLOCKS,
      )
      return index <= last && isNear && this.#stored.has(hash)
    })
  }
}

function toPrefixes(request: MessagesRequest): Prefix[] {
  const { model, tools, system, messages, cache_control: automatic } = request
  const blocks: Json[] = [
    // A deferred tool is no part of the prefix: it is loaded where the conversation refers to it.
    ...(tools ?? []).filter(({ defer_loading }) => defer_loading !== true),
    ...toBlocks(system ?? []),
    ...messages.flatMap(({ role, content }) => toBlocks(content).map((block) => ({ ...block, role }))),
  ]
  const hash = createHash('sha256').update(model)
  let tokens = 0
  return blocks.map((block, index) => {
    // The mark is not part of the content: moving it must not change the prefix.
    const { cache_control: mark, ...content } = block
    const text = JSON.stringify(content)
    tokens += estimateTokens(text)
    hash.update(text)
    const isLast = index === blocks.length - 1
    return { hash: hash.copy().digest('hex'), tokens, ttl: readTtl(mark ?? (isLast ? automatic : undefined)) }
  })
}

function readTtl(mark: unknown): string | undefined {
  return isRecord(mark) ? String(mark.ttl ?? '5m') : undefined
}
