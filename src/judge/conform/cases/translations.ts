// Request fields that must survive translation into the upstream's dialect, and fields that clients send but upstreams refuse.

import type { Answer, Message, Tool } from '../../clients/answer.ts'
import { at, type Shape, shapesAt, textAt } from '../../clients/json.ts'
import { type Case, type Context, scriptedCases } from '../case.ts'
import { acceptable, answered, asked, calls, holds, same } from '../judge.ts'
import { everyone } from '../noticed.ts'
import type { UpstreamKind } from '../upstream/played.ts'
import { says, turn } from '../upstream/turn.ts'
import { read, tools } from './tools.ts'

const both = ['openai', 'anthropic'] as const

function taken(answer: Answer, context: Context): void {
  answered(answer)
  acceptable(context)
}

const user = (text: string): Message => ({ role: 'user', text })
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** An image from the user in each dialect. */
const pictures: Record<Context['door']['name'], (text: string) => Shape> = {
  chat: (text) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
    ],
  }),
  messages: (text) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
    ],
  }),
  responses: (text) => ({
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
    ],
  }),
  gemini: (text) => ({
    role: 'user',
    parts: [{ text }, { inlineData: { mimeType: 'image/png', data: pixel } }],
  }),
}

const toolOf = (kind: UpstreamKind | undefined, body: Shape) =>
  kind === 'openai' ? at(body, 'tools', 0, 'function') : at(body, 'tools', 0)

const dotted: Tool = { ...read, name: 'mcp.files/read' }
/** A list in each dialect. */
const stops: Record<string, Shape> = {
  chat: { stop: ['END'] },
  messages: { stop_sequences: ['END'] },
  gemini: { generationConfig: { stopSequences: ['END'] } },
}
const bareTool: Record<string, Shape> = {
  chat: { type: 'function', function: { name: 'now' } },
  responses: { type: 'function', name: 'now' },
  gemini: { functionDeclarations: [{ name: 'now' }] },
}

const settings = scriptedCases('translations', [
  {
    id: 'U25',
    title: 'stop sequences reach the upstream in its dialect',
    why: 'the model continues after them, and the agent reads the rest',
    noticedBy: everyone,
    upstreams: both,
    doors: ['chat', 'messages', 'gemini'],
    ask: ({ door }) => ({ more: stops[door.name] ?? {} }),
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      const { stop, stop_sequences: sequences } = asked(context).body
      same('the stop sequences', context.upstream === 'openai' ? [stop].flat() : sequences, ['END'])
    },
  },
  {
    id: 'U26',
    title: 'an image reaches the upstream in its dialect',
    why: 'the model does not see it and invents its content',
    noticedBy: everyone,
    upstreams: both,
    ask: ({ door, mark }) => ({ messages: [{ role: 'raw', items: [pictures[door.name](`look ${mark}`)] }] }),
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      const parts = shapesAt(asked(context).body, 'messages', 0, 'content')
      const found = parts.map((part) =>
        context.upstream === 'openai'
          ? textAt(part, 'image_url', 'url').split(',')[1]
          : textAt(part, 'source', 'data'),
      )
      holds(found.includes(pixel), 'the image in the request to the upstream', parts)
    },
  },
  {
    id: 'U27',
    title: 'a request for one call at a time reaches the upstream',
    why: 'clients that handle one call lose the others',
    noticedBy: everyone,
    upstreams: both,
    doors: ['chat', 'messages'],
    ask: ({ door }) => ({
      tools,
      more:
        door.name === 'chat'
          ? { parallel_tool_calls: false }
          : { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    }),
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      const { body } = asked(context)
      const alone =
        context.upstream === 'openai'
          ? body.parallel_tool_calls === false
          : at(body, 'tool_choice', 'disable_parallel_tool_use') === true
      holds(alone, 'a request for one call at a time', body)
    },
  },
])

const refusedElsewhere = scriptedCases('translations', [
  {
    id: 'U28',
    title: 'an empty answer in the history is adapted',
    why: '"text content blocks must be non-empty": the session cannot continue',
    noticedBy: everyone,
    upstreams: both,
    doors: ['chat', 'responses', 'gemini'],
    ask: { messages: [user('hello'), { role: 'assistant', text: '' }, user('are you there?')] },
    play: says('so'),
    judge: taken,
  },
  {
    id: 'U29',
    title: 'half a character at the end of truncated text does not reach the upstream',
    why: 'services refuse the whole request because of it',
    noticedBy: everyone,
    upstreams: both,
    ask: { messages: [user('cut \ud83d here')] },
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      const text = shapesAt(asked(context).body, 'messages')
        .map(({ content }) => JSON.stringify(content))
        .join()
      holds(!/\\ud83d(?!\\ud)/i.test(text), 'no half characters', text)
    },
  },
  {
    id: 'U30',
    title: 'a tool name that the upstream refuses is mapped, and mapped back in calls',
    why: 'tools of MCP servers cannot be used, or calls have the wrong name',
    noticedBy: everyone,
    upstreams: both,
    ask: { tools: [dotted] },
    play: (request) => {
      const name = textAt(toolOf(request.kind, request.body), 'name')
      return turn([{ call: name, id: 'call_a', input: '{"path":"a"}' }], 'tool_calls')(request)
    },
    judge: (answer, context) => {
      taken(answer, context)
      const name = textAt(toolOf(context.upstream, asked(context).body), 'name')
      // A client that uses the upstream's own dialect knows what the upstream accepts.
      const own = { chat: 'openai', messages: 'anthropic', responses: undefined, gemini: undefined }[
        context.door.name
      ]
      if (own !== context.upstream)
        holds(/^[a-zA-Z0-9_-]{1,128}$/.test(name), 'a name of letters, digits, _ and -', name)
      calls(answer, [['mcp.files/read', { path: 'a' }]])
    },
  },
  {
    id: 'U31',
    title: 'a tool without a schema gets one that the upstream accepts',
    why: '"tools.0.input_schema: Field required"',
    noticedBy: everyone,
    upstreams: ['anthropic'],
    doors: ['chat', 'responses', 'gemini'],
    ask: ({ door }) => ({ more: { tools: [bareTool[door.name]] } }),
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      same('the type of the schema', at(asked(context).body, 'tools', 0, 'input_schema', 'type'), 'object')
    },
  },
  {
    id: 'U32',
    title: 'a system message inside the conversation is adapted',
    why: 'agents send reminders as system messages; some services refuse the session',
    noticedBy: everyone,
    upstreams: both,
    doors: ['chat', 'responses'],
    ask: {
      messages: [
        user('hello'),
        { role: 'assistant', text: 'hi' },
        { role: 'system', text: 'be brief' },
        user('go on'),
      ],
    },
    play: says('so'),
    judge: (answer, context) => {
      taken(answer, context)
      holds(
        JSON.stringify(asked(context).body).includes('be brief'),
        'its text in the request',
        'nothing of it',
      )
    },
  },
])

export const translationCases: readonly Case[] = [...settings, ...refusedElsewhere]
