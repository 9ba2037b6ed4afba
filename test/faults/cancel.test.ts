// A client that disconnects: in each of four phases, on each backend, streamed and whole, the upstream sees it and nothing keeps
// running. test/end-to-end/cancel.test.ts and cursor-cancel.test.ts check the limit of 250 ms.

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import { atTestEnd } from '../at-end.ts'
import { spread } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import { ask, begin, type Exchange, type Turn } from './doors.ts'
import { rotation, useWatch } from './frame.ts'
import {
  clear,
  type HttpName,
  isCloud,
  nextModel,
  opening,
  readCall,
  useFaultGateway,
  useUpstreams,
} from './upstreams.ts'

const backends = ['anthropic', 'openai', 'text', 'cursor', 'gemini', 'bedrock', 'vertex'] as const
type Name = (typeof backends)[number]

interface Window {
  name: string
  http(backend: HttpName): Step[]
  cursor: CursorStep[]
  /** The model has sent some text. */
  isSaid?: boolean
  /** It happens to the request that brings tool results. */
  isParked?: boolean
}

const windows: Window[] = [
  {
    name: 'before upstream headers',
    http: () => [{ fault: 'hang' }],
    cursor: [{ bare: true }, { fault: 'hang' }],
  },
  {
    name: 'before the first token',
    http: (backend) => [opening[backend], { fault: 'hang' }],
    cursor: [{ fault: 'hang' }],
  },
  {
    name: 'mid-stream',
    http: () => [{ say: 'token', pieces: 1 }, { fault: 'hang' }],
    cursor: [{ say: 'token' }, { fault: 'hang' }],
    isSaid: true,
  },
  {
    name: 'parked',
    http: () => [{ fault: 'hang' }],
    cursor: [readCall, { await: 'results' }, { fault: 'hang' }],
    isParked: true,
  },
]

const upstreams = useUpstreams()
const watch = useWatch()
/** Nobody but the client gives up here. */
const running = useFaultGateway(upstreams, {}, { progressMs: 20_000, firstByteMs: 20_000 })
const turnOf = rotation()

beforeAll(async () => {
  for (const backend of backends)
    for (let warm = 0; warm < 2; warm++)
      await ask(running.url, 'chat', { model: nextModel(backend), turns: [{ user: 'hello' }], stream: true })
  clear(upstreams)
  watch.mark()
})

const asked = (backend: Name) =>
  backend === 'cursor'
    ? upstreams.cursor.runs.length
    : upstreams[backend].requests.filter(({ method }) => method === 'POST').length

function play(backend: Name, window: Window): void {
  if (backend === 'cursor') return upstreams.cursor.play(window.cursor)
  if (window.isParked) upstreams[backend].play([{ call: { name: 'read', arguments: { path: 'a.txt' } } }])
  upstreams[backend].play(window.http(backend))
}

/** Resolves when the upstream has seen the cancellation. */
async function expectGivenUp(backend: Name): Promise<void> {
  if (backend === 'cursor') expect(await upstreams.cursor.runs.at(-1)?.waitForClose()).toBe('by-client')
  else await upstreams[backend].requests.at(-1)?.waitForAbort()
}

/** Upstream and client have reached the phase in which the client disconnects. */
async function untilThere(
  backend: Name,
  exchange: Exchange,
  { window, requests, stream }: Moment,
): Promise<void> {
  await until(() => asked(backend) === requests)
  if (window.isSaid && stream) await until(() => exchange.seen().includes('token'))
  if (backend === 'cursor') {
    // All of the results, or of the request, have arrived.
    const results = () => upstreams.cursor.runs[0]?.closedExecs.size ?? 0
    if (window.isParked) await until(() => results() === 2)
    else await until(() => (upstreams.cursor.runs[0]?.received.length ?? 0) > 0)
  }
  await sleep(10)
}

interface Moment {
  window: Window
  requests: number
  stream: boolean
}

/** Their connections are those of the others. */
const isAlike = (backend: Name) => backend === 'gemini' || isCloud(backend)

describe.each(backends)('%s', (backend) => {
  describe.each(isAlike(backend) ? spread(windows, 1) : windows)('$name', (window) => {
    it.each([
      ['streamed', true],
      ['whole', false],
    ])('%s', async (_name, stream) => {
      const { door } = turnOf()
      const model = nextModel(backend)
      const turns: Turn[] = [{ user: 'read it' }]
      play(backend, window)
      if (window.isParked) {
        const first = await ask(running.url, door, { model, turns, stream })
        expect(first.calls).toHaveLength(1)
        turns.push(first, { results: first.calls.map(({ id }) => ({ id, content: 'content of it' })) })
        // Its client has closed the connection: a run that waits does not mind.
        if (backend === 'cursor') expect(upstreams.cursor.runs[0]?.closed).toBeUndefined()
      }
      const exchange = begin(running.url, door, { model, turns, stream })
      atTestEnd(() => {
        exchange.leave()
        clear(upstreams)
      })
      const gone = exchange.answer.then(
        () => 'answered',
        () => 'gone',
      )
      const requests = window.isParked && backend !== 'cursor' ? 2 : 1
      await untilThere(backend, exchange, { window, requests, stream })
      exchange.leave()
      expect(await gone).toBe('gone')
      await expectGivenUp(backend)
      await watch.expectNothingLeft(running.gateway)
      expect(asked(backend)).toBe(requests)
      expect(upstreams.cursor.violations).toEqual([])
      clear(upstreams)
      const next = { model: nextModel(backend), turns: [{ user: 'hello' }], stream }
      expect(await ask(running.url, door, next)).toMatchObject({ complete: true, problems: [] })
      clear(upstreams)
    })
  })
})
