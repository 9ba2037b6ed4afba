// What every door must do, whatever backend is behind it: the official client of its dialect talks to a gateway on
// simulators. A new door brings a `DoorClient` and starts here (CONTRIBUTING.md). Each skip says why.

import { afterEach, describe, expect, it } from 'vitest'
import type { Fault, Step } from '../../sim/script.ts'
import { isNightly, spread } from '../depth.ts'
import type { Bench } from '../harness.ts'
import { cloudBackends, type DoorBackend, doorBackends } from './door-backends.ts'
import { check, DoorBench, type DoorForm, doorForms, hello } from './door-bench.ts'
import type { DoorAnswer, DoorClient, DoorTurn } from './door-client.ts'
import { pixel, receivedPicture } from './door-results.ts'

const files: Record<string, string> = { 'README.md': '# Dragoman\nmore', 'notes.txt': 'first note' }

/** By day every form of one backend, and one of another; at night all of all, Claude on a cloud among them. */
const formsOf = (backend: DoorBackend): readonly DoorForm[] =>
  isNightly || backend === doorBackends[0] ? doorForms : doorForms.slice(0, 1)

export function describeDoor(client: DoorClient, bench: Bench): void {
  for (const backend of [...spread(doorBackends, 2), ...spread(cloudBackends, 0)])
    for (const form of formsOf(backend))
      describe(`door contract: ${client.name} on ${backend.model}, ${form.name}`, () => {
        const door = new DoorBench(client, bench, backend, form)
        // Everything was asked for, and once; nothing that the agent's service would object to.
        afterEach(() => {
          expect(backend.unplayed(bench)).toBe(0)
          expect(bench.cursor.violations).toEqual([])
        })
        if (form.headers === undefined) describeAnswers(door)
        describeCalls(door)
        describeDeaths(door)
        describeFailures(door)
      })
}

const call = (path: string): Step => ({ call: { name: 'read', arguments: { path } } })
/** Earlier text reaches the gateway even if the connection is reset. */
const dies = (fault: Fault): Step[] => (fault === 'reset' ? [{ wait: 20 }, { fault }] : [{ fault }])
const shapeOf = ({ calls }: DoorAnswer) => calls.map(({ name, input }) => [name, input])

function describeAnswers(door: DoorBench): void {
  const { givesReasons, signs, refusal } = door.backend
  const { alwaysThinks, refusesApart, hidesRefusals } = door.client
  const refused = hidesRefusals ? 'stop' : 'refusal'
  const noReasons = !givesReasons && 'its service gives no reason'

  it('text and usage', async () => {
    door.play([{ say: 'Grüße 🙂', pieces: 3 }])
    const answer = await door.ask(hello)
    expect(answer).toMatchObject({ text: 'Grüße 🙂', thinking: '', refusal: '', calls: [], end: 'stop' })
    expect(answer.inputTokens).toBeGreaterThan(0)
    expect(answer.outputTokens).toBeGreaterThan(0)
  })

  it('thinking, if requested', async () => {
    door.play([{ think: 'let me see', pieces: 2 }, { say: 'so' }])
    const answer = await door.ask(hello, { thinking: true })
    expect(answer).toMatchObject({ text: 'so', thinking: 'let me see', end: 'stop' })
  })

  const shown =
    (signs && 'it must come back, with its proof') || (alwaysThinks === true && 'clients pass over it')
  check('no thinking for who does not', shown, async () => {
    door.play([{ think: 'let me see' }, { say: 'so' }])
    expect(await door.ask(hello)).toMatchObject({ text: 'so', thinking: '' })
  })

  check('an answer that was cut off', noReasons, async () => {
    door.play([{ say: 'half an' }, { end: 'length' }])
    expect(await door.ask(hello)).toMatchObject({ text: 'half an', calls: [], end: 'length' })
  })

  check('a refusal', noReasons, async () => {
    door.play([{ say: 'I would rather not' }, { end: 'refusal' }])
    expect(await door.ask(hello)).toMatchObject({ text: 'I would rather not', end: refused })
  })

  check('a refusal in words of their own kind', !refusal && 'its service has none', async () => {
    door.play(refusal?.[door.form.stream ? 'streamed' : 'whole'] ?? [])
    expect(await door.ask(hello)).toMatchObject(
      refusesApart
        ? { text: '', refusal: 'I will not.', end: 'stop' }
        : { text: 'I will not.', end: refused },
    )
  })
}

function describeCalls(door: DoorBench): void {
  const flags = door.client.flagsErrors === true

  it('one call and its result', async () => {
    door.play([call('a')], [{ say: 'done' }])
    const first = await door.ask(hello)
    expect(shapeOf(first)).toEqual([['read', { path: 'a' }]])
    expect(first).toMatchObject({ text: '', end: 'calls' })
    const [{ id: callId } = { id: '' }] = first.calls
    const second = await door.ask([...hello, { answer: first }, { results: [{ callId, text: 'A <b>&' }] }])
    expect(second).toMatchObject({ text: 'done', calls: [], end: 'stop' })
    expect(door.backend.received(door.bench)).toEqual([{ text: 'A <b>&', isError: false }])
  })

  it('three calls at once; their results in another order, one of them an error, one a picture', async () => {
    door.play([{ say: 'Reading.' }, call('a'), call('b "ü"'), call('c')], [{ say: 'done' }])
    const first = await door.ask(hello)
    expect(shapeOf(first)).toEqual(['a', 'b "ü"', 'c'].map((path) => ['read', { path }]))
    expect(first).toMatchObject({ text: 'Reading.', end: 'calls' })
    expect(new Set(first.calls.map(({ id }) => id)).size).toBe(3)
    for (const { id } of first.calls) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    const [a = '', b = '', c = ''] = first.calls.map(({ id }) => id)
    const results = [
      { callId: c, text: 'see', image: pixel },
      { callId: a, text: 'no such file', isError: true },
      { callId: b, text: '' },
    ]
    const second = await door.ask([...hello, { answer: first }, { results }])
    expect(second).toMatchObject({ text: 'done', calls: [], end: 'stop' })
    expect(door.backend.received(door.bench)).toEqual([
      { text: 'no such file', isError: flags },
      { text: '', isError: false },
      { text: 'see', isError: false },
    ])
    expect(receivedPicture(door.bench)).toBe(true)
  })

  it('a call without arguments after thinking, and its result', async () => {
    door.play([{ think: 'hm' }, { call: { name: 'list', arguments: {} } }], [{ say: 'done' }])
    const first = await door.ask(hello, { thinking: true })
    expect(shapeOf(first)).toEqual([['list', {}]])
    expect(first).toMatchObject({ thinking: 'hm', end: 'calls' })
    const [{ id: callId } = { id: '' }] = first.calls
    const turns: DoorTurn[] = [...hello, { answer: first }, { results: [{ callId, text: 'a.txt' }] }]
    expect(await door.ask(turns, { thinking: true })).toMatchObject({ text: 'done', end: 'stop' })
    expect(door.backend.received(door.bench)).toEqual([{ text: 'a.txt', isError: false }])
  })

  it('a loop of calls and results to its end', async () => {
    const turns: DoorTurn[] = [{ user: 'Read README.md, then read notes.txt' }]
    let answer = await door.ask(turns)
    let rounds = 0
    while (answer.calls.length > 0 && rounds++ < 4) {
      const results = answer.calls.map(({ id, input }) => ({
        callId: id,
        text: files[String((input as { path: string }).path)] ?? 'no such file',
      }))
      turns.push({ answer }, { results })
      answer = await door.ask(turns)
    }
    expect(rounds).toBe(2)
    expect(answer.text).toContain('first note')
  })

  const { cutOff, halfCall } = door.backend
  const { stream, headers } = door.form
  const uncut =
    (!stream && 'a call that is cut shows in streams') ||
    (!cutOff && 'its calls come whole') ||
    (headers !== undefined && 'its beginning was shown, and the end says that it was cut')
  check('a call that was cut off is none', uncut, async () => {
    door.play([...halfCall, ...(cutOff ?? [])])
    expect(await door.ask(hello)).toMatchObject({ calls: [], end: 'length' })
  })
}

function describeDeaths(door: DoorBench): void {
  const { stream } = door.form
  const { halfCall, callsEnd } = door.backend

  it.each(['reset', 'fin'] as const)('%s before any text: an error status', async (fault) => {
    door.play([{ fault }])
    expect((await door.failure(hello)).status).toBeGreaterThanOrEqual(500)
  })

  it.each(['reset', 'fin', 'truncate'] as const)('%s after some text: never a clean end', async (fault) => {
    door.play([{ say: 'half an answer' }, ...dies(fault), { say: 'never' }])
    let seen = false
    const { status } = await door.failure(hello, {
      onText: () => {
        seen = true
      },
    })
    expect(seen).toBe(stream)
    if (stream) expect(status).toBeUndefined()
    else expect(status).toBeGreaterThanOrEqual(500)
  })

  const wholeOnly = !stream && 'what is not streamed dies as a whole'
  check('in the middle of a call', wholeOnly, async () => {
    for (const fault of ['reset', 'fin'] as const) {
      door.play([...halfCall, ...dies(fault)])
      const { status = 500 } = await door.failure(hello)
      expect(status).toBeGreaterThanOrEqual(500)
    }
  })

  const ended = wholeOnly || (callsEnd && 'the answer ends with its calls')
  check('behind a call, before the end', ended, async () => {
    for (const fault of ['reset', 'fin'] as const) {
      door.play([call('a'), ...dies(fault)])
      const { status = 500 } = await door.failure(hello)
      expect(status).toBeGreaterThanOrEqual(500)
    }
  })
}

function describeFailures(door: DoorBench): void {
  it('a request that is wrong, and a model that is not there', async () => {
    expect(await door.failure([])).toMatchObject({
      status: 400,
      message: expect.stringContaining(door.client.conversation),
    })
    expect((await door.failure(hello, { model: 'nowhere' })).status).toBe(404)
  })

  it('a client that goes away before the answer is seen upstream', async () => {
    const leaving = new AbortController()
    door.play([{ fault: 'hang' }])
    const asked = door.ask(hello, { signal: leaving.signal })
    while (!door.backend.asked(door.bench)) await new Promise((resolve) => setTimeout(resolve, 2))
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await door.backend.aborted(door.bench)
  })

  const apart = !door.form.stream && 'an answer that is not streamed has no middle'
  check('and so is one that goes away in the middle', apart, async () => {
    const leaving = new AbortController()
    door.play(door.backend.endless)
    await expect(door.ask(hello, { signal: leaving.signal, onText: () => leaving.abort() })).rejects.toThrow()
    await door.backend.aborted(door.bench)
  })
}
