// The state of the page, and its sources: login, the live stream, single turns.

import {
  type Abilities,
  type FiguresAnswer,
  type LiveMessage,
  type LoginAnswer,
  pageHeader,
  type SearchAnswer,
  type SessionsView,
  type TurnDetail,
  type TurnedAwayCount,
  type TurnOutline,
  type TurnSummary,
} from '../api.ts'
import type { ComparisonView } from '../comparison/api.ts'
import type { Transcript, TranscriptPart } from '../transcript-api.ts'

export type Problem = 'used' | 'expired' | 'unknown' | 'too-many' | 'logged-out' | 'ended'

export interface State {
  /** `away`: the page is hidden, and holds no connection. */
  phase: 'starting' | 'login' | 'live' | 'lost' | 'away'
  problem?: Problem | undefined
  version: string
  turns: ReadonlyMap<string, TurnSummary>
  sessions: readonly SessionsView[]
  turnedAway: readonly TurnedAwayCount[]
  /** Processes that serve with the one that answers, and do not answer themselves. */
  missing: readonly string[]
  may: Abilities
  /** Changes are held back; `held` counts their turns. */
  isPaused: boolean
  held: number
  /** Why there is no live stream, in the gateway's words. */
  notice?: string | undefined
}

type Live = Pick<State, 'turns' | 'sessions'>

const wordKey = 'dragoman-inspector'
const longestPauseMs = 10_000
/** A browser has few connections to one server: hidden pages must not keep them. */
const hiddenMs = 30_000
const appearsMs = 10_000

export class Store {
  state: State = {
    ...{ phase: 'starting', version: '', turns: new Map() },
    ...{ sessions: [], turnedAway: [], missing: [] },
    ...{ may: { resend: '', change: false }, isPaused: false, held: 0 },
  }
  readonly #onChange: (state: State) => void
  #pauseMs = 500
  /** What is not shown while the page is paused. */
  #latest: Live = this.state
  readonly #heldTurns = new Set<string>()

  constructor(onChange: (state: State) => void) {
    this.#onChange = onChange
  }

  async start(): Promise<void> {
    const token = /^#login=([\w-]+)$/.exec(location.hash)?.[1]
    let problem: Problem | undefined
    if (token !== undefined) {
      // Keeps the token out of the history and the address bar.
      history.replaceState(null, '', location.pathname)
      problem = await this.#login(token)
    }
    await this.#follow(problem)
  }

  async logout(): Promise<void> {
    await this.#ask('/inspector/logout', { method: 'POST' }).catch(() => undefined)
    localStorage.removeItem(wordKey)
    this.#set({ phase: 'login', problem: 'logged-out', turns: new Map(), sessions: [], turnedAway: [] })
  }

  async detail(turnId: string): Promise<TurnDetail | 'gone'> {
    const answer = await this.#ask(`/inspector/turns/${turnId}`)
    if (answer.status === 404) return 'gone'
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return (await answer.json()) as TurnDetail
  }

  async comparison(turnId: string, exchange: number | undefined): Promise<ComparisonView | 'gone'> {
    const which = exchange === undefined ? '' : `?exchange=${exchange}`
    const answer = await this.#ask(`/inspector/turns/${turnId}/comparison${which}`)
    if (answer.status === 404) return 'gone'
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return (await answer.json()) as ComparisonView
  }

  /** A long value of the comparison, in full. */
  async comparedValue(
    turnId: string,
    { exchange, row, side }: { exchange: number | undefined; row: number; side: string },
  ): Promise<string> {
    const which = new URLSearchParams({ row: String(row), side })
    if (exchange !== undefined) which.set('exchange', String(exchange))
    const answer = await this.#ask(`/inspector/turns/${turnId}/comparison?${which}`)
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return answer.text()
  }

  async transcript(turnId: string): Promise<Transcript | 'gone'> {
    const answer = await this.#ask(`/inspector/turns/${turnId}/transcript`)
    if (answer.status === 404) return 'gone'
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return (await answer.json()) as Transcript
  }

  /** The whole text of a part. */
  async part({ turn, number }: Pick<TranscriptPart, 'turn' | 'number'>): Promise<string> {
    const answer = await this.#ask(`/inspector/turns/${turn}/parts/${number}`)
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return answer.text()
  }

  async figures(): Promise<FiguresAnswer> {
    const answer = await this.#ask('/inspector/figures?minutes=60')
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return (await answer.json()) as FiguresAnswer
  }

  async tape(turnId: string): Promise<Blob> {
    return (await this.#asked(`/inspector/turns/${turnId}/tape`)).blob()
  }

  async conversationTape(conversation: string): Promise<Blob> {
    return (await this.#asked(`/inspector/conversations/${conversation}/tape`)).blob()
  }

  async outline(turnId: string): Promise<TurnOutline> {
    return (await this.#asked(`/inspector/turns/${turnId}/outline`)).json() as Promise<TurnOutline>
  }

  async search(words: string, signal: AbortSignal): Promise<SearchAnswer> {
    const path = `/inspector/search?words=${encodeURIComponent(words)}`
    return (await this.#asked(path, { signal })).json() as Promise<SearchAnswer>
  }

  async pin(turnId: string, pinned: boolean): Promise<void> {
    await this.#post(`/inspector/turns/${turnId}/pin`, { pinned })
  }

  /** Resolves with the number of cleared turns. */
  async clear(until: number): Promise<number> {
    this.resume()
    return ((await this.#post('/inspector/clear', { until })) as { cleared: number }).cleared
  }

  /** Resolves with the new turn once it is in the list. */
  async resend(turnId: string, model: string | undefined): Promise<string> {
    this.resume()
    const body = model === undefined ? {} : { model }
    const { turn } = (await this.#post(`/inspector/turns/${turnId}/resend`, body)) as { turn: string }
    for (const from = Date.now(); !this.state.turns.has(turn) && Date.now() - from < appearsMs; )
      await new Promise((resolve) => setTimeout(resolve, 50))
    return turn
  }

  pause(): void {
    this.#heldTurns.clear()
    this.#set({ isPaused: true, held: 0 })
  }

  resume(): void {
    const { turns, sessions } = this.#latest
    if (this.state.isPaused) this.#set({ isPaused: false, held: 0, turns, sessions })
  }

  #set(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes }
    this.#onChange(this.state)
  }

  #ask(path: string, options: RequestInit = {}): Promise<Response> {
    const headers = { ...options.headers, [pageHeader]: localStorage.getItem(wordKey) ?? '' }
    return fetch(path, { ...options, headers })
  }

  /** A refusal becomes an error in the gateway's words. */
  async #asked(path: string, options: RequestInit = {}): Promise<Response> {
    const answer = await this.#ask(path, options)
    if (answer.status === 401) this.#set({ phase: 'login', problem: 'ended', turns: new Map() })
    if (!answer.ok) throw new Error(await messageOf(answer))
    return answer
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return (await this.#asked(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }

  async #login(token: string): Promise<Problem | undefined> {
    const answer = await fetch('/inspector/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    const body = (await answer.json().catch(() => ({ problem: 'unknown' }))) as LoginAnswer
    if ('page' in body) localStorage.setItem(wordKey, body.page)
    return 'page' in body ? undefined : (body.problem ?? 'unknown')
  }

  /** Listens while the page is open. A used link does not matter to a browser that is logged in. */
  async #follow(problem: Problem | undefined): Promise<void> {
    for (;;) {
      if (!localStorage.getItem(wordKey)) return this.#set({ phase: 'login', problem })
      const end = await this.#listen().catch(() => 'lost' as const)
      if (end !== 'lost') {
        localStorage.removeItem(wordKey)
        const ended = this.state.problem ?? (end === 'logged-out' ? end : 'ended')
        const wasIn = this.state.phase !== 'starting'
        return this.#set({ phase: 'login', problem: wasIn ? ended : problem, turns: new Map() })
      }
      if (document.hidden) {
        this.#set({ phase: 'away' })
        await shown()
        continue
      }
      this.#set({ phase: 'lost' })
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs))
      this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
    }
  }

  async #listen(): Promise<'login' | 'logged-out' | 'lost'> {
    const hiding = new AbortController()
    const stopWatching = onHidden(hiddenMs, () => hiding.abort())
    return this.#hear(hiding.signal).finally(stopWatching)
  }

  async #hear(signal: AbortSignal): Promise<'login' | 'logged-out' | 'lost'> {
    const answer = await this.#ask('/inspector/events', { signal })
    if (answer.status === 401 || answer.status === 403) return 'login'
    if (!answer.ok || !answer.body) {
      this.#set({ notice: answer.status === 429 ? await messageOf(answer) : undefined })
      return 'lost'
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (text + piece.value).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        if (!event.startsWith('data: ')) continue
        const message = JSON.parse(event.slice(6)) as LiveMessage
        if (message.type === 'bye') return message.why === 'logout' ? 'logged-out' : 'lost'
        this.#see(message)
      }
    }
    return 'lost'
  }

  #see(message: Exclude<LiveMessage, { type: 'bye' }>): void {
    this.#pauseMs = 500
    const turns = new Map(message.type === 'all' ? [] : this.#latest.turns)
    for (const turn of message.turns) turns.set(turn.id, turn)
    if (message.type === 'changed') for (const id of message.gone) turns.delete(id)
    const isFirst = this.state.phase === 'starting'
    this.#latest = { turns, sessions: message.sessions }
    const { isPaused } = this.state
    if (isPaused) for (const { id } of message.turns) this.#hold(id, turns)
    this.#set({
      ...(isPaused && !isFirst ? { held: this.#heldTurns.size } : this.#latest),
      ...(message.type === 'all' ? { version: message.version, may: message.may } : {}),
      turnedAway: message.turnedAway ?? this.state.turnedAway,
      missing: message.missing ?? (message.type === 'all' ? [] : this.state.missing),
      ...{ phase: 'live', problem: undefined, notice: undefined },
    })
  }

  #hold(id: string, turns: ReadonlyMap<string, TurnSummary>): void {
    const [shown, latest] = [this.state.turns.get(id), turns.get(id)]
    if (shown?.frames !== latest?.frames || shown?.running !== latest?.running) this.#heldTurns.add(id)
  }
}

/** The message of an error in any dialect. */
async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined
  const message = body?.error?.message
  return typeof message === 'string' ? message : `The gateway answered with status ${answer.status}.`
}

/** Calls back when the page has been hidden for so long. */
function onHidden(afterMs: number, hidden: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(hidden, afterMs)
  }
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

const shown = () =>
  new Promise<void>((resolve) => {
    if (!document.hidden) return resolve()
    const look = () => {
      if (document.hidden) return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
  })
