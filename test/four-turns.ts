// A conversation of four turns (tools, text, tools, text) as a Chat client has it, which carries no thinking: what the
// gateway sent of it, and what became of it.

import type { Step } from '../sim/script.ts'
import type { Sim } from '../sim/server.ts'
import { answered, type Body, called, chat, chatStream, readTool, user } from './harness.ts'

export interface Turns {
  /** The statuses of all requests at the service. */
  statuses: (number | undefined)[]
  /** How many thinking blocks each request had. */
  replayed: number[]
  notes: string
  /** What the client was shown as reasoning, turn by turn. */
  reasoning: string[]
}

export interface Course {
  model: string
  stream: boolean
  sim: Sim
  url(turn: number): string | Promise<string>
  more?: Body
  /** The request of a turn (0 to 3) as the client sends it. */
  change?(body: Body & { messages: Body[]; tools: Body[] }, turn: number): Body
}

/** Deterministic, as every wish of a test; ids of calls differ from course to course, as the service's do. */
let courses = 0

export async function fourTurns({ model, stream, sim, url, more, change }: Course): Promise<Turns> {
  const course = ++courses
  sim.clear()
  const messages: Body[] = [{ role: 'system', content: 'Be brief.' }, user(`read a (${course})`)]
  const notes: string[] = []
  const reasoning: string[] = []
  for (let turn = 0; turn < 4; turn++) {
    const id = `toolu_${course}_${turn}`
    const isCall = turn % 2 === 0
    sim.play(stepsOf(turn, isCall ? id : undefined))
    const plain = { model, ...more, messages: [...messages], tools: [readTool] }
    const body = change?.(plain, turn) ?? plain
    const said = stream ? await streamed(await url(turn), body) : await whole(await url(turn), body)
    notes.push(said.notes)
    reasoning.push(said.reasoning)
    if (said.problem !== undefined) throw new Error(`turn ${turn}: ${said.problem}`)
    if (isCall !== (said.calls.length === 1)) throw new Error(`turn ${turn}: ${JSON.stringify(said)}`)
    messages.push({
      role: 'assistant',
      content: said.text || null,
      ...(isCall && { tool_calls: said.calls }),
    })
    messages.push(isCall ? answered(id, `contents of a, number ${turn}`) : user('and now b'))
  }
  const { requests } = sim
  return {
    statuses: requests.map(({ status }) => status),
    replayed: requests.map(({ body }) => thoughtsOf(body)),
    notes: notes.join('\n'),
    reasoning,
  }
}

const stepsOf = (turn: number, id: string | undefined): Step[] =>
  id === undefined
    ? [{ think: `thought ${turn}` }, { say: `It says number ${turn}.` }]
    : [
        { think: `thought ${turn}` },
        { say: 'Let me see.' },
        { call: { name: 'read', arguments: { path: 'a' }, id } },
      ]

const thoughtsOf = (body: unknown) =>
  (JSON.stringify((body as Body).messages).match(/"type":"(redacted_)?thinking"/g) ?? []).length

async function streamed(url: string, body: Body) {
  const answer = await chatStream(url, body)
  const { status, error, problems } = answer
  return {
    problem:
      status !== 200 || error || problems.length > 0 ? JSON.stringify([status, error, problems]) : undefined,
    text: answer.text,
    reasoning: answer.reasoning,
    calls: answer.calls.map(({ id, name, arguments: input }) => called(id, name, input)),
    notes: [answer.headers.get('x-dragoman-notes') ?? '', ...answer.comments].join('\n'),
  }
}

async function whole(url: string, body: Body) {
  const { status, json, headers } = await chat(url, body)
  const message = json.choices?.[0]?.message ?? {}
  return {
    problem: status === 200 ? undefined : JSON.stringify(json),
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: message.tool_calls ?? [],
    notes: headers.get('x-dragoman-notes') ?? '',
  }
}
