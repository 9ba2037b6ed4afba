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
import { isNightly, share } from '../depth.ts'
import { startGateway } from '../harness.ts'
import { anthropicFrame, chunk, messageEnd } from '../wire-cases/frames.ts'
import { documented } from './documented.ts'
import { ask, type DoorAnswer, type DoorName, doorNames } from './doors.ts'
import { rotation, useWatch } from './frame.ts'
import { watchNames } from './names.ts'
import {
  clear,
  clouds,
  type HttpName,
  httpNames,
  isCloud,
  nextModel,
  opening,
  patient,
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
  bedrock: anthropicFrame({ type: 'ping' }),
  vertex: anthropicFrame({ type: 'ping' }),
  gemini: { raw: ': still here\n\n' },
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
    http: (backend) => Array.from({ length: 80 }, () => [comment[backend], { wait: 50 }]).flat(),
    cursor: [{ heartbeats: { everyMs: 50, count: 'forever' } }],
    outcome: silent,
    whole: 'none',
  },
]

const upstreams = useUpstreams()
const watch = useWatch()
/** Only for faults that a clock has to notice: elsewhere a busy machine must not look silent. */
const impatient = useFaultGateway(upstreams)
const usual = useFaultGateway(upstreams, {}, patient)
const gatewayFor = ({ outcome }: Fault) => (outcome === silent ? impatient : usual)
const turnOf = rotation()
const hello = [{ user: 'hello' }]
const fine = (url: string, backend: Name) =>
  ask(url, 'chat', { model: nextModel(backend), turns: hello, stream: true })

beforeAll(async () => {
  // The first requests load code, which may take longer than the clocks of the impatient allow.
  for (const { url } of [usual, usual, impatient, impatient])
    for (const backend of backends) expect(await fine(url, backend)).toMatchObject({ complete: true })
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

/** By day one row for each backend and phase, another for each of them. */
function rowsOf(backend: Name, playable: readonly Fault[], said: string): readonly Fault[] {
  // Their streams are read as those of the others are.
  const isAlike = backend === 'gemini' || isCloud(backend)
  if (isNightly) return isAlike ? share(playable, 4) : playable
  const at = (2 * backends.indexOf(backend) + (said === '' ? 0 : 1)) % playable.length
  return playable.slice(at, at + 1)
}

describe.each(backends)('%s', (backend) => {
  describe.each([
    { phase: 'before the first token', said: '' },
    { phase: 'in the middle of the answer', said: 'half an answer' },
  ])('$phase', ({ said }) => {
    const playable = faults.filter((fault) => canBePlayed(backend, fault, said))
    it.each(rowsOf(backend, playable, said))('$name', async (fault) => {
      const turn = turnOf()
      const running = gatewayFor(fault)
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
      expect(await fine(running.url, backend)).toMatchObject({
        complete: true,
        error: undefined,
        problems: [],
      })
      await watch.expectNothingLeft(running.gateway)
      expect(upstreams.cursor.violations).toEqual([])
    })
  })
})

/** Only the formal end is missing, and the connection stays open. */
describe('no end of the stream', () => {
  const end = async (backend: HttpName, steps: Step[], door = turnOf().door) => {
    upstreams[backend].play([...steps, { fault: 'hang' }])
    const answer = await ask(impatient.url, door, { model: nextModel(backend), turns: hello, stream: true })
    clear(upstreams)
    await watch.expectNothingLeft(impatient.gateway)
    return { door, answer }
  }

  it.each(['openai', 'text'] as const)('%s: without [DONE] it is complete', async (backend) => {
    const { answer } = await end(backend, [chunk({ role: 'assistant', content: 'all' }), chunk({}, 'stop')])
    expect(answer).toMatchObject({ status: 200, text: 'all', problems: [], complete: true })
  })

  it.each(doorNames)('gemini: a finish reason is the end, at the door for %s', async (door) => {
    // A whole chunk: to a Gemini client it goes as it is.
    const last = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'all' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'gemini-demo',
      responseId: 'r1',
    }
    const { answer } = await end('gemini', [{ frame: last }], door)
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
        gemini: { kind: 'gemini', baseUrl, apiKey: 'sk-test' },
        openai: { kind: 'openai', baseUrl },
        text: { kind: 'openai', baseUrl, tools: 'text' },
        ...clouds(baseUrl, baseUrl),
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
    await watch.expectNothingLeft(usual.gateway)
  })

  it('an untrusted certificate', async () => {
    let served = 0
    const server = createServer(selfSigned(), () => served++).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await expectUnreachable((server.address() as AddressInfo).port, 'self-signed', broken)
    await new Promise((resolve) => server.close(resolve))
    expect(served).toBe(0)
    await watch.expectNothingLeft(usual.gateway)
  })
})
