// Groq checks the calls of its models, and answers with an error instead of a call that it cannot read or that does not fit its
// tool. The error has the text that the model wrote. If that is a call of a known tool, the turn goes on with it: the client has its
// own words for arguments that do not fit, and most models then try again.

import { type Fields, isObject } from '../../base/json.ts'
import type { Tool } from '../../core/request.ts'
import { ToolTextParser } from '../tool-text/parse.ts'

const markup = { format: 'json', callTag: 'tool_call', resultTag: 'tool_response' } as const

export const rescuedNote = 'a tool call was read from the error of the service, which had refused it'

/** An answer with the calls of the refused text; undefined if the body is another error, or the text has no readable call. */
export function rescuedAnswer(body: unknown, tools: readonly Tool[]): Fields | undefined {
  const error = isObject(body) && isObject(body.error) ? body.error : undefined
  if (error?.code !== 'tool_use_failed' || typeof error.failed_generation !== 'string') return undefined
  const parser = new ToolTextParser({ markup, tools, salvage: true })
  const pieces = [...parser.push(withClosedTags(error.failed_generation)), ...parser.end(false)]
  const names = new Set(tools.map(({ name }) => name))
  const calls = pieces.flatMap((piece) => (piece.type === 'call' ? [piece] : []))
  const isReadable = pieces.every((piece) => piece.type !== 'malformed' && piece.type !== 'cut')
  if (calls.length === 0 || !isReadable || !calls.every(({ name }) => names.has(name))) return undefined
  const text = pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
  const message = {
    role: 'assistant',
    content: /^[\s>]*$/.test(text) ? null : text,
    tool_calls: calls.map(({ name, input }) => ({ type: 'function', function: { name, arguments: input } })),
  }
  return { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
}

/** Llama models write `<function=NAME{…}` as well. */
const withClosedTags = (text: string) => text.replace(/<function=([\w.-]{1,64})(?=\{)/g, '<function=$1>')
