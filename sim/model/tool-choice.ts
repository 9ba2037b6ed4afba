// Chooses the client's tool for a wish, by the names and schemas that real agents give theirs, and builds
// its arguments. Matching is data: one row per kind of wish.

import { isRecord, type Json } from '../shape.ts'
import type { Tool, ToolCall } from './conversation.ts'
import { resolve, sampleValue, typeOf } from './sample-value.ts'
import type { Wish, WishKind } from './wishes.ts'

const PATH = /^(?:file_?path|absolute_path|target_file|relative_workspace_path|path|file_?name|file|uri)$/i
const PATHS = /^(?:paths|files|file_?paths|filenames)$/i
const DIRECTORY =
  /^(?:path|dir_?path|directory|dir|directory_path|folder|relative_workspace_path|target_directory)$/i
const CONTENT = /^(?:contents?|text|file_text|file_content|data|body|code)$/i
const COMMAND = /^(?:command|cmd|commands|script)$/i
const PATTERN = /^(?:pattern|regex|query|search_?term|search|q)$/i

interface Role {
  /** Preferred first. */
  readonly names: readonly RegExp[]
  /** For tools with unknown names. */
  readonly described: RegExp
  /** Which parameters take which part of the wish; the first must exist. */
  readonly slots: readonly { readonly parameter: RegExp; readonly part: string; readonly optional?: true }[]
  /** What to choose where one tool does several things. */
  readonly modes: readonly string[]
}

const ROLES: Readonly<Record<WishKind, Role>> = {
  read: {
    names: [
      /^read$/i,
      /^read_?file$/i,
      /^view(?:_file)?$/i,
      /^open_?file$/i,
      /^get_file_contents?$/i,
      /^read_?(?:many_?|text_?)?files?$/i,
      /^str_replace_(?:based_edit_tool|editor)$/i,
    ],
    described: /\b(?:reads?|view|returns?|get)\b.{0,40}\b(?:files?|contents)\b/i,
    slots: [
      { parameter: PATH, part: 'path' },
      { parameter: PATHS, part: 'path' },
    ],
    modes: ['view', 'read'],
  },
  list: {
    names: [/^(?:list|ls)$/i, /^list_?(?:files|dir|directory|directory_contents)$/i, /^glob$/i],
    described: /\blists?\b.{0,40}\b(?:files|director)/i,
    slots: [
      { parameter: DIRECTORY, part: 'path', optional: true },
      { parameter: PATTERN, part: 'glob', optional: true },
    ],
    modes: ['list', 'ls'],
  },
  run: {
    names: [
      /^bash$/i,
      /^(?:shell|shell_command|exec_command|local_shell|run_shell_command|execute_command|run_in_terminal|run_terminal_cmd|run_commands?|terminal|exec)$/i,
      /bash|shell|terminal/i,
    ],
    described: /\b(?:runs?|executes?)\b.{0,40}\b(?:commands?|shell|bash)\b/i,
    slots: [{ parameter: COMMAND, part: 'command' }],
    modes: [],
  },
  search: {
    names: [
      /^grep$/i,
      /^(?:search_?files|search_file_content|grep_search|ripgrep|rg|search)$/i,
      /^codebase_search$/i,
    ],
    described: /\b(?:search|grep)\b.{0,60}\b(?:files?|contents|code)\b/i,
    slots: [
      { parameter: PATTERN, part: 'pattern' },
      { parameter: DIRECTORY, part: 'path', optional: true },
    ],
    modes: ['content'],
  },
  write: {
    names: [
      /^write$/i,
      /^(?:write_?file|write_to_file|create_?file|save_?file)$/i,
      /^str_replace_(?:based_edit_tool|editor)$/i,
    ],
    described: /\b(?:writes?|creates?)\b.{0,40}\bfiles?\b/i,
    slots: [
      { parameter: PATH, part: 'path' },
      { parameter: CONTENT, part: 'text' },
    ],
    modes: ['create', 'write'],
  },
}

/** The call that grants a wish; by the shell where no other tool does; undefined where none can. */
export function planCall(
  wish: Wish,
  tools: readonly Tool[],
  directory: string | undefined,
): ToolCall | undefined {
  const tool = findTool(wish.kind, tools)
  if (tool) return buildCall(tool, wish, directory)
  if (wish.kind === 'run') return undefined
  const shell = findTool('run', tools)
  return shell && buildCall(shell, { kind: 'run', command: toCommand(wish) }, directory)
}

/** A call of a tool that must be called, whatever the user said. */
export function forceCall(tool: Tool, label: string): ToolCall {
  const value = sampleValue({ type: 'object', ...tool.schema }, { label, preferred: [] })
  return { name: tool.name, arguments: isRecord(value) ? value : {} }
}

export function describeWish(wish: Wish): string {
  switch (wish.kind) {
    case 'read':
      return `Read ${wish.path}`
    case 'list':
      return `List the files in ${wish.path}`
    case 'run':
      return `Run ${wish.command}`
    case 'search':
      return `Search for ${wish.pattern}`
    case 'write':
      return `Write ${wish.path}`
  }
}

function findTool(kind: WishKind, tools: readonly Tool[]): Tool | undefined {
  const role = ROLES[kind]
  const able = tools.filter((tool) => fillsSlots(tool, role))
  for (const name of role.names) {
    const found = able.find((tool) => name.test(baseName(tool.name)))
    if (found) return found
  }
  return able.find(
    ({ name, description }) => !OTHER_FILES.test(name) && role.described.test(description.slice(0, 300)),
  )
}

/** Tools for files of one kind, by their names: what they read is hardly what is wished for. */
const OTHER_FILES = /image|screenshot|video|audio|pdf|notebook/i

/** Without the prefix of an MCP server. */
function baseName(name: string): string {
  return name.split(/__|[.:/]/).at(-1) ?? name
}

function fillsSlots(tool: Tool, { slots }: Role): boolean {
  const names = Object.keys(propertiesOf(tool))
  const taken = (parameter: RegExp) => names.some((name) => parameter.test(name))
  const parts = new Set(slots.filter(({ optional }) => !optional).map(({ part }) => part))
  return [...parts].every((part) => slots.some((slot) => slot.part === part && taken(slot.parameter)))
}

function buildCall(tool: Tool, wish: Wish, directory: string | undefined): ToolCall {
  const role = ROLES[wish.kind]
  const properties = propertiesOf(tool)
  const required = Array.isArray(tool.schema.required) ? tool.schema.required.map(String) : []
  const parts: Json = { glob: '*', ...wish }
  const input: Json = {}
  for (const [name, schema] of Object.entries(properties)) {
    const resolved = resolve(schema, tool.schema)
    const slot = role.slots.find(({ parameter }) => parameter.test(name) && !Array.isArray(resolved.enum))
    const isWanted = required.includes(name) || (slot !== undefined && isMeant(slot.part, parts, input))
    if (!isWanted) continue
    const value = slot && toText(slot.part, parts, { name, tool, schema: resolved, directory })
    input[name] =
      value === undefined
        ? sampleValue(schema, { label: describeWish(wish), preferred: role.modes }, tool.schema)
        : toParameter(value, slot?.part ?? '', resolved, tool.schema)
  }
  return { name: tool.name, arguments: input }
}

/** An optional parameter is set only if it adds information. */
function isMeant(part: string, parts: Json, input: Json): boolean {
  return part !== 'glob' && parts[part] !== '.' && !Object.values(input).flat().includes(parts[part])
}

interface Parameter {
  readonly name: string
  readonly tool: Tool
  readonly schema: Json
  readonly directory: string | undefined
}

function toText(part: string, parts: Json, { name, tool, schema, directory }: Parameter): string {
  const text = String(parts[part] ?? '')
  if (part !== 'path' || directory === undefined || text.startsWith('/')) return text
  const words = `${name} ${schema.description ?? ''} ${tool.description}`
  if (!/absolute/i.test(words)) return text
  return text === '.' ? directory : `${directory.replace(/\/$/, '')}/${text.replace(/^\.\//, '')}`
}

/** As the parameter wants it: a text, a list of texts, a list of objects, or the words of a command. */
function toParameter(value: string, part: string, schema: Json, root: Json): unknown {
  const options = [schema.anyOf, schema.oneOf]
    .find(Array.isArray)
    ?.map((option) => resolve(option, root)) ?? [schema]
  if (options.some((option) => typeOf(option) === 'string')) return value
  const array = options.find((option) => typeOf(option) === 'array')
  if (array === undefined) return value
  const items = resolve(array.items, root)
  if (typeOf(items) === 'object') {
    const inner = isRecord(items.properties) ? Object.keys(items.properties) : []
    return [{ [inner.find((name) => PATH.test(name)) ?? 'path']: value }]
  }
  return part === 'command' ? ['bash', '-lc', value] : [value]
}

function propertiesOf({ schema }: Tool): Json {
  const { properties } = resolve(schema, schema)
  return isRecord(properties) ? properties : {}
}

function toCommand(wish: Exclude<Wish, { kind: 'run' }>): string {
  if (wish.kind === 'read') return `cat ${quote(wish.path)}`
  if (wish.kind === 'list') return `ls ${quote(wish.path)}`
  if (wish.kind === 'search') return `grep -rn -- ${quote(wish.pattern)} ${quote(wish.path)}`
  return `printf '%s\\n' ${quote(wish.text)} > ${quote(wish.path)}`
}

function quote(word: string): string {
  return /^[\w./@~+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
