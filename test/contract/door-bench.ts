// One client at one door in front of one backend, in one form of answer.

import { expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
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

  ask(turns: readonly DoorTurn[], more: Partial<DoorAsk> = {}): Promise<DoorAnswer> {
    const { model } = this.backend
    const { stream, headers } = this.form
    return this.client.ask(this.bench.url, {
      model,
      turns,
      tools,
      stream,
      ...(headers ? { headers } : {}),
      ...more,
    })
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

/** Each skip says why. */
export function check(name: string, skip: false | string, test: () => Promise<void>): void {
  it.skipIf(skip !== false)(skip === false ? name : `${name} (skipped: ${skip})`, test)
}
