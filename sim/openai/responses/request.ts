// The checked body of a Responses request: the fields that the simulator reads.

import { isRecord, type Json } from '../../shape.ts'

export interface Item extends Json {
  type?: string
  id?: string | null
  role?: string
  content?: string | Json[] | null
  call_id?: string
  name?: string
  namespace?: string | null
  /** An object in a search for tools. */
  arguments?: string | Json
  input?: string
  output?: string | Json[]
  summary?: Json[]
  encrypted_content?: string | null
}

export interface WireTool extends Json {
  type: string
  name?: string
  description?: string | null
  parameters?: Json | null
  strict?: boolean | null
  tools?: WireTool[]
}

export interface ResponsesRequest extends Json {
  model: string
  input: string | Item[]
  instructions?: string | null
  tools?: WireTool[] | null
  tool_choice?: string | { type: string; name?: string; mode?: string } | null
  parallel_tool_calls?: boolean | null
  reasoning?: { effort?: string | null; summary?: string | null } | null
  text?: { format?: Json; verbosity?: string | null } | null
  include?: string[] | null
  store?: boolean | null
  previous_response_id?: string | null
  stream?: boolean | null
  stream_options?: { include_obfuscation?: boolean } | null
}

export const itemsOf = ({ input }: ResponsesRequest): Item[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input

export const typeOf = ({ type }: Item): string => type ?? 'message'

const ADDS_TOOLS = ['additional_tools', 'tool_search_output']

/** All function and custom tools, those of namespaces and of items that add tools among them. */
export function offeredTools(request: ResponsesRequest, items: readonly Item[]): WireTool[] {
  const added = items.flatMap((item) => (ADDS_TOOLS.includes(typeOf(item)) ? (item.tools as WireTool[]) : []))
  return [...(request.tools ?? []), ...added].flatMap((tool) =>
    tool.type === 'namespace'
      ? (tool.tools ?? []).map((inner) => ({ ...inner, namespace: tool.name }))
      : [tool],
  )
}

export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content
    .filter(isRecord)
    .map((part) => part.text ?? part.refusal ?? '')
    .join('\n')
}
