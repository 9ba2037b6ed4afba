// Searches, fetches and diagnostics.

import type { DiagnosticsArgs, FetchArgs, GrepArgs } from '../../../proto/gen/agent/v1/exec_files_pb.ts'
import type { Job, Outcome } from '../client-tools/job.ts'
import { countOf, type ExecReply, type NativeKind, type Success } from './native.ts'

type Mode = 'content' | 'files' | 'count'

const modeOf = ({ outputMode }: GrepArgs): Mode => {
  if (outputMode === 'files_with_matches') return 'files'
  return outputMode === 'count' ? 'count' : 'content'
}

/** Cursor has no request for file names: it searches for any text in the files that match a glob. */
const matchesAnything = new Set(['', '.', '.*', '^'])
const isGlob = (args: GrepArgs) =>
  args.glob !== undefined &&
  args.glob !== '' &&
  matchesAnything.has(args.pattern) &&
  (args.pattern === '' || modeOf(args) === 'files')

/** Ripgrep matches a bare name in every folder, other tools only at the top. */
const atAnyDepth = (glob: string) => (/[/!]/.test(glob) ? glob : `**/${glob}`)

function grepJob(args: GrepArgs): Job | string {
  const { pattern, path, glob } = args
  const at = path === undefined || path === '' ? {} : { path }
  if (isGlob(args)) return { kind: 'glob', pattern: atAnyDepth(glob ?? ''), ...at }
  if (pattern === '') return 'a search needs a pattern'
  const before = args.contextBefore ?? args.context ?? 0
  const after = args.contextAfter ?? args.context ?? 0
  return {
    kind: 'grep',
    pattern,
    ...at,
    ...(glob === undefined || glob === '' ? {} : { glob }),
    mode: modeOf(args),
    ...(args.caseInsensitive ? { caseInsensitive: true } : {}),
    ...(before > 0 ? { before } : {}),
    ...(after > 0 ? { after } : {}),
    // The matches before the page are requested as well, and then removed.
    ...(args.headLimit !== undefined && args.headLimit > 0 ? { limit: args.headLimit + offsetOf(args) } : {}),
    ...(args.multiline ? { multiline: true } : {}),
    ...(args.type === undefined || args.type === '' ? {} : { fileType: args.type }),
  }
}

type GrepResultInit = NonNullable<Extract<ExecReply, { case: 'grepResult' }>['value']['result']>
const searched = (value: GrepResultInit): ExecReply[] => [{ case: 'grepResult', value: { result: value } }]

const offsetOf = ({ offset }: GrepArgs) => Math.max(0, offset ?? 0)

const outputModes = { content: 'content', files: 'files_with_matches', count: 'count' } as const

export const grep: NativeKind<GrepArgs> = {
  job: grepJob,
  done(args, outcome, workspace) {
    const union = toUnion(modeOf(args), fromPage(outcome, offsetOf(args)))
    if (union === undefined) return undefined
    const path = args.path ?? ''
    const outputMode = outputModes[outcome.kind === 'glob' ? 'files' : modeOf(args)]
    const workspaceResults = { [workspace ?? (path || '.')]: { result: union } }
    return searched({ case: 'success', value: { pattern: args.pattern, path, outputMode, workspaceResults } })
  },
  failed: (_args, error) => searched({ case: 'error', value: { error } }),
  refused: (_args, reason) => searched({ case: 'error', value: { error: reason } }),
}

/** Client tools have no offset: their matches begin with the first. */
function fromPage(outcome: Success, offset: number): Success {
  if (outcome.kind === 'glob') return { ...outcome, files: outcome.files.slice(offset) }
  return outcome.kind === 'grep' ? { ...outcome, matches: outcome.matches.slice(offset) } : outcome
}

type Match = Extract<Outcome, { kind: 'grep' }>['matches'][number]

function toUnion(mode: Mode, outcome: Outcome) {
  if (outcome.kind === 'glob') return filesUnion(outcome.files, outcome.truncated)
  if (outcome.kind !== 'grep') return undefined
  const { matches, truncated } = outcome
  const byFile = new Map<string, Match[]>()
  for (const match of matches) {
    const known = byFile.get(match.file)
    if (known) known.push(match)
    else byFile.set(match.file, [match])
  }
  if (mode === 'files') return filesUnion([...byFile.keys()], truncated)
  if (mode === 'count') return countUnion(byFile, truncated)
  const value = {
    matches: [...byFile].map(([file, found]) => ({ file, matches: found.map(toContentMatch) })),
    totalLines: matches.length,
    totalMatchedLines: matches.filter(({ context }) => !context).length,
    clientTruncated: truncated,
  }
  return { case: 'content' as const, value }
}

const toContentMatch = ({ line, text, context }: Match) => ({
  lineNumber: countOf(line ?? 0),
  content: text ?? '',
  isContextLine: context ?? false,
})

const filesUnion = (files: string[], clientTruncated: boolean) => ({
  case: 'files' as const,
  value: { files, totalFiles: files.length, clientTruncated },
})

function countUnion(byFile: ReadonlyMap<string, readonly Match[]>, clientTruncated: boolean) {
  const counts = [...byFile].map(([file, found]) => ({
    file,
    count: countOf(found.reduce((sum, match) => sum + countOf(match.count ?? (match.context ? 0 : 1)), 0)),
  }))
  const totalMatches = counts.reduce((sum, { count }) => sum + count, 0)
  return {
    case: 'count' as const,
    value: { counts, totalFiles: counts.length, totalMatches: countOf(totalMatches), clientTruncated },
  }
}

type FetchResultInit = NonNullable<Extract<ExecReply, { case: 'fetchResult' }>['value']['result']>
const fetched = (value: FetchResultInit): ExecReply[] => [{ case: 'fetchResult', value: { result: value } }]

export const fetchUrl: NativeKind<FetchArgs> = {
  job: ({ url }) => ({ kind: 'fetch', url }),
  done: ({ url }, outcome) =>
    outcome.kind === 'fetch'
      ? fetched({
          case: 'success',
          value: { url, content: outcome.content, statusCode: 200, contentType: 'text/plain' },
        })
      : undefined,
  failed: ({ url }, error) => fetched({ case: 'error', value: { url, error } }),
  refused: ({ url }, reason) => fetched({ case: 'error', value: { url, error: reason } }),
}

type DiagnosticsInit = NonNullable<Extract<ExecReply, { case: 'diagnosticsResult' }>['value']['result']>
const diagnosed = (value: DiagnosticsInit): ExecReply[] => [
  { case: 'diagnosticsResult', value: { result: value } },
]

const information = 3

export const diagnostics: NativeKind<DiagnosticsArgs> = {
  job: ({ path }) => ({ kind: 'diagnostics', path }),
  done({ path }, outcome) {
    if (outcome.kind !== 'diagnostics') return undefined
    // Clients report diagnostics as prose: it becomes one finding for the model to read.
    const found = outcome.text.trim() === '' ? [] : [{ severity: information, message: outcome.text }]
    return diagnosed({
      case: 'success',
      value: { path, diagnostics: found, totalDiagnostics: found.length },
    })
  },
  failed: ({ path }, error) => diagnosed({ case: 'error', value: { path, error } }),
  refused: ({ path }, reason) => diagnosed({ case: 'rejected', value: { path, reason } }),
  notFound: ({ path }) => diagnosed({ case: 'fileNotFound', value: { path } }),
}
