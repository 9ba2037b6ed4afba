// Models of known character on the OpenAI simulator: each task is recognised by its question, each answer is what a model of
// that character would say at that point.

import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { RecordedRequest } from '../../sim/recording.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { startTextSim } from '../../sim/text-chat.ts'
import type { InternalOptions } from '../../src/gateway.ts'
import { clients } from '../../src/judge/clients/all.ts'
import type { DoorName } from '../../src/judge/clients/answer.ts'
import { FailureLog } from '../../src/judge/probe/failure.ts'
import { type ProbeOptions, type ProbeResult, probe } from '../../src/judge/probe/probe.ts'
import { makeReport, type Report } from '../../src/judge/probe/report.ts'
import type { TaskRun } from '../../src/judge/probe/run-task.ts'
import { groupOf, type IdealTurn, type Task } from '../../src/judge/probe/task.ts'
import { allTasks } from '../../src/judge/probe/tasks.ts'
import { atTestEnd } from '../at-end.ts'
import { noRetries, startGateway, upstreamKey } from '../harness.ts'

export interface Situation {
  task: Task
  /** How many answers were given before this one. */
  turn: number
  ideal: IdealTurn
  request: RecordedRequest
}

/** What it says in this situation. */
export type Persona = (situation: Situation) => IdealTurn | Step[]

export const perfect: Persona = ({ ideal }) => ideal

export const neverCalls: Persona = ({ task }) => ({ text: task.ideal.at(-1)?.text ?? 'Well.' })

export const breaksJson: Persona = ({ ideal }) =>
  (ideal.calls ?? []).length === 0
    ? ideal
    : (ideal.calls ?? []).map(([name, input]) => ({
        call: { name, arguments: `${JSON.stringify(input).slice(0, -1)},"and` },
      }))

/** What it has called, it calls again. */
export const loops: Persona = ({ task, ideal }) =>
  task.ideal.find(({ calls = [] }) => calls.length > 0) ?? ideal

export const ignoresToolChoice: Persona = ({ task, turn, ideal }) => {
  if (task.toolChoice === undefined || turn > 0) return ideal
  if (task.toolChoice === 'required') return { text: 'I am fine, thank you.' }
  return { calls: [['get_weather', { city: 'Lima' }]] }
}

/** All that it would ever call, at once. */
export const alwaysParallel: Persona = ({ task, turn }) => {
  const calls = task.ideal.flatMap((step) => step.calls ?? [])
  return turn === 0 && calls.length > 0 ? { calls } : { text: task.ideal.at(-1)?.text ?? '' }
}

export const forgetsUnicode: Persona = ({ ideal }) => {
  const ascii = (text: string) => text.replace(/\P{ASCII}/gu, '?')
  return {
    ...(ideal.text === undefined ? {} : { text: ascii(ideal.text) }),
    calls: (ideal.calls ?? []).map(([name, input]) => [name, JSON.parse(ascii(JSON.stringify(input)))]),
  }
}

/** The services that such a model can stand behind. */
const services = { openai: startOpenAISim, anthropic: startAnthropicSim, text: startTextSim }

/** A simulator with that model. */
export async function startPersona(
  persona: Persona,
  service: keyof typeof services = 'openai',
): Promise<Sim> {
  const sim: Sim = await services[service]({
    apiKey: upstreamKey,
    onRequest: (request) => {
      if (request.method !== 'POST') return
      const said = persona(recognise(request))
      sim.play({ when: (other) => other === request, steps: Array.isArray(said) ? said : toSteps(said) })
    },
  })
  atTestEnd(() => sim.close())
  return sim
}

interface WireMessage {
  role: string
  content: unknown
}

function recognise(request: RecordedRequest): Situation {
  const { messages } = request.body as { messages: WireMessage[] }
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
  const isAsked = (text: string) =>
    asked.some((content) => content.includes(JSON.stringify(text).slice(1, -1)))
  const task = allTasks.find(({ messages: own }) =>
    own.every((message) => message.role !== 'user' || isAsked(message.text)),
  )
  if (task === undefined) throw new Error('no task asks this')
  const before = task.messages.filter(({ role }) => role === 'assistant').length
  const turn = messages.filter(({ role }) => role === 'assistant').length - before
  return { task, turn, ideal: task.ideal[turn] ?? task.ideal.at(-1) ?? {}, request }
}

const toSteps = ({ text, calls = [] }: IdealTurn): Step[] => [
  ...(text === undefined ? [] : [{ say: text, pieces: 3 }]),
  ...calls.map(([name, input]) => ({ call: { name, arguments: input }, pieces: 3 })),
]

export interface Trial extends Partial<Omit<ProbeOptions, 'door'>> {
  door?: DoorName
  gateway?: Partial<InternalOptions>
  settings?: Record<string, unknown>
}

export interface Tried extends ProbeResult {
  report: Report
  /** Groups in which something failed. */
  failedGroups: string[]
  run(id: string): TaskRun
}

/** A probe of the model `box/gpt-demo` at this address. */
export async function tryModel(url: string, trial: Trial = {}): Promise<Tried> {
  const failures = new FailureLog()
  const { door: doorName = 'chat', gateway: gatewayOptions, settings, ...more } = trial
  const { gateway } = await startGateway(
    { backends: { box: { kind: 'openai', baseUrl: `${url}/v1`, apiKey: upstreamKey } }, ...settings },
    { retryPolicy: noRetries, writeLog: failures.onLine, ...gatewayOptions },
  )
  atTestEnd(() => gateway.close())
  const options: ProbeOptions = {
    ...{ model: 'box/gpt-demo', tasks: allTasks, stream: true, repeat: 1, concurrency: 4, all: true },
    ...{ timeoutMs: 20_000, backends: ['box'], noToolsHint: 'Try "tools": "text".', failures },
    client: clients[doorName],
    fetch: (request) => gateway.fetch(request),
    signal: new AbortController().signal,
    ...more,
  }
  const result = await probe(options)
  const report = makeReport(result.runs, {
    ...{ dragoman: 'test', model: options.model, door: doorName, stream: options.stream },
    ...{ startedAt: new Date(0), milliseconds: 1000, tasks: options.tasks, repeat: options.repeat },
    stopped: result.stopped,
    tapesOf: () => [],
  })
  const failed = result.runs.filter(({ outcome }) => outcome === 'failed')
  return {
    ...result,
    report,
    failedGroups: [...new Set(failed.map(({ task }) => groupOf(task)))],
    run: (id) => result.runs.find(({ task }) => task.id === id) as TaskRun,
  }
}
