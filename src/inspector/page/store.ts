// The state of the page, and its sources: login, the live stream, single turns.

import {
  type LiveMessage,
  type LoginAnswer,
  pageHeader,
  type SessionsView,
  type TurnDetail,
  type TurnSummary,
} from '../api.ts'

export type Problem = 'used' | 'expired' | 'unknown' | 'too-many' | 'logged-out' | 'ended'

export interface State {
  phase: 'starting' | 'login' | 'live' | 'lost'
  problem?: Problem | undefined
  version: string
  turns: ReadonlyMap<string, TurnSummary>
  sessions: readonly SessionsView[]
}

const wordKey = 'dragoman-inspector'
const longestPauseMs = 10_000

export class Store {
  state: State = { phase: 'starting', version: '', turns: new Map(), sessions: [] }
  readonly #onChange: (state: State) => void
  #pauseMs = 500

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
    this.#set({ phase: 'login', problem: 'logged-out', turns: new Map(), sessions: [] })
  }

  async detail(turnId: string): Promise<TurnDetail | 'gone'> {
    const answer = await this.#ask(`/inspector/turns/${turnId}`)
    if (answer.status === 404) return 'gone'
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return (await answer.json()) as TurnDetail
  }

  async tape(turnId: string): Promise<Blob> {
    const answer = await this.#ask(`/inspector/turns/${turnId}/tape`)
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return answer.blob()
  }

  #set(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes }
    this.#onChange(this.state)
  }

  #ask(path: string, options: RequestInit = {}): Promise<Response> {
    return fetch(path, { ...options, headers: { [pageHeader]: localStorage.getItem(wordKey) ?? '' } })
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
      this.#set({ phase: 'lost' })
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs))
      this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
    }
  }

  async #listen(): Promise<'login' | 'logged-out' | 'lost'> {
    const answer = await this.#ask('/inspector/events')
    if (answer.status === 401 || answer.status === 403) return 'login'
    if (!answer.ok || !answer.body) return 'lost'
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
    if (message.type === 'all') {
      const turns = new Map(message.turns.map((turn) => [turn.id, turn]))
      const { version, sessions } = message
      return this.#set({ phase: 'live', problem: undefined, version, turns, sessions })
    }
    const turns = new Map(this.state.turns)
    for (const turn of message.turns) turns.set(turn.id, turn)
    for (const id of message.gone) turns.delete(id)
    this.#set({ turns, sessions: message.sessions })
  }
}
