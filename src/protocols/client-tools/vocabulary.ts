// The clients' tools that do a job. A row applies to a tool of that exact name that has all the parameters it `needs`
// (as `normalName` writes them) and whose required parameters can be filled; earlier rows are tried first.
//
// Seen at work: OpenCode 1.18.33, Claude Code 2.1.325, Codex 0.166.0, Qwen Code 0.24.4. Read in their sources: Gemini CLI,
// Cline, Roo Code. The others only by name. What a row's tool cannot express is weighed in native.ts.

import {
  bareFile,
  claudeFile,
  clineFile,
  codexFile,
  type FileFormat,
  openCodeFile,
  unmarkedFile,
} from './file-formats.ts'
import type { JobKind } from './job.ts'
import {
  claudeShell,
  clineShell,
  codexShell,
  openCodeShell,
  qwenShell,
  type ShellFormat,
  unmarkedShell,
} from './read-shell.ts'

interface Naming {
  /** Whose tool it is. `any`: a name that programs of all kinds use, so its description is looked at, too. */
  client: string
  names: readonly string[]
  needs?: readonly string[]
  /** What its description must say. */
  says?: RegExp
  /** A `cd` in its shell moves where its later tools work: they are told the directory each time. */
  wanders?: boolean
}

export type ReadRow = Naming & {
  kind: 'read'
  format: FileFormat
  /** Sent when the whole file is wanted. Qwen Code answers a second read without a range with a mere remark. */
  wholeRange?: { offset: number; limit: number }
  /** Files that it shows as something else, and takes no range for. */
  renders?: RegExp
}
export type ShellRow = Naming & {
  kind: 'shell'
  format: ShellFormat
  /** Sent when the job names no timeout. Codex hands over a command that runs longer. */
  defaultTimeoutMs?: number
}
export type GrepRow = Naming & {
  kind: 'grep'
  /** Rust's regular expressions: `(?i)` can stand in the pattern. */
  inlineFlags?: boolean
  /** Cannot search one file alone. */
  directoriesOnly?: boolean
  /** Always ignores case. What a search by case would not have found is left out here. */
  anyCase?: boolean
}
export type PlainRow = Naming & { kind: Exclude<JobKind, 'read' | 'shell' | 'grep'> }
export type Row = ReadRow | ShellRow | GrepRow | PlainRow

export const vocabulary: readonly Row[] = [
  // OpenCode
  { client: 'opencode', kind: 'read', names: ['read'], needs: ['filepath'], format: openCodeFile },
  {
    client: 'opencode',
    kind: 'shell',
    names: ['bash'],
    needs: ['command', 'timeout'],
    format: openCodeShell,
  },
  { client: 'opencode', kind: 'write', names: ['write'], needs: ['filepath', 'content'] },
  { client: 'opencode', kind: 'list', names: ['list'], needs: ['path'] },
  { client: 'opencode', kind: 'list', names: ['read'], needs: ['filepath'], says: /\bfile or directory\b/ },
  {
    client: 'opencode',
    kind: 'grep',
    names: ['grep'],
    needs: ['pattern', 'include'],
    inlineFlags: true,
    directoriesOnly: true,
  },
  { client: 'opencode', kind: 'glob', names: ['glob'], needs: ['pattern', 'path'] },
  { client: 'opencode', kind: 'fetch', names: ['webfetch'], needs: ['url'] },

  // Claude Code
  { client: 'claude-code', kind: 'read', names: ['Read'], needs: ['filepath'], format: claudeFile },
  {
    client: 'claude-code',
    kind: 'shell',
    names: ['Bash'],
    needs: ['command'],
    format: claudeShell,
    wanders: true,
  },
  { client: 'claude-code', kind: 'write', names: ['Write'], needs: ['filepath', 'content'] },
  { client: 'claude-code', kind: 'list', names: ['LS'], needs: ['path'] },
  {
    client: 'claude-code',
    kind: 'grep',
    names: ['Grep'],
    needs: ['pattern', 'outputmode'],
    inlineFlags: true,
    wanders: true,
  },
  { client: 'claude-code', kind: 'glob', names: ['Glob'], needs: ['pattern'], wanders: true },
  { client: 'claude-code', kind: 'fetch', names: ['WebFetch'], needs: ['url', 'prompt'] },
  { client: 'claude-code', kind: 'diagnostics', names: ['mcp__ide__getDiagnostics'], needs: ['uri'] },

  // Codex. Its shell does everything else.
  {
    client: 'codex',
    kind: 'shell',
    names: ['exec_command'],
    needs: ['cmd'],
    format: codexShell,
    defaultTimeoutMs: 30_000,
  },
  {
    client: 'codex',
    kind: 'shell',
    names: ['shell', 'shell_command'],
    needs: ['command', 'workdir'],
    format: codexShell,
  },
  {
    client: 'codex',
    kind: 'read',
    names: ['read_file'],
    needs: ['filepath', 'indentation'],
    format: codexFile,
  },

  // Qwen Code and Gemini CLI
  {
    client: 'qwen-code',
    kind: 'read',
    names: ['read_file'],
    needs: ['filepath', 'offset', 'limit'],
    format: bareFile,
    wholeRange: { offset: 0, limit: 100_000 },
    renders: /\.(?:ipynb|pdf)$/i,
  },
  { client: 'qwen-code', kind: 'read', names: ['read_file'], needs: ['absolutepath'], format: bareFile },
  {
    client: 'gemini-cli',
    kind: 'read',
    names: ['read_file'],
    needs: ['filepath', 'startline'],
    format: bareFile,
  },
  { client: 'qwen-code', kind: 'shell', names: ['run_shell_command'], needs: ['command'], format: qwenShell },
  { client: 'qwen-code', kind: 'write', names: ['write_file'], needs: ['filepath', 'content'] },
  { client: 'qwen-code', kind: 'list', names: ['list_directory'], needs: ['path'] },
  { client: 'gemini-cli', kind: 'list', names: ['list_directory'], needs: ['dirpath'] },
  {
    client: 'qwen-code',
    kind: 'grep',
    names: ['grep_search', 'search_file_content'],
    needs: ['pattern'],
    anyCase: true,
  },
  { client: 'qwen-code', kind: 'fetch', names: ['web_fetch'], needs: ['url'] },

  // Cline and Roo Code
  { client: 'cline', kind: 'read', names: ['read_file'], needs: ['path', 'taskprogress'], format: clineFile },
  { client: 'roo-code', kind: 'read', names: ['read_file'], needs: ['files'], format: clineFile },
  { client: 'roo-code', kind: 'read', names: ['read_file'], needs: ['path', 'mode'], format: clineFile },
  {
    client: 'cline',
    kind: 'shell',
    names: ['execute_command'],
    needs: ['command', 'requiresapproval'],
    format: clineShell,
  },
  {
    client: 'roo-code',
    kind: 'shell',
    names: ['execute_command'],
    needs: ['command', 'cwd'],
    format: clineShell,
  },
  { client: 'cline', kind: 'write', names: ['write_to_file'], needs: ['path', 'content'] },
  { client: 'cline', kind: 'list', names: ['list_files'], needs: ['path', 'recursive'] },
  { client: 'cline', kind: 'grep', names: ['search_files'], needs: ['path', 'regex'], inlineFlags: true },

  // Cursor's own names, as programs that imitate it use them
  { client: 'cursor', kind: 'read', names: ['read_file'], needs: ['targetfile'], format: unmarkedFile },
  { client: 'cursor', kind: 'shell', names: ['run_terminal_cmd'], needs: ['command'], format: unmarkedShell },
  { client: 'cursor', kind: 'delete', names: ['delete_file'], needs: ['targetfile'] },
  { client: 'cursor', kind: 'list', names: ['list_dir'] },
  { client: 'cursor', kind: 'grep', names: ['grep_search'], needs: ['query'], inlineFlags: true },
  { client: 'cursor', kind: 'glob', names: ['glob_file_search'], needs: ['globpattern'] },
  { client: 'cursor', kind: 'diagnostics', names: ['read_lints'], needs: ['paths'] },

  // Continue
  {
    client: 'continue',
    kind: 'read',
    names: ['read_file', 'builtin_read_file'],
    needs: ['filepath'],
    format: unmarkedFile,
  },
  {
    client: 'continue',
    kind: 'shell',
    names: ['run_terminal_command', 'builtin_run_terminal_command'],
    needs: ['command'],
    format: clineShell,
  },
  { client: 'continue', kind: 'list', names: ['ls', 'builtin_ls'], needs: ['dirpath'] },
  { client: 'continue', kind: 'grep', names: ['builtin_grep_search'], needs: ['query'], inlineFlags: true },
  {
    client: 'continue',
    kind: 'glob',
    names: ['file_glob_search', 'builtin_file_glob_search'],
    needs: ['pattern'],
  },
  {
    client: 'continue',
    kind: 'fetch',
    names: ['fetch_url_content', 'builtin_fetch_url_content'],
    needs: ['url'],
  },

  // GitHub Copilot's agent
  { client: 'copilot', kind: 'shell', names: ['run_in_terminal'], needs: ['command'], format: unmarkedShell },
  { client: 'copilot', kind: 'diagnostics', names: ['get_errors'], needs: ['filepaths'] },

  // Names that any program may use
  {
    client: 'any',
    kind: 'shell',
    names: ['bash', 'shell', 'terminal'],
    needs: ['command'],
    format: unmarkedShell,
  },
  { client: 'any', kind: 'write', names: ['write_file', 'writeFile'], needs: ['path', 'content'] },
  { client: 'any', kind: 'list', names: ['list_files', 'listFiles', 'list_directory'], needs: ['path'] },
  { client: 'any', kind: 'grep', names: ['grep'], needs: ['pattern'] },
  { client: 'any', kind: 'glob', names: ['glob'], needs: ['pattern'] },
  { client: 'any', kind: 'diagnostics', names: ['diagnostics', 'lsp_diagnostics', 'get_diagnostics'] },
]
