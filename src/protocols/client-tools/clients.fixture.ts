// The tools of real clients that matter here: original names and parameters, reworded descriptions.

import type { Tool } from '../../core/request.ts'

type Parameters = Record<string, string | Record<string, unknown>>

/** `name!` is required; a string is its type, with a description after a colon. */
export function tool(name: string, parameters: Parameters, description = ''): Tool {
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const [key, given] of Object.entries(parameters)) {
    const own = key.replace(/!$/, '')
    if (key.endsWith('!')) required.push(own)
    const [type, ...words] = typeof given === 'string' ? given.split(': ') : []
    properties[own] = typeof given === 'string' ? { type, description: words.join(': ') } : given
  }
  return { name, description, schema: { type: 'object', properties, required, additionalProperties: false } }
}

export const openCode: Tool[] = [
  tool(
    'bash',
    { 'command!': 'string', timeout: 'integer: timeout in milliseconds', workdir: 'string' },
    'Executes a command. OS: linux, Shell: bash',
  ),
  tool('edit', { 'filePath!': 'string: The absolute path', 'oldString!': 'string', 'newString!': 'string' }),
  tool('glob', { 'pattern!': 'string', path: 'string' }),
  tool('grep', { 'pattern!': 'string', path: 'string', include: 'string' }),
  tool(
    'read',
    {
      'filePath!': 'string: The absolute path to the file or directory to read',
      offset: 'integer: The line number to start reading from (1-indexed)',
      limit: 'integer: at most so many lines',
    },
    'Read a file or directory from the local filesystem.',
  ),
  tool('skill', { 'name!': 'string' }),
  tool('task', {
    'description!': 'string',
    'prompt!': 'string',
    'subagent_type!': 'string',
    command: 'string',
  }),
  tool('todowrite', { 'todos!': { type: 'array' } }),
  tool('webfetch', {
    'url!': 'string',
    format: { type: 'string', enum: ['text', 'markdown', 'html'] },
    timeout: 'number: in seconds',
  }),
  tool('write', {
    'content!': 'string',
    'filePath!': 'string: The absolute path (must be absolute, not relative)',
  }),
]

/** Up to 0.15: a description is required, lines count from 0, and there is a list tool. */
export const earlierOpenCode: Tool[] = [
  tool('bash', { 'command!': 'string', timeout: 'number: in milliseconds', 'description!': 'string' }),
  tool('read', {
    'filePath!': 'string',
    offset: 'number: line to start reading from (0-based)',
    limit: 'number',
  }),
  tool('list', { path: 'string: absolute path', ignore: { type: 'array', items: { type: 'string' } } }),
  tool('webfetch', { 'url!': 'string', 'format!': { type: 'string', enum: ['text', 'markdown', 'html'] } }),
]

export const openCodeForGpt: Tool[] = [
  tool('apply_patch', { 'patchText!': 'string' }),
  ...openCode.filter(({ name }) => name !== 'edit' && name !== 'write'),
]

export const claudeCode: Tool[] = [
  tool('Agent', { 'description!': 'string', 'prompt!': 'string' }),
  tool('Bash', {
    'command!': 'string',
    timeout: 'number: in milliseconds (max 600000 for a foreground command)',
    description: 'string',
    run_in_background: 'boolean',
  }),
  tool('Glob', { 'pattern!': 'string', path: 'string' }),
  tool('Grep', {
    'pattern!': 'string',
    path: 'string',
    glob: 'string',
    output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'] },
    '-B': 'number',
    '-A': 'number',
    '-C': 'number',
    '-n': 'boolean',
    '-i': 'boolean',
    type: 'string',
    head_limit: 'number',
    multiline: 'boolean',
  }),
  tool('Read', {
    'file_path!': 'string: The absolute path to the file to read',
    offset: 'integer: The line number to start reading from',
    limit: { type: 'integer', exclusiveMinimum: 0 },
    pages: 'string',
  }),
  tool('WebFetch', { 'url!': 'string', 'prompt!': 'string' }),
  tool('Write', { 'file_path!': 'string: The absolute path (must be absolute)', 'content!': 'string' }),
]

export const codex: Tool[] = [
  tool('exec_command', {
    'cmd!': 'string',
    workdir: 'string',
    yield_time_ms: 'number',
    max_output_tokens: 'number',
  }),
  tool('write_stdin', { 'session_id!': 'number', chars: 'string' }),
  tool(
    'view_image',
    { 'path!': 'string: Local filesystem path to an image file' },
    'View a local image file.',
  ),
]

export const earlierCodex: Tool[] = [
  tool('shell', {
    'command!': { type: 'array', items: { type: 'string' } },
    workdir: 'string',
    timeout_ms: 'number: in milliseconds',
  }),
]

export const qwenCode: Tool[] = [
  tool('run_shell_command', {
    'command!': 'string',
    is_background: 'boolean',
    timeout: { type: 'integer', minimum: 1, maximum: 600000, description: 'in milliseconds' },
    description: 'string',
    directory: 'string: The absolute path of the directory to run the command in',
  }),
  tool('read_file', {
    'file_path!': 'string: The absolute path. Relative paths are not supported.',
    offset: { type: ['integer', 'null'], description: 'the 0-based line number to start reading from' },
    limit: { type: ['integer', 'null'] },
  }),
  tool('write_file', { 'file_path!': 'string: The absolute path', 'content!': 'string' }),
  tool('list_directory', { 'path!': 'string: The absolute path' }),
  tool('glob', { 'pattern!': 'string', path: 'string' }),
  tool('grep_search', { 'pattern!': 'string', glob: 'string', path: 'string', limit: 'integer' }),
  tool('web_fetch', { 'url!': 'string', 'prompt!': 'string' }),
]

export const cline: Tool[] = [
  tool('execute_command', {
    'command!': 'string',
    'requires_approval!': 'boolean',
    timeout: 'integer: in seconds',
  }),
  tool('read_file', { 'path!': 'string: relative to the working directory', task_progress: 'string' }),
  tool('write_to_file', { 'path!': 'string', 'content!': 'string', task_progress: 'string' }),
  tool('list_files', { 'path!': 'string', recursive: 'boolean' }),
  tool('search_files', { 'path!': 'string', 'regex!': 'string', file_pattern: 'string' }),
]

export const cursorLike: Tool[] = [
  tool('run_terminal_cmd', { 'command!': 'string', 'is_background!': 'boolean', explanation: 'string' }),
  tool('read_file', {
    'target_file!': 'string',
    'should_read_entire_file!': 'boolean',
    'start_line_one_indexed!': 'integer',
    'end_line_one_indexed_inclusive!': 'integer',
  }),
  tool('list_dir', { 'relative_workspace_path!': 'string' }),
  tool('grep_search', {
    'query!': 'string',
    case_sensitive: 'boolean',
    include_pattern: 'string',
    exclude_pattern: 'string',
  }),
  tool('delete_file', { 'target_file!': 'string' }),
]

export const continueDev: Tool[] = [
  tool('builtin_read_file', { 'filepath!': 'string' }),
  tool('builtin_run_terminal_command', { 'command!': 'string', waitForCompletion: 'boolean' }),
  tool('builtin_ls', { 'dirPath!': 'string', recursive: 'boolean' }),
  tool('builtin_grep_search', { 'query!': 'string' }),
  tool('builtin_file_glob_search', { 'pattern!': 'string' }),
]

export const demos: Tool[] = [
  tool('get_file', { 'path!': 'string' }, 'Get a file'),
  tool('bash', { 'command!': 'string' }, 'Run a command'),
  tool('list_files', { path: 'string' }, 'List files'),
  tool('search', { 'pattern!': 'string' }, 'Search the files with a regular expression'),
]
