// Runs the cases and collects their results. Each request has its own connection.

import { setTimeout as sleep } from 'node:timers/promises'
import { clients } from '../clients/all.ts'
import type { Answer, Ask, DoorName, Form } from '../clients/answer.ts'
import { NoReply } from '../clients/http.ts'
import { type Case, type Context, type Credit, NotJudged, type SharedName, Unmet } from './case.ts'
import { question } from './cases/tool-loop.ts'
import { readFile } from './cases/tools.ts'
import { type Client, everyone, noticedAt } from './noticed.ts'
import type { Upstream } from './upstream/server.ts'
import { type Judged, Wiring } from './wiring.ts'

export type Outcome = 'pass' | 'fail' | 'skip' | 'not offered'

export interface Result {
  id: string
  group: string
  title: string
  door: DoorName
  form: Form
  outcome: Outcome
  why: string
  link?: string
  /** Why the case was not judged. */
  reason?: string
  expected?: string
  came?: string
  curl?: string
  /** Of a failure: the known clients that notice it; empty: strictness only. */
  noticedBy?: readonly string[]
  credits?: readonly Credit[]
}

/** A check, the unit of every count: one case at one door in one form, before one upstream. */
export interface Job {
  test: Case
  door: DoorName
  form: Form
}

export interface RunOptions extends Judged {
  jobs: readonly Job[]
  /** Doors that the gateway does not offer, with its answers. */
  missing: ReadonlyMap<DoorName, string>
  /** For a gateway that stops calling an upstream that fails: after each case, waits until a request succeeds again. */
  calms?: boolean
  /** Checks at a time; by default 4 if each has its own model name, otherwise 1. */
  atOnce?: number
  signal: AbortSignal
  onResult(result: Result): void
}

export function jobsOf(
  cases: readonly Case[],
  {
    doors: wanted,
    upstream,
    only,
  }: { doors: readonly DoorName[]; upstream: Upstream['kind'] | undefined; only?: readonly string[] },
): Job[] {
  return wanted.flatMap((door) =>
    cases
      .filter((test) => only === undefined || only.includes(test.id))
      .filter(
        (test) => test.needs !== 'scripted' || (upstream !== undefined && test.upstreams?.includes(upstream)),
      )
      .filter((test) => test.doors.includes(door))
      .filter((test) => test.sameDialect !== true || dialectOf[door] === upstream)
      .flatMap((test) => test.forms.map((form) => ({ test, door, form }))),
  )
}

/** The upstream that speaks the door's own dialect. */
const dialectOf: Record<DoorName, Upstream['kind'] | undefined> = {
  chat: 'openai',
  messages: 'anthropic',
  responses: undefined,
  gemini: undefined,
}

const runName = ({ test, door, form }: Job): string => `${test.id}-${door}-${form}`

/** Returns the results in the order of the list. */
export async function runCases(options: RunOptions): Promise<Result[]> {
  const { jobs, upstream, model, signal, onResult } = options
  const judge = new Judge(options)
  const results: (Result | undefined)[] = []
  // Cases run in parallel only if each has its own model name: with a shared one, failures of one case affect others.
  const apart = upstream !== undefined && model.includes('{case}')
  let next = 0
  const work = async () => {
    while (next < jobs.length && !signal.aborted) {
      const at = next++
      const result = await judge.judge(jobs[at] as Job)
      if (signal.aborted) return
      results[at] = result
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: options.atOnce ?? (apart ? 4 : 1) }, work))
  return results.filter((result) => result !== undefined)
}

interface Running {
  wire: Wiring
  expected: Context['expected'] | undefined
  credits: Set<Credit>
}

class Judge {
  readonly #options: RunOptions
  readonly #shared = new Map<string, Promise<Answer>>()

  constructor(options: RunOptions) {
    this.#options = options
  }

  async judge(job: Job): Promise<Result> {
    const { test, door, form } = job
    const { id, group, title, why, link } = test
    const said = { id, group, title, door, form, why, ...(link === undefined ? {} : { link }) }
    const missing = this.#options.missing.get(door)
    if (missing !== undefined) return { ...said, outcome: 'not offered', reason: missing }
    const wire = new Wiring(this.#options, clients[door], runName(job))
    const expected = test.play && this.#options.upstream?.expect(runName(job), test.play)
    const credits = new Set<Credit>()
    try {
      await test.run(this.#context(job, { wire, expected, credits }))
      return { ...said, outcome: 'pass', ...(credits.size > 0 ? { credits: [...credits] } : {}) }
    } catch (error) {
      if (error instanceof NotJudged) return { ...said, outcome: 'skip', reason: error.message }
      const noticedBy = noticedAt(job, noticers(error, test))
      const curl = wire.curl === '' ? {} : { curl: wire.curl }
      return { ...said, outcome: 'fail', ...unmet(error), noticedBy, ...curl }
    } finally {
      expected?.release()
      expected?.forget()
      if (test.failing && !this.#options.model.includes('{case}')) await this.#calm(wire)
      else if (this.#options.calms) await this.#calm(wire, calmingMs)
    }
  }

  #context(job: Job, { wire, expected, credits }: Running): Context {
    const { door, form } = job
    const { upstream, target } = this.#options
    return {
      door: clients[door],
      form,
      upstream: upstream?.kind,
      get expected() {
        if (expected === undefined) throw new NotJudged('there is no scripted upstream')
        return expected
      },
      model: wire.model,
      mark: wire.mark,
      keyed: target.key !== undefined,
      ask: (ask = {}, options = {}) => wire.ask({ form, ...ask }, options.onText),
      send: (request) => wire.send({ form, ...request }),
      shared: (name) => this.#sharedAnswer(name, job, wire),
      credit: (credit) => {
        credits.add(credit)
      },
    }
  }

  async #sharedAnswer(name: SharedName, { door, form }: Job, wire: Wiring): Promise<Answer> {
    const key = `${name}-${door}-${form}`
    const own = new Wiring(this.#options, clients[door], `shared-${door}-${form}`)
    const asked = this.#shared.get(key) ?? own.ask({ form, ...sharedAsks[name](own.mark) })
    this.#shared.set(key, asked)
    const answer = await asked
    wire.curl ||= own.curl
    return answer
  }

  /** Asks until a request succeeds, at most for `patienceMs`. A success resets the gateway's failure count for the next case. */
  async #calm(wire: Wiring, patienceMs = 0): Promise<void> {
    const until = Date.now() + patienceMs
    for (;;) {
      const quiet = new Wiring(this.#options, wire.door, 'calm')
      const answer = await quiet.ask({ form: 'whole' }).catch(() => undefined)
      if (answer?.reply.status === 200 || Date.now() >= until || this.#options.signal.aborted) return
      await sleep(300)
    }
  }
}

/** The longest wait for a gateway that has stopped calling its upstream. */
const calmingMs = 45_000

const sharedAsks: Record<SharedName, (mark: string) => Partial<Ask>> = {
  hello: () => ({ maxTokens: 64 }),
  counted: () => ({ maxTokens: 64, usage: true }),
  call: (mark) => ({
    messages: [{ role: 'user', text: `${question} ${mark}` }],
    tools: [readFile],
    choice: 'required',
    maxTokens: 200,
  }),
}

/** Every client notices an answer that does not arrive or cannot be read. */
const noticers = (error: unknown, test: Case): readonly Client[] =>
  error instanceof Unmet ? (error.noticedBy ?? test.noticedBy) : everyone

function unmet(error: unknown): Pick<Result, 'expected' | 'came'> {
  if (error instanceof Unmet) return { expected: error.expected, came: error.came }
  if (error instanceof NoReply) return { expected: 'an answer', came: `${error.message} (${error.code})` }
  return {
    expected: 'an answer that can be judged',
    came: error instanceof Error ? error.message : String(error),
  }
}
