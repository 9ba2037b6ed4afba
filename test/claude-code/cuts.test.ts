// A stream that ends before its end, and an error inside it. The client asks again by what it got: before any block, or after text.

import { describe, expect, it } from 'vitest'
import type { FaultStep, Step } from '../../sim/script.ts'
import { claude, type Other, others, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()
const cuts: FaultStep[] = [{ fault: 'fin' }, { fault: 'reset' }]
const sims = () => ({ ...bench, responses: bench.openai })
type Service = Other | 'anthropic'
const services: [Service, string][] = [
  ['anthropic', claude],
  ...(Object.entries(others) as [Other, string][]),
]
const play = (service: Service, steps: readonly Step[]) => {
  const sim = sims()[service] as { play(...turns: (readonly Step[])[]): void }
  sim.play(steps)
}

describe.each(services)('%s', (service, model) => {
  it.each(cuts)('cut before any block (%j): an error that is worth a retry, and no end', async (cut) => {
    play(service, [cut])
    const isBlock = service === 'qwen' && cut.fault === 'fin'
    const { status, said, header } = await send(bench, cc.turn(model))
    expect(said).not.toMatch(/message_stop|content_block/)
    expect(said).toContain('"type":"error"')
    if (status === 200) expect(said).toContain('event: error')
    // The web chat blocks an account with an empty answer: there a retry makes it worse.
    else expect([status >= 500, header('x-should-retry')]).toEqual([true, isBlock ? 'false' : null])
  })

  it.each(cuts)('cut after text (%j): the text, an error, and no end', async (cut) => {
    play(service, [{ say: 'Once', pieces: 1 }, cut])
    const { status, said } = await send(bench, cc.turn(model))
    expect([status, said.includes('Once'), said.includes('event: error')]).toEqual([200, true, true])
    expect(said).not.toContain('message_stop')
  })

  it('cut in an answer that is not streamed: an error', async () => {
    play(service, [{ say: 'Once', pieces: 1 }, { fault: 'reset' }])
    const { status, json } = await send(bench, cc.turn(model, { stream: false }))
    expect([status >= 500, json.type]).toEqual([true, 'error'])
  })
})

describe('an error event of Anthropic', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const event = { frame: error, event: 'error' }

  it('before any block: the status and the words of the service', async () => {
    bench.anthropic.play([event])
    const { status, said } = await send(bench, cc.turn(claude))
    expect(said).toContain('"overloaded_error"')
    expect(said).toContain('Overloaded')
    expect(said).not.toMatch(/message_stop|content_block/)
    if (status === 200) expect(said).toContain('event: error')
    else expect(status).toBe(529)
  })

  it('after text: an event', async () => {
    bench.anthropic.play([{ say: 'Once', pieces: 1 }, event])
    const { said } = await send(bench, cc.turn(claude))
    expect(said).toMatch(/Once[\s\S]*event: error\ndata: .*"overloaded_error"/)
    expect(said).not.toContain('message_stop')
  })
})

describe('an error event of other services', () => {
  const failed = { type: 'server_error', code: 'server_error', message: 'The server had an error' }
  it.each<[Other, Step]>([
    ['openai', { frame: { error: failed } }],
    ['text', { frame: { error: failed } }],
    ['responses', { frame: { ...failed, type: 'error', sequence_number: 1 }, event: 'error' }],
    [
      'gemini',
      { frame: { error: { code: 503, status: 'UNAVAILABLE', message: 'The server had an error' } } },
    ],
  ])('%s, before any block and after text', async (service, event) => {
    for (const before of [[], [{ say: 'Once', pieces: 1 }]] as Step[][]) {
      play(service, [...before, event])
      const { said } = await send(bench, cc.turn(others[service]))
      expect(said).toContain('"type":"error"')
      expect(said).toContain('The server had an error')
      expect(said).not.toContain('message_stop')
    }
  })
})
