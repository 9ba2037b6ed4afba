// The decision about an exec request: answer it here, make it a call of a client tool, or refuse it. Every exec gets an answer: a
// server waits for it without a deadline.

import { posix, win32 } from 'node:path'
import type { RequestContext } from '../../../proto/gen/agent/v1/context_pb.ts'
import type { McpArgs } from '../../../proto/gen/agent/v1/exec_mcp_pb.ts'
import type { McpStateExecArgs } from '../../../proto/gen/agent/v1/exec_mcp_state_pb.ts'
import type { ExecServerMessage } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { Tool, ToolResult } from '../../core/request.ts'
import { absolute } from '../client-tools/arguments.ts'
import { compileGlobs, GlobError } from '../client-tools/glob-pattern.ts'
import type { Job, Outcome } from '../client-tools/job.ts'
import { describeTools } from '../client-tools/redirect.ts'
import { redirect } from '../local-tools/redirect.ts'
import { fromValues } from './json-value.ts'
import { type ExecReply, type NativeKind, replyTo } from './native.ts'
import { isWholeRead, readBytes } from './native-files.ts'
import { type ExecRequest, nativeKind } from './native-kinds.ts'
import { resultContent, resultText } from './parts-out.ts'
import { asOffered, findTool, offeredName, toolProvider } from './tool-names.ts'
import { definitionsOf } from './tool-offers.ts'

/** An exec that a client tool does. */
export interface ExecCall {
  tool: string
  input: Record<string, unknown>
  /** `words`: what the user said beside the result; only if this call `carries` words. */
  answer(result: ToolResult, words?: string): ExecReply[]
  /** Only the model reads the result. Other results are data: from a file's content the server writes the file back. */
  carries: boolean
  /** There is no result. */
  failed(reason: string): ExecReply[]
  aborted(): ExecReply[]
}

type ExecDecision =
  | { type: 'reply'; replies: ExecReply[] }
  | { type: 'call'; call: ExecCall }
  | { type: 'throw'; error: string }

export interface ExecDesk {
  tools: readonly Tool[]
  context(): RequestContext
  workspace: string | undefined
  /** Files that were read only in part: writing them back would lose the rest. */
  partlyRead: Set<string>
  note(text: string): void
}

export function decideExec({ message }: ExecServerMessage, desk: ExecDesk): ExecDecision {
  switch (message.case) {
    case undefined:
      return { type: 'throw', error: 'This client does not know this kind of request.' }
    case 'requestContextArgs': {
      const success = {
        case: 'success' as const,
        value: { requestContext: desk.context() },
      }
      return reply({ case: 'requestContextResult', value: { result: success } })
    }
    case 'mcpArgs':
      return decideMcp(message.value, desk)
    case 'mcpStateExecArgs':
      return reply({ case: 'mcpStateExecResult', value: mcpState(message.value, desk) })
    // Nothing is allowed in advance: the client has its own rules, which are unknown here.
    case 'shellAllowlistPrecheckArgs':
      return reply({ case: 'shellAllowlistPrecheckResult', value: { allowlisted: false } })
    case 'mcpAllowlistPrecheckArgs':
      return reply({ case: 'mcpAllowlistPrecheckResult', value: { allowlisted: false } })
    case 'webFetchAllowlistPrecheckArgs':
      return reply({ case: 'webFetchAllowlistPrecheckResult', value: { allowlisted: false } })
    case 'listMcpResourcesExecArgs':
      return reply({
        case: 'listMcpResourcesExecResult',
        value: { result: { case: 'success', value: {} } },
      })
    case 'readMcpResourceExecArgs':
      return reply({
        case: 'readMcpResourceExecResult',
        value: { result: { case: 'notFound', value: { uri: message.value.uri } } },
      })
    default:
      return decideNative(message, desk)
  }
}

const reply = (...replies: ExecReply[]): ExecDecision => ({ type: 'reply', replies })

const noTools = 'no tools are available in this conversation: answer in text'

function decideNative(request: ExecRequest, desk: ExecDesk): ExecDecision {
  const kind = nativeKind(request)
  if (!kind) return { type: 'throw', error: `No handler for requests of type ${request.case}.` }
  const args: unknown = request.value
  if (desk.tools.length === 0) return reply(...kind.refused(args, noTools))
  const partly = partlyReadReason(request, desk)
  if (partly !== undefined) {
    desk.note('a write was refused: the client had shown only a part of that file')
    return reply(...kind.refused(args, partly))
  }
  const job = kind.job(args)
  if (typeof job === 'string') return reply(...kind.refused(args, job))
  const tooLarge = globFault(job)
  if (tooLarge !== undefined) return reply(...kind.refused(args, tooLarge))
  const found = redirect(job, desk.tools, desk.workspace === undefined ? {} : { workspace: desk.workspace })
  if (!found) {
    const reason = `this client has no tool for that (${job.kind}). ${describeTools(asOffered(desk.tools))}`
    return reply(...kind.refused(args, reason))
  }
  const call: ExecCall = {
    tool: found.tool,
    input: found.input,
    answer(result, words) {
      const picture = bytesOf(request, result)
      if (picture) return picture
      const outcome = found.read({ text: resultText(result), isError: result.isError === true })
      rememberRead(request, outcome, desk)
      return replyTo(kind, args, withWords(outcome, words), desk.workspace)
    },
    carries: job.kind === 'shell',
    failed: (reason) => kind.failed(args, reason),
    aborted: () => abort(kind, args),
  }
  return { type: 'call', call }
}

/** The job's globs filter the client's findings here, so a glob beyond the limits is refused before the call. */
function globFault(job: Job): string | undefined {
  const globs = globsOf(job)
  if (globs.length === 0) return undefined
  try {
    compileGlobs(globs)
    return undefined
  } catch (error) {
    if (error instanceof GlobError) return error.message
    throw error
  }
}

function globsOf(job: Job): readonly string[] {
  if (job.kind === 'glob') return [job.pattern]
  if (job.kind === 'grep') return job.glob === undefined ? [] : [job.glob]
  return job.kind === 'list' ? (job.ignore ?? []) : []
}

function withWords(outcome: Outcome, words: string | undefined): Outcome {
  if (words === undefined) return outcome
  if (outcome.kind === 'shell') {
    // A typed timeout result has no field for words.
    const { timedOut, ...rest } = outcome
    const exitCode = timedOut ? timedOutCode : rest.exitCode
    return { ...rest, exitCode, stdout: `${rest.stdout}${saidBeside(words)}` }
  }
  return outcome.kind === 'failed' ? { ...outcome, error: `${outcome.error}${saidBeside(words)}` } : outcome
}

/** The exit code of `timeout` for a command that ran out of time. */
const timedOutCode = 124

const saidBeside = (words: string) => `\n\n[The user says, together with this result:]\n${words}\n`

const abort = (kind: NativeKind<unknown>, args: unknown) =>
  kind.aborted?.(args) ?? kind.failed(args, 'aborted')

/** One key for all spellings of a path. */
const fileOf = (path: string, { workspace }: ExecDesk) => {
  const whole = absolute(path, workspace)
  return /^[A-Za-z]:/.test(whole) ? win32.normalize(whole) : posix.normalize(whole)
}

/** A failed read changes nothing. */
function rememberRead(request: ExecRequest, outcome: Outcome, desk: ExecDesk): void {
  if (request.case !== 'readArgs' && request.case !== 'redactedReadArgs') return
  if (outcome.kind !== 'read' || !isWholeRead(request.value)) return
  const file = fileOf(request.value.path, desk)
  if (outcome.complete || outcome.notFound) desk.partlyRead.delete(file)
  else desk.partlyRead.add(file)
}

/** Cursor's edit writes the whole file from what it has read: after a partial read, the rest would be lost. */
function partlyReadReason(request: ExecRequest, desk: ExecDesk): string | undefined {
  const { partlyRead, tools } = desk
  if (request.case !== 'writeArgs' || !partlyRead.has(fileOf(request.value.path, desk))) return undefined
  return `only a part of ${request.value.path} could be read, so that writing it would lose the rest. ${describeTools(asOffered(tools))}`
}

function bytesOf(request: ExecRequest, { content }: ToolResult): ExecReply[] | undefined {
  if (request.case !== 'readArgs' && request.case !== 'redactedReadArgs') return undefined
  for (const part of content) {
    if (part.type !== 'image' || !('data' in part.source)) continue
    const as = request.case === 'readArgs' ? 'readResult' : 'redactedReadResult'
    return readBytes(as, request.value, Buffer.from(part.source.data, 'base64'))
  }
  return undefined
}

/** The client's tools appear as one MCP server that is always connected. */
function mcpState({ serverIdentifiers: wanted }: McpStateExecArgs, { tools }: ExecDesk) {
  const isWanted = wanted.length === 0 || wanted.includes(toolProvider)
  const server = {
    serverName: toolProvider,
    serverIdentifier: toolProvider,
    tools: definitionsOf(tools),
    status: 'connected',
  }
  const servers = isWanted && tools.length > 0 ? [server] : []
  return { result: { case: 'success' as const, value: { servers } } }
}

type McpResultInit = NonNullable<Extract<ExecReply, { case: 'mcpResult' }>['value']['result']>
const mcpResult = (result: McpResultInit): ExecReply => ({ case: 'mcpResult', value: { result } })

function decideMcp(args: McpArgs, { tools }: ExecDesk): ExecDecision {
  if (args.smartModeApprovalOnly) return reply(mcpResult({ case: 'approved', value: {} }))
  const tool = findTool(tools, args)
  // Not `toolNotFound`: the tool was offered when the run began.
  if (tools.length === 0) return reply(mcpResult({ case: 'rejected', value: { reason: noTools } }))
  if (!tool) {
    const available = tools.map(({ name }) => offeredName(name))
    const name = args.toolName || args.name
    return reply(mcpResult({ case: 'toolNotFound', value: { name, availableTools: available } }))
  }
  const failed = (error: string) => [mcpResult({ case: 'error', value: { error } })]
  const call: ExecCall = {
    tool: tool.name,
    input: fromValues(args.args),
    answer: (result, words) => {
      const said =
        words === undefined
          ? []
          : [{ content: { case: 'text' as const, value: { text: saidBeside(words) } } }]
      const content = [...resultContent(result), ...said]
      return [mcpResult({ case: 'success', value: { content, isError: result.isError === true } })]
    },
    carries: true,
    failed,
    aborted: () => failed('aborted'),
  }
  return { type: 'call', call }
}
