// What this service has no field for: tool choice, response format and the like are asked for in words, or dropped with a note.

import { writeExact } from '../../base/exact-json.ts'
import type { Tool, TurnRequest } from '../../core/request.ts'
import { unusedFields } from '../requests/unused-fields.ts'
import type { Note } from './parts-out.ts'
import { offeredName } from './tool-names.ts'

/** A tool choice is narrowed to its tool and asked for in words: this service has no field for it. */
export function usableTools(
  { tools, toolChoice }: Pick<TurnRequest, 'tools' | 'toolChoice'>,
  note: Note,
): readonly Tool[] {
  if (toolChoice === undefined || toolChoice.type === 'auto') return tools
  if (toolChoice.type === 'none') return []
  const isNamed = toolChoice.type === 'tool'
  note(
    `tool_choice is asked for in words${isNamed ? ', and only that tool is offered' : ''}: this backend cannot be forced to call a tool`,
  )
  return isNamed ? tools.filter(({ name }) => name === toolChoice.name) : tools
}

export function instructions(
  { toolChoice, responseFormat, parallelToolCalls }: TurnRequest,
  tools: readonly Tool[],
): string[] {
  const texts: string[] = []
  if (tools.length === 0)
    texts.push('No tools are available in this conversation. Answer in text only, without calling any tool.')
  else if (toolChoice?.type === 'required')
    texts.push('Your next answer must be a call of at least one of the available tools.')
  else if (toolChoice?.type === 'tool')
    texts.push(`Your next answer must be a call of the tool "${offeredName(toolChoice.name)}".`)
  if (tools.length > 0 && parallelToolCalls === false) texts.push('Call one tool at a time.')
  if (responseFormat !== undefined) {
    const schema = responseFormat.type === 'json-schema' ? writeExact(responseFormat.schema) : undefined
    const shape = schema === undefined ? '' : ` that conforms to this JSON Schema:\n${schema}`
    texts.push(`Answer with a single JSON object and nothing else, without a code fence${shape}`)
  }
  return texts
}

/** Notes what the service does not support. Each request of a run is checked. */
export function noteDropped(request: TurnRequest, note: Note): void {
  const dropped = unusedFields(request, ['user'])
  if (dropped.length > 0) note(`left out, this backend has no such setting: ${dropped.join(', ')}`)
  if (request.responseFormat !== undefined) note('response_format is asked for in words')
}
