// One request of the probe through the gateway in this process: the answer, as a strict client reads it, and its times.

import { type Answer, type Ask, type DialectClient, emptyAnswer } from '../clients/answer.ts'
import type { Reply } from '../clients/http.ts'
import { isShape, parsed } from '../clients/json.ts'
import { readEvents } from '../clients/sse.ts'

export interface Connection {
  fetch(request: Request): Promise<Response>
  client: DialectClient
  timeoutMs: number
  /** Cancels the whole probe. */
  signal: AbortSignal
}

export interface Exchange {
  answer: Answer
  /** The error that came in place of an answer. */
  error: string | undefined
  /** The turn's id on its tape and in the log. */
  turnId: string | undefined
  /** The gateway's notes on what it changed. */
  notes: string
  /** Time to the first visible event; streams only. */
  firstMs: number | undefined
  tookMs: number
  isLate: boolean
}

const noReply: Reply = { status: 0, headers: {}, text: '', garbled: false, cut: false }

/** `session` is the same for all requests of one conversation and different for each conversation. */
export async function send(request: Ask, session: string, connection: Connection): Promise<Exchange> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(connection.timeoutMs)
  const signal = AbortSignal.any([timeout, connection.signal])
  const exchange: Exchange = {
    answer: emptyAnswer(noReply, request.form),
    error: undefined,
    turnId: undefined,
    notes: '',
    firstMs: undefined,
    tookMs: 0,
    isLate: false,
  }
  const onVisible = () => {
    exchange.firstMs ??= performance.now() - startedAt
  }
  try {
    const done = receive(exchange, { request, session, connection, signal, onVisible })
    await unlessAborted(done, signal)
  } catch (error) {
    exchange.isLate = timeout.aborted && !connection.signal.aborted
    if (!signal.aborted) exchange.error = error instanceof Error ? error.message : String(error)
  }
  exchange.tookMs = performance.now() - startedAt
  return exchange
}

interface Sending {
  request: Ask
  session: string
  connection: Connection
  signal: AbortSignal
  onVisible(): void
}

async function receive(exchange: Exchange, sending: Sending): Promise<void> {
  const { request, session, connection, signal, onVisible } = sending
  const { client } = connection
  const response = await connection.fetch(
    new Request(client.url('http://dragoman/v1', request), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': session, ...client.headers },
      body: JSON.stringify(client.body(request)),
      signal,
    }),
  )
  exchange.turnId = response.headers.get('x-dragoman-turn') ?? undefined
  exchange.notes = response.headers.get('x-dragoman-notes') ?? ''
  const answer = client.read(await replyOf(response, client, onVisible), request.form)
  exchange.answer = answer
  exchange.notes = [exchange.notes, ...lateNotes(answer)].filter((note) => note !== '').join('; ')
  const { status, text } = answer.reply
  if (answer.error) exchange.error = answer.error.message || 'an error without a message'
  else if (status !== 200) exchange.error = `HTTP ${status}: ${text.slice(0, 200)}`
}

/** Notes that arise after the header is sent come as comments of the stream. */
const lateNotes = ({ comments }: Answer): string[] =>
  comments.flatMap((comment) => /^: x-dragoman-notes: (.*)$/.exec(comment)?.[1] ?? [])

async function replyOf(response: Response, client: DialectClient, onVisible: () => void): Promise<Reply> {
  const chunks: Uint8Array[] = []
  const received = () => Buffer.concat(chunks)
  let isVisible = false
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    if (isVisible || !showsAnswer(received().toString(), client)) continue
    isVisible = true
    onVisible()
  }
  const text = received().toString()
  const garbled = !Buffer.from(text).equals(received())
  return { status: response.status, headers: Object.fromEntries(response.headers), text, garbled, cut: false }
}

/** Reads all events so far again. Before the first visible one there are few. */
const showsAnswer = (text: string, client: DialectClient): boolean =>
  readEvents(text).events.some(({ data }) => {
    const event = parsed(data)
    return isShape(event) && client.isVisible(event)
  })

/** Rejects on abort even if the promise ignores the signal. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
