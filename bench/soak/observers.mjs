// Observers beside the load: an open inspector page, which now and then opens a turn and its tape, and a probe of /healthz, which
// keeps the slowest answer (forced garbage collections of the samples included).
import { get } from 'node:http'
import { buffer, json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const probeEveryMs = 250
const openEveryMs = 5_000

export class Observers {
  #url
  /** Headers of a logged-in page. */
  #login = {}
  #stop = new AbortController()
  #running = []
  figures = { liveMessages: 0, turnsOpened: 0, healthChecks: 0, healthWorstMs: 0, problems: [] }

  constructor(url) {
    this.#url = url
  }

  /** Probes /healthz; with a link, also keeps a page of the inspector open. */
  async start(link) {
    if (link !== undefined) await this.#logIn(link)
    const page = link === undefined ? [] : [this.#readEvents(), this.#openTurns()]
    this.#running = [this.#probeHealth(), ...page].map((one) => one.catch((error) => this.#onProblem(error)))
  }

  async stop() {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  #onProblem(error) {
    if (!this.#stop.signal.aborted) this.figures.problems.push(String(error?.stack ?? error).slice(0, 1_000))
  }

  /** On its own connection, so none stays open at the end. */
  #get(path) {
    const options = { agent: false, signal: this.#stop.signal, headers: this.#login }
    return new Promise((resolve, reject) => {
      get(`${this.#url}${path}`, options, resolve).on('error', reject)
    })
  }

  async #logIn(link) {
    const response = await fetch(`${this.#url}/inspector/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ token: link.split('#login=')[1] }),
    })
    const { page } = await response.json()
    this.#login = {
      cookie: response.headers.get('set-cookie').split(';')[0],
      'x-dragoman-page': page,
    }
  }

  async #probeHealth() {
    for (;;) {
      const startedAt = performance.now()
      const response = await this.#get('/healthz')
      await buffer(response)
      if (response.statusCode !== 200) throw new Error(`/healthz answered ${response.statusCode}`)
      this.figures.healthChecks++
      this.figures.healthWorstMs = Math.max(this.figures.healthWorstMs, performance.now() - startedAt)
      await sleep(probeEveryMs, undefined, { signal: this.#stop.signal })
    }
  }

  async #readEvents() {
    const response = await this.#get('/inspector/events')
    for await (const chunk of response)
      this.figures.liveMessages += chunk.toString().split('data: ').length - 1
    throw new Error('the stream of the inspector ended')
  }

  async #openTurns() {
    for (;;) {
      await sleep(openEveryMs, undefined, { signal: this.#stop.signal })
      const { turns } = await json(await this.#get('/inspector/turns'))
      const turn = turns[Math.floor(turns.length / 2)]
      if (turn === undefined) continue
      for (const path of [`/inspector/turns/${turn.id}`, `/inspector/turns/${turn.id}/tape`]) {
        const response = await this.#get(path)
        await buffer(response)
        // A newer turn may have replaced it meanwhile.
        if (![200, 404].includes(response.statusCode))
          throw new Error(`${path} answered ${response.statusCode}`)
      }
      this.figures.turnsOpened++
    }
  }
}
