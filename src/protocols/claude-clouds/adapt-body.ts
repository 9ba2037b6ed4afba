// Parts of a Messages body that clouds do not take. Values without a change stay the same objects, so that the client's bytes are kept.

import { type Fields, isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Refuses images and documents that the cloud would have to fetch. */
export function refuseFetchedMedia({ messages }: Readonly<Fields>, cloud: string): void {
  const blocks = listOf(messages).flatMap((message) => (isObject(message) ? listOf(message.content) : []))
  const nested = blocks.flatMap((block) => (isObject(block) ? listOf(block.content) : []))
  const isFetched = (block: unknown) =>
    isObject(block) && isObject(block.source) && (block.source.type === 'url' || block.source.type === 'file')
  if (![...blocks, ...nested].some(isFetched)) return
  throw new GatewayError(
    'unsupported',
    `${cloud} takes no images or documents by address or file id; send their bytes as base64.`,
    { param: 'messages' },
  )
}

/** Refuses tools that Anthropic runs itself, and the cloud does not. */
export function refuseServerTools(body: Readonly<Fields>, pattern: RegExp, cloud: string): void {
  const types = listOf(body.tools).map((tool) => (isObject(tool) ? String(tool.type ?? '') : ''))
  const found = body.mcp_servers === undefined ? types.find((type) => pattern.test(type)) : 'mcp_servers'
  if (found === undefined) return
  throw new GatewayError(
    'unsupported',
    `${cloud} does not have the tool "${found}"; use a model of another backend for it.`,
    { param: found === 'mcp_servers' ? found : 'tools' },
  )
}

/** The tools without these members. */
export function withoutToolMembers(tools: unknown, names: readonly string[]): unknown {
  if (!Array.isArray(tools)) return tools
  const has = (tool: unknown) => isObject(tool) && names.some((name) => Object.hasOwn(tool, name))
  if (!tools.some(has)) return tools
  return tools.map((tool) => (has(tool) ? without(tool as Fields, names) : tool))
}

export const hasToolMember = (tools: unknown, name: string): boolean =>
  listOf(tools).some((tool) => isObject(tool) && tool[name] === true)

/** Without `strict` a call may not fit its tool's schema: the gateway's own check is what is left. */
export function noteStrict(tools: unknown, cloud: string, note: (text: string) => void): void {
  const names = listOf(tools).flatMap((tool) => (isObject(tool) && tool.strict === true ? [tool.name] : []))
  if (names.length > 0)
    note(`strict of tools is not sent to ${cloud}, which does not have it: ${names.join(', ')}`)
}

export const searchesTools = (tools: unknown): boolean =>
  listOf(tools).some((tool) => isObject(tool) && String(tool.type ?? '').startsWith('tool_search_tool_'))

export const without = (fields: Readonly<Fields>, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** `output_config` without a schema for the answer; undefined if nothing is left. */
export function withoutFormat(config: unknown): unknown {
  if (!isObject(config) || config.format === undefined) return config
  const rest = without(config, ['format'])
  return Object.keys(rest).length > 0 ? rest : undefined
}

/**
 * The effort of single turns, a beta that clouds do not take: messages without it, and the last one as the effort of the request. Both
 * as they came if no message has it.
 */
export function withOneEffort(
  { messages, output_config: config }: Readonly<Fields>,
  note: (text: string) => void,
): Fields {
  const has = (message: unknown): message is Fields =>
    isObject(message) && message.output_config !== undefined
  const list = listOf(messages)
  if (!list.some(has)) return { messages, output_config: config }
  const efforts = list.flatMap((message) =>
    has(message) && isObject(message.output_config) ? (message.output_config.effort ?? []) : [],
  )
  const effort = efforts.at(-1)
  note('the effort of single turns is sent as one: the last is for the whole request')
  return {
    messages: list.map((message) => (has(message) ? without(message, ['output_config']) : message)),
    output_config: effort === undefined ? config : { ...(isObject(config) ? config : {}), effort },
  }
}

/** No request nests blocks deeper. */
const deepest = 6

/** Removes `cache_control.scope` of blocks and tools. */
export function withoutCacheScope(value: unknown, depth = 0): unknown {
  if (depth > deepest) return value
  if (Array.isArray(value)) return mapped(value, (entry) => withoutCacheScope(entry, depth + 1))
  if (!isObject(value)) return value
  let out: Fields = value
  const set = (name: string, next: unknown) => {
    if (next !== value[name]) out = { ...out, [name]: next }
  }
  const { cache_control: mark } = value
  if (isObject(mark) && mark.scope !== undefined) set('cache_control', without(mark, ['scope']))
  set('content', withoutCacheScope(value.content, depth + 1))
  return out
}

function mapped(list: unknown[], change: (entry: unknown) => unknown): unknown[] {
  const changed = list.map(change)
  return changed.some((entry, at) => entry !== list[at]) ? changed : list
}
