// The second try: the rendered request, the model's answer, and a message that says what was wrong with it.

import type { Message, TurnRequest } from '../../core/request.ts'
import { joinTexts } from './history-text.ts'
import type { Markup } from './markup.ts'
import { callShape } from './tools-section.ts'

const maxAnswer = 16_000

interface Unreadable {
  /** The problem of the first unreadable call: a sentence for the model. */
  problem: string
  /** Unreadable calls. */
  unread: number
  /** Calls of the same answer that were read and are on their way to the client. */
  taken: number
}

export function askAgain(
  request: TurnRequest,
  said: string,
  { problem, unread, taken }: Unreadable,
  markup: Markup,
): TurnRequest {
  return replied(request, said, [
    unread === 1
      ? `A tool call in your last message could not be read. ${problem}`
      : `${unread} tool calls in your last message could not be read. The first one: ${problem}`,
    ...(taken === 0 ? [] : [takenSentence(taken)]),
    unread === 1
      ? 'Write the corrected call now and nothing else, as one block of this shape:'
      : 'Write the corrected calls now and nothing else, each as one block of this shape:',
    callShape(markup),
  ])
}

/** For an answer without a required call; `name`: of this tool. */
export function demandCall(request: TurnRequest, said: string, markup: Markup, name?: string): TurnRequest {
  return replied(request, said, [
    name === undefined
      ? 'There was no tool call in your last message. You must call a tool.'
      : `There was no call of the tool \`${name}\` in your last message. You must call it.`,
    'Write the call now and nothing else, as a block of this shape:',
    callShape(markup),
  ])
}

const takenSentence = (taken: number) =>
  taken === 1
    ? 'The other call of that message was read: do not repeat it.'
    : `The other ${taken} calls of that message were read: do not repeat them.`

function replied(request: TurnRequest, said: string, lines: readonly string[]): TurnRequest {
  const messages = withAnswer(request.messages, shortened(said))
  const reply = lines.join('\n')
  const last = messages.at(-1)
  // After an empty answer the user's message is still the last, and two in a row are not allowed.
  if (last?.role === 'user') {
    const content = joinTexts([...last.content, { type: 'text', text: reply }])
    messages.splice(-1, 1, { role: 'user', content })
  } else messages.push({ role: 'user', content: [{ type: 'text', text: reply }] })
  return { ...request, messages }
}

function withAnswer(messages: readonly Message[], said: string): Message[] {
  if (said.trim() === '') return [...messages]
  const last = messages.at(-1)
  // The request ended with an assistant message (a prefill), which the answer continues.
  if (last?.role !== 'assistant')
    return [...messages, { role: 'assistant', content: [{ type: 'text', text: said }] }]
  const begun = last.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return [...messages.slice(0, -1), { role: 'assistant', content: [{ type: 'text', text: begun + said }] }]
}

function shortened(text: string): string {
  if (text.length <= maxAnswer) return text
  const head = text.slice(0, maxAnswer / 2).replace(/[\ud800-\udbff]$/, '')
  const tail = text.slice(-maxAnswer / 2).replace(/^[\udc00-\udfff]/, '')
  return `${head}\n[${text.length - head.length - tail.length} characters are left out here]\n${tail}`
}
