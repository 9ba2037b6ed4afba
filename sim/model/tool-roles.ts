// Which tools of real agents do which work, by their names, descriptions and parameters: one row per role.

import { isRecord, type Json } from '../shape.ts'
import type { Tool } from './conversation.ts'
import { resolve } from './sample-value.ts'

export type Part = 'path' | 'text' | 'old' | 'command' | 'pattern' | 'glob' | 'patch'

export interface Slot {
  readonly parameter: RegExp
  readonly part: Part
  readonly optional?: true
}

export interface Role {
  /** Preferred first. */
  readonly names: readonly RegExp[]
  /** For tools with unknown names. */
  readonly described?: RegExp
  readonly notDescribed?: RegExp
  /** Which parameters take which part of the wish; each part that is not optional must have one. */
  readonly slots: readonly Slot[]
  /** What to choose where one tool does several things. */
  readonly modes: readonly string[]
  /** Only a tool that has one of the modes does it. */
  readonly needsMode?: true
  /** Switches to turn on where a tool has them. */
  readonly switches?: readonly string[]
}

export type RoleName = 'read' | 'list' | 'run' | 'search' | 'write' | 'create' | 'append' | 'edit' | 'patch'

export const PATH =
  /^(?:file_?path|absolute_path|target_file|relative_workspace_path|path|file_?name|file|uri)$/i
const PATHS = /^(?:paths|files|file_?paths|filenames)$/i
const DIRECTORY =
  /^(?:path|dir_?path|directory|dir|directory_path|folder|relative_workspace_path|target_directory)$/i
const CONTENT = /^(?:contents?|text|file_text|file_content|data|body|code)$/i
const OLD = /^(?:old_?(?:string|str|text)|search|find|old)$/i
const NEW = /^(?:new_?(?:string|str|text)|replace(?:ment|_with)?|new)$/i
const COMMAND = /^(?:command|cmd|commands|script)$/i
const PATTERN = /^(?:pattern|regex|query|search_?term|search|q|queries)$/i

const AT_PATH: Slot = { parameter: PATH, part: 'path' }
const EDITOR = /^str_replace_(?:based_edit_tool|editor)$/i
/** A tool for new files alone says so. */
const ONLY_NEW = /\b(?:must not|cannot|can't|fails|error)\b.{0,60}\bexist/i

export const ROLES: Readonly<Record<RoleName, Role>> = {
  read: {
    names: [
      /^read$/i,
      /^read_?file$/i,
      /^view(?:_file)?$/i,
      /^open_?file$/i,
      /^get_file_contents?$/i,
      /^read_?(?:many_?|text_?)?files?$/i,
      EDITOR,
    ],
    described: /\b(?:reads?|view|returns?|get)\b.{0,40}\b(?:files?|contents)\b/i,
    slots: [AT_PATH, { parameter: PATHS, part: 'path' }],
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
      /^(?:shell|shell_command|exec_command|local_shell|run_shell_command|execute_command|run_in_terminal|run_terminal_(?:cmd|command)|run_commands?|terminal|exec)$/i,
      /bash|shell|terminal/i,
    ],
    described: /\b(?:runs?|executes?)\b.{0,40}\b(?:commands?|shell|bash)\b/i,
    slots: [{ parameter: COMMAND, part: 'command' }],
    modes: ['sync'],
  },
  search: {
    names: [
      /^grep$/i,
      /^(?:search_?files|search_file_content|grep_search|search_code|ripgrep|rg|search)$/i,
      /^(?:codebase_search|search_codebase)$/i,
    ],
    described: /\b(?:search|grep)\b.{0,60}\b(?:files?|contents|code)\b/i,
    slots: [
      { parameter: PATTERN, part: 'pattern' },
      { parameter: DIRECTORY, part: 'path', optional: true },
    ],
    modes: ['content', 'text'],
    switches: ['-n'],
  },
  write: {
    names: [/^write$/i, /^(?:write_?file|write_to_file|create_?file|save_?file)$/i],
    described: /\b(?:writes?|creates?|overwrites?)\b.{0,40}\bfiles?\b/i,
    notDescribed: ONLY_NEW,
    slots: [AT_PATH, { parameter: CONTENT, part: 'text' }],
    modes: ['overwrite', 'create', 'write'],
  },
  create: {
    names: [/^create(?:_new)?(?:_?file)?$/i, EDITOR, /^editor$/i],
    described: /\bcreat(?:es?|ing)\b.{0,40}\bfiles?\b/i,
    slots: [AT_PATH, { parameter: CONTENT, part: 'text' }],
    modes: ['create'],
  },
  append: {
    names: [/^(?:append|write)(?:_to)?(?:_?file)?$/i],
    slots: [AT_PATH, { parameter: CONTENT, part: 'text' }],
    modes: ['append'],
    needsMode: true,
  },
  edit: {
    names: [
      /^edit$/i,
      /^(?:edit_?file|str_?replace|search_replace|replace|single_find_and_replace|replace_in_file)$/i,
      EDITOR,
      /^(?:multi_?edit|editor)$/i,
    ],
    slots: [AT_PATH, { parameter: OLD, part: 'old' }, { parameter: NEW, part: 'text' }],
    modes: ['str_replace', 'replace', 'edit'],
  },
  patch: {
    names: [/^(?:apply_?patch|patch)$/i],
    slots: [{ parameter: /^(?:input|patch|patch_?text|diff)$/i, part: 'patch' }],
    modes: [],
  },
}

/** The tool for a role; undefined where the client has none. */
export function findTool(name: RoleName, tools: readonly Tool[]): Tool | undefined {
  const role = ROLES[name]
  const able = tools.filter((tool) => fillsSlots(tool, role) && !saysNot(tool, role))
  for (const pattern of role.names) {
    const found = able.find((tool) => pattern.test(baseName(tool.name)))
    if (found) return found
  }
  const { described } = role
  if (described === undefined) return undefined
  return able.find(
    ({ name: toolName, description }) =>
      !OTHER_FILES.test(toolName) && described.test(description.slice(0, 300)),
  )
}

export function propertiesOf(schema: unknown, root: unknown): Json {
  const { properties } = resolve(schema, root)
  return isRecord(properties) ? properties : {}
}

/** Tools for files of one kind, by their names: what they read is hardly what is wished for. */
const OTHER_FILES = /image|screenshot|video|audio|pdf|notebook|agent|todo/i

/** Without the prefix of an MCP server. */
function baseName(name: string): string {
  return name.split(/__|[.:/]/).at(-1) ?? name
}

/** A choice among a parameter's values that the role has a wish about. */
export function modeOf({ enum: values }: Json, { modes }: Role): string | undefined {
  return Array.isArray(values) ? modes.find((mode) => values.includes(mode)) : undefined
}

function saysNot({ description, schema }: Tool, { notDescribed }: Role): boolean {
  if (notDescribed === undefined) return false
  const words = Object.values(propertiesOf(schema, schema)).map(
    (property) => resolve(property, schema).description,
  )
  return [description.slice(0, 600), ...words].some((text) => notDescribed.test(String(text ?? '')))
}

function fillsSlots({ schema }: Tool, role: Role): boolean {
  const { slots, needsMode } = role
  const properties = Object.values(propertiesOf(schema, schema))
  if (needsMode && !properties.some((property) => modeOf(resolve(property, schema), role))) return false
  const names = namesIn(schema, schema)
  const taken = (parameter: RegExp) => names.some((name) => parameter.test(name))
  const parts = new Set(slots.filter(({ optional }) => !optional).map(({ part }) => part))
  return [...parts].every((part) => slots.some((slot) => slot.part === part && taken(slot.parameter)))
}

/** Its parameters, and those of the objects in its lists. */
function namesIn(schema: unknown, root: unknown): string[] {
  return Object.entries(propertiesOf(schema, root)).flatMap(([name, property]) => [
    name,
    ...Object.keys(propertiesOf(resolve(property, root).items, root)),
  ])
}
