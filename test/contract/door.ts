// What every door must do, whatever backend is behind it: the official client of its dialect talks to a gateway on
// simulators. A new door brings a `DoorClient` and starts here (CONTRIBUTING.md). Each skip says why.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import { toCursorStep } from '../cursor-backend.ts'
import { type Bench, useBench } from '../harness.ts'

export interface DoorTool {
  name: string
  description: string
  schema: Record<string, unknown>
}

export interface DoorResult {
  callId: string
  text: string
  isError?: boolean
  /** A PNG in base64. */
  image?: string
}

/** A conversation as the client keeps it. */
export type DoorTurn = { user: string } | { answer: DoorAnswer } | { results: readonly DoorResult[] }

export interface DoorAsk {
  model: string
  turns: readonly DoorTurn[]
  tools?: readonly DoorTool[]
  stream: boolean
  /** Asks to see the model's thinking. */
  thinking?: boolean
  signal?: AbortSignal
  /** Called with the first words of a stream. */
  onText?(): void
}

export interface DoorAnswer {
  text: string
  thinking: string
  calls: { id: string; name: string; input: unknown }[]
  end: 'stop' | 'calls' | 'length' | 'refusal' | undefined
  inputTokens: number
  outputTokens: number
  /** The message as the client puts it into its history. */
  native: unknown
}

export interface DoorClient {
  name: string
  /** The field that holds the conversation. */
  conversation: string
  /** Thinking shows in a place that clients pass over, so it is always there. */
  alwaysThinks?: true
  ask(url: string, request: DoorAsk): Promise<DoorAnswer>
  /** What the client's own error says; undefined for what is none of its errors. */
  failure(error: unknown): { status: number | undefined; message: string } | undefined
}

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
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const files: Record<string, string> = { 'README.md': '# Dragoman\nmore', 'notes.txt': 'first note' }

interface BackendKind {
  model: string
  play(bench: Bench, ...rounds: readonly (readonly Step[])[]): void
  /** Resolves once the upstream has seen that the request was given up. */
  aborted(bench: Bench): Promise<unknown>
  endless: readonly Step[]
  /** Says why its answers end, beyond "done" and "calls". */
  givesReasons: boolean
  /** Its reasoning carries a proof, and so reaches everybody. */
  signs: boolean
  takesImages: boolean
  /** Its simulator shows what the model thinks. */
  thinks: boolean
}

const httpKind = (name: 'anthropic' | 'openai' | 'text', model: string, more: Partial<BackendKind> = {}) => ({
  model: `${name}/${model}`,
  play: (bench: Bench, ...rounds: readonly (readonly Step[])[]) => bench[name].play(...rounds),
  aborted: async (bench: Bench) => bench[name].requests.at(-1)?.waitForAbort(5_000),
  endless: [{ forever: { everyMs: 5 } }],
  givesReasons: true,
  signs: false,
  takesImages: true,
  thinks: true,
  ...more,
})

const backends: readonly BackendKind[] = [
  httpKind('anthropic', 'claude-demo', { signs: true }),
  httpKind('openai', 'gpt-demo'),
  httpKind('text', 'text-demo', { takesImages: false, thinks: false }),
  {
    model: 'cursor/composer-2',
    // One run: what follows the calls of a round waits for their results.
    play: (bench, ...rounds) =>
      bench.cursor.play(
        rounds.flatMap((steps, at): CursorStep[] => [
          ...(at === 0 ? [] : [{ await: 'results' as const }]),
          ...steps.map(toCursorStep),
        ]),
      ),
    aborted: async (bench) => bench.cursor.runs.at(-1)?.waitForClose(),
    endless: [{ say: 'on and on' }, { heartbeats: { everyMs: 5, count: 'forever' } } as unknown as Step],
    givesReasons: false,
    signs: false,
    takesImages: true,
    thinks: true,
  },
]

export function describeDoor(client: DoorClient): void {
  const bench = useBench({ openai: { lenient: true, quirks: ['reasoning_content'] } })
  for (const backend of backends)
    for (const stream of [true, false])
      describe(`door contract: ${client.name} on ${backend.model}, ${stream ? 'streamed' : 'whole'}`, () => {
        const door = new DoorTest(client, bench, backend, stream)
        describeAnswers(door)
        describeCalls(door)
        describeFailures(door)
      })
}

class DoorTest {
  readonly client: DoorClient
  readonly bench: Bench
  readonly backend: BackendKind
  readonly stream: boolean

  constructor(client: DoorClient, bench: Bench, backend: BackendKind, stream: boolean) {
    this.client = client
    this.bench = bench
    this.backend = backend
    this.stream = stream
  }

  play(...rounds: readonly (readonly Step[])[]): void {
    this.backend.play(this.bench, ...rounds)
  }

  ask(turns: readonly DoorTurn[], more: Partial<DoorAsk> = {}): Promise<DoorAnswer> {
    const { model } = this.backend
    return this.client.ask(this.bench.url, { model, turns, tools, stream: this.stream, ...more })
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
    return failure
  }
}

const hello: DoorTurn[] = [{ user: 'hello' }]

function describeAnswers(door: DoorTest): void {
  const { givesReasons, signs, thinks } = door.backend

  it('text, and what it took', async () => {
    door.play([{ say: 'Grüße 🙂', pieces: 3 }])
    const answer = await door.ask(hello)
    expect(answer).toMatchObject({ text: 'Grüße 🙂', thinking: '', calls: [], end: 'stop' })
    expect(answer.inputTokens).toBeGreaterThan(0)
    expect(answer.outputTokens).toBeGreaterThan(0)
  })

  it.skipIf(!thinks)('thinking, for who asks for it', async () => {
    door.play([{ think: 'let me see' }, { say: 'so' }])
    const answer = await door.ask(hello, { thinking: true })
    expect(answer).toMatchObject({ text: 'so', thinking: 'let me see', end: 'stop' })
  })

  const unasked = signs || door.client.alwaysThinks === true
  it.skipIf(unasked)('no thinking for who does not (skipped where it must come back)', async () => {
    door.play([{ think: 'let me see' }, { say: 'so' }])
    expect(await door.ask(hello)).toMatchObject({ text: 'so', thinking: '' })
  })

  it.skipIf(!givesReasons)('an answer that was cut off', async () => {
    door.play([{ say: 'half an' }, { end: 'length' }])
    expect(await door.ask(hello)).toMatchObject({ text: 'half an', end: 'length' })
  })

  it.skipIf(!givesReasons)('a refusal', async () => {
    door.play([{ say: 'I would rather not' }, { end: 'refusal' }])
    expect(await door.ask(hello)).toMatchObject({ text: 'I would rather not', end: 'refusal' })
  })
}

function describeCalls(door: DoorTest): void {
  const call = (path: string): Step => ({ call: { name: 'read', arguments: { path } } })

  it('three calls at once; their results, one of them an error, one a picture', async () => {
    door.play([{ say: 'Reading.' }, call('a'), call('b "ü"'), call('c')], [{ say: 'done' }])
    const first = await door.ask(hello)
    expect(first.calls.map(({ name, input }) => [name, input])).toEqual(
      ['a', 'b "ü"', 'c'].map((path) => ['read', { path }]),
    )
    expect(first).toMatchObject({ text: 'Reading.', end: 'calls' })
    expect(new Set(first.calls.map(({ id }) => id)).size).toBe(3)
    for (const { id } of first.calls) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    const [a = '', b = '', c = ''] = first.calls.map(({ id }) => id)
    const results = [
      { callId: c, text: 'see', ...(door.backend.takesImages ? { image: pixel } : {}) },
      { callId: a, text: 'no such file', isError: true },
      { callId: b, text: '' },
    ]
    const second = await door.ask([...hello, { answer: first }, { results }])
    expect(second).toMatchObject({ text: 'done', calls: [], end: 'stop' })
  })

  it('a call without arguments', async () => {
    door.play([{ call: { name: 'list', arguments: {} } }])
    const answer = await door.ask(hello)
    expect(answer.calls.map(({ name, input }) => [name, input])).toEqual([['list', {}]])
    expect(answer.end).toBe('calls')
  })

  it('a loop of calls and results to its end', async () => {
    const turns: DoorTurn[] = [{ user: 'Read README.md, then read notes.txt' }]
    let answer = await door.ask(turns)
    let rounds = 0
    while (answer.calls.length > 0 && rounds++ < 4) {
      const results = answer.calls.map(({ id, input }) => ({
        callId: id,
        text: files[String((input as { path: string }).path)] ?? 'no such file',
      }))
      turns.push({ answer }, { results })
      answer = await door.ask(turns)
    }
    expect(rounds).toBe(2)
    expect(answer.text).toContain('first note')
    expect(door.bench.cursor.violations).toEqual([])
  })
}

function describeFailures(door: DoorTest): void {
  it('an upstream that dies before it says anything: a status', async () => {
    door.play([{ fault: 'reset' }])
    expect((await door.failure(hello)).status).toBeGreaterThanOrEqual(500)
  })

  it('an upstream that dies in the middle: never a clean end', async () => {
    door.play([{ say: 'half an answer' }, { wait: 20 }, { fault: 'reset' }])
    const { status, message } = await door.failure(hello)
    if (door.stream) expect(status).toBeUndefined()
    else expect(status).toBeGreaterThanOrEqual(500)
    expect(message).not.toBe('')
  })

  it('a request that is wrong, and a model that is not there', async () => {
    expect(await door.failure([])).toMatchObject({
      status: 400,
      message: expect.stringContaining(door.client.conversation),
    })
    expect((await door.failure(hello, { model: 'nowhere' })).status).toBe(404)
  })

  it('a client that goes away is seen upstream', async () => {
    const leaving = new AbortController()
    door.play(door.backend.endless)
    const asked = door.ask(hello, { signal: leaving.signal, onText: () => leaving.abort() })
    const { anthropic, openai, text, cursor } = door.bench
    const begun = () =>
      [anthropic, openai, text].some((sim) => sim.requests.length > 0) || cursor.runs.length > 0
    if (!door.stream) {
      while (!begun()) await new Promise((resolve) => setTimeout(resolve, 5))
      leaving.abort()
    }
    await expect(asked).rejects.toThrow()
    await door.backend.aborted(door.bench)
  })
}
