// The instance that has the session is killed, as by kill -9, at any point of a turn: the client's retry at another one
// completes, and no tool result reaches the service twice.

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Running } from '../cli/program.ts'
import { answerOf, askCursor, followUp } from '../cursor-bench.ts'
import { type Body, post } from '../harness.ts'
import { describeWithRedis } from '../redis.ts'
import { askUntilAnswered, type Surroundings, startSurroundings } from './instances.ts'

const read: CursorStep = { exec: { read: { path: 'a' } } }
const results: CursorStep = { await: 'results' }
const pause: CursorStep = { wait: 600 }
const forEver: CursorStep = { heartbeats: { everyMs: 100, count: 'forever' } }
const afresh: CursorStep[] = [{ say: 'afresh' }, { end: true }]

/** The whole answer; something is done as soon as `text` has been read. */
async function readBeyond(text: string, url: string, body: Body, onText: () => void): Promise<string> {
  const { body: stream } = await post(url, { ...body, stream: true })
  const decoder = new TextDecoder()
  let all = ''
  for await (const chunk of stream ?? []) {
    const isNew = !all.includes(text)
    all += decoder.decode(chunk, { stream: true })
    if (isNew && all.includes(text)) onText()
  }
  return all
}

describeWithRedis('the owner is killed', () => {
  let around: Surroundings
  let other: Running

  beforeAll(async () => {
    around = await startSurroundings()
    other = await around.start()
  }, 60_000)

  let deliveredBefore = 0
  const startOwner = async () => {
    around.sim.clear()
    deliveredBefore = around.sim.deliveries.size
    const owner = await around.start()
    return { owner, kill: () => owner.kill('SIGKILL') }
  }

  const expectNothingTwice = () => {
    expect([...around.sim.deliveries.values()].filter((count) => count > 1)).toEqual([])
    expect(around.sim.violations).toEqual([])
  }

  const delivered = (results: number) =>
    expect.poll(() => around.sim.deliveries.size - deliveredBefore, { timeout: 60_000 }).toBe(results)

  it('before it has called any tool', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([{ say: 'let me' }, { heartbeats: { everyMs: 100, count: 'forever' } }], afresh)
    const asked = askUntilAnswered([owner.url, other.url], askCursor('read it'))
    // Before that, the other one would be given the run that never ends.
    await expect.poll(() => around.sim.queued).toBe(1)
    kill()
    expect((await asked).answer.text).toBe('afresh')
    expectNothingTwice()
  })

  it('while the run waits for its results', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([read, results, { say: 'live' }, { end: true }], afresh)
    const body = askCursor('read it')
    const first = await answerOf(owner.url, body, 'streamed')
    kill()
    await owner.ended
    const { answer } = await askUntilAnswered([other.url], followUp(body, first, ['A']))
    expect(answer).toMatchObject({ text: 'afresh', session: 'fresh' })
    expectNothingTwice()
  })

  it('after the results were relayed to it, before it has said anything', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([read, results, forEver], afresh)
    const body = askCursor('read it')
    const first = await answerOf(owner.url, body, 'streamed')
    const asked = askUntilAnswered([other.url], followUp(body, first, ['A']))
    await delivered(1)
    kill()
    const { answer, tries } = await asked
    expect(answer).toMatchObject({ text: 'afresh', session: 'fresh' })
    // The instance in between went on by itself.
    expect(tries).toBe(1)
    expectNothingTwice()
  })

  it('while two turns are relayed to it', async () => {
    const { owner, kill } = await startOwner()
    const run: CursorStep[] = [read, results, forEver]
    around.sim.play(run, run, afresh, afresh)
    const bodies = [askCursor('read it'), askCursor('read it too')]
    const firsts = [await answerOf(owner.url, bodies[0]!, 'streamed')]
    firsts.push(await answerOf(owner.url, bodies[1]!, 'streamed'))
    const asked = bodies.map((body, at) => askUntilAnswered([other.url], followUp(body, firsts[at]!, ['A'])))
    await delivered(2)
    kill()
    const both = await Promise.all(asked)
    expect(both.map(({ answer, tries }) => [answer.text, tries])).toEqual([
      ['afresh', 1],
      ['afresh', 1],
    ])
    expectNothingTwice()
  })

  it('without a sign: it stands still, its connections stay', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([read, results, { say: 'live' }, { end: true }], afresh)
    const body = askCursor('read it')
    const first = await answerOf(owner.url, body, 'streamed')
    owner.kill('SIGSTOP')
    const { answer, tries, ms } = await askUntilAnswered([other.url], followUp(body, first, ['A']))
    kill()
    expect(answer).toMatchObject({ text: 'afresh', session: 'fresh' })
    expect(tries).toBe(1)
    expect(ms).toBeLessThan(10_000)
    expectNothingTwice()
  })

  it('in the middle of a text that is relayed', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([read, results, { say: 'half' }, forEver], afresh)
    const body = askCursor('read it')
    const first = await answerOf(owner.url, body, 'streamed')
    const next = followUp(body, first, ['A'])
    expect(await readBeyond('half', other.url, next, kill)).toContain('send the request again')
    expect((await askUntilAnswered([other.url], next)).answer.text).toBe('afresh')
    expectNothingTwice()
  })

  it('in the middle of a text that its own client reads', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([read, results, { say: 'half' }, forEver], afresh)
    const body = askCursor('read it')
    const first = await answerOf(owner.url, body, 'streamed')
    const next = followUp(body, first, ['A'])
    await expect(readBeyond('half', owner.url, next, kill)).rejects.toThrow('terminated')
    expect((await askUntilAnswered([owner.url, other.url], next)).answer.text).toBe('afresh')
    expectNothingTwice()
  })

  it('between results that were handed in and the request that carries them', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([read, results, pause, { say: 'live' }, { end: true }], afresh)
    const body = askCursor('read it')
    const first = await answerOf(owner.url, body, 'streamed')
    const handed = await fetch(`${other.url}/v1/tool_results`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool_call_id: first.calls[0]?.id, content: 'A' }),
    })
    expect([handed.status, await handed.json()]).toEqual([
      200,
      { accepted: [first.calls[0]?.id], duplicate: [] },
    ])
    await sleep(100)
    kill()
    const { answer } = await askUntilAnswered([other.url], followUp(body, first, ['A']))
    expect(answer).toMatchObject({ text: 'afresh', session: 'fresh' })
    expectNothingTwice()
  })

  it('when its turn has ended: the next message is answered all the same', async () => {
    const { owner, kill } = await startOwner()
    around.sim.play([{ say: 'Hello.' }, { end: true }], afresh)
    const body = askCursor('hi')
    await answerOf(owner.url, body, 'streamed')
    kill()
    const messages = [
      ...(body.messages as object[]),
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'and?' },
    ]
    const { answer } = await askUntilAnswered([owner.url, other.url], { ...body, messages })
    expect(answer).toMatchObject({ text: 'afresh', session: 'fresh' })
    expectNothingTwice()
  })
})
