// Scripted steps as output items.

import { randomBytes } from 'node:crypto'
import type { CallStep, ContentStep } from '../../script.ts'
import type { Json } from '../../shape.ts'
import type { Item, WireTool } from './request.ts'

export interface ItemContext {
  readonly tools: readonly WireTool[]
  /** The form of a summary, if the request asked for one. */
  readonly showsSummary: boolean
  readonly showsRawReasoning: boolean
  /** The sealed reasoning; undefined if the request did not ask for it. */
  seal(text: string): string | undefined
}

export const newId = (prefix: string) => `${prefix}_${randomBytes(25).toString('hex')}`

/** Undefined for steps without a counterpart. */
export function toItem(step: ContentStep, context: ItemContext): Item | undefined {
  if ('say' in step)
    return {
      id: newId('msg'),
      type: 'message',
      status: 'completed',
      content: [{ type: 'output_text', annotations: [], logprobs: [], text: step.say }],
      role: 'assistant',
    }
  if ('think' in step) return reasoningItem(step.think, context)
  return 'call' in step ? callItem(step, context) : undefined
}

function reasoningItem(text: string, { showsSummary, showsRawReasoning, seal }: ItemContext): Item {
  const sealed = seal(text)
  return {
    id: newId('rs'),
    type: 'reasoning',
    ...(sealed === undefined ? {} : { encrypted_content: sealed }),
    summary: showsSummary && !showsRawReasoning ? [{ type: 'summary_text', text }] : [],
    ...(showsRawReasoning ? { content: [{ type: 'reasoning_text', text }] } : {}),
  }
}

/** A script may name a tool with its namespace, as services without namespaces do. */
const isCalled = ({ name, namespace }: WireTool, called: string) =>
  name === called || (namespace !== undefined && `${namespace}__${name}` === called)

function callItem({ call }: CallStep, { tools }: ItemContext): Item {
  const tool = tools.find((one) => isCalled(one, call.name))
  const given = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const callId = call.id ?? `call_${randomBytes(12).toString('hex')}`
  if (call.name === 'tool_search' && tools.some(isClientSearch))
    return {
      ...{ id: newId('tsc'), type: 'tool_search_call', status: 'completed', call_id: callId },
      ...{ execution: 'client', arguments: call.arguments },
    }
  const named = {
    call_id: callId,
    name: tool?.name ?? call.name,
    ...(typeof tool?.namespace === 'string' ? { namespace: tool.namespace } : {}),
  }
  if (tool?.type === 'custom')
    return { id: newId('ctc'), type: 'custom_tool_call', status: 'completed', ...named, input: inputOf(call) }
  return { id: newId('fc'), type: 'function_call', status: statusOf(given), arguments: given, ...named }
}

const isClientSearch = ({ type, execution }: WireTool) => type === 'tool_search' && execution === 'client'

const inputOf = ({ arguments: given }: CallStep['call']) =>
  typeof given === 'string' ? given : String(given.input ?? JSON.stringify(given))

/** Arguments that are no JSON were cut off. */
function statusOf(text: string): string {
  try {
    JSON.parse(text === '' ? '{}' : text)
    return 'completed'
  } catch {
    return 'incomplete'
  }
}

/** The item of `output_item.added`: what grows by deltas is empty. */
export function emptied(item: Item): Item {
  const begun = { ...item, ...('status' in item ? { status: 'in_progress' } : {}) }
  if (item.type === 'message') return { ...begun, content: [] }
  if (item.type === 'function_call') return { ...begun, arguments: '' }
  if (item.type === 'custom_tool_call') return { ...begun, input: '' }
  if (item.type !== 'reasoning') return begun
  const { content: _, ...rest } = begun
  // As the service does: the sealed reasoning of this event is not complete.
  const sealed = item.encrypted_content
  return {
    ...rest,
    summary: [],
    ...(typeof sealed === 'string' ? { encrypted_content: sealed.slice(0, sealed.length / 2) } : {}),
  }
}

export const partsOf = (item: Item): Json[] => (Array.isArray(item.content) ? item.content : [])
