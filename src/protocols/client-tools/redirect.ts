// Redirects a job to a tool of the client, and reads its result. Of several routes it takes the one that keeps the most of the
// job; a route that would lose its meaning is not taken.

import type { Tool } from '../../core/request.ts'
import { absolute } from './arguments.ts'
import { unmarkedFile } from './file-formats.ts'
import type { Job, JobKind, Redirect } from './job.ts'
import { fitsUnknown, isElsewhere } from './match-unknown.ts'
import { type Parameter, parametersOf } from './parameter-values.ts'
import { patchToDelete, patchToWrite, readPatchResult } from './patch.ts'
import { unmarkedShell } from './read-shell.ts'
import { type Route, routeTo } from './route.ts'
import type { Row } from './row.ts'
import { planInShell } from './via-shell.ts'
import { vocabulary } from './vocabulary.ts'

export type { ClientResult, Job, Outcome, Redirect } from './job.ts'

/** The client's tool for this job; undefined if it has none. */
export function redirect(
  asked: Job,
  tools: readonly Tool[],
  { workspace }: { workspace?: string } = {},
): Redirect | undefined {
  const job = withoutEmptyRange(asked)
  const own = ownRoutes(job, tools, workspace)
  const patch = patchRoutes(job, tools, workspace)
  const shell = shellRoutes(job, tools, workspace)
  const routes = job.kind === 'delete' ? [...own, ...shell, ...patch] : [...own, ...patch, ...shell]
  return (routes.find(({ loss }) => loss === 'nothing') ?? routes[0])?.redirect
}

/** Some protocols send zero for "not given". A range from line 1 to the end is the whole file. */
export function withoutEmptyRange(asked: Job): Job {
  if (asked.kind !== 'read') return asked
  const { offset, limit, ...job } = asked
  if (limit && limit > 0) return { ...job, ...(offset ? { offset } : {}), limit }
  return offset && offset !== 1 ? { ...job, offset } : job
}

function ownRoutes(job: Job, tools: readonly Tool[], workspace: string | undefined): Route[] {
  return rowsFor(job.kind, tools)
    .map(({ row, tool }) => routeTo(job, { tool, row, workspace }))
    .filter((route) => route !== undefined)
}

interface Match {
  row: Row
  tool: Tool
}

/** Known tools in the order of the vocabulary, then guessed ones. A tool has the first row that applies. */
function rowsFor(kind: JobKind, tools: readonly Tool[]): Match[] {
  const rows = vocabulary.filter((row) => row.kind === kind)
  const known = tools.flatMap((tool): Match[] => {
    const row = rows.find((candidate) => applies(candidate, tool))
    return row === undefined ? [] : [{ row, tool }]
  })
  known.sort((one, other) => rows.indexOf(one.row) - rows.indexOf(other.row))
  const isKnown = new Set(known.map(({ tool }) => tool))
  const guessed = tools
    .filter((tool) => !isKnown.has(tool) && fitsUnknown(tool, kind))
    .map((tool) => ({ row: guessedRow(kind, tool), tool }))
  return [...known, ...guessed]
}

function applies({ client, names, needs = [], lacks = [], says }: Row, tool: Tool): boolean {
  if (!names.includes(tool.name)) return false
  const has = new Set(parametersOf(tool).map(({ normal }: Parameter) => normal))
  if (!needs.every((name) => has.has(name)) || lacks.some((name) => has.has(name))) return false
  if (client === 'any' && isElsewhere(tool)) return false
  return says === undefined || says.test(tool.description ?? '')
}

function guessedRow(kind: JobKind, { name }: Tool): Row {
  const naming = { client: 'unknown', names: [name] }
  if (kind === 'read') return { ...naming, kind, format: unmarkedFile }
  if (kind === 'shell') return { ...naming, kind, format: unmarkedShell }
  return { ...naming, kind }
}

function patchRoutes(job: Job, tools: readonly Tool[], workspace: string | undefined): Route[] {
  if (job.kind !== 'write' && job.kind !== 'delete') return []
  const tool = tools.find(({ name }) => name === 'apply_patch')
  const parameters = tool === undefined ? [] : parametersOf(tool)
  const parameter = parameters.find(({ normal }) => ['patchtext', 'input', 'patch'].includes(normal))
  const patch = job.kind === 'write' ? patchToWrite(job, workspace) : patchToDelete(job, workspace)
  const onlyThat = parameters.every(({ required, name }) => !required || name === parameter?.name)
  if (tool === undefined || parameter === undefined || patch === undefined || !onlyThat) return []
  const input = { [parameter.name]: patch }
  const read = (result: Parameters<Redirect['read']>[0]) => readPatchResult(job.kind, result)
  return [{ loss: 'nothing', redirect: { tool: tool.name, input, read } }]
}

/** Shells that do not read POSIX commands. */
const otherShell = /\b(?:powershell|pwsh|cmd\.exe|Shell: (?:powershell|pwsh|cmd|fish|nu)\b)/i

function shellRoutes(asked: Job, tools: readonly Tool[], workspace: string | undefined): Route[] {
  if (asked.kind === 'shell') return []
  // The shell may have changed directory.
  const job =
    'path' in asked && asked.path !== undefined ? { ...asked, path: absolute(asked.path, workspace) } : asked
  if ('path' in job && /^[A-Za-z]:[\\/]/.test(job.path ?? '')) return []
  const plan = planInShell(job)
  const match = rowsFor('shell', tools).find(({ tool }) => !otherShell.test(tool.description ?? ''))
  if (plan === undefined || match === undefined) return []
  const { command, description } = plan
  const ran = routeTo({ kind: 'shell', command, description }, { ...match, workspace })
  if (ran === undefined) return []
  const { tool, input } = ran.redirect
  // The format of the row reads the shell's outcome, and the plan turns it into the outcome of the job.
  const read: Redirect['read'] = (result) => {
    const outcome = ran.redirect.read(result)
    return outcome.kind === 'shell' || outcome.kind === 'failed' ? plan.read(outcome) : outcome
  }
  return [{ loss: 'nothing', redirect: { tool, input, read } }]
}

const maxTools = 40

/** The client's tools, in words for a model that asked for something that the client cannot do. */
export function describeTools(tools: readonly Tool[]): string {
  if (tools.length === 0)
    return 'This client offers no tools at all. Answer with what is known from the conversation.'
  const lines = tools.slice(0, maxTools).map((tool) => {
    const parameters = parametersOf(tool).map(({ name, required }) => (required ? name : `${name}?`))
    return `- ${tool.name}(${parameters.join(', ')})`
  })
  const more = tools.length > maxTools ? [`- and ${tools.length - maxTools} more`] : []
  return ['This client cannot do that. Use one of its own tools instead:', ...lines, ...more].join('\n')
}
