// The definitions of the gateway's own tools, as models see them: changing a text changes behaviour. Paths are relative to the
// one folder that the tools are confined to.

import type { Tool } from '../../core/request.ts'
import type { JobKind } from '../client-tools/job.ts'

export const localKinds = ['read', 'write', 'delete', 'list', 'glob', 'grep', 'shell', 'fetch'] as const
export type LocalKind = (typeof localKinds)[number]

const text = (description: string) => ({ type: 'string', description })
const count = (description: string) => ({ type: 'integer', minimum: 1, description })
const flag = (description: string) => ({ type: 'boolean', description })

const file = text('Path of the file, relative to the workspace.')

interface Definition {
  description: string
  properties: Record<string, unknown>
  required: readonly string[]
}

const definitions: Readonly<Record<LocalKind, Definition>> = {
  read: {
    description:
      'Read a text file of the workspace, as it is. Where a part is missing, a first line in brackets says so.',
    properties: {
      path: file,
      offset: { type: 'integer', description: 'First line, counted from 1; negative: from the end.' },
      limit: count('How many lines.'),
    },
    required: ['path'],
  },
  write: {
    description: 'Write a whole text file of the workspace; missing folders are made.',
    properties: { path: file, content: text('All that the file is to hold.') },
    required: ['path', 'content'],
  },
  delete: {
    description: 'Delete one file of the workspace.',
    properties: { path: file },
    required: ['path'],
  },
  list: {
    description: 'List the files of a folder in the workspace; what ends in "/" is a folder.',
    properties: {
      path: text('Path of the folder, relative to the workspace; "." is the workspace itself.'),
      ignore: {
        type: 'array',
        items: { type: 'string' },
        description: 'Glob patterns of what to leave out.',
      },
    },
    required: ['path'],
  },
  glob: {
    description: 'Find files of the workspace by their names, e.g. "src/**/*.ts".',
    properties: {
      pattern: text('The glob pattern.'),
      path: text('The folder to look in; the workspace if left out.'),
    },
    required: ['pattern'],
  },
  grep: {
    description: 'Search the files of the workspace for a regular expression.',
    properties: {
      pattern: text('The regular expression.'),
      path: text('The file or folder to look in; the workspace if left out.'),
      glob: text('Only files whose names match, e.g. "*.ts".'),
      mode: {
        type: 'string',
        enum: ['content', 'files', 'count'],
        description: 'content: the lines (as if left out); files: names alone; count: matches in each file.',
      },
      case_insensitive: flag('Whether case is ignored.'),
      before: count('Lines to show before each match.'),
      after: count('Lines to show behind each match.'),
      limit: count('How many matches at most.'),
      multiline: flag('Whether a match may span lines.'),
      file_type: text('Only files of this type, by its short name: ts, py, rust …'),
    },
    required: ['pattern'],
  },
  shell: {
    description:
      'Run a shell command in the workspace and wait for it. It has no input and a limited time; nothing stays running behind it.',
    properties: {
      command: text('The command line.'),
      cwd: text('The folder to run it in, relative to the workspace.'),
      timeout_ms: count('How long it may take, in milliseconds.'),
      description: text('What it is for, in a few words.'),
      background: flag('Not possible here: leave it out.'),
    },
    required: ['command'],
  },
  fetch: {
    description: 'Fetch a public web page as text.',
    properties: { url: text('Its http:// or https:// address.') },
    required: ['url'],
  },
}

const prefix = 'workspace_'
const localToolName = (kind: LocalKind) => `${prefix}${kind}`

export const localKindOf = (name: string): LocalKind | undefined =>
  localKinds.find((kind) => localToolName(kind) === name)

export function localTools(kinds: readonly LocalKind[]): Tool[] {
  return localKinds.filter((kind) => kinds.includes(kind)).map(toTool)
}

const toTool = (kind: LocalKind): Tool => {
  const { description, properties, required } = definitions[kind]
  return {
    name: localToolName(kind),
    description,
    schema: { type: 'object', properties, required: [...required], additionalProperties: false },
  }
}

/** The gateway's tool for this kind of job, and not a client's tool of the same name. */
export const isLocalTool = (tool: Tool, kind: JobKind): boolean =>
  isAnyLocalTool(tool) && localKindOf(tool.name) === kind

export function isAnyLocalTool({ name, description }: Tool): boolean {
  const kind = localKindOf(name)
  return kind !== undefined && description === definitions[kind].description
}
