// The tools of some agents, for the tests of the simulated model.

import type { Tool } from './model.ts'

type Properties = Record<string, Record<string, unknown>>
export const string = { type: 'string' }
export const tool = (
  name: string,
  properties: Properties,
  required: string[] = [],
  description = '',
): Tool => ({
  name,
  description,
  schema: { type: 'object', properties, required },
})

export const AGENTS = {
  openCode: [
    tool('bash', { command: string, description: string }, ['command', 'description']),
    tool(
      'read',
      { filePath: { ...string, description: 'The absolute path to the file' }, limit: { type: 'number' } },
      ['filePath'],
    ),
    tool('list', { path: string }),
    tool('grep', { pattern: string, path: string, include: string }, ['pattern']),
    tool('write', { filePath: string, content: string }, ['filePath', 'content']),
  ],
  claudeCode: [
    tool('Bash', { command: string, timeout: { type: 'number' } }, ['command']),
    tool('Read', { file_path: { ...string, description: 'The absolute path to the file to read' } }, [
      'file_path',
    ]),
    tool('Grep', { pattern: string }, ['pattern']),
    tool('Write', { file_path: string, content: string }, ['file_path', 'content']),
  ],
  qwenCode: [
    tool('read_file', { absolute_path: string }, ['absolute_path']),
    tool('run_shell_command', { command: string, is_background: { type: 'boolean' } }, [
      'command',
      'is_background',
    ]),
    tool('list_directory', { path: string }, ['path']),
    tool('write_file', { file_path: string, content: string }, ['file_path', 'content']),
  ],
  cline: [
    tool('read_file', { path: string }, ['path']),
    tool('execute_command', { command: string, requires_approval: { type: 'boolean' } }, [
      'command',
      'requires_approval',
    ]),
    tool('search_files', { path: string, regex: string }, ['path', 'regex']),
  ],
  codexArray: [tool('shell', { command: { type: 'array', items: string }, workdir: string }, ['command'])],
  codexText: [
    { ...tool('view_image', { path: string }, ['path']), description: 'View a local image file.' },
    tool('shell_command', { command: string }, ['command']),
  ],
}
