// Reasons to end a probe before its last task, and their messages.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import { CouldNotRun } from '../../src/judge/probe/probe.ts'
import { Spending } from '../../src/judge/probe/spending.ts'
import { allTasks, chooseTasks } from '../../src/judge/probe/tasks.ts'
import { atTestEnd } from '../at-end.ts'
import { upstreamKey } from '../harness.ts'
import { neverCalls, type Persona, perfect, startPersona, tryModel } from './personas.ts'

const some = (...names: string[]) => {
  const chosen = chooseTasks(names)
  return 'tasks' in chosen ? chosen.tasks : []
}

describe('a model without tools', () => {
  it('is recognised after three tasks, with what to try', async () => {
    const sim = await startPersona(neverCalls)
    const { report, runs } = await tryModel(sim.url, { all: false, concurrency: 1 })
    expect(runs.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed'])
    expect(report).toMatchObject({ state: 'partial', score: 0, total: 3, planned: allTasks.length })
    expect(report.stopped).toBe(
      'this model does not call tools: the first 3 tasks that need one got no call. Try "tools": "text".',
    )
  })

  it('is recognised by what its service says, too', async () => {
    const words = "This model's chat template does not support tools."
    const sim = await startPersona(() => [{ status: 400, body: { error: { message: words } } }])
    const { report } = await tryModel(sim.url, { all: false, concurrency: 1 })
    expect(report.stopped).toContain(`got no call (box: ${words}). Try "tools": "text".`)
    expect(report.blame).toEqual({ model: 0, upstream: 3, gateway: 0 })
  })

  it('is recognised where the service’s own words pass unchanged', async () => {
    const sim = await startTextSim({ apiKey: upstreamKey })
    atTestEnd(() => sim.close())
    const { report } = await tryModel(sim.url, { all: false, concurrency: 1 })
    expect(report.stopped).toContain(
      "got no call (box: Unsupported parameter: 'tools'. This model has no tools.)",
    )
    expect(report.blame).toEqual({ model: 0, upstream: 3, gateway: 0 })
  })

  it('is none that has called once', async () => {
    const once: Persona = (situation) =>
      situation.task.id === 'single.weather' ? perfect(situation) : neverCalls(situation)
    const sim = await startPersona(once)
    const { report } = await tryModel(sim.url, { all: false, tasks: some('single', 'types') })
    expect(report).toMatchObject({ state: 'complete', passed: 1, total: 7 })
  })
})

describe('a service that cannot be asked', () => {
  it('that is down', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await expect(tryModel(`http://127.0.0.1:${port}`)).rejects.toThrow(/^box: .*ECONNREFUSED/)
  })

  it.each([
    { status: 401, says: 'No such key.', message: /^box: the credential that the gateway has/ },
    { status: 404, says: 'The model does not exist.', message: /^box: The model does not exist/ },
    { status: 402, says: 'Pay first.', message: /^box: Pay first/ },
    { status: 503, says: 'Overloaded.', message: /^box: Overloaded/ },
  ])('that answers $status', async ({ status, says, message }) => {
    const sim = await startPersona(() => [{ status, body: { error: { message: says } } }])
    const tried = tryModel(sim.url, { concurrency: 1 })
    await expect(tried).rejects.toThrow(CouldNotRun)
    await expect(tried).rejects.toThrow(message)
    expect(sim.requests.length).toBe(1)
  })

  it('that says nothing in time', async () => {
    const sim = await startPersona(() => [{ wait: 60_000 }])
    await expect(tryModel(sim.url, { timeoutMs: 100 })).rejects.toThrow('within 0.1 s')
  })

  it('by a wrong key', async () => {
    const sim = await startOpenAISim({ apiKey: 'another-key' })
    atTestEnd(() => sim.close())
    await expect(tryModel(sim.url)).rejects.toThrow('invalid_api_key')
  })

  it('that refuses what is no matter of tools, three times', async () => {
    const sim = await startPersona(() => [{ status: 400, body: { error: { message: 'No.' } } }])
    await expect(tryModel(sim.url, { concurrency: 1 })).rejects.toThrow(
      '3 tasks in a row failed at the service: box: No.',
    )
    expect(sim.requests.length).toBe(3)
  })
})

describe('a service that goes away in the middle', () => {
  const failsFrom =
    (id: string, status: number): Persona =>
    (situation) =>
      allTasks.findIndex((task) => task.id === id) > allTasks.indexOf(situation.task)
        ? perfect(situation)
        : [{ status, body: { error: { message: 'gone' } } }]

  it('for good: what there is is reported', async () => {
    const sim = await startPersona(failsFrom('right-tool.calendar', 401))
    const { report } = await tryModel(sim.url, { concurrency: 1 })
    expect(report).toMatchObject({ state: 'partial', passed: 5, total: 6, blame: { upstream: 1 } })
    expect(report.stopped).toMatch(/^box: the credential that the gateway has/)
  })

  it('for a while: three tasks in a row are enough', async () => {
    const sim = await startPersona(failsFrom('right-tool.calendar', 500))
    const { report } = await tryModel(sim.url, { concurrency: 1 })
    expect(report).toMatchObject({ state: 'partial', passed: 5, total: 8, blame: { upstream: 3 } })
    expect(report.stopped).toContain('3 tasks in a row failed at the service')
    expect(report.failures[0]).toMatchObject({ code: 'upstream-unavailable', expected: 'an answer' })
  })

  it('for one task: the others are run', async () => {
    const once: Persona = (situation) =>
      situation.task.id === 'single.read' ? [{ status: 500 }] : perfect(situation)
    const sim = await startPersona(once)
    const { report } = await tryModel(sim.url, { concurrency: 1, tasks: some('single') })
    expect(report).toMatchObject({ state: 'complete', passed: 2, total: 3 })
  })
})

describe('the budget', () => {
  it('ends the probe before a request that it does not cover', async () => {
    const sim = await startPersona(perfect)
    const { report } = await tryModel(sim.url, { concurrency: 1, budget: 2_000 })
    expect(report.state).toBe('partial')
    expect(report.inputTokens + report.outputTokens).toBeLessThanOrEqual(2_000)
    expect(report.score).toBe(100)
    expect(report.stopped).toMatch(/^the budget of 2000 tokens does not cover the next request/)
  })

  it('includes running requests, and counts failed ones', () => {
    const spending = new Spending(250)
    const body = 'x'.repeat(400)
    expect([spending.reserve(body), spending.reserve(body)]).toEqual([100, 100])
    spending.settle(100, { input: 90, output: 40 })
    spending.settle(100, undefined)
    expect(spending).toMatchObject({ tokens: 230, isOver: false })
    expect(spending.reserve(body)).toBeUndefined()
    expect(spending.isOver).toBe(true)
  })
})

describe('an interruption', () => {
  it('keeps the judged tasks only', async () => {
    const interrupt = new AbortController()
    const hangs: Persona = (situation) => {
      if (situation.task.id !== 'single.convert') return perfect(situation)
      setTimeout(() => interrupt.abort(), 20)
      return [{ wait: 60_000 }]
    }
    const sim = await startPersona(hangs)
    const { report, runs } = await tryModel(sim.url, { concurrency: 1, signal: interrupt.signal })
    expect(report).toMatchObject({ state: 'partial', passed: 2, total: 2, stopped: 'it was interrupted' })
    expect(runs.at(-1)?.outcome).toBe('stopped')
  })
})

describe('several runs of each task', () => {
  it('give a rate', async () => {
    let times = 0
    const everyOther: Persona = (situation) =>
      situation.turn === 0 && times++ % 2 === 1 ? neverCalls(situation) : perfect(situation)
    const sim = await startPersona(everyOther)
    const { report } = await tryModel(sim.url, { concurrency: 1, repeat: 4, tasks: some('single.weather') })
    expect(report).toMatchObject({ score: 50, passed: 2, total: 4, planned: 4 })
    expect(report.tasks).toMatchObject([{ task: 'single.weather', passed: 2, total: 4 }])
    expect(report.failures.map(({ attempt }) => attempt)).toEqual([2, 4])
  })
})
