// Network faults of a Cursor run over HTTP/2: before its first token, in the middle of its answer, and while it waits for tool
// results. The client gets the right error, or none; the conversation can always continue.

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { atTestEnd } from '../at-end.ts'
import { spread } from '../depth.ts'
import { until } from '../end-to-end/wire.ts'
import { documented } from './documented.ts'
import { ask, type DoorName } from './doors.ts'
import { rotation, useWatch } from './frame.ts'
import {
  clear,
  nextModel,
  patient,
  type Running,
  readCall,
  untilIdle,
  useFaultGateway,
  useUpstreams,
} from './upstreams.ts'

/** What the client sees of it; `complete` where it need not see anything. */
type Outcome = 'complete' | { code: ErrorCode; status?: number }

interface Fault {
  name: string
  /** What the run does, once it has come so far. */
  steps: CursorStep[]
  /** What is done to all connections then. */
  act?: 'freeze'
  outcome: Outcome
  /** The different outcome of a parked run, if it survives. */
  parked?: CursorStep[]
}

const broken: Outcome = { code: 'upstream-unavailable', status: 502 }
const unreadable: Outcome = { code: 'upstream-protocol' }
const live: CursorStep[] = [{ await: 'results' }, { say: 'live' }]
const end: CursorStep = { end: true }

const faults: Fault[] = [
  { name: 'freeze', steps: [{ kv: 'set', data: 'seen' }, { fault: 'hang' }], act: 'freeze', outcome: broken },
  { name: 'RST', steps: [{ fault: 'reset' }], outcome: broken },
  { name: 'FIN', steps: [{ fault: 'fin' }], outcome: unreadable },
  {
    name: 'GOAWAY 0',
    steps: [{ fault: 'goaway' }, { wait: 20 }, { say: ' and on' }, end],
    outcome: 'complete',
    parked: [{ fault: 'goaway' }, ...live, end],
  },
  { name: 'GOAWAY 11', steps: [{ fault: 'goaway', code: 11 }, { fault: 'hang' }], outcome: broken },
  { name: 'REFUSED_STREAM', steps: [{ fault: 'rst-stream', code: 7 }], outcome: broken },
  { name: 'half a frame', steps: [{ fault: 'truncate' }, { say: 'never' }], outcome: unreadable },
  { name: 'a lying length', steps: [{ fault: 'lying-length' }, { say: 'never' }], outcome: unreadable },
  {
    name: 'junk, and on and on',
    steps: [{ raw64: 'QAAAAAA=' }, { heartbeats: { everyMs: 20, count: 'forever' } }],
    outcome: unreadable,
  },
  {
    name: 'no end of the stream',
    steps: [{ end: 'turn-only' }],
    outcome: 'complete',
    parked: [...live, { end: 'turn-only' }],
  },
  { name: 'a gzip bomb', steps: [{ fault: 'gzip-bomb', bytes: 2 * 1024 * 1024 }], outcome: unreadable },
  {
    name: 'heartbeats only',
    steps: [{ heartbeats: { everyMs: 50, count: 'forever' } }],
    outcome: { code: 'timeout' },
    parked: [{ heartbeats: { everyMs: 20, count: 10 } }, ...live, end],
  },
]

const upstreams = useUpstreams()
const watch = useWatch()
const usual = useFaultGateway(upstreams, {}, patient)
/** Only for faults that the progress clock has to notice. */
const clocked = useFaultGateway(upstreams)
/** Only for a frozen peer: shorter than the default of 15 s, but elsewhere a busy machine must not look frozen. */
const impatient = useFaultGateway(
  upstreams,
  { connect: { pings: { pingIntervalMs: 100, pingTimeoutMs: 400 } } },
  { progressMs: 20_000, firstByteMs: 20_000 },
)
function gatewayFor({ act, outcome }: Fault): Running {
  if (act === 'freeze') return impatient
  return outcome !== 'complete' && outcome.code === 'timeout' ? clocked : usual
}
const turnOf = rotation()
const hello = [{ user: 'hello' }]

beforeAll(async () => {
  for (const { url } of [usual, clocked, impatient, usual, clocked, impatient])
    await ask(url, 'chat', { model: nextModel('cursor'), turns: hello, stream: true })
  watch.mark()
})

async function act(fault: Fault): Promise<void> {
  if (fault.act === undefined) return
  // The gateway answers in order: it has read, and passed on, all that came before.
  await until(() =>
    (upstreams.cursor.runs[0]?.received ?? []).some(({ message }) => message.case === 'kvClientMessage'),
  )
  upstreams.cursor.freeze()
}

/** The same gateway still works, on new connections, and holds no state of the fault. */
async function expectRecovered({ url, gateway }: Running): Promise<void> {
  upstreams.cursor.thaw()
  await untilIdle(upstreams)
  clear(upstreams)
  upstreams.cursor.play([{ say: 'fine' }, end])
  // A connection that is just dying may cost one more try; it does not use up the turn.
  const next = async () =>
    (await ask(url, 'chat', { model: nextModel('cursor'), turns: hello, stream: true })).text
  await expect.poll(next).toBe('fine')
  await watch.expectNothingLeft(gateway)
  expect(upstreams.cursor.violations).toEqual([])
  clear(upstreams)
}

interface Seen {
  door: DoorName
  stream: boolean
  shown: string
}

async function expectOutcome(
  answer: Awaited<ReturnType<typeof ask>>,
  fault: Fault,
  seen: Seen,
): Promise<void> {
  const { door, stream, shown } = seen
  const { status, text, complete, error, problems } = answer
  expect(problems).toEqual([])
  if (fault.outcome === 'complete') {
    expect({ status, complete, error }).toEqual({ status: 200, complete: true, error: undefined })
    expect(text.startsWith(shown)).toBe(true)
    return
  }
  const { code, ...expected } = documented(door, fault.outcome.code, fault.outcome.status)
  const isInBand = stream && shown !== ''
  expect([door, { status, type: error?.type }, complete]).toEqual([
    door,
    isInBand ? { ...expected, status: 200 } : expected,
    false,
  ])
  if (code !== undefined) expect(error?.code).toBe(code)
  expect(error?.message).toContain('cursor')
  if (isInBand) expect(text).toBe(shown)
}

describe.each([
  { phase: 'before the first token', shown: '' },
  { phase: 'in the middle of the answer', shown: 'half an answer' },
])('$phase', ({ shown }) => {
  it.each(spread(faults, 4))('$name', async (fault) => {
    const { door, stream } = turnOf()
    const running = gatewayFor(fault)
    atTestEnd(() => {
      upstreams.cursor.thaw()
      clear(upstreams)
    })
    const before: CursorStep[] = shown === '' ? [] : [{ say: shown }, { wait: 20 }]
    upstreams.cursor.play([...before, ...fault.steps])
    const answer = ask(running.url, door, { model: nextModel('cursor'), turns: hello, stream })
    await act(fault)
    await expectOutcome(await answer, fault, { door, stream, shown })
    await expectRecovered(running)
  })
})

describe('while the run waits for results', () => {
  it.each(spread(faults, 4))('$name', async (fault) => {
    const { door, stream } = turnOf()
    const running = gatewayFor(fault)
    atTestEnd(() => {
      upstreams.cursor.thaw()
      clear(upstreams)
    })
    const model = nextModel('cursor')
    const survives = fault.parked !== undefined
    upstreams.cursor.play([readCall, { wait: 60 }, ...(fault.parked ?? fault.steps)])
    if (!survives) upstreams.cursor.play([{ say: 'from the history' }, end])
    const turns = [{ user: 'read it' }]
    const first = await ask(running.url, door, { model, turns, stream })
    expect(first).toMatchObject({ status: 200, complete: true, problems: [], calls: [{ name: 'read' }] })
    await act(fault)
    if (survives) await sleep(100)
    else if (fault.act === undefined) await upstreams.cursor.runs[0]?.waitForClose()
    // The gateway has to hear of it: a ping that is not answered takes its time.
    if (fault.act !== undefined) await sleep(800)
    const results = first.calls.map(({ id }) => ({ id, content: 'content of it' }))
    const second = await ask(running.url, door, { model, turns: [...turns, first, { results }], stream })
    expect(second).toMatchObject({ status: 200, complete: true, error: undefined, problems: [] })
    expect(second.text).toBe(survives ? 'live' : 'from the history')
    expect(second.headers['x-dragoman-session']).toBe(survives ? 'live' : 'fresh')
    expect(Math.max(0, ...upstreams.cursor.deliveries.values())).toBeLessThanOrEqual(1)
    await expectRecovered(running)
  })
})
