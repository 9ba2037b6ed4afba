// The kinds of exec, by their names in scripts.

import { clone, create, fromJson, type JsonValue, type Message } from '@bufbuild/protobuf'
import {
  ExecClientMessageSchema,
  type ExecServerMessage,
  ExecServerMessageSchema,
} from '../../proto/gen/agent/v1/exec_pb.ts'
import type { ShellCommandParsingResult } from '../../proto/gen/agent/v1/exec_shell_pb.ts'
import { ShellCommandParsingResultSchema } from '../../proto/gen/agent/v1/exec_shell_pb.ts'
import { isRecord } from '../shape.ts'

export type ExecArgs = ExecServerMessage['message']
export type ArgsCase = NonNullable<ExecArgs['case']>

const ARGS_OF: Readonly<Record<string, ArgsCase>> = {
  shell: 'shellArgs',
  shellStream: 'shellStreamArgs',
  read: 'readArgs',
  redactedRead: 'redactedReadArgs',
  write: 'writeArgs',
  delete: 'deleteArgs',
  ls: 'lsArgs',
  grep: 'grepArgs',
  fetch: 'fetchArgs',
  diagnostics: 'diagnosticsArgs',
  requestContext: 'requestContextArgs',
  mcp: 'mcpArgs',
  backgroundShell: 'backgroundShellSpawnArgs',
  writeShellStdin: 'writeShellStdinArgs',
  listMcpResources: 'listMcpResourcesExecArgs',
  readMcpResource: 'readMcpResourceExecArgs',
  mcpState: 'mcpStateExecArgs',
  shellAllowlistPrecheck: 'shellAllowlistPrecheckArgs',
  mcpAllowlistPrecheck: 'mcpAllowlistPrecheckArgs',
  webFetchAllowlistPrecheck: 'webFetchAllowlistPrecheckArgs',
}

export const EXEC_NAMES: readonly string[] = Object.keys(ARGS_OF)

/** An exec to request: a known kind, or a field number that the known messages lack. */
export type ExecSpec = KnownExec | { readonly field: number; readonly bytes: Uint8Array }
export type KnownExec = { readonly args: ExecArgs & { case: ArgsCase } }

/** By script name, from protobuf JSON; throws if the arguments do not fit. */
export function execFromJson(name: string, json: JsonValue): ExecSpec {
  if (name === 'unknown') return unknownExec(json)
  const argsCase = ARGS_OF[name]
  if (argsCase === undefined) throw new Error(`there is no exec "${name}"`)
  const field = ExecServerMessageSchema.fields.find(({ localName }) => localName === argsCase)
  if (field?.message === undefined) throw new Error(`the exec "${name}" has no arguments`)
  const value = fromJson(field.message, json)
  return { args: withShellDetails({ case: argsCase, value } as ExecArgs & { case: ArgsCase }) }
}

function unknownExec(json: JsonValue): ExecSpec {
  const { field, bytes64 = '' } = isRecord(json) ? json : {}
  if (typeof field !== 'number' || typeof bytes64 !== 'string') {
    throw new Error('an unknown exec has a "field" number and perhaps "bytes64"')
  }
  return { field, bytes: Buffer.from(bytes64, 'base64') }
}

/** The field name in a message, e.g. `read_args`. */
export function wireName(argsCase: ArgsCase | undefined, field?: number): string {
  if (argsCase === undefined) return `field ${field}`
  return argsCase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The field of the answer to a request: mostly the same name, always the same number. */
export function resultCaseOf(argsCase: ArgsCase): string {
  const asked = ExecServerMessageSchema.fields.find(({ localName }) => localName === argsCase)
  return ExecClientMessageSchema.fields.find(({ number }) => number === asked?.number)?.localName ?? ''
}

export function callIdOf(args: ExecArgs): string {
  const value: unknown = args.value
  return typeof value === 'object' && value !== null && 'toolCallId' in value
    ? String(value.toolCallId ?? '')
    : ''
}

export function withCallId(spec: ExecSpec, callId: string): ExecSpec {
  if (!('args' in spec)) return spec
  const value = spec.args.value as Message & { toolCallId?: string }
  if (!('toolCallId' in value) || (value.toolCallId ?? '') !== '') return spec
  value.toolCallId = callId
  return spec
}

/** The same work again, as a separate call. */
export function asNewCall(spec: ExecSpec): ExecSpec {
  if (!('args' in spec)) return spec
  const message = create(ExecServerMessageSchema, { message: spec.args })
  const args = clone(ExecServerMessageSchema, message).message as ExecArgs & { case: ArgsCase }
  if ('toolCallId' in args.value) args.value.toolCallId = ''
  return { args }
}

/** Official clients do not run a command without its parsing result, and do not ask the user if approval is skipped. */
function withShellDetails(args: ExecArgs & { case: ArgsCase }): ExecArgs & { case: ArgsCase } {
  if (
    args.case === 'shellArgs' ||
    args.case === 'shellStreamArgs' ||
    args.case === 'backgroundShellSpawnArgs'
  ) {
    args.value.parsingResult ??= parseCommand(args.value.command)
    args.value.skipApproval = true
  }
  return args
}

export function parseCommand(command: string): ShellCommandParsingResult {
  const parts = command.split(/&&|\|\||[;|\n]/).map((part) => part.trim())
  return create(ShellCommandParsingResultSchema, {
    executableCommands: parts
      .filter((part) => part !== '')
      .map((fullText) => {
        const [name = '', ...words] = fullText.split(/\s+/)
        return { name, args: words.map((value) => ({ type: 'word', value })), fullText }
      }),
    hasRedirects: /[<>]/.test(command),
    hasCommandSubstitution: /\$\(|`/.test(command),
  })
}
