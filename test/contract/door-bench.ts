// One client at one door in front of one backend, in one form of answer.

import { expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { isNightly } from '../depth.ts'
import { type Bench, useBench } from '../harness.ts'
import type { DoorBackend } from './door-backends.ts'
import type { DoorAnswer, DoorAsk, DoorClient, DoorTool, DoorTurn } from './door-client.ts'

const read: DoorTool = {
  name: 'read',
  description: 'Read a file',
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const list: DoorTool = {
  name: 'list',
  description: 'List the files here',
  schema: { type: 'object', properties: {} },
}
const tools = [read, list]
export const hello: DoorTurn[] = [{ user: 'hello' }]

export interface DoorForm {
  name: string
  stream: boolean
  headers?: Record<string, string>
}

/** A client whose calls come in pieces shows itself as this one. */
const inPieces = { headers: { 'user-agent': 'cline/3' }, settings: { cline: { toolArguments: 'streamed' } } }
export const doorForms: readonly DoorForm[] = [
  { name: 'streamed', stream: true },
  { name: 'streamed, arguments as they come', stream: true, headers: inPieces.headers },
  { name: 'whole', stream: false },
]

/** One bench for all clients of a file. */
export const useDoorBench = () =>
  useBench({
    settings: { clients: inPieces.settings },
    clouds: isNightly,
    openai: { lenient: true, quirks: ['reasoning_content'] },
    text: { quirks: ['reasoning_content'] },
  })

export class DoorBench {
  readonly client: DoorClient
  readonly bench: Bench
  readonly backend: DoorBackend
  readonly form: DoorForm

  constructor(client: DoorClient, bench: Bench, backend: DoorBackend, form: DoorForm) {
    this.client = client
    this.bench = bench
    this.backend = backend
    this.form = form
  }

  play(...rounds: readonly (readonly Step[])[]): void {
    this.backend.play(this.bench, ...rounds)
  }

  /** What the SDK makes of it; of a stream that it reads to the end, a stricter reader sees every byte, too. */
  async ask(turns: readonly DoorTurn[], more: Partial<DoorAsk> = {}): Promise<DoorAnswer> {
    const { model } = this.backend
    const { stream, headers } = this.form
    const asked = { model, turns, tools, stream, ...(headers ? { headers } : {}), ...more }
    if (!stream || more.signal || more.fetch) return this.client.ask(this.bench.url, asked)
    const watch = new Watch()
    const answer = this.client.ask(this.bench.url, { ...asked, fetch: watch.fetch })
    await answer.catch(() => undefined)
    const seen = await watch.response()
    if (seen) expect(await this.client.problems(seen)).toEqual([])
    return answer
  }

  /** The client's own error; anything else fails the test. */
  async failure(turns: readonly DoorTurn[], more: Partial<DoorAsk> = {}) {
    const outcome = await this.ask(turns, more).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    if ('answer' in outcome)
      throw new Error(`an answer in place of an error: ${JSON.stringify(outcome.answer)}`)
    const failure = this.client.failure(outcome.error)
    if (!failure) throw outcome.error
    expect(failure.message).not.toBe('')
    return failure
  }
}

/** Keeps a copy of the stream that passes through, and reads on where the client has left it. */
class Watch {
  readonly #chunks: Uint8Array[] = []
  #rest: ReadableStreamDefaultReader<Uint8Array> | undefined
  #headers: Headers | undefined

  readonly fetch: typeof fetch = async (input, init) => {
    // Not with the client's signal: it gives up a stream at the first error in it.
    const response = await fetch(input, { ...init, signal: null })
    if (!response.ok || !response.body) return response
    const rest = response.body.getReader()
    this.#rest = rest
    this.#headers = response.headers
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const chunk = await this.#next(rest)
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
    })
    return new Response(body, response)
  }

  /** Undefined where there was none. */
  async response(): Promise<Response | undefined> {
    if (!this.#rest || !this.#headers) return undefined
    while (await this.#next(this.#rest));
    return new Response(Buffer.concat(this.#chunks), { headers: this.#headers })
  }

  async #next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
    const { value } = await reader.read()
    if (value) this.#chunks.push(value)
    return value
  }
}

/** Each skip says why. */
export function check(name: string, skip: false | string, test: () => Promise<void>): void {
  it.skipIf(skip !== false)(skip === false ? name : `${name} (skipped: ${skip})`, test)
}
