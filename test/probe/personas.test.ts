// Models with known weaknesses: exactly the matching tasks fail, with the right cause.

import { describe, expect, it } from 'vitest'
import { groupOf, maxTurns, needsCalls } from '../../src/judge/probe/task.ts'
import { allTasks, groups } from '../../src/judge/probe/tasks.ts'
import { isNightly, spread } from '../depth.ts'
import { upstreamKey } from '../harness.ts'
import {
  alwaysParallel,
  breaksJson,
  forgetsUnicode,
  ignoresToolChoice,
  loops,
  neverCalls,
  perfect,
  startPersona,
  tryModel,
} from './personas.ts'

const withCalls = allTasks.filter(needsCalls).map(({ id }) => id)

describe('a model that makes no mistake', () => {
  const ways = [
    { door: 'chat', stream: true },
    { door: 'chat', stream: false },
    { door: 'messages', stream: true },
    { door: 'messages', stream: false },
    { door: 'responses', stream: true },
    { door: 'responses', stream: false },
    { door: 'gemini', stream: true },
    { door: 'gemini', stream: false },
  ] as const

  it.each(spread(ways, 1))('passes everything, by $door, stream: $stream', async ({ door, stream }) => {
    const sim = await startPersona(perfect)
    const { report } = await tryModel(sim.url, { door, stream })
    expect(report.failures).toEqual([])
    expect(report).toMatchObject({ score: 100, state: 'complete', passed: allTasks.length })
    expect(report.groups.map(({ group }) => group)).toEqual(groups.map(({ name }) => name))
    expect(report.inputTokens).toBeGreaterThan(10_000)
    expect(report.firstTokenMs === undefined).toBe(!stream)
  })
})

describe.runIf(isNightly)(
  'a model that makes no mistake, on a service that is spoken to in another way',
  () => {
    it.each([
      ['anthropic', { kind: 'anthropic', apiKey: upstreamKey }],
      ['text', { kind: 'openai', apiKey: upstreamKey, tools: 'text' }],
    ] as const)('%s: nothing is lost on the way', async (service, settings) => {
      const sim = await startPersona(perfect, service)
      const baseUrl = service === 'text' ? `${sim.url}/v1` : sim.url
      const { report } = await tryModel('', { settings: { backends: { box: { ...settings, baseUrl } } } })
      expect(report.failures).toEqual([])
      expect(report.score).toBe(100)
    })
  },
)

describe('a model that never calls', () => {
  it('fails wherever a call is needed, and nowhere else', async () => {
    const sim = await startPersona(neverCalls)
    const { report } = await tryModel(sim.url)
    expect(report.failures.map(({ task }) => task)).toEqual(withCalls)
    expect(report.blame).toEqual({ model: withCalls.length, upstream: 0, gateway: 0 })
  })
})

describe('a model that writes broken JSON', () => {
  it('fails with every call; the gateway has handed none of them on', async () => {
    const sim = await startPersona(breaksJson)
    const { report } = await tryModel(sim.url)
    expect(report.failures.map(({ task }) => task)).toEqual(withCalls)
    expect(report.blame).toEqual({ model: withCalls.length, upstream: 0, gateway: 0 })
    expect(report.failures[0]?.came).toContain('malformed arguments for tool "get_weather"')
  })
})

describe('a model that goes round in circles', () => {
  it.runIf(isNightly)('is stopped after a few answers', async () => {
    const sim = await startPersona(loops)
    const tasks = allTasks.filter((task) => groupOf(task) !== 'big-arguments')
    const { runs, report } = await tryModel(sim.url, { tasks })
    const failed = runs.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ task }) => task)).toEqual(tasks.filter(needsCalls))
    for (const { task, requests } of failed) expect(requests).toBe(maxTurns(task))
    expect(report.failures[0]).toMatchObject({ blame: 'model', expected: 'an end after at most 5 answers' })
  })
})

describe.runIf(isNightly)('a model with one weakness', () => {
  it.each([
    { name: 'ignores tool_choice', persona: ignoresToolChoice, fails: ['tool-choice'] },
    // Beside the one tool that it must call, it calls another.
    {
      name: 'always calls everything at once',
      persona: alwaysParallel,
      fails: ['steps', 'tool-choice', 'recovery', 'one-at-a-time'],
    },
    { name: 'forgets what is not ASCII', persona: forgetsUnicode, fails: ['unicode'] },
  ])('that $name: $fails', async ({ persona, fails }) => {
    const sim = await startPersona(persona)
    const { failedGroups, report } = await tryModel(sim.url)
    expect(failedGroups).toEqual(fails)
    expect(report.blame).toMatchObject({ upstream: 0, gateway: 0 })
  })

  it('ignores tool_choice: all three of its tasks fail', async () => {
    const sim = await startPersona(ignoresToolChoice)
    const tasks = allTasks.filter((task) => groupOf(task) === 'tool-choice')
    const { report } = await tryModel(sim.url, { tasks })
    expect(report.failures.map(({ came }) => came)).toEqual([
      'get_weather({"city":"Lima"})',
      'no call, but "I am fine, thank you."',
      'get_weather({"city":"Lima"})',
    ])
  })
})
