// Cursor's own tools, as a model sees them and as the server asks the client to run them.

import { create, fromJson, type JsonValue, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { ExecServerMessageSchema } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { McpToolDefinition } from '../../proto/gen/agent/v1/tool_pb.ts'
import type { Tool, ToolCall } from '../model.ts'
import { isRecord } from '../shape.ts'
import { type ArgsCase, type ExecArgs, type ExecSpec, parseCommand } from './exec-kinds.ts'
import { bareName, type Spelling, spell } from './tool-names.ts'

export interface Surroundings {
  readonly directory: string
  /** Whether commands are asked for as a stream of events, or as one result. */
  readonly streamsShell: boolean
  readonly spelling: Spelling
  /** Names of Cursor's own tools that the model has. */
  readonly taken: ReadonlySet<string>
}

type ExecInit = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>['message']>
type Words = Readonly<Record<string, string>>

interface NativeTool {
  readonly tool: Tool
  /** Its name in the toolset headers. */
  readonly call: string
  toExec(words: Words, surroundings: Surroundings): ExecInit
}

const SHELL_TIMEOUT_MS = 30_000

export const NATIVE_TOOLS: readonly NativeTool[] = [
  {
    call: 'read_tool_call',
    tool: describe('read_file', 'Reads a file.', ['target_file']),
    toExec: ({ target_file: path = '' }) => ({ case: 'readArgs', value: { path } }),
  },
  {
    call: 'edit_tool_call',
    tool: describe('write', 'Writes a file.', ['file_path', 'contents']),
    toExec: ({ file_path: path = '', contents = '' }) => ({
      case: 'writeArgs',
      value: { path, fileText: contents, returnFileContentAfterWrite: true },
    }),
  },
  {
    call: 'shell_tool_call',
    tool: describe('run_terminal_cmd', 'Runs a command in the terminal.', ['command']),
    toExec: ({ command = '' }, { directory, streamsShell }) => ({
      case: streamsShell ? 'shellStreamArgs' : 'shellArgs',
      value: {
        command,
        workingDirectory: directory,
        timeout: SHELL_TIMEOUT_MS,
        simpleCommands: [command],
        parsingResult: parseCommand(command),
        skipApproval: true,
      },
    }),
  },
  {
    call: 'ls_tool_call',
    tool: describe('list_dir', 'Lists the files in a directory.', ['target_directory']),
    toExec: ({ target_directory: path = '' }, { directory }) => ({
      case: 'lsArgs',
      value: { path: path || directory },
    }),
  },
  {
    call: 'grep_tool_call',
    tool: describe('grep', 'Searches in the contents of files.', ['pattern'], ['path']),
    toExec: ({ pattern = '', path }, { directory }) => ({
      case: 'grepArgs',
      value: { pattern, path: path || directory, outputMode: 'content' },
    }),
  },
  {
    // It has no exec message: Cursor's server requests a search that matches everything.
    call: 'glob_tool_call',
    tool: describe('glob_file_search', 'Finds files by their names.', ['glob_pattern']),
    toExec: ({ glob_pattern: glob = '' }, { directory }) => ({
      case: 'grepArgs',
      value: { pattern: '', path: directory, glob, outputMode: 'files_with_matches' },
    }),
  },
  {
    call: 'delete_tool_call',
    tool: describe('delete_file', 'Deletes a file.', ['target_file']),
    toExec: ({ target_file: path = '' }) => ({ case: 'deleteArgs', value: { path } }),
  },
  {
    call: 'web_fetch_tool_call',
    tool: describe('web_fetch', 'Fetches a web page.', ['url']),
    toExec: ({ url = '' }) => ({ case: 'fetchArgs', value: { url } }),
  },
]

/** The exec for a call of the model: a native one, or a call of an MCP tool. */
export function toExecSpec(
  call: ToolCall,
  offered: readonly McpToolDefinition[],
  surroundings: Surroundings,
): ExecSpec {
  const definition = offered.find((tool) => nameForModel(tool, surroundings.taken) === call.name)
  const native = NATIVE_TOOLS.find(({ tool }) => tool.name === call.name)
  if (definition !== undefined || native === undefined) {
    const name = definition ? spell(definition, surroundings.spelling) : call.name
    return { args: mcpArgs(name, call.arguments, definition) }
  }
  const words = Object.fromEntries(
    Object.entries(call.arguments).map(([name, value]) => [name, String(value)]),
  )
  return { args: toArgs(native.toExec(words, surroundings)) }
}

export function mcpArgs(
  name: string,
  input: Record<string, unknown>,
  definition: McpToolDefinition | undefined,
): ExecArgs & { case: ArgsCase } {
  const args = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, fromJson(ValueSchema, value as JsonValue)]),
  )
  const { providerIdentifier = '', toolName = name } = definition ?? {}
  return toArgs({ case: 'mcpArgs', value: { name, args, providerIdentifier, toolName, skipApproval: true } })
}

/** The client's tools, by the names that the model uses. */
export function toTools(offered: readonly McpToolDefinition[], taken: ReadonlySet<string>): Tool[] {
  return offered.map((definition) => {
    const schema = schemaOf(definition)
    const { description } = definition
    return { name: nameForModel(definition, taken), description, schema: isRecord(schema) ? schema : {} }
  })
}

/** A client tool with the name of one of Cursor's own must not be mistaken for it. */
export function nameForModel(definition: McpToolDefinition, taken: ReadonlySet<string>): string {
  const name = bareName(definition)
  return taken.has(name) ? `${definition.providerIdentifier || 'mcp'}-${name}` : name
}

/** The schema, as a value or as JSON text. */
function schemaOf({ inputSchema, inputSchemaJson }: McpToolDefinition): unknown {
  if (inputSchema !== undefined) return toJson(ValueSchema, inputSchema)
  return inputSchemaJson === undefined ? undefined : JSON.parse(inputSchemaJson)
}

function toArgs(message: ExecInit): ExecArgs & { case: ArgsCase } {
  return create(ExecServerMessageSchema, { message }).message as ExecArgs & { case: ArgsCase }
}

function describe(name: string, does: string, required: string[], optional: string[] = []): Tool {
  const properties = Object.fromEntries(
    [...required, ...optional].map((parameter) => [parameter, { type: 'string' }]),
  )
  return {
    name,
    description: `${does} Paths are absolute.`,
    schema: { type: 'object', properties, required },
  }
}
