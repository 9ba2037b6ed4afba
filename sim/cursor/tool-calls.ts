// Calls and results in the agent's messages, and back to the form that a model reads.

import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import type { McpArgs } from '../../proto/gen/agent/v1/exec_mcp_pb.ts'
import { type ToolCall as ShownCall, ToolCallSchema } from '../../proto/gen/agent/v1/tool_pb.ts'
import type { ToolCall } from '../model.ts'
import { callIdOf, type ExecArgs } from './exec-kinds.ts'
import type { ExecOutcome } from './exec-ledger.ts'
import type { PendingCall } from './pending-calls.ts'
import * as texts from './result-text.ts'
import { shellResultOf } from './shell-events.ts'
import { bareName } from './tool-names.ts'

type ToolInit = NonNullable<MessageInitShape<typeof ToolCallSchema>['tool']>

/** Without an outcome: a call that has begun. Undefined if Cursor shows nothing. */
export function toShownCall(args: ExecArgs, outcome?: ExecOutcome): ShownCall | undefined {
  const tool = toTool(args, outcome)
  return tool && create(ToolCallSchema, { tool, toolCallId: callIdOf(args) })
}

function toTool(args: ExecArgs, outcome: ExecOutcome | undefined): ToolInit | undefined {
  const message = outcome?.results[0]?.message
  switch (args.case) {
    case 'shellArgs':
    case 'shellStreamArgs': {
      const result = message?.case === 'shellResult' ? message.value : undefined
      const whole = result ?? (outcome && outcome.results.length > 0 ? shellResultOf(outcome) : undefined)
      return { case: 'shellToolCall', value: { args: args.value, ...(whole && { result: whole }) } }
    }
    case 'readArgs':
      return { case: 'readToolCall', value: { args: { path: args.value.path }, ...readResult(outcome) } }
    case 'writeArgs':
      return {
        case: 'editToolCall',
        value: { args: { path: args.value.path, streamContent: args.value.fileText } },
      }
    case 'lsArgs':
      return {
        case: 'lsToolCall',
        value: { args: args.value, ...(message?.case === 'lsResult' && { result: message.value }) },
      }
    case 'grepArgs':
      return {
        case: 'grepToolCall',
        value: { args: args.value, ...(message?.case === 'grepResult' && { result: message.value }) },
      }
    case 'deleteArgs':
      return {
        case: 'deleteToolCall',
        value: { args: args.value, ...(message?.case === 'deleteResult' && { result: message.value }) },
      }
    case 'fetchArgs':
      return {
        case: 'fetchToolCall',
        value: { args: args.value, ...(message?.case === 'fetchResult' && { result: message.value }) },
      }
    case 'mcpArgs':
      return { case: 'mcpToolCall', value: { args: args.value, ...mcpResult(outcome) } }
    default:
      return undefined
  }
}

function readResult(outcome: ExecOutcome | undefined) {
  if (outcome === undefined) return {}
  const { text, isError } = texts.outcomeText(outcome)
  return isError
    ? { result: { result: { case: 'error' as const, value: { errorMessage: text } } } }
    : {
        result: {
          result: { case: 'success' as const, value: { output: { case: 'content' as const, value: text } } },
        },
      }
}

function mcpResult(outcome: ExecOutcome | undefined) {
  const message = outcome?.results[0]?.message
  if (outcome === undefined) return {}
  const result = message?.case === 'mcpResult' ? message.value.result : undefined
  if (result?.case === 'success' || result?.case === 'rejected' || result?.case === 'permissionDenied') {
    return { result: { result } }
  }
  const error = texts.outcomeText(outcome).text
  return { result: { result: { case: 'error' as const, value: { error } } } }
}

/** A remembered call and its result; `result` is undefined for an open call. */
export function fromShownCall(shown: ShownCall): { call: ToolCall; result: texts.ResultText | undefined } {
  const id = shown.toolCallId
  const named = (name: string, input: Record<string, unknown>, result: texts.ResultText | undefined) => ({
    call: { name, arguments: input, ...(id !== undefined && { id }) },
    result,
  })
  const { tool } = shown
  switch (tool.case) {
    case 'shellToolCall':
      return named(
        'run_terminal_cmd',
        { command: tool.value.args?.command },
        asText(tool.value.result, texts.shellText),
      )
    case 'readToolCall':
      return named('read_file', { target_file: tool.value.args?.path }, readToolText(tool.value.result))
    case 'editToolCall':
      return named('write', { file_path: tool.value.args?.path }, { text: `Wrote ${tool.value.args?.path}` })
    case 'lsToolCall':
      return named(
        'list_dir',
        { target_directory: tool.value.args?.path },
        asText(tool.value.result, texts.lsText),
      )
    case 'grepToolCall': {
      const { pattern, glob } = tool.value.args ?? {}
      // A search that matches everything finds files by name.
      const [name, input] =
        pattern === '' && glob ? ['glob_file_search', { glob_pattern: glob }] : ['grep', { pattern }]
      return named(name, input, asText(tool.value.result, texts.grepText))
    }
    case 'deleteToolCall':
      return named(
        'delete_file',
        { target_file: tool.value.args?.path },
        asText(tool.value.result, texts.deleteText),
      )
    case 'fetchToolCall':
      return named('web_fetch', { url: tool.value.args?.url }, asText(tool.value.result, texts.fetchText))
    case 'mcpToolCall':
      return named(
        tool.value.args === undefined ? '' : bareName(tool.value.args),
        valuesOf(tool.value.args),
        asText(tool.value.result, texts.mcpText),
      )
    default:
      return named(tool.case ?? 'unknown', {}, undefined)
  }
}

function asText<T>(
  result: T | undefined,
  toText: (result: T) => texts.ResultText,
): texts.ResultText | undefined {
  return result && toText(result)
}

type ReadToolCall = Extract<ShownCall['tool'], { case: 'readToolCall' }>['value']

function readToolText(read: ReadToolCall['result']): texts.ResultText | undefined {
  const result = read?.result
  if (result?.case === 'success') return { text: String(result.value.output.value ?? '') }
  return result?.case === 'error' ? { text: result.value.errorMessage, isError: true } : undefined
}

function valuesOf(args: McpArgs | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args?.args ?? {}).map(([name, value]) => [name, toJson(ValueSchema, value)]),
  )
}

/** The model's call of a pending exec. */
export function callOfPending({ toolCallId: id, spec }: PendingCall): ToolCall & { readonly id: string } {
  const shown = toShownCall(spec.args)
  return { ...(shown ? fromShownCall(shown).call : { name: spec.args.case, arguments: {} }), id }
}
