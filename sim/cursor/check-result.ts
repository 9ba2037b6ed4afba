// Checks of exec results that an official client always passes. Each finding is a sentence.

import type { ExecClientMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { ExecArgs } from './exec-kinds.ts'

type Results = ExecClientMessage['message']
type Value<Case extends NonNullable<Results['case']>> = Extract<Results, { case: Case }>['value']

/** Undefined if the result is well-formed. */
export function findFault(args: ExecArgs, { message }: ExecClientMessage): string | undefined {
  if (message.case === undefined) return 'holds no result'
  const empty = emptyOneof(message.value)
  if (empty !== undefined) return empty
  switch (message.case) {
    case 'readResult':
    case 'redactedReadResult':
      return checkRead(message.value)
    case 'shellResult':
      return checkShell(message.value)
    case 'lsResult':
      return checkLs(message.value)
    case 'grepResult':
      return checkGrep(message.value, args)
    case 'writeResult':
      return checkWrite(message.value, args)
    case 'deleteResult':
      return message.value.result.case === 'success' && message.value.result.value.path === ''
        ? 'is a DeleteSuccess without a path'
        : undefined
    case 'fetchResult':
      return message.value.result.case === 'success' && message.value.result.value.url === ''
        ? 'is a FetchSuccess without a url'
        : undefined
    case 'mcpResult':
      return checkMcp(message.value)
    case 'requestContextResult':
      return message.value.result.case === 'success' &&
        message.value.result.value.requestContext === undefined
        ? 'is a RequestContextSuccess without request_context'
        : undefined
    default:
      return undefined
  }
}

/** Every result is a oneof, and an empty one says nothing at all. */
function emptyOneof(value: { $unknown?: unknown[] | undefined }): string | undefined {
  // A variant newer than the known messages counts as an answer.
  if ((value.$unknown?.length ?? 0) > 0) return undefined
  const choice: unknown = 'result' in value ? value.result : 'event' in value ? value.event : undefined
  if (typeof choice !== 'object' || choice === null || !('case' in choice)) return undefined
  return choice.case === undefined ? 'says neither success nor failure: its oneof is not set' : undefined
}

function checkRead({ result }: Value<'readResult'>): string | undefined {
  if (result.case !== 'success') return undefined
  if (result.value.path === '') return 'is a ReadSuccess without a path'
  const hasOutput = result.value.output.case !== undefined || result.value.outputBlobId !== undefined
  return hasOutput ? undefined : 'is a ReadSuccess with neither content nor data'
}

function checkShell({ result }: Value<'shellResult'>): string | undefined {
  if (result.case === 'success' && result.value.exitCode !== 0) {
    return `is a ShellSuccess with exit code ${result.value.exitCode}: that is a ShellFailure`
  }
  return undefined
}

function checkLs({ result }: Value<'lsResult'>): string | undefined {
  if (result.case !== 'success') return undefined
  const root = result.value.directoryTreeRoot
  if (root === undefined) return 'is an LsSuccess without directory_tree_root'
  return root.absPath === '' ? 'is an LsSuccess whose root has no abs_path' : undefined
}

const UNION_OF_MODE: Readonly<Record<string, string>> = {
  content: 'content',
  files_with_matches: 'files',
  count: 'count',
}

function checkGrep({ result }: Value<'grepResult'>, args: ExecArgs): string | undefined {
  if (result.case !== 'success') return undefined
  const mode = (args.case === 'grepArgs' && args.value.outputMode) || 'content'
  for (const [path, { result: union }] of Object.entries(result.value.workspaceResults)) {
    if (union.case === undefined) return `is a GrepSuccess whose result for ${path} is empty`
    const wanted = UNION_OF_MODE[mode]
    if (wanted !== undefined && union.case !== wanted) {
      return `is a GrepSuccess with "${union.case}" though output_mode is ${mode}`
    }
  }
  return undefined
}

function checkWrite({ result }: Value<'writeResult'>, args: ExecArgs): string | undefined {
  if (result.case !== 'success') return undefined
  if (result.value.path === '') return 'is a WriteSuccess without a path'
  const wantsContent = args.case === 'writeArgs' && args.value.returnFileContentAfterWrite
  return wantsContent && result.value.fileContentAfterWrite === undefined
    ? 'is a WriteSuccess without the file content that was asked for'
    : undefined
}

function checkMcp({ result }: Value<'mcpResult'>): string | undefined {
  if (result.case !== 'success') return undefined
  return result.value.content.some(({ content }) => content.case === undefined)
    ? 'is an McpSuccess with an empty content item'
    : undefined
}
