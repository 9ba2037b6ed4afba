// Network faults of an answer over HTTP/1.1, before its first token and in the middle, from every backend that uses it. Only the
// progress timeout detects a silent peer: there are no pings.

import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { selfSigned } from '../cli/certificate.ts'
import { spread } from '../depth.ts'
import { startGateway } from '../harness.ts'
import { anthropicFrame, chunk, messageEnd } from '../wire-cases/frames.ts'
import { documented } from './documented.ts'
import { ask, type DoorAnswer, type DoorName } from './doors.ts'
import { rotation, useWatch } from './frame.ts'
import { watchNames } from './names.ts'
import {
  clear,
  type HttpName,
  httpNames,
  nextModel,
  opening,
  untilIdle,
  useFaultGateway,
  useUpstreams,
} from './upstreams.ts'

const backends = [...httpNames, 'sse'] as const
type Name = (typeof backends)[number]

type Outcome = { code: ErrorCode; status?: number }
const broken: Outcome = { code: 'upstream-unavailable', status: 502 }
const absent: Outcome = { code: 'upstream-unavailable' }
const unreadable: Outcome = { code: 'upstream-protocol' }
const silent: Outcome = { code: 'timeout' }

interface Fault {
  name: string
  /** Behind what came before; undefined where such an upstream cannot do it. */
  http(backend: HttpName): Step[]
  cursor: CursorStep[]
  outcome: Outcome
  /** Where a whole answer is another matter. */
  whole?: Outcome | 'none'
}

const never = 'data: {"never":"whole"}\n\n'
const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024)).toString('base64')
const comment: Record<HttpName, Step> = {
  anthropic: anthropicFrame({ type: 'ping' }),
  openai: { raw: ': still here\n\n' },
  text: { raw: ': still here\n\n' },
}
const lyingHead = { 'content-type': 'text/event-stream', 'content-length': '100000' }

const faults: Fault[] = [
  { name: 'freeze', http: () => [{ fault: 'hang' }], cursor: [{ fault: 'hang' }], outcome: silent },
  { name: 'RST', http: () => [{ fault: 'reset' }], cursor: [{ fault: 'reset' }], outcome: broken },
  { name: 'FIN', http: () => [{ fault: 'fin' }], cursor: [{ fault: 'fin' }], outcome: unreadable },
  {
    name: 'half a frame',
    http: () => [{ fault: 'truncate' }, { raw: never }],
    cursor: [{ fault: 'truncate' }, { say: 'never' }],
    outcome: unreadable,
    whole: broken,
  },
  {
    name: 'a lying length',
    http: () => [{ status: 200, headers: lyingHead, body: ': nothing yet\n\n' }],
    cursor: [{ fault: 'lying-length' }, { say: 'never' }],
    outcome: silent,
  },
  {
    name: 'a gzip bomb',
    http: () => [{ raw64: bomb }],
    cursor: [{ fault: 'gzip-bomb', bytes: 2 * 1024 * 1024 }],
    outcome: unreadable,
    whole: 'none',
  },
  {
    name: 'junk, and on and on',
    http: () => [{ raw: 'data: {oops\n\n' }, { forever: { everyMs: 20 } }],
    cursor: [{ raw64: 'QAAAAAA=' }, { heartbeats: { everyMs: 20, count: 'forever' } }],
    outcome: unreadable,
    whole: 'none',
  },
  {
    name: 'heartbeats only',
    http: (backend) => Array.from({ length: 30 }, () => [comment[backend], { wait: 50 }]).flat(),
    cursor: [{ heartbeats: { everyMs: 50, count: 'forever' } }],
    outcome: silent,
    whole: 'none',
  },
]

const upstreams = useUpstreams()
const watch = useWatch()
const running = useFaultGateway(upstreams)
const turnOf = rotation()
const hello = [{ user: 'hello' }]
const fine = (url: string, backend: Name) =>
  ask(url, 'chat', { model: nextModel(backend), turns: hello, stream: true })

beforeAll(async () => {
  for (let warm = 0; warm < 2; warm++)
    for (const backend of backends) expect(await fine(running.url, backend)).toMatchObject({ complete: true })
  watch.mark()
})

const isStatus = (step: Step) => 'status' in step

/** A whole answer cannot begin in the middle of another. */
const canBePlayed = (backend: Name, fault: Fault, shown: string) =>
  backend === 'sse' || shown === '' || !fault.http(backend).some(isStatus)

function play(backend: Name, fault: Fault, shown: string, stream: boolean): void {
  if (backend === 'sse') {
    upstreams.cursor.play([...(shown === '' ? [] : [{ say: shown }, { wait: 20 }]), ...fault.cursor])
    return
  }
  const steps = fault.http(backend)
  const before: Step[] =
    shown !== '' ? [{ say: shown }, { wait: 20 }] : stream && !steps.some(isStatus) ? [opening[backend]] : []
  upstreams[backend].play([...before, ...steps])
}

function expectError(
  answer: DoorAnswer,
  { door, shown, outcome }: { door: DoorName; shown: string; outcome: Outcome },
): void {
  const { code, ...expected } = documented(door, outcome.code, shown === '' ? outcome.status : 200)
  const { status, error, complete, text, problems } = answer
  expect([door, { status, type: error?.type }, complete]).toEqual([door, expected, false])
  if (code !== undefined) expect(error?.code).toBe(code)
  expect([text, problems]).toEqual([shown, []])
}

describe.each(backends)('%s', (backend) => {
  describe.each([
    { phase: 'before the first token', said: '' },
    { phase: 'in the middle of the answer', said: 'half an answer' },
  ])('$phase', ({ said }) => {
    it.each(
      spread(
        faults.filter((fault) => canBePlayed(backend, fault, said)),
        4,
      ),
    )('$name', async (fault) => {
      const turn = turnOf()
      const { door } = turn
      // What only a stream can be made to do, it does.
      const stream = turn.stream || (fault.whole === 'none' && backend !== 'sse')
      play(backend, fault, said, stream)
      const isWhole = !stream && backend !== 'sse' && fault.whole !== undefined && fault.whole !== 'none'
      const cursors = backend === 'sse' && fault.name === 'a lying length' ? unreadable : fault.outcome
      const answer = await ask(running.url, door, { model: nextModel(backend), turns: hello, stream })
      const outcome = isWhole ? (fault.whole as Outcome) : cursors
      expectError(answer, { door, shown: stream ? said : '', outcome })
      await untilIdle(upstreams)
      clear(upstreams)
      expect(await fine(running.url, backend)).toMatchObject({ complete: true, problems: [] })
      await watch.expectNothingLeft(running.gateway)
      expect(upstreams.cursor.violations).toEqual([])
    })
  })
})

/** Only the formal end is missing, and the connection stays open. */
describe('no end of the stream', () => {
  const end = async (backend: HttpName, steps: Step[]) => {
    const { door } = turnOf()
    upstreams[backend].play([...steps, { fault: 'hang' }])
    const answer = await ask(running.url, door, { model: nextModel(backend), turns: hello, stream: true })
    clear(upstreams)
    await watch.expectNothingLeft(running.gateway)
    return { door, answer }
  }

  it.each(['openai', 'text'] as const)('%s: without [DONE] it is complete', async (backend) => {
    const { answer } = await end(backend, [chunk({ role: 'assistant', content: 'all' }), chunk({}, 'stop')])
    expect(answer).toMatchObject({ status: 200, text: 'all', problems: [], complete: true })
  })

  it('anthropic: without message_stop it is not', async () => {
    const { door, answer } = await end('anthropic', [{ say: 'all' }, ...messageEnd('end_turn').slice(0, 1)])
    expectError(answer, { door, shown: 'all', outcome: silent })
  })
})

describe('the road there', () => {
  async function expectUnreachable(port: number, message: string, outcome: Outcome): Promise<void> {
    const baseUrl = `https://localhost:${port}`
    const { gateway, url } = await startGateway({
      backends: {
        anthropic: { kind: 'anthropic', baseUrl, apiKey: 'sk-test' },
        openai: { kind: 'openai', baseUrl },
        text: { kind: 'openai', baseUrl, tools: 'text' },
        sse: { kind: 'cursor', baseUrl, apiKey: 'crsr_test', transport: 'sse' },
      },
    })
    for (const backend of backends) {
      const { door, stream } = turnOf()
      const answer = await ask(url, door, { model: nextModel(backend), turns: hello, stream })
      expectError(answer, { door, shown: '', outcome })
      expect(answer.error?.message).toContain(message)
    }
    await gateway.close()
  }

  it('a name that does not resolve', async () => {
    watchNames().isDown = true
    await expectUnreachable(443, 'no such host', absent)
    await watch.expectNothingLeft(running.gateway)
  })

  it('an untrusted certificate', async () => {
    let served = 0
    const server = createServer(selfSigned(), () => served++).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await expectUnreachable((server.address() as AddressInfo).port, 'self-signed', broken)
    await new Promise((resolve) => server.close(resolve))
    expect(served).toBe(0)
    await watch.expectNothingLeft(running.gateway)
  })
})
