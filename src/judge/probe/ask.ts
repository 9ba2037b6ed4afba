// One request through the gateway, and what came of it, with its times.

import { isObject, parseJson } from '../../base/json.ts'
import { createSseReader } from '../../protocols/streams/sse.ts'
import { type Answer, type Asked, type Door, emptyAnswer, errorWords } from './doors/door.ts'

export interface Line {
  fetch(request: Request): Promise<Response>
  door: Door
  timeoutMs: number
  /** The whole probe is called off. */
  signal: AbortSignal
}

export interface Reply {
  answer: Answer
  /** The turn's id, as its tape and the log have it. */
  turnId: string | undefined
  /** What the gateway says it has changed. */
  notes: string
  /** Until something of the answer was there; of streams only. */
  firstMs: number | undefined
  tookMs: number
  isLate: boolean
}

/** `session`: requests of one conversation have the same, those of others another. */
export async function ask(asked: Asked, session: string, line: Line): Promise<Reply> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(line.timeoutMs)
  const signal = AbortSignal.any([timeout, line.signal])
  const reply: Reply = {
    answer: emptyAnswer(),
    turnId: undefined,
    notes: '',
    firstMs: undefined,
    tookMs: 0,
    isLate: false,
  }
  const onFirst = () => {
    reply.firstMs ??= performance.now() - startedAt
  }
  try {
    await unlessAborted(exchange(asked, { session, line, signal, reply, onFirst }), signal)
  } catch (error) {
    reply.isLate = timeout.aborted && !line.signal.aborted
    if (!signal.aborted) reply.answer.error = error instanceof Error ? error.message : String(error)
  }
  reply.tookMs = performance.now() - startedAt
  return reply
}

interface Exchange {
  session: string
  line: Line
  signal: AbortSignal
  reply: Reply
  onFirst(): void
}

async function exchange(asked: Asked, { session, line, signal, reply, onFirst }: Exchange): Promise<void> {
  const { door } = line
  const request = new Request(`http://dragoman${door.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': session, ...door.headers },
    body: JSON.stringify(door.body(asked)),
    signal,
  })
  const response = await line.fetch(request)
  reply.turnId = response.headers.get('x-dragoman-turn') ?? undefined
  reply.notes = response.headers.get('x-dragoman-notes') ?? ''
  if (!response.ok) {
    const text = await response.text()
    reply.answer.error = errorWords(parseJson(text)) ?? `HTTP ${response.status}: ${text.slice(0, 200)}`
    return
  }
  reply.answer = asked.stream
    ? await readStream(response, door, reply, onFirst)
    : await readWhole(response, door)
}

/** What turned up too late for the header stands in a comment. In this process, each write comes as a piece of its own. */
const lateNotes = /^: x-dragoman-notes: (.*)$/m

async function readStream(
  response: Response,
  door: Door,
  reply: Reply,
  onFirst: () => void,
): Promise<Answer> {
  const reader = door.reader()
  const events = createSseReader()
  for await (const bytes of response.body ?? []) {
    const late = lateNotes.exec(Buffer.from(bytes).toString())?.[1]
    if (late !== undefined) reply.notes += `${reply.notes === '' ? '' : '; '}${late}`
    for (const event of events.push(bytes)) if (reader.push(event)) onFirst()
  }
  for (const event of events.end()) reader.push(event)
  const answer = reader.end()
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    answer.problems.push('a stream was asked for, and something else came')
  return answer
}

async function readWhole(response: Response, door: Door): Promise<Answer> {
  const reader = door.reader()
  const body = parseJson(await response.text())
  if (isObject(body)) reader.whole(body)
  const answer = reader.end()
  if (!isObject(body)) answer.problems.push('an answer that is no JSON object')
  return answer
}

/** Whoever does not hear of the end of a signal is not waited for. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
