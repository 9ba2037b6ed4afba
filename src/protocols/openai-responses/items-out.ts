// The output items of an answer.

import { parseJson } from '../../base/json.ts'
import type { CollectedPart } from '../../core/collect.ts'
import { customText } from '../requests/custom-tools.ts'
import { type Proof, toEncryptedContent } from './reasoning-proof.ts'
import type { ToolNames } from './tool-names.ts'

export type Item = Record<string, unknown> & { id: string; type: string }
type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ItemOptions {
  /** The random part of the ids in this answer. */
  id: string
  /** The model as the client named it. */
  model: string
  names: ToolNames
  /** The client does not show refusal parts: a refusal is text. */
  hidesRefusals?: boolean | undefined
}

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  web_search_call: 'ws',
}

/** Contains the id of the answer, so an item leads back to its answer. */
export const itemId = (type: keyof typeof prefixes, answerId: string, index: number) =>
  `${prefixes[type]}_${answerId}_${index}`

const idPattern = /^[a-z]+_([A-Za-z0-9]+)_\d+$/

export const answerOfItem = (id: string): string | undefined => idPattern.exec(id)?.[1]

export const contentPart = (text: string, refusal: boolean) =>
  refusal ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [], logprobs: [] }

export const summaryPart = (text: string) => ({ type: 'summary_text', text })

export const messageItem = (id: string, content: readonly object[], status: ItemStatus): Item => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
})

export function reasoningItem(id: string, text: string, model: string, proof: Proof): Item {
  const encrypted = toEncryptedContent({ model, text }, proof)
  return {
    id,
    type: 'reasoning',
    summary: text === '' ? [] : [summaryPart(text)],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  }
}

interface Call {
  callId: string
  name: string
  /** Empty while the arguments are streaming. */
  input: string
}

const callTypes = {
  function: 'function_call',
  custom: 'custom_tool_call',
  search: 'tool_search_call',
} as const

export function callItem(call: Call, index: number, status: ItemStatus, options: ItemOptions): Item {
  const { name, namespace, kind } = options.names.toClient(call.name)
  const type = callTypes[kind]
  const common = { id: itemId(type, options.id, index), type, status, call_id: call.callId }
  if (kind === 'search')
    return { ...common, execution: 'client', arguments: call.input === '' ? {} : parseJson(call.input) }
  return {
    ...common,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(kind === 'custom' ? { input: call.input && customText(call) } : { arguments: call.input }),
  }
}

/** `cut`: the answer ended here before the model was finished. */
export function finishedItem(part: CollectedPart, index: number, cut: boolean, options: ItemOptions): Item {
  switch (part.type) {
    case 'text': {
      const content = [contentPart(part.text, part.refusal && !options.hidesRefusals)]
      return messageItem(itemId('message', options.id, index), content, cut ? 'incomplete' : 'completed')
    }
    case 'reasoning':
      return reasoningItem(itemId('reasoning', options.id, index), part.text, options.model, part)
    case 'tool-call':
      return callItem(part, index, 'completed', options)
  }
}

/** The item for the client: with the proof of its reasoning only if the client asked for proofs. */
export function shownItem(item: Item, includeProofs: boolean): Item {
  if (includeProofs || item.type !== 'reasoning' || item.encrypted_content === undefined) return item
  const { encrypted_content: _kept, ...shown } = item
  return shown as Item
}
