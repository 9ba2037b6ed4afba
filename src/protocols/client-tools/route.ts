// The route of a job to one tool of the client: the call, and the reader of its result.

import type { Tool } from '../../core/request.ts'
import { type Arguments, absolute, fillArguments } from './arguments.ts'
import { failed, looksFailed, refusal, saysFailed, saysUnfit } from './failure.ts'
import type { ClientResult, Job, JobKind, JobOf, Outcome, Redirect } from './job.ts'
import { adapt, parametersOf } from './parameter-values.ts'
import { inDirectory } from './quote.ts'
import { readFileResult } from './read-file.ts'
import { readGlobResult, readGrepResult, readListResult } from './read-search.ts'
import type { GrepRow, ReadRow, Row, ShellRow } from './row.ts'

/** What a route loses of the job. A route that loses its meaning does not exist. */
type Loss = 'nothing' | 'presentation'

export interface Route {
  redirect: Redirect
  loss: Loss
}

/** The loss if a tool has no parameter for a part of the job. Parts that are not listed are its meaning. */
const bearable: Readonly<Partial<Record<JobKind, Readonly<Record<string, Loss>>>>> = {
  // Working directories become part of the command.
  shell: { workingDirectory: 'nothing', timeout: 'presentation', description: 'nothing' },
  // The gateway cuts the part out of the whole file.
  read: { offset: 'nothing', limit: 'nothing', lastLine: 'nothing', range: 'nothing', entire: 'nothing' },
  list: { ignore: 'nothing' },
  grep: {
    mode: 'nothing',
    limit: 'nothing',
    caseSensitive: 'nothing',
    // The gateway filters, but only the matches that the client shows.
    glob: 'presentation',
    before: 'presentation',
    after: 'presentation',
  },
}

function lossOf(kind: JobKind, unplaced: readonly string[]): Loss | undefined {
  const losses = unplaced.map((role) => bearable[kind]?.[role])
  if (losses.includes(undefined)) return undefined
  return losses.includes('presentation') ? 'presentation' : 'nothing'
}

export interface Target {
  tool: Tool
  row: Row
  workspace: string | undefined
}

export function routeTo(asked: Job, target: Target): Route | undefined {
  const route = plainRoute(asked, target)
  if (route === undefined) return undefined
  const { sends, unwrap } = target.row
  const { redirect } = route
  const input = sends === undefined ? redirect.input : withConstants(redirect.input, sends, target.tool)
  const read: Redirect['read'] =
    unwrap === undefined ? redirect.read : (result) => redirect.read(unwrap(result))
  return { ...route, redirect: { ...redirect, input, read } }
}

function withConstants(
  input: Record<string, unknown>,
  sends: NonNullable<Row['sends']>,
  tool: Tool,
): Record<string, unknown> {
  const filled = { ...input }
  for (const { name, normal, schema } of parametersOf(tool)) {
    if (name in filled || !Object.hasOwn(sends, normal)) continue
    const fitted = adapt(sends[normal], schema)
    if (fitted !== undefined) filled[name] = fitted
  }
  return filled
}

/** Without what the row adds to every call, and to the reading of every result. */
function plainRoute(asked: Job, { tool, row, workspace }: Target): Route | undefined {
  const job = withPlace(asked, { tool, row, workspace })
  if (job.kind === 'shell' && row.kind === 'shell') return routeShell(job, { tool, row, workspace })
  if (job.kind === 'read' && row.kind === 'read') return routeRead(job, { tool, row, workspace })
  if (job.kind === 'grep' && row.kind === 'grep') return routeGrep(job, { tool, row, workspace })
  const filled = fillArguments(job, tool, workspace)
  const loss = filled && lossOf(job.kind, filled.unplaced)
  if (filled === undefined || loss === undefined || row.kind !== job.kind) return undefined
  return { loss, redirect: { tool: tool.name, input: filled.input, read: plainReader(job, workspace) } }
}

/** The directory of a search: added for a client that may have changed directory, removed for a tool without the parameter. */
function withPlace(job: Job, { tool, row, workspace }: Target): Job {
  if ((job.kind !== 'grep' && job.kind !== 'glob') || workspace === undefined) return job
  if (row.wanders) return { path: workspace, ...job }
  if (job.path === undefined || !samePath(job.path, workspace)) return job
  if (!fillArguments(job, tool, workspace)?.unplaced.includes('path')) return job
  const { path: _workspace, ...anywhere } = job
  return anywhere
}

function routeShell(
  asked: JobOf<'shell'>,
  { tool, row, workspace }: Target & { row: ShellRow },
): Route | undefined {
  const job = { ...asked }
  const atHome = job.workingDirectory !== undefined && samePath(job.workingDirectory, workspace)
  if (job.workingDirectory === '' || (atHome && !row.wanders)) delete job.workingDirectory
  if (job.timeoutMs === undefined && row.defaultTimeoutMs !== undefined) job.timeoutMs = row.defaultTimeoutMs
  let filled = fillArguments(job, tool, workspace)
  if (filled?.unplaced.includes('workingDirectory') && job.workingDirectory !== undefined) {
    const command = inDirectory(job.command, job.workingDirectory, atHome)
    if (command === undefined) return undefined
    job.command = command
    filled = fillArguments(job, tool, workspace)
  }
  const loss = filled && lossOf('shell', filled.unplaced)
  if (filled === undefined || loss === undefined) return undefined
  return {
    loss,
    redirect: { tool: tool.name, input: filled.input, read: (result) => row.format(result, job.command) },
  }
}

/** The name has an extension. */
const looksLikeFile = (path: string) =>
  /^\.*[^.][\s\S]*\.\w{1,8}$/.test(path.slice(path.lastIndexOf('/') + 1))

const samePath = (one: string, other: string | undefined) =>
  other !== undefined && one.replace(/(?<!\/)\/+$/, '') === other.replace(/(?<!\/)\/+$/, '')

function routeRead(
  job: JobOf<'read'>,
  { tool, row, workspace }: Target & { row: ReadRow },
): Route | undefined {
  const rendered = row.renders?.test(job.path) ?? false
  const part = rendered ? undefined : fillArguments(job, tool, workspace)
  const partAsked = part !== undefined && asksForPart(job, part)
  const range = rendered ? undefined : row.wholeRange
  const asked: JobOf<'read'> = partAsked ? job : { kind: 'read', path: job.path }
  // Qwen Code takes an offset only together with a limit.
  const filled = fillArguments({ ...range, ...asked }, tool, workspace)
  if (filled === undefined || lossOf('read', filled.unplaced) === undefined) return undefined
  const { input } = filled
  const sent = range === undefined ? {} : { sentLimit: range.limit }
  const call = { job, format: row.format, partAsked, rendered, ...sent }
  return {
    loss: 'nothing',
    redirect: { tool: tool.name, input, read: (result) => readFileResult(call, result) },
  }
}

function asksForPart(job: JobOf<'read'>, { unplaced }: Arguments): boolean {
  if ((job.offset === undefined && job.limit === undefined) || (job.offset ?? 1) < 0) return false
  if (!unplaced.includes('range')) return true
  const offsetAsked = job.offset === undefined || !unplaced.includes('offset')
  const limitAsked = job.limit === undefined || !unplaced.includes('limit') || !unplaced.includes('lastLine')
  return offsetAsked && limitAsked
}

/** Patterns in place of file types, for tools without that parameter. */
const typeGlobs: Readonly<Record<string, string>> = {
  ts: '*.{ts,tsx,mts,cts}',
  js: '*.{js,jsx,mjs,cjs}',
  py: '*.{py,pyi}',
  rust: '*.rs',
  go: '*.go',
  java: '*.java',
  c: '*.{c,h}',
  cpp: '*.{cpp,cc,cxx,hpp,hh,hxx,h}',
  md: '*.{md,markdown,mdx}',
  json: '*.json',
  html: '*.{html,htm}',
  css: '*.css',
  yaml: '*.{yaml,yml}',
  ruby: '*.rb',
  php: '*.php',
  sh: '*.{sh,bash,zsh}',
}

function routeGrep(
  asked: JobOf<'grep'>,
  { tool, row, workspace }: Target & { row: GrepRow },
): Route | undefined {
  if (row.countsOnly && asked.mode === 'content') return undefined
  const job = { ...asked }
  const first = fillArguments(job, tool, workspace)
  if (first === undefined) return undefined
  const lacks = (role: string) => first.unplaced.includes(role)
  if (job.fileType !== undefined && lacks('fileType') && job.glob === undefined) {
    const glob = Object.hasOwn(typeGlobs, job.fileType) ? typeGlobs[job.fileType] : undefined
    if (glob === undefined) return undefined
    job.glob = glob
    delete job.fileType
  }
  if (job.caseInsensitive && lacks('caseInsensitive') && lacks('caseSensitive')) {
    if (row.inlineFlags) job.pattern = `(?i)${job.pattern}`
    else if (!row.anyCase) return undefined
    delete job.caseInsensitive
  }
  const filled = fillArguments(job, tool, workspace)
  // One of the two parameters for case is enough.
  const unplaced =
    filled?.unplaced.filter((role) => role !== 'caseInsensitive' || lacks('caseSensitive')) ?? []
  const loss = filled && lossOf('grep', unplaced)
  if (filled === undefined || loss === undefined) return undefined
  const oneFile = job.path !== undefined && looksLikeFile(job.path)
  const call = {
    job: asked.glob === job.glob ? asked : { ...asked, glob: job.glob as string },
    asked: {
      mode: row.countsOnly ? ('count' as const) : unplaced.includes('mode') ? ('content' as const) : job.mode,
      ...(job.path ? { path: job.path } : {}),
    },
    filterGlob: unplaced.includes('glob'),
    filterCase: row.anyCase === true && asked.caseInsensitive !== true,
  }
  return {
    loss: row.directoriesOnly && oneFile ? 'presentation' : loss,
    redirect: { tool: tool.name, input: filled.input, read: (result) => readGrepResult(call, result) },
  }
}

function plainReader(job: Job, workspace: string | undefined): (result: ClientResult) => Outcome {
  switch (job.kind) {
    case 'list':
      return (result) => readListResult(job, result)
    case 'glob':
      return (result) => readGlobResult(job, result)
    case 'fetch':
      return (result) => readText(result, (content) => ({ kind: 'fetch', content }))
    case 'diagnostics':
      // Findings usually begin with "error": only a marked failure is one.
      return (result) => refusal(result) ?? { kind: 'diagnostics', text: result.text }
    case 'write':
    case 'delete':
      return (result) =>
        saysFailed(result.text) ||
        [job.path, absolute(job.path, workspace)].some((path) => saysUnfit(result.text, path))
          ? failed(result.text)
          : readText(result, () => ({ kind: job.kind }))
    default:
      return (result) => failed(result.text)
  }
}

/** For tools that only confirm, or whose text is the outcome. */
function readText(result: ClientResult, toOutcome: (text: string) => Outcome): Outcome {
  return refusal(result) ?? (looksFailed(result.text) ? failed(result.text) : toOutcome(result.text))
}
