// The conversation in a client's request, read by its door as when it was served.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import type { Message } from '../../core/request.ts'
import { anthropicMessagesDoor } from '../../doors/anthropic-messages.ts'
import { compactDoor } from '../../doors/compaction.ts'
import type { Door } from '../../doors/door.ts'
import { geminiDoor } from '../../doors/gemini.ts'
import { ollamaChatDoor, ollamaGenerateDoor } from '../../doors/ollama.ts'
import { openaiChatDoor } from '../../doors/openai-chat.ts'
import { openaiResponsesDoor } from '../../doors/openai-responses.ts'
import type { Frame, Headers } from '../../tapes/frame.ts'
import { type Entry, keysOf, PartNumbers } from './entry.ts'
import { readMessages } from './read-messages.ts'
import { StoredItems } from './stored-items.ts'
import { requestIn, type TapedTurn } from './taped-turn.ts'

export interface ReadRequest {
  entries: Entry[]
  /** The request continues messages that are on no kept tape. */
  isPartial: boolean
  /** Why no door reads it; it is shown as it came. */
  problem?: string | undefined
}

export function readRequest(tape: TapedTurn, find: (turn: string) => TapedTurn | undefined): ReadRequest {
  const numbers = new PartNumbers(tape.turn, 'request')
  const request = requestIn(tape)
  if (!request) return { entries: [], isPartial: true }
  const { body, path, headers } = request
  try {
    const stored = new StoredItems(find)
    const door = doorOf(path, tape.frames, stored)
    const json = parseJson(body)
    if (!door || json === undefined) throw new GatewayError('invalid-request', 'The body is not JSON.')
    const messages = readBody(door, json, { headers, stored })
    return { entries: readMessages(messages, numbers), isPartial: stored.isMissing }
  } catch (error) {
    const parts = [numbers.place({ kind: 'raw', text: body })]
    const entry: Entry = { role: 'user', keys: keysOf('user', parts, []), parts, results: [] }
    const problem = error instanceof Error ? error.message : String(error)
    return { entries: body === '' ? [] : [entry], isPartial: false, problem }
  }
}

interface Reading {
  headers: Headers
  stored: StoredItems
}

function readBody(door: Door, json: unknown, { headers, stored }: Reading): Message[] {
  const read = (from: Door, body: unknown) =>
    from.read(body, new Notes(), (name) => headers[name]).turn.messages
  try {
    return read(door, json)
  } catch (error) {
    // What the conversation continues is not kept: what came with this request is.
    if (!isObject(json) || !stored.isMissing) throw error
    const { previous_response_id: _, ...rest } = json
    return read(openaiResponsesDoor(stored, { isBeginning: true }), { ...rest, input: withoutNames(rest) })
  }
}

const withoutNames = ({ input }: Fields): unknown =>
  Array.isArray(input) ? input.filter((item) => !isObject(item) || item.type !== 'item_reference') : input

function doorOf(path: string, frames: readonly Frame[], stored: StoredItems): Door | undefined {
  if (path.endsWith('/chat/completions')) return openaiChatDoor
  if (path === '/api/chat') return ollamaChatDoor
  if (path === '/api/generate') return ollamaGenerateDoor
  if (path.endsWith('/messages')) return anthropicMessagesDoor
  if (path.endsWith('/responses/compact')) return compactDoor(stored)
  if (path.endsWith('/responses')) return openaiResponsesDoor(stored)
  const [address = ''] = path.split('?', 1)
  const verb = address.slice(address.lastIndexOf(':') + 1)
  if (verb !== 'generateContent' && verb !== 'streamGenerateContent') return undefined
  const begin = frames.find((frame) => frame.side === 'gateway' && frame.do === 'begin')
  const named = begin && 'model' in begin ? begin.model : undefined
  const model = named ?? address.slice(address.indexOf('/models/') + '/models/'.length, -verb.length - 1)
  return geminiDoor({ model, stream: verb !== 'generateContent', form: 'sse' })
}
