// A gateway in front of one simulator per quirk, and what its doors tell of repairs.

import { type Quirk, startOpenAISim } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { argumentsNote, type RepairKind, repairNotes } from '../../src/core/repairs.ts'
import { type Bench, startGateway, upstreamKey } from '../harness.ts'
import { askAt, type Door, doors } from './at-doors.ts'
import type { Expected } from './repair-rows.ts'

export const clean = 'clean'

/** `inPieces`: the client gets arguments as they come, so the gateway writes every chunk itself. */
export interface RepairForm {
  door: Door
  stream: boolean
  inPieces?: true
}

export const repairForms: readonly RepairForm[] = [
  ...doors.flatMap((door) => [true, false].map((stream) => ({ door, stream }))),
  { door: 'chat', stream: true, inPieces: true },
]

const path = { type: 'object', properties: { path: { type: 'string' } } }
const any = { type: 'object', properties: {} }
const offered = [
  { name: 'read', description: 'Read a file', schema: path },
  { name: 'list', description: 'List the files', schema: any },
]
const functions = offered.map(({ schema, ...tool }) => ({
  type: 'function',
  function: { ...tool, parameters: schema },
}))
const toolsAt: Record<Door, unknown> = {
  chat: functions,
  ollama: functions,
  messages: offered.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
  responses: offered.map(({ schema, ...tool }) => ({ type: 'function', ...tool, parameters: schema })),
  gemini: [{ functionDeclarations: offered.map(({ schema, ...tool }) => ({ ...tool, parametersJsonSchema: schema })) }],
} // biome-ignore format: one line a door

/** The notes in the log, and the text in which the client was told. */
interface Told {
  status: number
  logged: string[]
  told: string
  text: string
}

export interface RepairBench extends Pick<Bench, 'gateway'> {
  ask(upstream: string, form: RepairForm, steps: readonly Step[]): Promise<Told>
  close(): Promise<void>
}

export async function startRepairBench(
  api: 'chat' | 'responses',
  quirks: readonly string[],
  settings: Record<string, unknown> = {},
): Promise<RepairBench> {
  const sims = new Map<string, Sim>()
  const backends: Record<string, unknown> = {}
  for (const name of [clean, ...quirks]) {
    const own = name === clean ? [] : [name as Quirk]
    const sim = await startOpenAISim({ apiKey: upstreamKey, quirks: own, lenient: true })
    sims.set(name, sim)
    backends[nameOf(name)] = { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: upstreamKey, api }
  }
  const clients = { cline: { toolArguments: 'streamed' } }
  const started = await startGateway({ backends, clients, ...settings })
  return {
    gateway: started.gateway,
    async ask(upstream, form, steps) {
      const sim = sims.get(upstream)
      sim?.play(steps)
      const told = await askNoted(started, form, `${nameOf(upstream)}/gpt-demo`)
      sim?.clear()
      return told
    },
    async close() {
      await started.gateway.close()
      await Promise.all([...sims.values()].map((sim) => sim.close()))
    },
  }
}

export async function askNoted(
  { url, logs }: Pick<Bench, 'url' | 'logs'>,
  form: RepairForm,
  model: string,
): Promise<Told> {
  logs.length = 0
  const headers = form.inPieces ? { 'user-agent': 'cline/3' } : {}
  const question = { model, more: { tools: toolsAt[form.door] } }
  const { status, text, notes } = await askAt(url, form, question, headers)
  const told = `${notes === text ? '' : notes}\n${lateNotes(text)}`
  return { status, logged: await notesIn(logs), told, text }
}

const nameOf = (name: string) => name.replaceAll('_', '-')

/** The line of a turn is written after its answer. */
async function notesIn(logs: readonly string[]): Promise<string[]> {
  for (;;) {
    const line = logs.map((one) => JSON.parse(one)).find(({ message }) => message === 'turn')
    if (line) return line.notes ?? []
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** The comment at the end of a stream, or the member that Gemini's and Ollama's have. */
function lateNotes(text: string): string {
  const comment = /^: x-dragoman-notes: (.*)$/m.exec(text)?.[1] ?? ''
  const member = /"(?:dragomanNotes|dragoman_notes)":(\[.*?\])[,}]/.exec(text)?.[1]
  return comment + (member === undefined ? '' : (JSON.parse(member) as string[]).join('; '))
}

export const notesFor = (expected: readonly Expected[]): string[] => expected.map(noteFor)

function noteFor(expected: Expected): string {
  if (expected.startsWith('= ')) return expected.slice(2)
  return expected.startsWith(': ') ? argumentsNote(expected.slice(2)) : repairNotes[expected as RepairKind]
}
