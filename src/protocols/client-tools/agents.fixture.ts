// The tools of the clients in agent-rows.ts that matter here: original names and parameters, reworded descriptions.

import type { Tool } from '../../core/request.ts'
import { tool } from './clients.fixture.ts'

const strings = { type: 'array', items: { type: 'string' } }
const objects = (properties: Record<string, unknown>, required: string[]) => ({
  type: 'array',
  items: { type: 'object', properties, required, additionalProperties: false },
})
const line = { anyOf: [{ type: 'integer' }, { type: 'null' }] }

export const clineCli: Tool[] = [
  tool('read_files', {
    'files!': objects(
      {
        path: { type: 'string', description: 'The absolute path of a file' },
        start_line: line,
        end_line: line,
      },
      ['path'],
    ),
  }),
  tool('search_codebase', { 'queries!': strings }, 'Search the code with regular expressions.'),
  tool('run_commands', { 'commands!': strings }, 'Run shell commands in the workspace.'),
  tool('fetch_web_content', {
    'requests!': objects({ url: { type: 'string' }, prompt: { type: 'string' } }, ['url', 'prompt']),
  }),
  tool('editor', {
    'path!': 'string: The absolute path',
    old_text: 'string',
    'new_text!': 'string',
    insert_line: line,
  }),
]

export const continueCli: Tool[] = [
  tool('Read', { 'filepath!': 'string' }, 'Read a file'),
  tool('Write', { 'filepath!': 'string', 'content!': 'string' }, 'Write a file'),
  tool('List', { 'dirpath!': 'string' }, 'List a directory'),
  tool('Bash', { 'command!': 'string', timeout: 'number: in seconds (max 600)' }, 'Runs a command'),
  tool('Fetch', { 'url!': 'string' }, 'Fetches a page'),
  tool('Search', { 'pattern!': 'string', path: 'string', file_pattern: 'string' }, 'Search with ripgrep'),
]

const paths = { anyOf: [{ type: 'string' }, strings] }

export const copilot: Tool[] = [
  tool('bash', {
    'command!': 'string',
    'description!': 'string',
    shellId: 'string',
    mode: { type: 'string', enum: ['sync', 'async'] },
    initial_wait: 'number: Time in seconds to wait',
  }),
  tool('view', {
    'path!': 'string: absolute path of a file or directory',
    view_range: { type: 'array', items: { type: 'integer' } },
    forceReadLargeFiles: 'boolean',
  }),
  tool('create', { 'path!': 'string: Full absolute path', 'file_text!': 'string' }, 'Creates new files'),
  tool('edit', { 'path!': 'string', old_str: 'string', new_str: 'string' }),
  tool('grep', {
    'pattern!': 'string',
    paths,
    output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'] },
    glob: 'string',
    type: 'string',
    '-i': 'boolean',
    '-A': 'number',
    '-B': 'number',
    '-n': 'boolean',
    head_limit: 'number',
    multiline: 'boolean',
  }),
  tool('glob', { 'pattern!': 'string', paths }),
]

export const goose: Tool[] = [
  tool('shell', { 'command!': 'string', timeout_secs: { type: 'integer', default: null } }),
  tool('write', { 'path!': 'string', 'content!': 'string' }, 'Create a file or overwrite an existing file.'),
  tool('tree', { 'path!': 'string', depth: 'integer' }, 'List a directory with line counts.'),
]

export const grokBuild: Tool[] = [
  tool('run_terminal_command', {
    'command!': 'string',
    timeout: 'number: in milliseconds',
    'description!': 'string',
    background: 'boolean',
  }),
  tool('read_file', { 'target_file!': 'string', offset: 'integer', limit: 'integer' }),
  tool('list_dir', { 'target_directory!': 'string' }),
  tool('grep', {
    'pattern!': 'string',
    path: { type: ['string', 'null'] },
    glob: { type: ['string', 'null'] },
    '-B': 'integer',
    '-A': 'integer',
    '-i': 'boolean',
    type: { type: ['string', 'null'] },
    head_limit: 'integer',
    multiline: 'boolean',
  }),
  tool('write', { 'file_path!': 'string: The absolute path', 'content!': 'string' }),
]

export const grokCli: Tool[] = [
  tool('view_file', { 'path!': 'string', start_line: 'number', end_line: 'number' }, 'View a file'),
  tool(
    'create_file',
    { 'path!': 'string', 'content!': 'string' },
    'Create a new file with specified content',
  ),
  tool('bash', { 'command!': 'string' }, 'Execute a bash command'),
  tool(
    'search',
    {
      'query!': 'string',
      search_type: { type: 'string', enum: ['text', 'files', 'both'] },
      include_pattern: 'string',
      case_sensitive: 'boolean',
      regex: 'boolean: the query is a regex',
      max_results: 'number',
    },
    'Search for text or files',
  ),
]

export const kimi: Tool[] = [
  tool('Bash', {
    'command!': 'string',
    cwd: 'string',
    timeout: { type: 'integer', default: 60, maximum: 86_400, description: 'timeout in seconds' },
    description: 'string',
    run_in_background: 'boolean',
    disable_timeout: 'boolean',
  }),
  tool('Read', {
    'path!': 'string',
    line_offset: {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'integer', maximum: -1 },
      ],
    },
    n_lines: 'integer',
    max_chars: 'integer',
  }),
  tool('Write', {
    'path!': 'string',
    'content!': 'string',
    mode: { type: 'string', enum: ['overwrite', 'append'] },
  }),
  tool('Grep', {
    'pattern!': 'string',
    path: 'string',
    glob: 'string',
    type: 'string',
    output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count_matches'] },
    '-i': 'boolean',
    '-A': 'integer',
    '-B': 'integer',
    head_limit: 'integer',
    multiline: 'boolean',
    include_ignored: 'boolean',
  }),
  tool('Glob', { 'pattern!': 'string', path: 'string', include_ignored: 'boolean' }),
  tool('FetchURL', { 'url!': 'string' }),
]

export const pi: Tool[] = [
  tool(
    'read',
    {
      'path!': 'string',
      offset: 'number: Line number to start reading from (1-indexed)',
      limit: 'number',
    },
    'Read a file.',
  ),
  tool(
    'bash',
    { 'command!': 'string', timeout: 'number: Timeout in seconds' },
    'Runs a command. Returns stdout and stderr.',
  ),
  tool(
    'write',
    { 'path!': 'string', 'content!': 'string' },
    'Creates the file if it is missing, overwrites if it does exist.',
  ),
]

export const geminiCli: Tool[] = [
  tool('update_topic', { title: 'string', summary: 'string', 'strategic_intent!': 'string' }),
  tool('list_directory', {
    'dir_path!': 'string: The path to the directory',
    ignore: { type: 'array', items: { type: 'string' } },
    file_filtering_options: { type: 'object' },
  }),
  tool('read_file', {
    'file_path!': 'string: The path to the file',
    start_line: { type: 'integer', minimum: 1, description: 'the 1-based line number to start from' },
    end_line: { type: 'integer', minimum: 1, description: 'the 1-based line number to end at (inclusive)' },
  }),
  tool('grep_search', {
    'pattern!': 'string: a regular expression',
    dir_path: 'string: The absolute path to the directory to search within',
    include_pattern: 'string: a glob pattern',
    exclude_pattern: 'string',
    names_only: 'boolean',
    max_matches_per_file: 'integer',
    total_max_matches: 'integer',
  }),
  tool('glob', {
    'pattern!': 'string',
    dir_path: 'string: The absolute path to the directory to search within',
    case_sensitive: 'boolean',
    respect_git_ignore: 'boolean',
    respect_gemini_ignore: 'boolean',
  }),
  tool('replace', {
    'file_path!': 'string',
    'instruction!': 'string',
    'old_string!': 'string',
    'new_string!': 'string',
    allow_multiple: 'boolean',
  }),
  tool('write_file', { 'file_path!': 'string: The path to the file', 'content!': 'string' }),
  tool('web_fetch', { 'prompt!': 'string' }),
  tool('run_shell_command', {
    'command!': 'string: Exact bash command',
    description: 'string',
    dir_path: 'string: The path of the directory to run the command in',
    is_background: 'boolean',
    delay_ms: 'integer',
  }),
]
