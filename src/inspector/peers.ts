// The inspectors of other processes that serve with this one: workers of the same machine, and other instances. Each answers from its
// own turns only, for a viewer whose login this one has checked.

import { parseJson } from '../base/json.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Scope } from './login.ts'

/** A request of the page, as it is relayed. Without `key` it is for all keys. */
export interface RelayedAsk {
  path: string
  query: string
  key?: string | undefined
}

interface PeerResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: {
    read(): Promise<Buffer | null>
    readAll(maxBytes: number): Promise<{ bytes: Buffer; cut: boolean }>
    cancel(reason: Error): void
  }
}

export interface PeerLink {
  others(): Promise<{ instance: string; url: string }[]>
  ask(url: string, asked: RelayedAsk, signal: AbortSignal): Promise<PeerResponse>
}

export interface Peer {
  instance: string
  /** Its host and port. */
  name: string
  url: string
}

/** A page should not wait for a process that hangs. */
const patienceMs = 1_500
/** Between two signs of life of a stream, which are 15 s apart. */
const silenceMs = 45_000
const mostBytes = 32 * 1024 * 1024
const notWanted = new Error('not wanted')

export class Peers {
  readonly #link: PeerLink

  constructor(link: PeerLink) {
    this.#link = link
  }

  async list(): Promise<Peer[]> {
    const others = await this.#link.others()
    return others.map(({ instance, url }) => ({ instance, url, name: new URL(url).host }))
  }

  /** What the others answer; `missing` are those that do not, by name for a viewer of all keys. */
  async collect({ path, query }: Pick<Exchange, 'path' | 'query'>, scope: Scope): Promise<Collected> {
    const peers = await this.list()
    const answers = await Promise.all(peers.map((peer) => this.#json(peer, askOf(path, query, scope))))
    const silent = peers.filter((_, at) => answers[at] === undefined)
    return {
      answers: answers.filter((one) => one !== undefined),
      missing: silent.map((peer) => shownName(peer, scope)),
    }
  }

  /** Passes on the answer of the process that has one; false if none has. */
  async pass(exchange: Exchange, scope: Scope): Promise<boolean> {
    const { path, query, sink } = exchange
    const peers = await this.list()
    const stop = new AbortController()
    sink.onGone(() => stop.abort())
    const found = await firstOf(peers.map((peer) => this.#open(peer, askOf(path, query, scope), stop.signal)))
    if (!found) return false
    const headers: Record<string, string> = { ...exchange.head.headers }
    for (const name of ['content-type', 'content-disposition', 'content-length']) {
      const value = found.headers[name]
      if (typeof value === 'string') headers[name] = value
    }
    sink.start(200, headers)
    const decoder = new TextDecoder()
    for (let bytes = await found.body.read(); bytes && !sink.gone; bytes = await found.body.read()) {
      sink.write(decoder.decode(bytes, { stream: true }))
      if (sink.isBehind) await sink.drained()
    }
    sink.end(decoder.decode())
    return true
  }

  /** The server-sent messages of a process, as they come. Ends when the process does, or by `signal`. */
  async *follow({ url }: Peer, scope: Scope, signal: AbortSignal): AsyncGenerator<unknown> {
    const silent = new AbortController()
    const timer = setTimeout(() => silent.abort(), patienceMs)
    const asked = askOf('/inspector/events', '', scope)
    const answer = await this.#link
      .ask(url, asked, AbortSignal.any([signal, silent.signal]))
      .finally(() => clearTimeout(timer))
    if (answer.status !== 200) return answer.body.cancel(notWanted)
    const decoder = new TextDecoder()
    let text = ''
    const read = () => {
      const late = setTimeout(() => silent.abort(), silenceMs)
      return answer.body.read().finally(() => clearTimeout(late))
    }
    try {
      for (let bytes = await read(); bytes; bytes = await read()) {
        const events = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
        text = events.pop() ?? ''
        if (text.length > mostBytes) return
        for (const event of events) if (event.startsWith('data: ')) yield parseJson(event.slice(6))
      }
    } finally {
      answer.body.cancel(notWanted)
    }
  }

  async #json({ url }: Peer, asked: RelayedAsk): Promise<unknown> {
    try {
      const { status, body } = await this.#link.ask(url, asked, AbortSignal.timeout(patienceMs))
      const { bytes, cut } = await body.readAll(mostBytes)
      return status === 200 && !cut ? parseJson(bytes.toString('utf8')) : undefined
    } catch {
      return undefined
    }
  }

  /** Throws unless the process has what is asked for. */
  async #open({ url }: Peer, asked: RelayedAsk, signal: AbortSignal): Promise<PeerResponse> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), patienceMs)
    try {
      const answer = await this.#link.ask(url, asked, AbortSignal.any([signal, late.signal]))
      if (answer.status === 200) return answer
      answer.body.cancel(notWanted)
      throw notWanted
    } finally {
      clearTimeout(timer)
    }
  }
}

export interface Collected {
  answers: unknown[]
  missing: string[]
}

const askOf = (path: string, query: string, scope: Scope): RelayedAsk => ({
  ...{ path, query },
  ...(scope === 'all' ? {} : { key: scope.key }),
})

/** Addresses are for those who run the gateway. */
export const shownName = ({ name }: Peer, scope: Scope): string =>
  scope === 'all' ? name : 'another process'

/** Only one process has a turn; a second answer is let go. */
async function firstOf(answers: Promise<PeerResponse>[]): Promise<PeerResponse | undefined> {
  const found = await Promise.any(answers).catch(() => undefined)
  for (const answer of answers)
    answer.then(
      (other) => other !== found && other.body.cancel(notWanted),
      () => undefined,
    )
  return found
}
