// Counts the tokens of a request with the tokenizer of OpenAI's models. It is an optional peer of 70 MB in memory, loaded by the
// first count that needs it.

import { setImmediate } from 'node:timers/promises'
import type { Signal } from '../../base/signal.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { loadPeer } from '../../credentials/load-peer.ts'
import { countedTexts } from '../../protocols/openai-chat/tokens/counted-texts.ts'
import { type Encoding, encodingOf } from '../../protocols/openai-chat/tokens/encoding.ts'
import { textSlices } from '../../protocols/openai-chat/tokens/text-slices.ts'

interface Tokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
  setMergeCacheSize(size: number): void
}

type LoadTokenizer = (encoding: Encoding) => Promise<Tokenizer>

interface CounterOptions {
  backend: string
  /** For tests. */
  load?: LoadTokenizer | undefined
  /** How much processor time one count may take. It is enough for 4 MB of prose. */
  mostWorkMs?: number | undefined
}

/** How long other requests wait for a count at a time. */
const mostHoldMs = 10

/** Words like `<|endoftext|>` in a text are text. */
const options = { disallowedSpecial: new Set<string>() }

const loadInstalled: LoadTokenizer = (encoding) =>
  encoding === 'o200k_base'
    ? import('gpt-tokenizer/encoding/o200k_base')
    : import('gpt-tokenizer/encoding/cl100k_base')

export type CountTokens = (request: TurnRequest, signal: Signal) => Promise<number | undefined>

/** The count is undefined for models of other families, and without the library. It fails if it would take too long. */
export function createTokenCounter({
  backend,
  load = loadInstalled,
  mostWorkMs = 1_000,
}: CounterOptions): CountTokens {
  const loaded = new Map<Encoding, Promise<Tokenizer | undefined>>()

  function tokenizerFor(encoding: Encoding): Promise<Tokenizer | undefined> {
    const found = loaded.get(encoding)
    if (found) return found
    const peer = { backend, why: 'exact token counts', name: 'gpt-tokenizer', version: '4' }
    const loading = loadPeer(() => load(encoding), peer).then(
      (tokenizer) => {
        // It would keep parts of the requests.
        tokenizer.setMergeCacheSize(0)
        return tokenizer
      },
      // Without it lengths are estimates: no reason to refuse a turn.
      () => undefined,
    )
    loaded.set(encoding, loading)
    return loading
  }

  return async (request, signal) => {
    const encoding = encodingOf(request.model)
    const counted = encoding && countedTexts(request)
    const tokenizer = counted && (await tokenizerFor(encoding))
    if (!tokenizer) return undefined
    let tokens = counted.surrounding
    let worked = 0
    let hold = beginHold()
    for (const slice of slicesOf(counted.texts)) {
      tokens += tokenizer.countTokens(slice, options)
      if (performance.now() - hold.at < mostHoldMs) continue
      worked += process.cpuUsage(hold.cpu).user / 1_000
      if (worked > mostWorkMs)
        throw new GatewayError('timeout', `${backend}: to count the tokens of this request takes too long.`)
      await setImmediate()
      if (signal.aborted) throw signal.reason
      hold = beginHold()
    }
    return tokens
  }
}

const beginHold = () => ({ at: performance.now(), cpu: process.cpuUsage() })

function* slicesOf(texts: readonly string[]): Generator<string> {
  for (const text of texts) yield* textSlices(text)
}
