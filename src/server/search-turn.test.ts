import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../test/check-turn.ts'
import { BlockWriter } from '../core/blocks.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import { Turn } from '../core/turn.ts'
import { planDeferral, requestWith } from '../protocols/tool-search/plan-deferral.ts'
import { searchTurn } from './search-turn.ts'

const tool = (name: string, deferred?: true) => ({
  name,
  schema: { type: 'object' },
  ...(deferred ? { deferred } : {}),
})
const opaque = { dialect: 'anthropic-messages', kind: 'tool_search_tool_bm25', name: 'find', value: {} }
const request: TurnRequest = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  tools: [tool('own'), tool('open_issue', true), tool('send_mail', true)],
  toolSearch: { tool: opaque, name: 'find', by: 'words' },
  stream: true,
  origin: { dialect: 'anthropic-messages', body: {}, faithful: true },
}

type Step = 'say' | 'think' | 'search' | 'call'

function legOf(steps: readonly Step[], leg: number): TurnEvent[] {
  const out = new BlockWriter()
  out.push({ type: 'turn-start', id: `t${leg}`, model: 'm' })
  for (const [at, step] of steps.entries()) {
    if (step === 'say') out.text('Hm.')
    if (step === 'think') out.reasoning('Well.')
    if (step !== 'search' && step !== 'call') continue
    out.startCall(`c${leg}_${at}`, step === 'search' ? 'find' : 'own')
    out.endCall(step === 'search' ? '{"query":"issue"}' : '{}')
  }
  out.close()
  const reason = out.calls > 0 ? 'tool-calls' : 'stop'
  out.push({ type: 'turn-end', reason, usage: { inputTokens: 10, outputTokens: 1 } })
  return out.take()
}

async function* batches(events: readonly TurnEvent[]): AsyncGenerator<TurnEvent[]> {
  for (const event of events) yield [event]
}

async function play(legs: readonly (readonly Step[])[], failure?: GatewayError) {
  const plan = planDeferral(request, { searches: false, remembered: [] })
  if (!plan) throw new Error('no plan')
  const asked: TurnRequest[] = []
  const remembered: string[][] = []
  const abandoned: string[] = []
  const turnOf = (leg: number) => new Turn(batches(legOf(legs[leg] ?? ['say'], leg)))
  const turn = searchTurn({
    deferred: {
      plan,
      request: requestWith(plan, plan.request, plan.loaded, true),
      remember: (loaded) => void remembered.push([...loaded]),
    },
    first: turnOf(0),
    async ask(next) {
      if (failure) throw failure
      asked.push(next)
      return turnOf(asked.length)
    },
    abandon: (callId) => void abandoned.push(callId),
  })
  const events: TurnEvent[] = []
  for await (const batch of turn) events.push(...batch)
  return { events, asked, remembered, abandoned }
}

describe('searchTurn', () => {
  it('whatever the model does, no call is lost, and none is made twice', async () => {
    const leg = fc.array(fc.constantFrom<Step>('say', 'think', 'search', 'call'), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(leg, { maxLength: 12 }), async (legs) => {
        const { events, asked } = await play(legs)
        expect(checkTurn(events)).toEqual([])
        const shown = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.callId] : []))
        const made = legs
          .slice(0, asked.length + 1)
          .flatMap((steps, at) =>
            steps.flatMap((step, place) => (step === 'call' ? [`c${at}_${place}`] : [])),
          )
        expect(shown).toEqual(made)
        // Each later request answers every search of the part before it.
        for (const { messages } of asked) {
          const [calling, results] = messages.slice(-2)
          const ids =
            calling?.role === 'assistant'
              ? calling.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
              : []
          expect(results?.role === 'tool' && results.results.map(({ callId }) => callId)).toEqual(ids)
        }
        const end = events.at(-1)
        expect(end).toMatchObject({
          usage: { inputTokens: 10 },
          spent: { inputTokens: 10 * (asked.length + 1) },
        })
      }),
    )
  })

  it('a later part that fails is the end of the answer, and its run is let go', async () => {
    const failure = new GatewayError('upstream-unavailable', 'down')
    const { events, abandoned } = await play([['say', 'search']], failure)
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-unavailable' } })
    expect(abandoned).toEqual(['c0_1'])
    expect(checkTurn(events)).toEqual([])
  })

  it('nobody reads on: the part under way is stopped, and its run is let go', async () => {
    const plan = planDeferral(request, { searches: false, remembered: [] })
    if (!plan) throw new Error('no plan')
    const abandoned: string[] = []
    let isReturned = false
    async function* first() {
      try {
        yield* batches(legOf(['search', 'say', 'say'], 0).slice(0, -1))
        await new Promise(() => undefined)
      } finally {
        isReturned = true
      }
    }
    const turn = new Turn(
      searchTurn({
        deferred: { plan, request, remember: () => undefined },
        first: new Turn(first()),
        ask: () => Promise.reject(new Error('not asked')),
        abandon: (callId) => void abandoned.push(callId),
      }),
    )
    const seen: TurnEvent[] = []
    while (!seen.some(({ type }) => type === 'text-delta')) seen.push(...((await turn.next()) ?? []))
    turn.stop()
    await new Promise((resolve) => setImmediate(resolve))
    expect(isReturned).toBe(true)
    expect(abandoned).toEqual(['c0_0'])
  })

  it('a part that fails behind a search lets its run go', async () => {
    const plan = planDeferral(request, { searches: false, remembered: [] })
    if (!plan) throw new Error('no plan')
    const abandoned: string[] = []
    const error = new GatewayError('upstream-unavailable', 'down')
    const failing = [...legOf(['search'], 0).slice(0, -1), { type: 'turn-error', error } as const]
    const turn = searchTurn({
      deferred: { plan, request, remember: () => undefined },
      first: new Turn(batches(failing)),
      ask: () => Promise.reject(new Error('not asked')),
      abandon: (callId) => void abandoned.push(callId),
    })
    const events: TurnEvent[] = []
    for await (const batch of turn) events.push(...batch)
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-unavailable' } })
    expect(abandoned).toEqual(['c0_0'])
  })

  it('a model that searches without a search tool is stopped', async () => {
    const { events, asked } = await play(Array.from({ length: 30 }, (): Step[] => ['search']))
    expect(asked).toHaveLength(8)
    expect(asked.at(-1)?.tools.map(({ name }) => name)).not.toContain('find')
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'length' })
    expect(JSON.stringify(events)).toContain('(Stopped after 9 searches for tools.)')
  })

  it('loads what was found, and remembers it', async () => {
    const { asked, remembered } = await play([['search'], ['say']])
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['own', 'find', 'open_issue'])
    expect(remembered).toEqual([['open_issue']])
  })
})
