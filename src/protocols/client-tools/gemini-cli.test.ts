// Jobs of Cursor's agent on Gemini CLI's tools, and results in its formats.

import { describe, expect, it } from 'vitest'
import { geminiCli } from './agents.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

const at = { workspace: '/w' }
const callOf = (job: Job) => {
  const made = redirect(job, geminiCli, at)
  return made && [made.tool, made.input]
}
const reads = (job: Job, text: string, isError = false) =>
  redirect(job, geminiCli, at)?.read({ text, isError })
const wrapped = (text: string) => `<untrusted_context>\n${text}\n</untrusted_context>`

const shell: Job = { kind: 'shell', command: 'x' }
const file: Job = { kind: 'read', path: '/w/a.txt' }
const list: Job = { kind: 'list', path: '/w' }
const glob: Job = { kind: 'glob', pattern: '*.txt', path: '/w' }
const grep: Job = { kind: 'grep', pattern: 'hi', path: '/w', mode: 'content' }

describe('calls', () => {
  it.each<[Job, string, object]>([
    [shell, 'run_shell_command', { command: 'x' }],
    [file, 'read_file', { file_path: '/w/a.txt' }],
    [{ ...file, offset: 3, limit: 2 }, 'read_file', { file_path: '/w/a.txt', start_line: 3, end_line: 4 }],
    [list, 'list_directory', { dir_path: '/w' }],
    [glob, 'glob', { pattern: '*.txt', dir_path: '/w' }],
    [grep, 'grep_search', { pattern: 'hi', dir_path: '/w' }],
    [
      { kind: 'write', path: '/w/b.txt', content: 'x' },
      'write_file',
      { file_path: '/w/b.txt', content: 'x' },
    ],
  ])('%j: %s', (job, name, input) => {
    expect(callOf(job)).toEqual([name, expect.objectContaining(input)])
  })
})

describe('commands', () => {
  it.each<[string, object]>([
    ['Output: hi\nProcess Group PGID: 52', { stdout: 'hi', exitCode: 0, truncated: false }],
    ['Output: (empty)\nProcess Group PGID: 52', { stdout: '', exitCode: 0 }],
    ['Output: hi\nExit Code: 3\nProcess Group PGID: 52', { stdout: 'hi', exitCode: 3 }],
    [
      'Output: a\n\nb\nExit Code: 1\nBackground PIDs: 7, 8\nProcess Group PGID: 52',
      { stdout: 'a\n\nb', exitCode: 1 },
    ],
    ['Output: (empty)\nSignal: 9\nProcess Group PGID: 52', { stdout: '', exitCode: 137 }],
    [
      'Output: (empty)\nError: spawn x\nExit Code: 127\nProcess Group PGID: 52',
      { stderr: 'spawn x', exitCode: 127 },
    ],
    [
      'Output: Exit Code: 9\nProcess Group PGID: 1\nProcess Group PGID: 52',
      { stdout: 'Exit Code: 9\nProcess Group PGID: 1', exitCode: 0 },
    ],
    ['Output: &lt;/untrusted_context&gt;\nProcess Group PGID: 52', { stdout: '</untrusted_context>' }],
    ['Output: a', { stdout: 'a', exitCodeAssumed: true }],
    [
      'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. Below is the output before it was cancelled:\nhalf',
      { stdout: 'half', timedOut: true },
    ],
  ])('%j', (text, expected) => {
    expect(reads(shell, wrapped(text))).toMatchObject({ kind: 'shell', ...expected })
  })

  it('that print much are cut, and say so', () => {
    const head =
      'Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/x.txt\n'
    expect(reads(shell, head + wrapped('Output: 1\n…\nExit Code: 2\nProcess Group PGID: 5'))).toMatchObject({
      stdout: '1\n…',
      exitCode: 2,
      truncated: true,
    })
  })

  it('that were refused are failures', () => {
    expect(reads(shell, '[Operation Cancelled] Reason: User denied execution.', true)).toMatchObject({
      kind: 'failed',
    })
  })
})

it('files, whole and in part', () => {
  expect(reads(file, 'hi\n')).toMatchObject({ content: 'hi\n', complete: true })
  expect(reads(file, 'File not found: /w/a.txt', true)).toMatchObject({ kind: 'failed', notFound: true })
  const part =
    "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 1-1 of 2 total lines.\nAction: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent 'read_file' call. For example, to read the next section of the file, use start_line: 2.\n\n--- FILE CONTENT (truncated) ---\nhi"
  expect(reads({ ...file, offset: 1, limit: 1 }, part)).toMatchObject({
    content: expect.stringMatching(/^hi\n?$/),
  })
})

it('listings', () => {
  const text = 'Directory listing for /w:\n[DIR] src\na.txt (3 bytes)\nodd (3 bytes) (12 bytes)'
  expect(reads(list, text)).toMatchObject({
    entries: [
      { path: 'src', directory: true },
      { path: 'a.txt', directory: false },
      { path: 'odd (3 bytes)', directory: false },
    ],
  })
})

it('searches', () => {
  const files =
    'Found 1 file(s) matching "*.txt" within /w, sorted by modification time (newest first):\n/w/a.txt'
  expect(reads(glob, files)).toMatchObject({ files: ['/w/a.txt'] })
  const found =
    'Found 1 match for pattern "hi" in the workspace directory:\n---\nFile: a.txt\nL1: hi\nL2- \n---'
  expect(reads(grep, found)).toMatchObject({
    matches: [
      { file: 'a.txt', line: 1, text: 'hi' },
      { file: 'a.txt', line: 2, text: '', context: true },
    ],
  })
  expect(reads(grep, 'No matches found for pattern "hi" in the workspace directory.')).toMatchObject({
    matches: [],
  })
})
