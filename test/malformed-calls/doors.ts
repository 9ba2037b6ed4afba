// A question with tools at each door, and what the client hears, read by code of its own.

import { readChatStream } from '../chat-stream.ts'
import { isNightly } from '../depth.ts'
import { readGeminiStream } from '../gemini-stream.ts'
import { messagesStreamProblems } from '../messages-stream.ts'
import { readOllamaStream } from '../ollama-stream.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { at, countAt, type ExactValue, listAt, readExact, textAt, writeExact } from './exact-json.ts'
import type { OfferedTool } from './kind.ts'

export const doorNames = ['chat', 'responses', 'messages', 'gemini'] as const
/** The last one by night. */
export const allDoorNames = [...doorNames, 'ollama'] as const
export type DoorName = (typeof allDoorNames)[number]
export const doorsOfTheRun: readonly DoorName[] = isNightly ? allDoorNames : doorNames

export interface HeardCall {
  id: string
  name: string
  /** Its bytes where the dialect carries text, else its value without blanks. */
  arguments: string
}

export interface Heard {
  status: number
  raw: string
  error: string | undefined
  text: string
  calls: HeardCall[]
  /** The calls are text, whose bytes count. */
  exact: boolean
  usage: { input: number; output: number }
  notes: string
  /** What a strict client would stumble over. */
  problems: string[]
}

export interface Asking {
  door: DoorName
  stream: boolean
  model: string
  tools: readonly OfferedTool[]
  headers?: Record<string, string>
  /** Fields of this door's own. */
  more?: Record<string, unknown>
}

type Said = Pick<Heard, 'error' | 'text' | 'calls' | 'usage'>

interface Door {
  path(model: string, stream: boolean): string
  body(tools: readonly OfferedTool[]): object
  /** `events`: of a stream. */
  read(events: ExactValue[], stream: boolean): Said
  problems(answer: Response): Promise<string[]>
}

export async function ask(
  url: string,
  { door, stream, model, tools, headers, more }: Asking,
): Promise<Heard> {
  const { path, body } = doors[door]
  const named = door === 'gemini' ? {} : { model, stream }
  const answer = await fetch(url + path(model, stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...named, ...body(tools), ...more }),
  })
  return hear(door, stream, answer)
}

export async function hear(door: DoorName, stream: boolean, answer: Response): Promise<Heard> {
  const raw = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  const isLines = type.startsWith('application/x-ndjson')
  const isStream = isLines || type.startsWith('text/event-stream')
  const lines = raw.split('\n')
  const dataOf = (line: string) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : [])
  const data = isLines ? lines.filter(Boolean) : lines.flatMap(dataOf)
  const events = (isStream ? data : [raw]).map(readExact)
  const late = lines.flatMap((line) => /^: x-dragoman-notes: (.*)$/.exec(line)?.[1] ?? [])
  const inChunks = events.flatMap((event) =>
    ['dragomanNotes', 'dragoman_notes'].flatMap((name) => listAt(event, name).map(writeExact)),
  )
  const copy = new Response(raw, { status: answer.status, headers: answer.headers })
  return {
    ...doors[door].read(events, isStream),
    status: answer.status,
    raw,
    exact: door === 'chat' || door === 'responses' || (door === 'messages' && stream),
    notes: [answer.headers.get('x-dragoman-notes') ?? [], late, inChunks].flat().join('; '),
    problems: isStream ? await doors[door].problems(copy) : [],
  }
}

const go = [{ role: 'user', content: 'go' }]
const open = { type: 'object' }
const errorOf = (events: ExactValue[]): string | undefined => {
  const failed = events.map((event) => at(event, 'error') ?? at(event, 'response', 'error')).find(Boolean)
  return failed ? writeExact(failed) : undefined
}
const toolUse = (id: string, name: string, input: string): HeardCall => ({ id, name, arguments: input })
const inputOf = (value: ExactValue | undefined) => (value === undefined ? '' : writeExact(value))

const doors: Record<DoorName, Door> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (tools) => ({
      messages: go,
      stream_options: { include_usage: true },
      tools: tools.map(({ name, schema }) => ({
        type: 'function',
        function: { name, ...(schema ? { parameters: schema } : {}) },
      })),
    }),
    read: chatSaid,
    problems: async (answer) => (await readChatStream(answer)).problems,
  },
  responses: {
    path: () => '/v1/responses',
    body: (tools) => ({
      input: go,
      tools: tools.map(({ name, schema }) => ({
        type: 'function',
        name,
        parameters: schema ?? null,
        strict: false,
      })),
    }),
    read: responsesSaid,
    problems: async (answer) => (await readResponsesStream(answer)).problems,
  },
  messages: {
    path: () => '/v1/messages',
    body: (tools) => ({
      max_tokens: 4_000,
      messages: go,
      tools: tools.map(({ name, schema }) => ({ name, input_schema: schema ?? open })),
    }),
    read: (events, stream) => (stream ? messagesSaid(events) : messageSaid(events)),
    problems: messagesStreamProblems,
  },
  gemini: {
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (tools) => ({
      contents: [{ role: 'user', parts: [{ text: 'go' }] }],
      tools: [
        {
          functionDeclarations: tools.map(({ name, schema }) => ({
            name,
            description: name,
            ...(schema ? { parametersJsonSchema: schema } : {}),
          })),
        },
      ],
    }),
    read: geminiSaid,
    problems: async (answer) => (await readGeminiStream(answer)).problems,
  },
  ollama: {
    path: () => '/api/chat',
    body: (tools) => ({
      messages: go,
      tools: tools.map(({ name, schema }) => ({
        type: 'function',
        function: { name, description: name, ...(schema ? { parameters: schema } : {}) },
      })),
    }),
    read: ollamaSaid,
    problems: async (answer) => (await readOllamaStream(answer)).problems,
  },
}

function chatSaid(events: ExactValue[]): Said {
  const said: Said = { error: errorOf(events), text: '', calls: [], usage: { input: 0, output: 0 } }
  for (const event of events) {
    const choice = at(event, 'choices', 0)
    const delta = at(choice, 'delta') ?? at(choice, 'message')
    said.text += textAt(delta, 'content')
    for (const [place, one] of listAt(delta, 'tool_calls').entries()) {
      const index = at(one, 'index') === undefined ? place : countAt(one, 'index')
      const known = said.calls[index]
      const input = textAt(one, 'function', 'arguments')
      if (known) known.arguments += input
      else said.calls[index] = toolUse(textAt(one, 'id'), textAt(one, 'function', 'name'), input)
    }
    if (at(event, 'usage'))
      said.usage = {
        input: countAt(event, 'usage', 'prompt_tokens'),
        output: countAt(event, 'usage', 'completion_tokens'),
      }
  }
  return said
}

/** Of a stream, what its last event says; the strict reader compares it with the others. */
function responsesSaid(events: ExactValue[], stream: boolean): Said {
  const response = stream ? at(events.at(-1), 'response') : events[0]
  const output = listAt(response, 'output')
  return {
    error: errorOf(events),
    text: output.flatMap((item) => listAt(item, 'content').map((part) => textAt(part, 'text'))).join(''),
    calls: output
      .filter((item) => textAt(item, 'type') === 'function_call')
      .map((item) => toolUse(textAt(item, 'call_id'), textAt(item, 'name'), textAt(item, 'arguments'))),
    usage: {
      input: countAt(response, 'usage', 'input_tokens'),
      output: countAt(response, 'usage', 'output_tokens'),
    },
  }
}

function messageSaid(events: ExactValue[]): Said {
  const [message] = events
  const content = listAt(message, 'content')
  return {
    error: errorOf(events),
    text: content.map((block) => textAt(block, 'text')).join(''),
    calls: content
      .filter((block) => textAt(block, 'type') === 'tool_use')
      .map((block) => toolUse(textAt(block, 'id'), textAt(block, 'name'), inputOf(at(block, 'input')))),
    usage: {
      input: countAt(message, 'usage', 'input_tokens'),
      output: countAt(message, 'usage', 'output_tokens'),
    },
  }
}

function messagesSaid(events: ExactValue[]): Said {
  const said: Said = { error: errorOf(events), text: '', calls: [], usage: { input: 0, output: 0 } }
  const open = new Map<number, HeardCall>()
  for (const event of events) {
    const block = at(event, 'content_block')
    if (textAt(block, 'type') === 'tool_use') {
      const call = toolUse(textAt(block, 'id'), textAt(block, 'name'), '')
      open.set(countAt(event, 'index'), call)
      said.calls.push(call)
    }
    said.text += textAt(event, 'delta', 'text')
    const call = open.get(countAt(event, 'index'))
    if (call) call.arguments += textAt(event, 'delta', 'partial_json')
    for (const usage of [at(event, 'message', 'usage'), at(event, 'usage')]) {
      said.usage.input = Math.max(said.usage.input, countAt(usage, 'input_tokens'))
      said.usage.output = Math.max(said.usage.output, countAt(usage, 'output_tokens'))
    }
  }
  return said
}

function geminiSaid(events: ExactValue[]): Said {
  const parts = events.flatMap((event) => listAt(event, 'candidates', 0, 'content', 'parts'))
  const usage = events.map((event) => at(event, 'usageMetadata')).findLast(Boolean)
  return {
    error: errorOf(events),
    text: parts.map((part) => textAt(part, 'text')).join(''),
    calls: parts.flatMap((part) => {
      const call = at(part, 'functionCall')
      return call ? [toolUse(textAt(call, 'id'), textAt(call, 'name'), inputOf(at(call, 'args')))] : []
    }),
    usage: { input: countAt(usage, 'promptTokenCount'), output: countAt(usage, 'candidatesTokenCount') },
  }
}

function ollamaSaid(events: ExactValue[]): Said {
  const messages = events.map((event) => at(event, 'message'))
  const last = events.at(-1)
  return {
    error: errorOf(events),
    text: messages.map((message) => textAt(message, 'content')).join(''),
    calls: messages.flatMap((message) =>
      listAt(message, 'tool_calls').map((call) =>
        toolUse(
          textAt(call, 'id'),
          textAt(call, 'function', 'name'),
          inputOf(at(call, 'function', 'arguments')),
        ),
      ),
    ),
    usage: { input: countAt(last, 'prompt_eval_count'), output: countAt(last, 'eval_count') },
  }
}
