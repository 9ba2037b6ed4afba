// Earlier searches in a history. The client has them in its service's form. For another service they are calls of the search tool and
// their results, exactly as the model made and saw them.

import type { AssistantPart, Message, ResultPart, ToolResult } from '../../core/request.ts'
import { resultText } from './search-tool.ts'

type Search = { id: string; query: string; found: readonly string[] }

/** The history with searches as calls of the tool `name`. */
export function searchesAsCalls(messages: readonly Message[], name: string): Message[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' && message.content.some(isSearch) ? split(message.content, name) : [message],
  )
}

const isSearch = (part: AssistantPart) => part.type === 'opaque' && part.search !== undefined

function split(content: readonly AssistantPart[], name: string): Message[] {
  const messages: Message[] = []
  let before: AssistantPart[] = []
  // The results of the client's calls follow the whole message: strict services want the calls right before them.
  const calls: AssistantPart[] = []
  for (const step of steps(content)) {
    if ('type' in step) {
      if (step.type === 'tool-call') calls.push(step)
      else before.push(step)
      continue
    }
    const call: AssistantPart = {
      type: 'tool-call',
      callId: step.id,
      name,
      input: JSON.stringify({ query: step.query }),
    }
    const result = { callId: step.id, content: [{ type: 'text' as const, text: resultText(step.found) }] }
    messages.push({ role: 'assistant', content: [...before, call] }, { role: 'tool', results: [result] })
    before = []
  }
  const last = [...before, ...calls]
  if (last.length > 0) messages.push({ role: 'assistant', content: last })
  return messages
}

/** The parts, with a call and its result as one search. A call without a result, and the reverse, is left out. */
function* steps(content: readonly AssistantPart[]): Generator<AssistantPart | Search> {
  const called = new Map<string, string>()
  for (const part of content) {
    const search = part.type === 'opaque' ? part.search : undefined
    if (!search) yield part
    else if (search.query !== undefined) called.set(search.id, search.query)
    else if (search.found && called.size > 0) {
      // Some services give call and result ids of their own: their order says what belongs together.
      const [oldest = ''] = called.keys()
      const id = called.has(search.id) ? search.id : oldest
      yield { id, query: called.get(id) ?? '', found: search.found }
      called.delete(id)
    }
  }
}

/** The history with the results of the client's own searches as text: a service refuses a reference to a tool that it does not get. */
export function referencesAsText(messages: Message[]): Message[] {
  const refers = ({ content }: ToolResult) => content.some(isReference)
  if (!messages.some((message) => message.role === 'tool' && message.results.some(refers))) return messages
  const plain = (result: ToolResult): ToolResult => {
    if (!refers(result)) return result
    const { source: _asSent, ...rest } = result
    return { ...rest, content: result.content.map(asText) }
  }
  return messages.map((message) =>
    message.role === 'tool' ? { ...message, results: message.results.map(plain) } : message,
  )
}

const isReference = (part: ResultPart) => part.type === 'opaque' && part.loads !== undefined

const asText = (part: ResultPart): ResultPart =>
  part.type === 'opaque' && part.loads !== undefined ? { type: 'text', text: part.text ?? '' } : part

/** Tools that the conversation has loaded, in the order of their loading: found by a search, or called. One may come again. */
export function* loadsIn(messages: readonly Message[]): Generator<string> {
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const part of message.results.flatMap(({ content }) => content))
        if (part.type === 'opaque' && part.loads !== undefined) yield part.loads
    }
    if (message.role !== 'assistant') continue
    for (const part of message.content) {
      if (part.type === 'tool-call') yield part.name
      if (part.type === 'opaque') yield* part.search?.found ?? []
    }
  }
}
