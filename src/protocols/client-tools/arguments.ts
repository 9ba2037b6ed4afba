// The arguments of one call of a client's tool: each part of the job goes into the parameter that takes it. If a required
// parameter cannot be filled, the tool is not used.

import { posix, win32 } from 'node:path'
import { isObject, textOf } from '../../base/json.ts'
import type { Tool } from '../../core/request.ts'
import type { Job } from './job.ts'
import { fillers, parameterNames } from './parameter-names.ts'
import { adapt, allowsType, alternatives, type Parameter, parametersOf } from './parameter-values.ts'

export interface Arguments {
  input: Record<string, unknown>
  /** Parts of the job that the tool has no parameter for. */
  unplaced: readonly string[]
}

interface Part {
  role: string
  value: unknown
}

/** Undefined if a required parameter cannot be filled. */
export function fillArguments(job: Job, tool: Tool, workspace?: string): Arguments | undefined {
  const own = parametersOf(tool)
  const list = listOfObjects(own)
  const parameters =
    list === undefined ? own : [...own.filter((one) => one !== list.parameter), ...list.fields]
  const input: Record<string, unknown> = Object.create(null)
  const unplaced: string[] = []
  for (const { role, value } of partsOf(job)) {
    const names = parameterNames[job.kind][role] ?? []
    const placed = names.some((name) => {
      const parameter = parameters.find((one) => one.normal === name && !(one.name in input))
      if (parameter === undefined) return false
      const fitted = fitRole({ role, value, parameter, tool, workspace })
      if (fitted === undefined) return false
      input[parameter.name] = fitted
      return true
    })
    if (!placed) unplaced.push(role)
  }
  for (const parameter of parameters) {
    if (!parameter.required || parameter.name in input) continue
    const filler = fillerOf(parameter)
    if (filler === undefined) return undefined
    input[parameter.name] = filler
  }
  return { input: list === undefined ? { ...input } : inList(input, list), unplaced }
}

interface ListOfObjects {
  parameter: Parameter
  fields: Parameter[]
}

/** `files: [{path}]`, a required list whose elements say what is to be done: the job becomes its only element. */
function listOfObjects(parameters: readonly Parameter[]): ListOfObjects | undefined {
  for (const parameter of parameters) {
    if (!parameter.required) continue
    for (const branch of alternatives(parameter.schema)) {
      if (branch.type === undefined || !allowsType(branch, 'array') || !isObject(branch.items)) continue
      if (!isObject(branch.items.properties)) continue
      const fields = parametersOf({ name: parameter.name, schema: branch.items })
      const isOther = ({ name }: Parameter) => parameters.some((one) => one.name === name)
      if (!fields.some(isOther)) return { parameter, fields }
    }
  }
  return undefined
}

function inList(
  input: Record<string, unknown>,
  { parameter, fields }: ListOfObjects,
): Record<string, unknown> {
  const isField = new Set(fields.map(({ name }) => name))
  const entries = Object.entries(input)
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isField.has(name))),
    [parameter.name]: [Object.fromEntries(entries.filter(([name]) => isField.has(name)))],
  }
}

/** The parts of the job by role, without undefined ones. */
function partsOf(job: Job): Part[] {
  const parts: Record<string, unknown> = { ...job }
  delete parts.kind
  if (job.kind === 'shell') {
    parts.timeout = job.timeoutMs
    delete parts.timeoutMs
  }
  if (job.kind === 'read') {
    if (job.limit !== undefined) parts.lastLine = (job.offset ?? 1) + job.limit - 1
    if (job.offset !== undefined || job.limit !== undefined) {
      parts.entire = false
      parts.range = [job.offset ?? 1, parts.lastLine ?? -1]
    }
  }
  if (job.kind === 'grep') {
    // Without the flag a model means "as written", and some tools "any case".
    parts.caseSensitive = job.caseInsensitive !== true
    if (job.caseInsensitive !== true) delete parts.caseInsensitive
    if (job.multiline !== true) delete parts.multiline
  }
  if (job.kind === 'shell' && job.background !== true) delete parts.background
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([role, value]) => ({ role, value }))
}

interface Placing {
  role: string
  value: unknown
  parameter: Parameter
  tool: Tool
  workspace: string | undefined
}

const modeNames: Readonly<Record<string, readonly string[]>> = {
  content: ['content', 'lines', 'matches'],
  files: ['files_with_matches', 'files', 'filenames', 'paths'],
  count: ['count', 'counts', 'count_matches'],
}

/** Codex never waits longer. */
const codexMaxYieldMs = 30_000

function fitRole({ role, value, parameter, tool, workspace }: Placing): unknown {
  const { schema, normal } = parameter
  const description = textOf(schema.description ?? '')
  if (role === 'command')
    return adapt(value, schema) ?? adapt(normal === 'commands' ? [value] : ['bash', '-lc', value], schema)
  if (role === 'path') {
    const path = wantsAbsolute(parameter, tool) ? absolute(textOf(value), workspace) : textOf(value)
    const named = normal.startsWith('uri') && posix.isAbsolute(path) ? `file://${encodeURI(path)}` : path
    return adapt(named, schema) ?? adapt([named], schema)
  }
  if (role === 'workingDirectory' && wantsAbsolute(parameter, tool))
    return adapt(absolute(textOf(value), workspace), schema)
  if (role === 'mode') return modeNames[textOf(value)]?.find((name) => adapt(name, schema) !== undefined)
  if (role === 'timeout' && typeof value === 'number') {
    if (normal === 'yieldtimems') return adapt(Math.min(Math.max(value, 250), codexMaxYieldMs), schema)
    const seconds = /sec/.test(normal) || (/\bseconds?\b/i.test(description) && !/milli/i.test(description))
    return adapt(seconds ? Math.max(1, Math.ceil(value / 1000)) : value, schema)
  }
  if (role === 'offset' && typeof value === 'number')
    return adapt(/\b0-based|zero-based|0-indexed/i.test(description) ? value - 1 : value, schema)
  return adapt(value, schema)
}

function wantsAbsolute(parameter: Parameter, tool: Tool): boolean {
  if (parameter.normal.includes('absolute')) return true
  const own = textOf(parameter.schema.description ?? '')
  if (/\brelative\b/i.test(own) && !/not supported|not relative/i.test(own)) return false
  return /\babsolute\b/i.test(own) || /must be an? absolute/i.test(tool.description ?? '')
}

const isAbsolute = (path: string) => posix.isAbsolute(path) || win32.isAbsolute(path)

export function absolute(path: string, workspace: string | undefined): string {
  if (workspace === undefined || /^~(?:\/|$)/.test(path) || isAbsolute(path)) return path
  return posix.isAbsolute(workspace) ? posix.join(workspace, path) : win32.join(workspace, path)
}

function fillerOf({ normal, schema }: Parameter): unknown {
  if ('const' in schema) return schema.const
  const known = Object.hasOwn(fillers, normal) ? adapt(fillers[normal], schema) : undefined
  if (known !== undefined) return known
  if ('default' in schema) return schema.default
  // Strict schemas require every parameter, and use null for "not given".
  return alternatives(schema).some((branch) => branch.type !== undefined && allowsType(branch, 'null'))
    ? null
    : undefined
}
