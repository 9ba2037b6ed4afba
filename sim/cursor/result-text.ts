// Typed results as the text that a model reads.

import type {
  DeleteResult,
  FetchResult,
  GrepResult,
  GrepUnionResult,
  LsDirectoryTreeNode,
  LsResult,
  ReadResult,
  WriteResult,
} from '../../proto/gen/agent/v1/exec_files_pb.ts'
import type { McpResult } from '../../proto/gen/agent/v1/exec_mcp_pb.ts'
import type { ExecClientMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { ShellResult } from '../../proto/gen/agent/v1/exec_shell_pb.ts'
import type { McpToolResult } from '../../proto/gen/agent/v1/tool_pb.ts'
import type { ExecOutcome } from './exec-ledger.ts'
import { shellResultOf } from './shell-events.ts'

export interface ResultText {
  readonly text: string
  readonly isError?: boolean
  /** The tool was not run at all, because the client does not allow or have it. */
  readonly isRejected?: boolean
}

export function outcomeText(outcome: ExecOutcome): ResultText {
  if (outcome.thrown !== undefined) return rejected(outcome.thrown)
  const message = outcome.results[0]?.message
  if (message?.case === 'shellStream') return shellText(shellResultOf(outcome))
  return message === undefined ? failed('no result') : messageText(message)
}

function messageText(message: ExecClientMessage['message']): ResultText {
  switch (message.case) {
    case 'shellResult':
      return shellText(message.value)
    case 'readResult':
    case 'redactedReadResult':
      return readText(message.value)
    case 'writeResult':
      return writeText(message.value)
    case 'deleteResult':
      return deleteText(message.value)
    case 'lsResult':
      return lsText(message.value)
    case 'grepResult':
      return grepText(message.value)
    case 'fetchResult':
      return fetchText(message.value)
    case 'mcpResult':
      return mcpText(message.value)
    default:
      return { text: `(a ${message.case ?? 'result of an unknown kind'})` }
  }
}

function readText({ result }: ReadResult): ResultText {
  switch (result.case) {
    case 'success': {
      const { output } = result.value
      return { text: output.case === 'data' ? `(${output.value.length} bytes)` : (output.value ?? '') }
    }
    case 'rejected':
      return rejected(result.value.reason)
    case 'error':
      return failed(result.value.error)
    case 'fileNotFound':
      return failed(`File not found: ${result.value.path}`)
    default:
      return failed(`${result.value?.path} cannot be read`)
  }
}

export function shellText({ result }: ShellResult): ResultText {
  switch (result.case) {
    case 'success':
      return { text: [result.value.stdout, result.value.stderr].filter(Boolean).join('\n') }
    case 'failure': {
      const { stdout, stderr, exitCode } = result.value
      return failed([stderr, stdout, `exit code ${exitCode}`].filter(Boolean).join('\n'))
    }
    case 'timeout':
      return failed(`timed out after ${result.value.timeoutMs} ms`)
    case 'rejected':
      return rejected(result.value.reason)
    case 'permissionDenied':
    case 'spawnError':
      return failed(result.value.error)
    default:
      return failed('no result')
  }
}

function writeText({ result }: WriteResult): ResultText {
  switch (result.case) {
    case 'success':
      return { text: `Wrote ${result.value.path}` }
    case 'rejected':
      return rejected(result.value.reason)
    case 'error':
    case 'permissionDenied':
      return failed(result.value.error)
    default:
      return failed('no space left')
  }
}

export function deleteText({ result }: DeleteResult): ResultText {
  switch (result.case) {
    case 'success':
      return { text: `Deleted ${result.value.path}` }
    case 'rejected':
      return rejected(result.value.reason)
    case 'error':
      return failed(result.value.error)
    case 'fileNotFound':
      return failed(`File not found: ${result.value.path}`)
    default:
      return failed(`${result.value?.path} cannot be deleted`)
  }
}

export function lsText({ result }: LsResult): ResultText {
  switch (result.case) {
    case 'success':
    case 'timeout': {
      const root = result.value.directoryTreeRoot
      return { text: root === undefined ? '' : treeLines(root, '').join('\n') }
    }
    case 'rejected':
      return rejected(result.value.reason)
    default:
      return failed(result.value?.error ?? 'no result')
  }
}

function treeLines(node: LsDirectoryTreeNode, indent: string): string[] {
  return [
    ...node.childrenFiles.map(({ name }) => `${indent}${name}`),
    ...node.childrenDirs.flatMap((dir) => [
      `${indent}${dir.absPath.split('/').at(-1)}/`,
      ...treeLines(dir, `${indent}  `),
    ]),
  ]
}

export function grepText({ result }: GrepResult): ResultText {
  if (result.case !== 'success') return failed(result.value?.error ?? 'no result')
  return { text: Object.values(result.value.workspaceResults).flatMap(unionLines).join('\n') }
}

function unionLines({ result }: GrepUnionResult): string[] {
  if (result.case === 'files') return result.value.files
  if (result.case === 'count') return result.value.counts.map(({ file, count }) => `${file}:${count}`)
  return (result.value?.matches ?? []).flatMap(({ file, matches }) =>
    matches.map(({ lineNumber, content }) => `${file}:${lineNumber}:${content}`),
  )
}

export function fetchText({ result }: FetchResult): ResultText {
  if (result.case === 'success') return { text: result.value.content }
  return failed(result.value?.error ?? 'no result')
}

export function mcpText({ result }: McpResult | McpToolResult): ResultText {
  switch (result.case) {
    case 'success': {
      const text = result.value.content
        .map(({ content }) => (content.case === 'text' ? content.value.text : '(an image)'))
        .join('\n')
      return result.value.isError ? failed(text) : { text }
    }
    case 'rejected':
      return rejected(result.value.reason)
    case 'toolNotFound':
    case 'serverNotFound':
      return rejected(`${result.value.name} was not found`)
    case 'error':
    case 'permissionDenied':
      return failed(result.value.error)
    default:
      return failed('no result')
  }
}

function failed(text: string): ResultText {
  return { text, isError: true }
}

function rejected(text: string): ResultText {
  return { text, isError: true, isRejected: true }
}
