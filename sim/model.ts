// The demo model: a small deterministic stand-in for a language model that uses whatever tools it is given.
// Pure, and free of any wire: every simulator turns its requests into a Conversation and renders the Answer.

import { forceCall } from './model/build-call.ts'
import { comparison, recallFrom, sumIn } from './model/conclusions.ts'
import type { Answer, Conversation, Message, Tool, ToolCall } from './model/conversation.ts'
import { nextErrands } from './model/errands.ts'
import { isFailure } from './model/failure.ts'
import { type Done, type Outcome, progressOf } from './model/progress.ts'
import { findWorkingDirectory, stripContext } from './model/request-text.ts'
import { describeResult, figureText } from './model/results.ts'
import { describeWish, waysTo } from './model/ways.ts'
import type { Wish } from './model/wish.ts'
import { readWishes } from './model/wishes.ts'

export type * from './model/conversation.ts'

/** What was asked last, and what has been done about it since. */
interface Situation {
  readonly text: string
  readonly done: readonly Done[]
  /** What tools gave back before that was asked. */
  readonly earlier: readonly string[]
}

export function answer(conversation: Conversation): Answer {
  const { system, messages, tools, toolChoice } = conversation
  const situation = readSituation(messages)
  if (isTitleRequest(conversation, situation.text)) return say(makeTitle(conversation, situation.text))
  const steps = readWishes(situation.text)
  if (tools.length === 0 || toolChoice === 'none')
    return say(report(withoutTools(situation, steps.flat()), situation))
  const directory = findWorkingDirectory([system, ...messages.map(({ text }) => text)].join('\n'))
  const workplace = { tools, directory }
  // Other tools than those of agents: what they are for is in their descriptions.
  const isErrand = steps.flat().every((wish) => waysTo(wish, workplace, undefined).length === 0)
  const errands = isErrand ? nextErrands(situation.text, tools, situation.done) : []
  const hasBegun = isErrand && (errands.length > 0 || situation.done.length > 0)
  const { calls: open, outcomes } = progressOf(hasBegun ? [] : steps, situation.done, workplace)
  const calls = nextCalls(conversation, situation, [...open, ...errands])
  if (calls.length > 0) {
    const names = calls.map(({ name }) => name).join(', ')
    return { reasoning: `The next thing to do is a call of ${names}.`, calls }
  }
  return finish(conversation, situation, outcomes)
}

const GREETING =
  'Hello! I am a simulated model: no real one is behind this. I can use your tools in small ways: try "Read README.md", "Read a.txt and b.txt", "List the files", "Run `ls`", "Search for TODO" or "Write hello to greeting.txt".'

function nextCalls(
  { tools, toolChoice, parallelCalls = true }: Conversation,
  situation: Situation,
  open: readonly ToolCall[],
): readonly ToolCall[] {
  const forced = forcedTool(toolChoice, tools, situation)
  if (forced) {
    const wanted = open.filter(({ name }) => toolChoice === 'required' || name === forced.name)
    const calls = wanted.length > 0 ? wanted : [forceCall(forced, situation.text.slice(0, 80) || 'demo')]
    return parallelCalls ? calls : calls.slice(0, 1)
  }
  if (typeof toolChoice === 'object') return []
  return parallelCalls ? open : open.slice(0, 1)
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

function finish({ tools }: Conversation, situation: Situation, outcomes: readonly Outcome[]): Answer {
  const { done } = situation
  const text = report(outcomes, situation)
  // Agents of the Cline family take a turn for finished only by this tool.
  const completion = tools.find(({ name }) => name === COMPLETION)
  const isFinished = done.some(({ call }) => call.name === COMPLETION)
  if (completion && !isFinished) return { calls: [{ name: completion.name, arguments: { result: text } }] }
  const reasoning = done.length > 0 ? 'The results are here, so I can answer.' : 'A short answer will do.'
  return { reasoning, text, calls: [] }
}

const COMPLETION = 'attempt_completion'

/** What came of the wishes, in their order; then what could not be done, and what follows from all of it. */
function report(outcomes: readonly Outcome[], { text, earlier }: Situation): string {
  const told = outcomes.filter(
    (outcome, at) =>
      outcome.done && outcome.done.call.name !== COMPLETION && !isMadeUpFor(outcome, outcomes.slice(at + 1)),
  )
  const results = told.flatMap(({ done }) => (done ? figureText(done.result, text) : []))
  const sentences = [
    ...told.flatMap(({ wish, done }) => (done ? describeResult(done.result, done.call, wish, text) : [])),
    ...outcomes.flatMap(({ wish, isImpossible }) =>
      wish && isImpossible ? `I have no tool to do this: ${describeWish(wish)}.` : [],
    ),
    comparison(text, results) ?? [],
  ].flat()
  if (sentences.length > 0) return sentences.join('\n')
  return sumIn(text) ?? recallFrom(text, earlier) ?? GREETING
}

/** A failure of a tool that succeeded later. */
function isMadeUpFor({ wish, done }: Outcome, later: readonly Outcome[]): boolean {
  if (wish !== undefined || done === undefined || !isFailure(done.result, undefined)) return false
  return later.some((one) => one.done?.call.name === done.call.name && !isFailure(one.done.result, undefined))
}

/** Where the tools are gone, the results stand in the order of the wishes. */
function withoutTools({ done }: Situation, wishes: readonly Wish[]): Outcome[] {
  return done.map((one, index) => ({ wish: wishes[index], done: one }))
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
  const earlier = messages
    .slice(0, asked + 1)
    .flatMap(({ toolResults = [] }) => toolResults.map(({ text }) => text))
  return { text: texts[asked] ?? '', done, earlier }
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
