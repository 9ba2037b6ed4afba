// What of a request a model of OpenAI reads as tokens: texts for its tokenizer, and what surrounds them. OpenAI publishes the
// surrounding only in part, so a count can be off by a few tokens for each message, call and tool.

import type { AssistantPart, ResultPart, Tool, TurnRequest, UserPart } from '../../../core/request.ts'

const perMessage = 4
const perCall = 8
const perTool = 8
/** The beginning of the answer. */
const perRequest = 3

type Counted = Pick<TurnRequest, 'messages' | 'tools'>

interface CountedTexts {
  texts: string[]
  surrounding: number
}

/** Undefined if the request has parts whose size no tokenizer knows: images, files, sound. */
export function countedTexts({ messages, tools }: Counted): CountedTexts | undefined {
  const counted: CountedTexts = { texts: [], surrounding: perRequest }
  for (const message of messages) {
    const contents =
      message.role === 'tool' ? message.results.map(({ content }) => content) : [message.content]
    for (const content of contents) {
      counted.surrounding += perMessage
      for (const part of content) if (!addPart(part, counted)) return undefined
    }
  }
  for (const tool of tools) addTool(tool, counted)
  return counted
}

/** False if its size is unknown. */
function addPart(part: UserPart | AssistantPart | ResultPart, counted: CountedTexts): boolean {
  switch (part.type) {
    case 'text':
      counted.texts.push(part.text)
      return true
    case 'tool-call':
      counted.surrounding += perCall
      counted.texts.push(part.name, part.input)
      return true
    // Reasoning of earlier steps is encrypted, or not sent.
    case 'reasoning':
      return true
    case 'opaque':
      if (part.text !== undefined) counted.texts.push(part.text)
      return part.text !== undefined
    default:
      return false
  }
}

function addTool({ name, description, schema }: Tool, counted: CountedTexts): void {
  counted.surrounding += perTool
  counted.texts.push(name, description ?? '', JSON.stringify(schema))
}
