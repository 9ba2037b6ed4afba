// A tape ends with its turn, however the turn ends: an unfinished tape would never be written or freed.

import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/tapes/frame.ts'
import { Tape } from '../../src/tapes/tape.ts'
import type { TapeSource } from '../../src/tapes/tape-source.ts'
import { until } from '../end-to-end/wire.ts'
import { ask, type Bench, startBench } from '../harness.ts'

class Kept implements TapeSource {
  readonly tapes: Tape[] = []

  begin({ turnId }: { turnId: string }): Tape {
    const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
    const tape = new Tape({ head, turn: turnId, maxBytes: 1_000_000 })
    this.tapes.push(tape)
    return tape
  }
}

const inProcess = (bench: Bench, body: unknown, signal?: AbortSignal) =>
  bench.gateway.fetch(
    new Request('http://gateway/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    }),
  )
const bySocket = (bench: Bench, body: unknown, signal?: AbortSignal) =>
  fetch(`${bench.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })

const kinds = (frames: readonly Frame[]) => frames.map((frame) => `${frame.side} ${frame.do}`)
const hang = [{ say: 'Hello' }, { wait: 60_000 }]

describe.each([
  ['in process', inProcess],
  ['over a socket', bySocket],
])('%s', (_how, send) => {
  const withBench = async (use: (bench: Bench, kept: Kept) => Promise<void>) => {
    const kept = new Kept()
    const bench = await startBench({ gateway: { tapeSource: kept } })
    try {
      await use(bench, kept)
      await until(() => kept.tapes.every(({ isOver }) => isOver))
      expect(kept.tapes).toHaveLength(1)
      for (const what of ['gateway begin', 'gateway finish', 'client request'])
        expect(kinds(kept.tapes[0]?.frames ?? []).filter((kind) => kind === what)).toHaveLength(1)
    } finally {
      await bench.close()
    }
  }

  it('a model that is not there', () =>
    withBench(async (bench, { tapes }) => {
      expect((await send(bench, ask('nobody/none'))).status).toBe(404)
      await until(() => tapes[0]?.isOver === true)
      expect(kinds(tapes[0]?.frames ?? [])).toContain('client response')
    }))

  it('a client that leaves before the first byte', () =>
    withBench(async (bench, { tapes }) => {
      bench.openai.play([{ wait: 60_000 }])
      const leave = new AbortController()
      const asking = send(bench, ask('openai/gpt-4o', { stream: true }), leave.signal).catch(() => undefined)
      await until(() => bench.openai.requests.length === 1)
      leave.abort()
      await asking
      await until(() => tapes[0]?.isOver === true)
      expect(kinds(tapes[0]?.frames ?? [])).toContain('client gone')
    }))

  it('a client that leaves in the middle', () =>
    withBench(async (bench, { tapes }) => {
      bench.openai.play(hang)
      const leave = new AbortController()
      const answer = await send(bench, ask('openai/gpt-4o', { stream: true }), leave.signal)
      await answer.body?.getReader().read()
      leave.abort()
      await until(() => tapes[0]?.isOver === true)
      expect(kinds(tapes[0]?.frames ?? [])).toContain('client gone')
    }))

  it('a gateway that stops in the middle', () =>
    withBench(async (bench) => {
      bench.openai.play(hang)
      const answer = await send(bench, ask('openai/gpt-4o', { stream: true }))
      await answer.body?.getReader().read()
      await bench.gateway.close(0)
    }))

  it('a client that never reads, of a gateway that stops', () =>
    withBench(async (bench) => {
      bench.openai.play([{ flood: { deltas: 20_000, text: 'word '.repeat(200) } }, { end: 'stop' }])
      const answer = await send(bench, ask('openai/gpt-4o', { stream: true }))
      await bench.gateway.close(0)
      await answer.body?.cancel().catch(() => undefined)
    }))
})
