// Reads the prompt of a model without native tools: tools, calls and results are all in its texts.

import { readWishes } from '../model/wishes.ts'
import type { Conversation, Message, Tool } from '../model.ts'
import { cutCalls, cutResults, mentionsCall } from './blocks.ts'
import { type Markup, NATIVE_TAG, toMarkup } from './markup.ts'
import { splitAtTools } from './tools-section.ts'

export interface PromptText {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
}

interface Prompt {
  readonly conversation: Conversation
  /** The requested format of calls. */
  readonly markup: Markup
}

export function readPrompt(texts: readonly PromptText[]): Prompt {
  const parts = texts.map(({ role, text }) => {
    const split = role === 'assistant' ? undefined : splitAtTools(text, role === 'system')
    if (split === undefined) return { system: role === 'system' ? text : '', role, text, section: undefined }
    // Text before a section is system text, in a message of any role.
    return { system: split.before, role, text: split.after, section: split.section }
  })
  const section = parts.findLast((part) => part.section !== undefined)?.section
  const markup = section?.markup ?? guessMarkup(texts)
  const tools = section?.tools ?? []
  const messages = parts.flatMap(({ role, text }, index): Message[] => {
    if (role === 'system') return []
    if (role === 'assistant') {
      const read = cutCalls(text, markup, tools)
      const toolCalls = read.calls.map((call, position) => ({ ...call, id: `${index}.${position}` }))
      return [{ role, text: read.text, toolCalls }]
    }
    const { text: words, results } = cutResults(text, markup)
    const toolResults = results.map((result, position) => ({
      text: result,
      callId: `${index - 1}.${position}`,
    }))
    return [{ role, text: words, ...(results.length > 0 && { toolResults }) }]
  })
  return {
    conversation: {
      system: parts
        .map(({ system }) => system)
        .join('\n')
        .trim(),
      messages: withoutFailedTries(withCallsOf(messages, tools), markup),
      tools,
      toolChoice: section?.toolChoice ?? 'auto',
      parallelCalls: section?.parallelCalls ?? true,
    },
    markup,
  }
}

/** A model knows its own calls, in any manner: each result answers one. */
function withCallsOf(messages: readonly Message[], tools: readonly Tool[]): Message[] {
  return messages.map((message, index) => {
    const results = messages[index + 1]?.toolResults ?? []
    const calls = message.toolCalls ?? []
    if (message.role !== 'assistant' || calls.length >= results.length) return message
    const name = tools.find((tool) => message.text.includes(tool.name))?.name ?? ''
    const others = results.slice(calls.length).map(({ callId = '' }) => ({ id: callId, name, arguments: {} }))
    return { ...message, toolCalls: [...calls, ...others] }
  })
}

/** Without tools there can still be earlier calls: their results show the tag. */
function guessMarkup(texts: readonly PromptText[]): Markup {
  const users = texts.filter(({ role }) => role === 'user').map(({ text }) => text)
  const tag = /^<([A-Za-z][\w-]*)_result>$/m.exec(users.join('\n'))?.[1]
  return toMarkup(tag ?? NATIVE_TAG, 'json')
}

/**
 * A rejected answer and the complaint about it: the request is the message before. A complaint shows the shape of a call, which
 * no user's text does, because that is escaped; or it follows a call and asks for nothing.
 */
function withoutFailedTries(messages: readonly Message[], markup: Markup): Message[] {
  const isCall = ({ toolCalls = [], text }: Message) => toolCalls.length > 0 || mentionsCall(text, markup)
  const isRejected = (message: Message | undefined, next: Message | undefined) =>
    message?.role === 'assistant' &&
    next?.role === 'user' &&
    next.toolResults === undefined &&
    (next.text.includes(`<${markup.callTag}>`) || (isCall(message) && readWishes(next.text).length === 0))
  return messages.filter(
    (message, index) =>
      !isRejected(message, messages[index + 1]) && !isRejected(messages[index - 1], message),
  )
}
