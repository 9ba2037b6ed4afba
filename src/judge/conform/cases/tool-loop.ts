// The tool loop: a forced call, its result, and the next turn. Any model with tools can do it.

import type { Answer, Message, PastCall } from '../../clients/answer.ts'
import { isShape, parsed } from '../../clients/json.ts'
import { type Case, type Context, NotJudged, plainCases } from '../case.ts'
import { answered, calls, holds, noViolation, same, succeeded } from '../judge.ts'
import { everyone, ruleNoticed } from '../noticed.ts'
import { now, readFile } from './tools.ts'

export const question = 'Read README.md'

/** The forced call. Without it, the rest of the case cannot be judged. */
async function called(context: Context): Promise<Answer> {
  const answer = await context.shared('call')
  takesTools(answer)
  succeeded(answer)
  if (answer.calls.length === 0) throw new NotJudged('no call was made (C1)')
  return answer
}

/** Quotes only the service's message: bodies differ by door and request, and the report has one line for each reason. */
function takesTools({ reply: { status, text } }: Answer): void {
  if (status < 400 || !/tool|function/i.test(text)) return
  const said = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  throw new NotJudged(`this model accepts no tools: HTTP ${status}: ${said ?? text.slice(0, 200)}`)
}

const past = (id: string, path: string): PastCall => ({
  id,
  name: 'read_file',
  arguments: JSON.stringify({ path }),
})
const asks = ({ mark }: Context): Message => ({ role: 'user', text: `${question} ${mark}` })

const twoCalls = (context: Context): Message[] => [
  asks(context),
  { role: 'assistant', calls: [past('call_one', 'README.md'), past('call_two', 'LICENSE')] },
]

export const toolLoopCases: readonly Case[] = plainCases('tools', 'tools', [
  {
    id: 'C1',
    title: 'a required tool is called',
    why: 'tools are accepted but dropped: the agent only talks',
    noticedBy: everyone,
    run: async (context) => {
      const answer = await context.shared('call')
      takesTools(answer)
      succeeded(answer)
      holds(
        answer.calls.length > 0,
        'a call of read_file',
        `none, but ${JSON.stringify(answer.text.slice(0, 200))}`,
      )
      same('its name', answer.calls[0]?.name, 'read_file')
    },
  },
  {
    id: 'C2',
    title: 'arguments are a JSON object',
    why: 'clients parse them at the end and fail the turn',
    noticedBy: everyone,
    run: async (context) => {
      const { calls: made } = await called(context)
      for (const { arguments: text } of made) holds(isShape(parsed(text)), 'a JSON object', text)
    },
  },
  {
    id: 'C3',
    title: 'calls have id, name and type from their first delta',
    why: 'Expected "function.name" to be a string',
    noticedBy: ['AI SDK', 'OpenCode', 'openai SDK'],
    run: async (context) => noViolation(await called(context), 'call'),
  },
  {
    id: 'C4',
    title: 'indexes count from 0',
    why: 'gaps in the list: calls are lost',
    noticedBy: ruleNoticed.index,
    doors: ['chat', 'messages', 'responses'],
    forms: ['stream'],
    run: async (context) => noViolation(await called(context), 'index'),
  },
  {
    id: 'C5',
    title: 'ids are distinct',
    why: 'results are mixed up',
    noticedBy: ['AI SDK', 'OpenCode', 'Claude Code'],
    run: async (context) => {
      const { calls: made } = await called(context)
      same('distinct ids', new Set(made.map(({ id }) => id)).size, made.length)
    },
  },
  {
    id: 'C6',
    title: 'the answer with a call ends with tool_calls',
    why: 'the agent stops before it runs the tool',
    noticedBy: ['AI SDK', 'openai SDK', 'Claude Code'],
    run: async (context) => same('the reason', (await called(context)).finish, 'tool_calls'),
  },
  {
    id: 'C7',
    title: 'the call, sent back with its result, is accepted',
    why: 'the agent cannot take its second step',
    noticedBy: everyone,
    cost: 1,
    run: async (context) => {
      const first = await called(context)
      const results = first.calls.map(
        ({ id }): Message => ({ role: 'result', id, text: '# Example\n\nA project.' }),
      )
      const messages = [asks(context), { role: 'raw', items: first.echo } as const, ...results]
      succeeded(await context.ask({ messages, tools: [readFile], maxTokens: 200 }))
    },
  },
  {
    id: 'C8',
    title: 'results of parallel calls in any order are accepted',
    why: 'parallel tools finish in any order',
    noticedBy: everyone,
    forms: ['whole'],
    cost: 1,
    run: async (context) => {
      await called(context)
      const messages: Message[] = [
        ...twoCalls(context),
        { role: 'result', id: 'call_two', text: 'MIT' },
        { role: 'result', id: 'call_one', text: '# Example' },
      ]
      succeeded(await context.ask({ messages, tools: [readFile], maxTokens: 200 }))
    },
  },
  {
    id: 'C9',
    title: 'a result as a list of parts is accepted',
    why: 'real clients send it and are refused',
    noticedBy: ['OpenCode', 'Claude Code'],
    doors: ['chat', 'messages'],
    forms: ['whole'],
    cost: 1,
    run: async (context) => {
      await called(context)
      const content = [{ type: 'text', text: '# Example' }]
      const item =
        context.door.name === 'chat'
          ? { role: 'tool', tool_call_id: 'call_one', content }
          : { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_one', content }] }
      const messages: Message[] = [
        asks(context),
        { role: 'assistant', calls: [past('call_one', 'README.md')] },
        { role: 'raw', items: [item] },
      ]
      answered(await context.ask({ messages, tools: [readFile], maxTokens: 200 }))
    },
  },
  {
    id: 'C10',
    title: 'calls with empty text in the history are accepted',
    why: 'some clients send "", others null',
    noticedBy: everyone,
    doors: ['chat'],
    forms: ['whole'],
    cost: 1,
    run: async (context) => {
      await called(context)
      const messages: Message[] = [
        asks(context),
        { role: 'assistant', text: '', calls: [past('call_one', 'README.md')] },
        { role: 'result', id: 'call_one', text: '# Example' },
      ]
      answered(await context.ask({ messages, tools: [readFile], maxTokens: 200 }))
    },
  },
  {
    id: 'C11',
    title: 'tool_choice none: no call',
    why: 'an agent that requested a summary starts to work',
    noticedBy: everyone,
    forms: ['whole'],
    cost: 1,
    run: async (context) => {
      await called(context)
      const answer = await context.ask({
        messages: [asks(context)],
        tools: [readFile],
        choice: 'none',
        maxTokens: 200,
      })
      succeeded(answer)
      same('the calls', answer.calls, [])
    },
  },
  {
    id: 'C12',
    title: 'a call of a tool without parameters has {}',
    why: 'JSON.parse("") throws in the client',
    noticedBy: everyone,
    cost: 1,
    run: async (context) => {
      await called(context)
      const messages: Message[] = [{ role: 'user', text: `What time is it? Use the tool. ${context.mark}` }]
      const answer = await context.ask({ messages, tools: [now], choice: 'required', maxTokens: 200 })
      succeeded(answer)
      if (answer.calls.length === 0) throw new NotJudged('no call was made')
      calls({ ...answer, calls: answer.calls.slice(0, 1) }, [['now', {}]])
    },
  },
])
