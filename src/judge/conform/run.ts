// Runs the cases and collects their results. Each request has its own connection.

import { curlCommand } from '../../base/curl.ts'
import { clients } from '../clients/all.ts'
import type { Answer, Ask, DialectClient, DoorName, Form } from '../clients/answer.ts'
import { NoReply, type Reply, send } from '../clients/http.ts'
import { parsed, textAt } from '../clients/json.ts'
import { type Case, type Context, NotJudged, type SharedName, Unmet, type Wire } from './case.ts'
import { question } from './cases/tool-loop.ts'
import { readFile } from './cases/tools.ts'
import { CannotJudge, keyHeaders, type Target, unreachable } from './target.ts'
import type { Upstream } from './upstream/server.ts'

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
}

export interface Job {
  test: Case
  door: DoorName
  form: Form
}

export interface RunOptions {
  target: Target
  /** `{case}` becomes the name of the case. */
  model: string
  upstream: Upstream | undefined
  jobs: readonly Job[]
  /** Doors that the gateway does not offer, with its answers. */
  missing: ReadonlyMap<DoorName, string>
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
      .flatMap((test) => test.forms.map((form) => ({ test, door, form }))),
  )
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
  await Promise.all(Array.from({ length: apart ? 4 : 1 }, work))
  return results.filter((result) => result !== undefined)
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
    try {
      await test.run(this.#context(job, wire, expected))
      return { ...said, outcome: 'pass' }
    } catch (error) {
      if (error instanceof NotJudged) return { ...said, outcome: 'skip', reason: error.message }
      return { ...said, outcome: 'fail', ...unmet(error), ...(wire.curl === '' ? {} : { curl: wire.curl }) }
    } finally {
      expected?.release()
      expected?.forget()
      if (test.failing && !this.#options.model.includes('{case}')) await this.#calm(wire)
    }
  }

  #context(job: Job, wire: Wiring, expected: Context['expected'] | undefined): Context {
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
      send: (request) => wire.send(request),
      shared: (name) => this.#sharedAnswer(name, job, wire),
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

  /** A success resets the gateway's failure count for the next case. */
  async #calm(wire: Wiring): Promise<void> {
    const quiet = new Wiring(this.#options, wire.door, 'calm')
    await quiet.ask({ form: 'whole' }).catch(() => undefined)
  }
}

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

function unmet(error: unknown): Pick<Result, 'expected' | 'came'> {
  if (error instanceof Unmet) return { expected: error.expected, came: error.came }
  if (error instanceof NoReply) return { expected: 'an answer', came: `${error.message} (${error.code})` }
  return {
    expected: 'an answer that can be judged',
    came: error instanceof Error ? error.message : String(error),
  }
}

/** Sends the requests of one case; keeps the last one as a curl command. */
class Wiring {
  readonly door: DialectClient
  readonly mark: string
  readonly model: string
  readonly #target: Target
  readonly #signal: AbortSignal | undefined
  curl = ''

  constructor(
    {
      target,
      model,
      upstream,
      signal,
    }: Pick<RunOptions, 'target' | 'model' | 'upstream'> & { signal?: AbortSignal },
    door: DialectClient,
    run: string,
  ) {
    this.door = door
    this.#target = target
    this.#signal = signal
    this.mark = upstream === undefined ? '' : `(conform-${run})`
    this.model = model.replaceAll('{case}', run)
  }

  async ask(
    ask: Partial<Ask> & { form: Form },
    onText?: (soFar: string) => boolean | undefined,
  ): Promise<Answer> {
    const said = ask.messages ?? [{ role: 'user' as const, text: 'Say hello.' }]
    const body = this.door.body({ ...ask, model: this.model, messages: this.#marked(said) })
    const reply = await this.send(
      { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      onText,
    )
    return this.door.read(reply, ask.form)
  }

  #marked(said: Ask['messages']): Ask['messages'] {
    const has = said.some((entry) => JSON.stringify(entry).includes('(conform-'))
    if (has || this.mark === '') return said
    const first = said.findIndex(({ role }) => role === 'user')
    return said.map((entry, at) =>
      at === first && entry.role === 'user' ? { ...entry, text: `${entry.text} ${this.mark}` } : entry,
    )
  }

  send(
    { method = 'POST', path = this.door.path, body, headers = {} }: Wire,
    onText?: (soFar: string) => boolean | undefined,
  ): Promise<Reply> {
    const { base, key, timeoutMs, headers: extra } = this.#target
    const own = this.door.name === 'messages' && key !== undefined ? { 'x-api-key': key } : keyHeaders(key)
    const wire = {
      method,
      url: base + path,
      headers: { ...this.door.headers, ...own, ...extra, ...headers },
      ...(body === undefined ? {} : { body }),
    }
    this.curl = curlCommand(wire, {
      maxBodyLength: 20_000,
      ...(key === undefined ? {} : { secret: { text: key, variable: 'KEY' } }),
    })
    const signal = this.#signal ? { signal: this.#signal } : {}
    return send({ ...wire, timeoutMs, ...signal, ...(onText ? { onText } : {}) })
  }
}

/** Finds missing doors. A door is there if it answers anything but "no such route". */
export async function findDoors(
  wanted: readonly DoorName[],
  options: Pick<RunOptions, 'target' | 'model' | 'upstream'>,
): Promise<Map<DoorName, string>> {
  const missing = new Map<DoorName, string>()
  let unknownModel = ''
  for (const name of wanted) {
    const answer = await knock(clients[name], options)
    const { status, text } = answer.reply
    if (status === 401)
      throw new CannotJudge(
        `${options.target.base}${clients[name].path} refuses the key (HTTP 401: ${errorOf(text)}). Pass the gateway's own key with --key.`,
      )
    if (![404, 405, 501].includes(status) && !(status >= 400 && saysMissing.test(errorOf(text)))) continue
    missing.set(name, `HTTP ${status}: ${errorOf(text)}`)
    if (/model/i.test(errorOf(text)) || textAt(parsed(text), 'error', 'code') === 'model_not_found')
      unknownModel ||= errorOf(text)
  }
  if (missing.size < wanted.length) return missing
  if (unknownModel !== '')
    throw new CannotJudge(
      `The gateway does not know the model "${options.model.replaceAll('{case}', 'CASE')}": ${unknownModel} Name another with --model.`,
    )
  const tried = wanted.map((name) => options.target.base + clients[name].path).join(', ')
  throw new CannotJudge(
    `No gateway answers there: ${tried} all say ${[...new Set(missing.values())].join(', ')}. Give the base URL for OpenAI clients; it usually ends in /v1.`,
  )
}

/** Some gateways use another status for it. */
const saysMissing = /\bnot (supported|implemented|available)\b|\bunsupported (route|endpoint|path)\b/i

async function knock(
  door: DialectClient,
  options: Pick<RunOptions, 'target' | 'model' | 'upstream'>,
): Promise<Answer> {
  try {
    return await new Wiring(options, door, `shared-${door.name}-whole`).ask({ form: 'whole', maxTokens: 64 })
  } catch (error) {
    throw new CannotJudge(unreachable(options.target.base, error))
  }
}

const errorOf = (text: string) => {
  const body = parsed(text)
  return (textAt(body, 'error', 'message') || textAt(body, 'message') || text || 'an empty body').slice(
    0,
    200,
  )
}
