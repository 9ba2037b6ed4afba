import { describe, expect, it, vi } from 'vitest'
import { GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Sink } from './sink.ts'
import { endApart, pump, Turn } from './turn.ts'
import { TurnBudget } from './turn-budget.ts'

const start: TurnEvent = { type: 'turn-start', id: 't', model: 'm' }
const text = (delta: string): TurnEvent => ({ type: 'text-delta', block: 0, delta })
const end: TurnEvent = { type: 'turn-end', reason: 'stop' }

async function* batches(...all: (TurnEvent[] | Error)[]): AsyncGenerator<TurnEvent[]> {
  for (const batch of all) {
    if (batch instanceof Error) throw batch
    yield batch
  }
}

async function drain(turn: Turn): Promise<TurnEvent[][]> {
  const found: TurnEvent[][] = []
  for (let batch = await turn.next(); batch; batch = await turn.next()) found.push(batch)
  return found
}

describe('Turn', () => {
  it("has exactly one terminal event: the backend's own", async () => {
    expect(await drain(new Turn(batches([start], [], [end, text('late')], [end])))).toEqual([[start], [end]])
  })

  it('makes a terminal event of a throw, and of an end without one', async () => {
    const thrown = await drain(new Turn(batches([start], new GatewayError('timeout', 'x'))))
    expect(thrown[1]).toMatchObject([{ type: 'turn-error', error: { code: 'timeout' } }])
    const missing = await drain(new Turn(batches([start])))
    expect(missing[1]).toMatchObject([{ type: 'turn-error', error: { code: 'upstream-protocol' } }])
    const bug = await drain(new Turn(batches(new TypeError('secret detail'))))
    expect(bug[0]).toMatchObject([{ type: 'turn-error', error: { code: 'internal' } }])
    expect(JSON.stringify(bug)).not.toContain('secret detail')
  })

  it('open: throws a failure before the first visible output, and keeps everything else', async () => {
    await expect(new Turn(batches([start], new GatewayError('timeout', 'x'))).open()).rejects.toMatchObject({
      code: 'timeout',
    })
    const turn = new Turn(batches([start], [text('a')], new GatewayError('timeout', 'x')))
    await turn.open()
    expect((await drain(turn)).flat().map((event) => event.type)).toEqual([
      'turn-start',
      'text-delta',
      'turn-error',
    ])
    const empty = new Turn(batches([start, end]))
    await empty.open()
    expect(await drain(empty)).toEqual([[start, end]])
  })

  it('open: a call whose arguments are held back is no visible output yet', async () => {
    const held: TurnEvent = { type: 'tool-call-start', block: 0, callId: 'c', name: 'n' }
    await expect(
      new Turn(batches([start, held], new GatewayError('upstream-unavailable', 'x'))).open(),
    ).rejects.toMatchObject({ retryable: true })
  })

  it('open: a whole turn is held as one batch with joined deltas', async () => {
    const all = Array.from({ length: 2_000 }, (_, at) => [text(`${at} `)])
    const turn = new Turn(batches([start], ...all, [end]))
    await turn.open(true)
    const said = all.map(([event]) => (event as { delta: string }).delta).join('')
    expect(await drain(turn)).toEqual([[start, text(said), end]])
  })

  it.each([false, true])('open: held batches stay within the budget (whole: %s)', async (whole) => {
    const budget = new TurnBudget(64 * 1024)
    const opened: TurnEvent[] = [
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-end', block: 0, signature: 's'.repeat(100) },
    ]
    const ended = vi.fn()
    const endless = async function* () {
      try {
        for (;;) yield opened
      } finally {
        ended()
      }
    }
    await expect(new Turn(endless(), budget).open(whole)).rejects.toMatchObject({
      code: 'upstream-protocol',
      retryable: false,
      message: expect.stringMatching(/more than 65536 bytes/),
    })
    expect(ended).toHaveBeenCalledOnce()
    expect(budget.spent).toBe(0)
  })

  it('the cost of held batches is refunded when they are returned', async () => {
    const budget = new TurnBudget(64 * 1024)
    const turn = new Turn(batches([start, text('x'.repeat(1_000))], [end]), budget)
    await turn.open(true)
    expect(budget.spent).toBeGreaterThan(2_000)
    await drain(turn)
    expect(budget.spent).toBe(0)
  })
})

describe('pump', () => {
  it('writes once per batch, waits for a slow client, and ends', async () => {
    const log: string[] = []
    let release: () => void = () => undefined
    const sink: Sink = {
      start: () => undefined,
      started: true,
      isBehind: false,
      write: (chunk) => {
        log.push(chunk)
        return chunk !== 'slow'
      },
      drained: () =>
        new Promise((resolve) => {
          log.push('waiting')
          release = () => resolve()
        }),
      end: () => log.push('end'),
      gone: false,
      onGone: () => () => undefined,
    }
    const turn = new Turn(batches([start, text('a'), text('b')], [text('slow')], [end]))
    const write = (events: readonly TurnEvent[]) =>
      events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
    const running = pump({ turn, write, sink })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(log).toEqual(['ab', 'slow', 'waiting'])
    release()
    await running
    expect(log).toEqual(['ab', 'slow', 'waiting', 'end'])
  })
})

describe('endApart', () => {
  it('ends with the text, or with what follows it in a write of its own', async () => {
    const log: string[] = []
    const sink = {
      isBehind: false,
      write: (words: string) => log.push(`write ${words}`) > 0,
      end: (words = '') => void log.push(`end ${words}`),
      drained: () => Promise.resolve(),
    } as unknown as Sink
    await endApart(sink, 'a', undefined)
    await endApart(sink, 'b', 'c')
    expect(log).toEqual(['end a', 'write b', 'end c'])
  })
})
