// The demo model: a small deterministic stand-in for a language model that uses whatever tools it is given.
// Pure, and free of any wire: every simulator turns its requests into a Conversation and renders the Answer.

import type { Answer, Conversation, Message, Tool, ToolCall, ToolResult } from './model/conversation.ts'
import { findWorkingDirectory, stripContext } from './model/request-text.ts'
import { describeResult } from './model/results.ts'
import { describeWish, forceCall, planCall } from './model/tool-choice.ts'
import { readWishes, type Wish } from './model/wishes.ts'

export type * from './model/conversation.ts'

/** What was asked last, and what has been done about it since. */
interface Situation {
  readonly text: string
  readonly done: readonly { readonly call: ToolCall; readonly result: ToolResult }[]
}

export function answer(conversation: Conversation): Answer {
  const { system, messages, tools, toolChoice } = conversation
  const situation = readSituation(messages)
  if (isTitleRequest(conversation, situation.text)) return say(makeTitle(conversation, situation.text))
  const wishes = readWishes(situation.text)
  if (tools.length === 0 || toolChoice === 'none') return say(report(situation, wishes.flat(), []))
  const directory = findWorkingDirectory([system, ...messages.map(({ text }) => text)].join('\n'))
  const steps = wishes.map((step) => step.map((wish) => ({ wish, call: planCall(wish, tools, directory) })))
  const calls = nextCalls(conversation, situation, steps)
  if (calls.length > 0) {
    const names = calls.map(({ name }) => name).join(', ')
    return { reasoning: `The next thing to do is a call of ${names}.`, calls }
  }
  return finish(conversation, situation, steps.flat())
}

interface Plan {
  readonly wish: Wish
  readonly call: ToolCall | undefined
}

const GREETING =
  'Hello! I am a simulated model: no real one is behind this. I can use your tools in small ways: try "Read README.md", "Read a.txt and b.txt", "List the files", "Run `ls`", "Search for TODO" or "Write hello to greeting.txt".'

function nextCalls(conversation: Conversation, situation: Situation, steps: readonly Plan[][]): ToolCall[] {
  const { tools, toolChoice, parallelCalls = true } = conversation
  let done = situation.done.length
  let calls: ToolCall[] = []
  for (const step of steps) {
    const planned = step.flatMap(({ call }) => call ?? [])
    calls = planned.slice(done)
    if (calls.length > 0) break
    done -= planned.length
  }
  const forced = forcedTool(toolChoice, tools, situation)
  if (forced) {
    const wanted = calls.filter(({ name }) => toolChoice === 'required' || name === forced.name)
    calls = wanted.length > 0 ? wanted : [forceCall(forced, situation.text.slice(0, 80) || 'demo')]
  } else if (typeof toolChoice === 'object') {
    return []
  }
  return parallelCalls ? calls : calls.slice(0, 1)
}

/** The tool that must be called now, unless its result has just come. */
function forcedTool(
  choice: Conversation['toolChoice'],
  tools: readonly Tool[],
  { done }: Situation,
): Tool | undefined {
  if (choice === 'required') return done.length > 0 ? undefined : tools[0]
  if (typeof choice !== 'object' || done.some(({ call }) => call.name === choice.name)) return undefined
  return tools.find(({ name }) => name === choice.name)
}

function finish({ tools }: Conversation, situation: Situation, plans: readonly Plan[]): Answer {
  const wishesWith = (isGranted: boolean) =>
    plans.filter(({ call }) => (call !== undefined) === isGranted).map(({ wish }) => wish)
  const text = report(situation, wishesWith(true), wishesWith(false))
  // Agents of the Cline family take a turn for finished only by this tool.
  const completion = tools.find(({ name }) => name === 'attempt_completion')
  const isFinished = situation.done.some(({ call }) => call.name === 'attempt_completion')
  if (completion && !isFinished) return { calls: [{ name: completion.name, arguments: { result: text } }] }
  const reasoning =
    situation.done.length > 0 ? 'The results are here, so I can answer.' : 'A short answer will do.'
  return { reasoning, text, calls: [] }
}

/** What came of the wishes: results in the order of the calls, then what could not be done. */
function report({ done }: Situation, granted: readonly Wish[], refused: readonly Wish[]): string {
  const sentences = [
    ...done.map(({ call, result }, index) => describeResult(result, call, granted[index])),
    ...refused.map((wish) => `I have no tool to do this: ${describeWish(wish)}.`),
  ]
  return sentences.length > 0 ? sentences.join('\n') : GREETING
}

function readSituation(messages: readonly Message[]): Situation {
  const texts = messages.map((message) => (message.role === 'user' ? stripContext(message.text) : ''))
  const asked = texts.findLastIndex((text, index) => {
    const isAnswer = (messages[index]?.toolResults?.length ?? 0) > 0
    return text !== '' && (!isAnswer || readWishes(text).length > 0)
  })
  const since = messages.slice(asked + 1)
  const results = since.flatMap(({ toolResults }) => toolResults ?? [])
  const calls = since.flatMap(({ toolCalls }) => toolCalls ?? [])
  const done = calls.flatMap((call, index) => {
    const result = results.find(({ callId }) => callId !== undefined && callId === call.id) ?? results[index]
    return result ? [{ call, result }] : []
  })
  return { text: texts[asked] ?? '', done }
}

const TITLE_REQUEST =
  /\b(?:generate|write|create|make|give|suggest|come up with|summari[sz]e)\b[^.\n]{0,100}\btitle\b|\btitle generator\b/i

const WANTS_JSON = /\b(?:as|in|return|respond with|output|reply with)\b[^.\n]{0,30}\bjson\b/i

export function isTitleRequest({ system, messages, tools }: Conversation, text: string): boolean {
  if (TITLE_REQUEST.test(text)) return true
  return (
    tools.length === 0 &&
    [system, ...messages.map((message) => message.text)].some((part) => TITLE_REQUEST.test(part))
  )
}

function makeTitle({ system }: Conversation, text: string): string {
  const topic = text.replace(/^.*?\btitle\b[^:\n]*:?/is, '').trim() || text
  const words = topic
    .replace(/["'`<>{}]/g, '')
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 6)
    .join(' ')
  return WANTS_JSON.test(`${system} ${text}`) ? JSON.stringify({ title: words }) : words
}

function say(text: string): Answer {
  return { text, calls: [] }
}
