// One turn over HTTP, streamed or whole, for any protocol whose reader takes server-sent events or one JSON answer.

import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { parseJson } from '../protocols/json.ts'
import type { TurnReader } from '../protocols/reader.ts'
import { createSseReader } from '../protocols/sse.ts'
import type { UpstreamRefusal } from '../protocols/upstream-error.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream/client.ts'
import { retryAfter } from '../upstream/retry-after.ts'

export interface HttpTurn {
  client: UpstreamClient
  path: string
  headers: Record<string, string>
  body: string
  stream: boolean
  reader: TurnReader
  signal: AbortSignal
  /** How long the upstream may send nothing that moves the turn on, once it has begun to answer. */
  progressMs: number
  /** How long it may take to begin, or to think unseen. */
  firstByteMs: number
  backend: string
  toError(refusal: UpstreamRefusal): GatewayError
}

const maxErrorBytes = 64 * 1024
const maxAnswerBytes = 64 * 1024 * 1024
const drainMs = 1_000

export async function* httpTurn(turn: HttpTurn): AsyncGenerator<TurnEvent[]> {
  const clock = new ProgressClock(turn)
  try {
    const response = await turn.client.request({
      method: 'POST',
      path: turn.path,
      headers: {
        'content-type': 'application/json',
        accept: turn.stream ? 'text/event-stream' : 'application/json',
        ...turn.headers,
      },
      body: turn.body,
      signal: clock.signal,
    })
    if (response.status !== 200) throw await failure(response, turn)
    const type = String(response.headers['content-type'] ?? '')
    // A server that ignores `stream` answers in the other form; some errors under status 200 are JSON as well.
    if (type.includes('text/event-stream')) yield* readStream(response, turn, clock)
    else yield await readWhole(response, turn)
  } catch (error) {
    throw clock.expired ?? error
  } finally {
    clock.stop()
  }
}

async function* readStream(
  response: UpstreamResponse,
  turn: HttpTurn,
  clock: ProgressClock,
): AsyncGenerator<TurnEvent[]> {
  const { reader } = turn
  const sse = createSseReader()
  let complete = false
  try {
    for (;;) {
      const bytes = await readOrEnd(response, reader)
      const events =
        bytes === null ? [...reader.push(sse.end()), ...reader.end()] : reader.push(sse.push(bytes))
      clock.check(reader)
      if (events.length > 0) {
        complete = events.some((event) => event.type === 'turn-end')
        clock.hold()
        yield events
        clock.release()
      }
      if (complete || bytes === null) return
    }
  } finally {
    if (complete) response.body.drain(drainMs)
    else response.body.cancel(new Error('turn given up'))
  }
}

/** A connection that breaks after the upstream has said how the turn ends has done its work. */
async function readOrEnd(response: UpstreamResponse, reader: TurnReader): Promise<Buffer | null> {
  try {
    return await response.body.read()
  } catch (error) {
    if (reader.settled) return null
    throw error
  }
}

async function readWhole(response: UpstreamResponse, turn: HttpTurn): Promise<TurnEvent[]> {
  const { bytes, cut } = await response.body.readAll(maxAnswerBytes)
  const text = bytes.toString('utf8')
  const json = cut ? undefined : parseJson(text)
  if (json !== undefined) return turn.reader.whole(json, text)
  const what =
    text === '' ? 'an empty answer' : cut ? 'an answer of more than 64 MiB' : 'an answer that is not JSON'
  throw new GatewayError(
    'upstream-protocol',
    `${turn.backend}: the upstream sent ${what}; is its "baseUrl" right?`,
    {
      upstream: { status: response.status, excerpt: text },
    },
  )
}

async function failure(response: UpstreamResponse, turn: HttpTurn): Promise<GatewayError> {
  const excerpt = await readExcerpt(response)
  if (response.status >= 300 && response.status < 400) {
    return new GatewayError(
      'upstream-protocol',
      `${turn.backend}: the upstream redirects (HTTP ${response.status}), which is never followed; correct "baseUrl".`,
      {
        retryable: false,
        upstream: { status: response.status, excerpt },
      },
    )
  }
  return turn.toError({
    backend: turn.backend,
    status: response.status,
    body: parseJson(excerpt),
    excerpt,
    retryAfterMs: retryAfter(response.headers),
  })
}

export async function readExcerpt(response: UpstreamResponse): Promise<string> {
  const { bytes } = await response.body.readAll(maxErrorBytes)
  return bytes.toString('utf8')
}

/** Bytes are not progress: pings can flow for ever. This clock is reset only by what moves the turn on. */
class ProgressClock {
  readonly #stop = new AbortController()
  readonly #turn: HttpTurn
  readonly #abort: () => void
  #timer: NodeJS.Timeout
  #patienceMs = 0
  #seen = 0
  #held = false
  expired: GatewayError | undefined

  constructor(turn: HttpTurn) {
    this.#turn = turn
    this.#timer = this.#start(turn.firstByteMs)
    this.#abort = () => this.#stop.abort(turn.signal.reason)
    if (turn.signal.aborted) this.#abort()
    else turn.signal.addEventListener('abort', this.#abort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  check({ progress, mayBeSilent }: TurnReader): void {
    if (progress === this.#seen) return
    this.#seen = progress
    const { progressMs, firstByteMs } = this.#turn
    const patienceMs = mayBeSilent ? Math.max(progressMs, firstByteMs) : progressMs
    if (patienceMs === this.#patienceMs) this.#timer.refresh()
    else {
      clearTimeout(this.#timer)
      this.#timer = this.#start(patienceMs)
    }
  }

  /** While the client takes what came, at its own pace, the upstream is not to blame. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#timer.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#turn.signal.removeEventListener('abort', this.#abort)
  }

  #start(ms: number): NodeJS.Timeout {
    this.#patienceMs = ms
    return setTimeout(() => {
      if (this.#held) return
      this.expired = new GatewayError(
        'timeout',
        `${this.#turn.backend}: no progress from the upstream for ${ms / 1000} s.`,
        // The upstream has had the request for all that time: once more would be paid for once more.
        { retryable: false },
      )
      this.#stop.abort()
    }, ms)
  }
}
