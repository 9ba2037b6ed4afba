// Both sides of a tape: the client's request and answer, and every exchange with an upstream.

import type { Frame, Headers } from '../../tapes/frame.ts'

export interface ClientTraffic {
  request?: { method: string; path: string; headers: Headers; body: string } | undefined
  response?: { status: number; headers: Headers } | undefined
  /** The answer, as far as the client got it. */
  text: string
  stream: boolean
  door: string
}

export interface Exchange {
  number: number
  backend: string
  /** The kind of its backend. */
  kind: string
  /** A run has messages in both directions, an HTTP exchange a request and an answer. */
  isRun: boolean
  request?: { method: string; origin: string; path: string; headers: Headers; body: string } | undefined
  response?: { status: number; headers: Headers } | undefined
  error?: string | undefined
  /** The answer. */
  text: string
  messages: { direction: 'sent' | 'received'; base64: string }[]
}

export interface Traffic {
  client: ClientTraffic
  exchanges: Exchange[]
  notes: string[]
}

export function trafficOf(frames: readonly Frame[]): Traffic {
  const reading = new Reading()
  for (const frame of frames) reading.see(frame)
  return reading.traffic
}

class Reading {
  readonly #client: ClientTraffic = { text: '', stream: false, door: '' }
  readonly #writes: string[] = []
  readonly #exchanges = new Map<number, Exchange & { pieces: Buffer[] }>()
  readonly #notes: string[] = []
  #target = { backend: '', kind: '' }
  #isGone = false

  get traffic(): Traffic {
    const exchanges = [...this.#exchanges.values()].map(({ pieces, ...exchange }) => ({
      ...exchange,
      // A character may be cut in the middle between two pieces.
      text: Buffer.concat(pieces).toString('utf8'),
    }))
    return { client: { ...this.#client, text: this.#writes.join('') }, exchanges, notes: this.#notes }
  }

  see(frame: Frame): void {
    if (frame.side === 'client') this.#seeClient(frame)
    else if (frame.side === 'upstream') this.#seeUpstream(frame)
    else if (frame.side === 'run') this.#seeRun(frame)
    else if (frame.side === 'tool') return
    else if (frame.do === 'begin') Object.assign(this.#client, { stream: frame.stream, door: frame.door })
    else if (frame.do === 'target') this.#target = { backend: frame.backend, kind: frame.kind }
    else if (frame.do === 'note') this.#notes.push(frame.text)
  }

  #seeClient(frame: Extract<Frame, { side: 'client' }>): void {
    if (frame.do === 'request') {
      const { method, path, headers, body } = frame
      this.#client.request ??= { method, path, headers, body }
    } else if (frame.do === 'response')
      this.#client.response = { status: frame.status, headers: frame.headers }
    else if (frame.do === 'write' && !this.#isGone) this.#writes.push(frame.text)
    else if (frame.do === 'gone') this.#isGone = true
  }

  #seeUpstream(frame: Extract<Frame, { side: 'upstream' }>): void {
    const exchange = this.#exchange(frame.exchange, false)
    if (frame.do === 'request') {
      const { method, origin, path, headers, body, backend } = frame
      Object.assign(exchange, { backend, request: { method, origin, path, headers, body } })
    } else if (frame.do === 'response') exchange.response = { status: frame.status, headers: frame.headers }
    else if (frame.do === 'error') exchange.error = frame.message
    else if (frame.do === 'data')
      exchange.pieces.push('text' in frame ? Buffer.from(frame.text) : Buffer.from(frame.base64, 'base64'))
  }

  #seeRun(frame: Extract<Frame, { side: 'run' }>): void {
    const exchange = this.#exchange(frame.exchange, true)
    if (frame.do === 'open') {
      const { origin, path, headers, backend } = frame
      Object.assign(exchange, { backend, request: { method: 'POST', origin, path, headers, body: '' } })
    } else if (frame.do === 'error') exchange.error = frame.message
    else if (frame.do === 'sent' || frame.do === 'received')
      exchange.messages.push({ direction: frame.do, base64: frame.base64 })
  }

  #exchange(number: number, isRun: boolean): Exchange & { pieces: Buffer[] } {
    const known = this.#exchanges.get(number)
    if (known) return known
    const made = { number, isRun, ...this.#target, text: '', messages: [], pieces: [] }
    this.#exchanges.set(number, made)
    return made
  }
}

export const isGood = ({ response, error, isRun }: Exchange): boolean =>
  error === undefined && (isRun || (response !== undefined && response.status < 400))

/** The last one that succeeded, else the last. */
export function defaultExchange(exchanges: readonly Exchange[]): Exchange | undefined {
  const asked = exchanges.filter(({ request, isRun }) => isRun || request?.method === 'POST')
  return asked.findLast(isGood) ?? asked.at(-1) ?? exchanges.at(-1)
}

export type Dialect =
  | 'chat'
  | 'messages'
  | 'responses'
  | 'gemini'
  | 'ollama'
  | 'qwen-web'
  | 'cursor'
  | 'unknown'

const doors = new Map<string, Dialect>([
  ['openai-chat', 'chat'],
  ['anthropic-messages', 'messages'],
  ['openai-responses', 'responses'],
  ['gemini', 'gemini'],
  ['ollama', 'ollama'],
]) // biome-ignore format: a list to be read as one

export const clientDialect = ({ door, request }: ClientTraffic): Dialect =>
  doors.get(door) ?? dialectOfPath(request?.path ?? '')

export function upstreamDialect({ kind, isRun, request }: Exchange): Dialect {
  if (isRun) return 'cursor'
  return kind === 'qwen-web' ? kind : dialectOfPath(request?.path ?? '')
}

function dialectOfPath(path: string): Dialect {
  const [plain = ''] = path.split('?')
  if (plain.endsWith('/chat/completions')) return 'chat'
  if (plain.endsWith('/messages')) return 'messages'
  if (plain === '/api/chat' || plain === '/api/generate') return 'ollama'
  if (plain.endsWith('/responses')) return 'responses'
  return plain.includes(':generateContent') || plain.includes(':streamGenerateContent') ? 'gemini' : 'unknown'
}
