// Fields and tools of a Messages request that only Anthropic's service has, and that must not be left out in silence: the answer would
// mean something else. Services of other dialects refuse them in words on which clients do without.

import { isObject, textOf } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { OpaqueTool, Tool } from '../../core/request.ts'
import type { Fields } from '../requests/decode.ts'
import { webKindOf } from './web-blocks.ts'

interface OwnField {
  why: string
  /** The API's own code for it. */
  code?: string
}

const refused: ReadonlyMap<string, OwnField> = new Map(
  Object.entries({
    // The client asks for a verdict on the model's calls. Without the field it knows that there is none.
    safeguards: {
      why: 'The model behind this gateway has no such check. Send the request without `safeguards`.',
    },
    // The request has only the newest messages: without the earlier ones the answer would be about something else.
    thread: {
      why: 'Threads are kept by Anthropic alone. Send the whole conversation.',
      code: 'thread_unsupported_request',
    },
    // Without the field the request is an ordinary turn.
    compaction: {
      why: "Only Anthropic's service writes such a summary. Ask for one in words.",
      code: 'compaction_unavailable',
    },
  }),
)

interface ServerTool {
  /** The beginning of the tool's type. */
  type: RegExp
  name: string
}

/** Tools that give the model facts. A model that was asked for these facts and has no such tool invents them. */
const serverTools: readonly ServerTool[] = [
  { type: /^web_search/, name: 'Web search' },
  { type: /^web_fetch/, name: 'Web fetch' },
  { type: /^(?:bash_)?code_execution/, name: 'Code execution' },
  { type: /^advisor/, name: 'The advisor' },
  { type: /^mcp_toolset/, name: "The service's MCP connector" },
]

/** The errors of services of other dialects. */
export function readNeeds(
  fields: Fields,
  tools: readonly Tool[],
  opaqueTools: readonly OpaqueTool[],
): GatewayError[] {
  const needs = [...refused].flatMap(([field, { why, code }]) =>
    fields[field] === undefined || fields[field] === null ? [] : [lacking(field, why, code)],
  )
  const lost = tools.length > 0 ? undefined : lostTool(opaqueTools)
  return lost ? [...needs, lost] : needs
}

/** A request with other tools too is answered without this one: the model has something to work with. */
function lostTool(opaqueTools: readonly OpaqueTool[]): GatewayError | undefined {
  for (const { kind } of opaqueTools) {
    const found = serverTools.find(({ type }) => type.test(kind))
    if (found)
      return lacking(
        'tools',
        `${found.name} is not available here: it is a tool of Anthropic's own service.${hintOf(kind)}`,
      )
  }
  return undefined
}

/** The gateway itself may do it. */
const hintOf = (kind: string) => {
  const web = webKindOf(kind)
  return web ? ` Whoever runs this gateway can allow it: "lacks.${web}" in its configuration.` : ''
}

const lacking = (field: string, why: string, serviceCode?: string) =>
  new GatewayError('unsupported', `${field}: ${why}`, { param: field, serviceCode })

/** What a service of another dialect is not told, and may matter. */
export function translationNotesOf(fields: Fields): string[] {
  const { context_management: management } = fields
  const edits = isObject(management) && Array.isArray(management.edits) ? management.edits : []
  return edits.every(keepsAll) ? [] : ['not supported by the upstream and left out: context_management']
}

/** All thinking is kept: leaving this out changes nothing. */
function keepsAll(edit: unknown): boolean {
  if (!isObject(edit) || !textOf(edit.type).startsWith('clear_thinking_')) return false
  return edit.keep === 'all' || (isObject(edit.keep) && edit.keep.type === 'all')
}
