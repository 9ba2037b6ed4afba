// The vocabulary: which tool of which client does which job.
//
// A row applies to a tool with one of its `names` that has all parameters in `needs` (normalised: `filePath` → `filepath`) and
// whose required parameters can be filled. Earlier rows come first. row.ts says what else a row can state. route.ts decides what to do about parts of a job that a
// tool has no parameter for.
//
// To add a client:
// 1. Add a row here for each of its tools that does a job. The kinds of jobs are in job.ts. Choose `needs` so that tools of
//    other clients with the same name do not match.
// 2. Parameter names that are new go into parameter-names.ts; required parameters that no job has get a value in `fillers` there.
// 3. `format` says how its results look. If no format in file-formats.ts and agent-files.ts (read) or read-shell.ts and
//    agent-shells.ts (shell) fits, add one; `unwrap` removes what is around every result of a tool. Results
//    of list, glob and grep tools are recognised by shape in read-search.ts and grep-formats.ts; refusals and errors by the
//    patterns in failure.ts.
// 4. Add its tool definitions to clients.fixture.ts, and cases to redirect.test.ts and the read-*.test.ts files.
// Tools without a row are only guessed by match-unknown.ts.
//
// Sources: OpenCode 1.18.33, Claude Code 2.1.325, Codex 0.166.0, Qwen Code 0.24.4, Gemini CLI 0.61.0 and the clients of agent-rows.ts were observed;
// Cline's and Continue's editor extensions and Roo Code were read in their sources; the others are known by name only.

import { agentRows } from './agent-rows.ts'
import { geminiShell } from './agent-shells.ts'
import { bareFile, claudeFile, clineFile, codexFile, openCodeFile, unmarkedFile } from './file-formats.ts'
import { claudeShell, clineShell, codexShell, openCodeShell, qwenShell, unmarkedShell } from './read-shell.ts'
import type { Row } from './row.ts'
import { unwrapGemini, unwrapGeminiList } from './unwrap.ts'

export const vocabulary: readonly Row[] = [
  // Agents whose tools share their names with those below
  ...agentRows,

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
    wholeRange: { offset: 1, limit: 100_000 },
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
  {
    client: 'gemini-cli',
    kind: 'shell',
    names: ['run_shell_command'],
    needs: ['command', 'dirpath'],
    format: geminiShell,
    unwrap: unwrapGemini,
  },
  { client: 'qwen-code', kind: 'shell', names: ['run_shell_command'], needs: ['command'], format: qwenShell },
  { client: 'qwen-code', kind: 'write', names: ['write_file'], needs: ['filepath', 'content'] },
  { client: 'qwen-code', kind: 'list', names: ['list_directory'], needs: ['path'] },
  {
    client: 'gemini-cli',
    kind: 'list',
    names: ['list_directory'],
    needs: ['dirpath'],
    unwrap: unwrapGeminiList,
  },
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

  // Cursor's names, used by programs that imitate it
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

  // Common names
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
