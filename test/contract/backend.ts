// The contract of every backend: each backend's test calls it with its simulator. A new backend
// starts here (CONTRIBUTING.md). Each skip says why.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import type { Backend, TurnContext } from '../../src/core/backend.ts'
import { TurnCollector } from '../../src/core/collect.ts'
import type { TurnEvent } from '../../src/core/events.ts'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { Turn } from '../../src/core/turn.ts'
import { checkTurn } from '../check-turn.ts'

export interface BackendCase {
  name: string
  model: string
  /** `progressMs`: how long its upstream may be silent. */
  start(progressMs: number): Promise<Started>
  /** How an upstream's call ids reach the client, if they change. */
  callId?(upstreamId: string): unknown
  /** Asks for reasoning, where the model needs to be asked. */
  reasoning?: Partial<TurnRequest>
  /** A frame that no server may send. */
  badFrame: Step
  skip?: readonly { test: string; reason: string }[]
}

interface Started {
  backend: Backend
  sim: ContractSim
}

/** What the contract needs of a simulator. */
export interface ContractSim extends Pick<Sim, 'clear' | 'close'> {
  readonly requests: readonly Pick<Sim['requests'][number], 'waitForAbort'>[]
  play(steps: readonly Step[]): void
}

/** Longer than a loaded machine keeps a process waiting: only one test is about silence. */
const patientMs = 20_000
const impatientMs = 400

const read = {
  name: 'read',
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

export function describeBackend(options: BackendCase): void {
  describe(`backend contract: ${options.name}`, () => {
    let started: Started
    const idOf = (upstreamId: string): unknown => options.callId?.(upstreamId) ?? upstreamId

    const close = async ({ backend, sim }: Started) => {
      await backend.close()
      await sim.close()
    }
    beforeAll(async () => {
      started = await options.start(patientMs)
    })
    afterAll(() => close(started))
    afterEach(() => started.sim.clear())

    const request = (more: Partial<TurnRequest> = {}): TurnRequest => ({
      model: options.model,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      tools: [read],
      stream: true,
      origin: { dialect: 'none', body: {}, faithful: false },
      ...more,
    })

    const context = (more: Partial<TurnContext> = {}): TurnContext => ({
      turnId: 'turn_1',
      caller: { key: 'someone' },
      signal: new AbortController().signal,
      notes: new Notes(),
      wholeArguments: true,
      ...more,
    })

    /** All events of a turn, checked against the invariants. */
    async function run(
      steps: readonly Step[],
      more: Partial<TurnRequest> = {},
      given = context(),
      { backend, sim }: Started = started,
    ): Promise<TurnEvent[]> {
      sim.play(steps)
      const turn = new Turn(backend.run(request(more), given))
      const events: TurnEvent[] = []
      for (let batch = await turn.next(); batch; batch = await turn.next()) events.push(...batch)
      expect(checkTurn(events)).toEqual([])
      return events
    }

    function collected(events: readonly TurnEvent[]): TurnCollector['turn'] {
      const collector = new TurnCollector()
      collector.push(events)
      if (collector.error) throw collector.error
      return collector.turn
    }

    const check = (name: string, test: () => Promise<void>) => {
      const skipped = options.skip?.find((entry) => entry.test === name)
      it.skipIf(skipped !== undefined)(skipped ? `${name} (skipped: ${skipped.reason})` : name, test)
    }

    for (const stream of [true, false]) {
      const form = stream ? 'streamed' : 'whole'

      check(`text, ${form}`, async () => {
        const turn = collected(await run([{ say: 'Grüße 🙂', pieces: 3 }], { stream }))
        expect(turn.parts).toEqual([{ type: 'text', text: 'Grüße 🙂', refusal: false }])
        expect(turn.reason).toBe('stop')
        expect(turn.usage?.inputTokens).toBeGreaterThan(0)
        expect(turn.usage?.outputTokens).toBeGreaterThan(0)
      })

      check(`reasoning, ${form}`, async () => {
        const turn = collected(
          await run([{ think: 'let me see' }, { say: 'so' }], { stream, ...options.reasoning }),
        )
        expect(turn.parts.map((part) => part.type)).toEqual(['reasoning', 'text'])
      })

      check(`one tool call, ${form}`, async () => {
        const turn = collected(
          await run([{ call: { name: 'read', arguments: { path: 'ü "q"' }, id: 'id_1' }, pieces: 5 }], {
            stream,
          }),
        )
        expect(turn.parts).toEqual([
          { type: 'tool-call', callId: idOf('id_1'), name: 'read', input: '{"path":"ü \\"q\\""}' },
        ])
        expect(turn.reason).toBe('tool-calls')
      })

      check(`parallel tool calls, ${form}`, async () => {
        const calls = ['a', 'b', 'c'].map(
          (path): Step => ({ call: { name: 'read', arguments: { path }, id: `id_${path}` } }),
        )
        const turn = collected(await run(calls, { stream }))
        expect(turn.parts.map((part) => part.type === 'tool-call' && part.callId)).toEqual(
          ['id_a', 'id_b', 'id_c'].map(idOf),
        )
      })

      check(`a tool result round, ${form}`, async () => {
        const turn = collected(
          await run([{ say: 'done' }], {
            stream,
            messages: [
              { role: 'user', content: [{ type: 'text', text: 'read a and b' }] },
              {
                role: 'assistant',
                content: [
                  { type: 'text', text: 'Reading.' },
                  { type: 'tool-call', callId: 'id_a', name: 'read', input: '{"path":"a"}' },
                  { type: 'tool-call', callId: 'id_b', name: 'read', input: '{"path":"b"}' },
                ],
              },
              {
                role: 'tool',
                results: [
                  { callId: 'id_b', content: [{ type: 'text', text: 'B' }] },
                  { callId: 'id_a', content: [{ type: 'text', text: 'no' }], isError: true },
                ],
              },
            ],
          }),
        )
        expect(turn.parts).toEqual([{ type: 'text', text: 'done', refusal: false }])
      })

      check(`an abort is seen upstream, ${form}`, async () => {
        const abort = new AbortController()
        const running = run([{ wait: 10_000 }], { stream }, context({ signal: abort.signal }))
        const { sim } = started
        while (sim.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
        abort.abort()
        await sim.requests[0]?.waitForAbort()
        expect((await running).at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'canceled' } })
      })

      check(`429 with Retry-After, ${form}`, async () => {
        const events = await run(
          [
            {
              status: 429,
              headers: { 'retry-after': '7' },
              body: { error: { message: 'slow down', type: 'rate_limit_error' } },
            },
          ],
          { stream },
        )
        expect(events.at(-1)).toMatchObject({
          type: 'turn-error',
          error: { code: 'rate-limited', retryAfterMs: 7_000, retryable: true },
        })
      })

      check(`an HTML page in place of an answer, ${form}`, async () => {
        const events = await run(
          [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hello</html>' }],
          { stream },
        )
        expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
      })
    }

    check('arguments as they come', async () => {
      const events = await run(
        [{ call: { name: 'read', arguments: { path: 'a long enough path' } }, pieces: 4 }],
        {},
        context({ wholeArguments: false }),
      )
      expect(events.filter((event) => event.type === 'tool-call-delta').length).toBeGreaterThan(2)
    })

    check('a bad frame', async () => {
      const events = await run([{ say: 'so far' }, options.badFrame])
      expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
    })

    check('every fault after some text is an error behind that text', async () => {
      for (const fault of ['reset', 'fin', 'truncate'] as const) {
        const events = await run([{ say: 'half an answer' }, { wait: 20 }, { fault }, { say: 'never' }])
        expect(events.some((event) => event.type === 'text-delta')).toBe(true)
        expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { retryable: true } })
      }
    })

    check('silence is a stall', async () => {
      const impatient = await options.start(impatientMs)
      const events = await run([{ say: 'half' }, { fault: 'hang' }], {}, context(), impatient)
      await close(impatient)
      expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'timeout' } })
    })

    check('an answer in single bytes', async () => {
      const turn = collected(
        await run([{ split: 1 }, { say: 'Grüße 🙂' }, { call: { name: 'read', arguments: { path: '🙂' } } }]),
      )
      expect(turn.parts.map((part) => (part.type === 'tool-call' ? part.input : part.text))).toEqual([
        'Grüße 🙂',
        '{"path":"🙂"}',
      ])
    })

    check('models', async () => {
      const models = await started.backend.models(new AbortController().signal)
      expect(models.length).toBeGreaterThan(0)
      expect(models.every((model) => model.id !== '')).toBe(true)
    })
  })
}
