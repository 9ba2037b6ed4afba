import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { claudeCode, cline, codex, demos, openCode, qwenCode, tool } from './clients.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

function reads(tools: readonly Tool[], job: Job, text: string, isError = false) {
  return redirect(job, tools, { workspace: '/w' })?.read({ text, isError })
}
const shell: Job = { kind: 'shell', command: 'x' }

describe('commands', () => {
  it('of OpenCode, which reports no exit code', () => {
    expect(reads(openCode, shell, 'out\n')).toMatchObject({
      stdout: 'out\n',
      exitCode: 0,
      exitCodeAssumed: true,
    })
    expect(reads(openCode, shell, '(no output)')).toMatchObject({ stdout: '', exitCode: 0 })
    const late =
      'out\n\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 5 ms. …\n</shell_metadata>'
    expect(reads(openCode, shell, late)).toMatchObject({ stdout: 'out\n', timedOut: true, exitCode: 124 })
    const cut = '...output truncated...\n\nFull output saved to: /t/x\n\n2\n3\n'
    expect(reads(openCode, shell, cut)).toMatchObject({ stdout: '2\n3\n', truncated: true })
  })

  it('of Claude Code', () => {
    expect(reads(claudeCode, shell, 'Exit code 3\nout\nerr', true)).toMatchObject({
      stdout: 'out\nerr',
      exitCode: 3,
    })
    expect(reads(claudeCode, shell, 'Exit code 4', true)).toMatchObject({ stdout: '', exitCode: 4 })
    expect(reads(claudeCode, shell, '(Bash completed with no output)')).toMatchObject({
      stdout: '',
      exitCode: 0,
    })
    expect(reads(claudeCode, shell, '/\nShell cwd was reset to /w')).toMatchObject({ stdout: '/' })
    const large =
      '<persisted-output>\nOutput too large (9KB). Full output saved to: /x\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>'
    expect(reads(claudeCode, shell, large)).toMatchObject({ stdout: '1\n2', truncated: true })
    const moved =
      'start\nCommand did not complete within its 1s timeout and was moved to the background (ID: b). Output …'
    expect(reads(claudeCode, shell, moved)).toMatchObject({ stdout: 'start', timedOut: true })
    expect(reads(claudeCode, shell, "touch in '/w/z' needs approval. The path …", true)).toMatchObject({
      denied: true,
    })
  })

  it('of Qwen Code', () => {
    const block = (output: string, code: string, signal = '(none)') =>
      `Command: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: ${signal}\nProcess Group PGID: (none)`
    expect(reads(qwenCode, shell, block('hi', '0'))).toMatchObject({ stdout: 'hi', stderr: '', exitCode: 0 })
    expect(reads(qwenCode, shell, block('(empty)', '3'))).toMatchObject({ stdout: '', exitCode: 3 })
    expect(reads(qwenCode, shell, block('(empty)', '(none)', '9'))).toMatchObject({ exitCode: 137 })
    const tricky = 'a\nError: b\nExit Code: 7\nSignal: x'
    expect(reads(qwenCode, shell, block(tricky, '0'))).toMatchObject({ stdout: tricky, exitCode: 0 })
    const remark =
      '\n\nNote: the command took 90 s in the foreground.\n\n<system-reminder>x</system-reminder>'
    expect(reads(qwenCode, shell, block('no', '1') + remark)).toMatchObject({ stdout: 'no', exitCode: 1 })
    expect(reads(qwenCode, shell, block(tricky, '2') + remark)).toMatchObject({ stdout: tricky, exitCode: 2 })
    expect(reads(qwenCode, shell, 'Command: x\nOutput: a')).toMatchObject({ exitCodeAssumed: true })
    const late =
      'Command timed out after 5ms before it could complete. Below is the output before it timed out:\nstart'
    expect(reads(qwenCode, shell, late)).toMatchObject({ stdout: 'start', timedOut: true })
    const gemini =
      'Stdout: a\nStderr: b\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)'
    expect(reads(qwenCode, shell, gemini)).toMatchObject({ stdout: 'a', stderr: 'b', exitCode: 1 })
  })

  it('of Codex', () => {
    const head = 'Chunk ID: 1\nWall time: 0.1 seconds\n'
    const read = (text: string) => reads(codex, shell, text)
    const ended = `${head}Process exited with code 3\nOriginal token count: 2\nOutput:\n`
    expect(read(`${ended}\n x\n`)).toMatchObject({ stdout: '\n x\n', exitCode: 3, truncated: false })
    expect(
      read(`${ended}Warning: truncated output (original token count: 9)\nTotal output lines: 9\n\n1\n`),
    ).toMatchObject({ stdout: '1\n', truncated: true })
    expect(read(`${head}Process running with session ID 7\nOutput:\nstart\n`)).toMatchObject({
      timedOut: true,
    })
    expect(read('Exit code: 2\nWall time: 1 seconds\nOutput:\nx')).toMatchObject({ stdout: 'x', exitCode: 2 })
    expect(read('{"output":"x\\n","metadata":{"exit_code":5,"duration_seconds":0.1}}')).toMatchObject({
      stdout: 'x\n',
      exitCode: 5,
    })
    expect(read('exec command rejected by user')).toMatchObject({ kind: 'failed', denied: true })
  })

  it('of Cline, Roo Code and unknown tools', () => {
    expect(reads(cline, shell, 'Command executed.\nOutput:\nhi')).toMatchObject({
      stdout: 'hi',
      exitCodeAssumed: true,
    })
    expect(reads(cline, shell, 'Command executed.')).toMatchObject({ stdout: '', exitCode: 0 })
    const roo = "Command executed in terminal  within working directory '/w'. Exit code: 2\nOutput:\nhi"
    expect(reads(cline, shell, roo)).toMatchObject({ stdout: 'hi', exitCode: 2 })
    expect(reads(demos, shell, '{"stdout":"a","stderr":"b","exitCode":2}')).toMatchObject({
      stdout: 'a',
      stderr: 'b',
      exitCode: 2,
    })
    expect(reads(demos, shell, 'oops', true)).toMatchObject({ stdout: 'oops', exitCode: 1 })
  })

  it.each([
    ['boom\nExit code: 2', 2],
    ['boom\n[exit code 2]', 2],
    ['boom\nCommand exited with code 127.\n', 127],
    ['Command failed with exit code 3: boom', 3],
    ['exit status 0', 0],
    ['the exit code is 7, they say', undefined],
    ['Exit code: 2\nand more', undefined],
  ])('in words: %j', (text, exitCode) => {
    const outcome = reads(demos, shell, text)
    expect(outcome).toMatchObject({ stdout: text, exitCode: exitCode ?? 0 })
    expect(outcome?.kind === 'shell' && outcome.exitCodeAssumed === true).toBe(exitCode === undefined)
  })
})

const programTool = (name: string, ...properties: string[]): Tool => ({
  name,
  schema: {
    type: 'object',
    properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
    required: properties,
  },
})

describe('large and odd output', () => {
  const blanks = ' '.repeat(200_000)

  it('is read in linear time', () => {
    expect(reads(claudeCode, shell, `Shell cwd was reset to ${blanks}\nx`)).toMatchObject({ exitCode: 0 })
    const moved = `Command did not complete within its ${' moved to the background'.repeat(20_000)}\nx`
    expect(reads(claudeCode, shell, moved)).toMatchObject({ stdout: moved })
    expect(reads(qwenCode, shell, `Output: a\nExit Code: 1\nSignal: ${blanks}\nx`)).toMatchObject({
      kind: 'shell',
    })
  })

  it('that is an object belongs to the command', () => {
    for (const text of ['{"status":200,"result":"ok"}', '{"code":404,"text":"x"}'])
      expect(reads(demos, shell, text)).toMatchObject({ stdout: text, exitCode: 0 })
    expect(reads(demos, shell, '{"stdout":"a","stderr":"","code":2}')).toMatchObject({ exitCode: 2 })
  })

  it('of Claude Code keeps what only looks like a remark', () => {
    expect(reads(claudeCode, shell, 'Shell cwd was reset to /x\nmore')).toMatchObject({
      stdout: 'Shell cwd was reset to /x\nmore',
    })
    expect(reads(claudeCode, shell, 'Shell cwd was reset to /w')).toMatchObject({ stdout: '' })
  })
})

describe('changes', () => {
  const write: Job = { kind: 'write', path: '/w/a.txt', content: 'x' }
  it('succeed or fail', () => {
    for (const text of [
      'Wrote file successfully.',
      'Successfully overwrote file: /w/a.txt.',
      'File /w/a.txt has been written',
      '/w/a.txt: 3 bytes',
      'ok',
      '',
    ])
      expect(reads(openCode, write, text)).toEqual({ kind: 'write' })
    for (const text of [
      'File /w/a.txt has not been read in this session. Use the read_file tool first',
      'File /w/a.txt has been modified since you last read it (mtime or size changed). Re-read it first',
      'File has been modified since read, either by the user or by a linter.',
      'File /w/a.txt is a binary / image payload that the read_file tool returns as a structured value.',
      'File /w/a.txt is on a filesystem that does not provide a verifiable inode identity (ino=0).',
      '/w/a.txt is a directory. The Edit / WriteFile tools only operate on regular files.',
      'You must read the file /w/a.txt before overwriting it. Use the Read tool first',
      'Path is a directory, not a file: /w/a.txt',
      'BadResource: FileSystem.readFile (/w/a.txt)',
    ])
      expect(reads(openCode, write, text)).toMatchObject({ kind: 'failed' })
    const own = [programTool('write_file', 'path', 'content'), programTool('list_files', 'path')]
    for (const text of [
      '{"ok":false,"error":"EACCES: permission denied"}',
      '{"error":"ENOENT"}',
      '{"success":false}',
    ])
      expect(reads(own, write, text)).toMatchObject({ kind: 'failed' })
    expect(reads(own, write, '{"ok":true}')).toEqual({ kind: 'write' })
    expect(reads(own, { kind: 'list', path: '/w' }, '{"error":"ENOENT"}')).toMatchObject({ notFound: true })
    // A file can contain just that.
    expect(reads(demos, { kind: 'read', path: '/w/a.json' }, '{"error":"ENOENT"}')).toMatchObject({
      kind: 'read',
      content: '{"error":"ENOENT"}',
    })
    const remove: Job = { kind: 'delete', path: '/w/a.txt' }
    expect(reads(openCode, remove, '(no output)')).toEqual({ kind: 'delete' })
    expect(
      reads(openCode, remove, "rm: cannot remove '/w/a.txt': No such file or directory\n"),
    ).toMatchObject({
      kind: 'failed',
      notFound: true,
    })
  })

  it('by a shell report their exit code', () => {
    const bash = [tool('bash', { 'command!': 'string' })]
    expect(reads(bash, write, 'exit 0\n')).toEqual({ kind: 'write' })
    expect(reads(bash, write, 'sh: /w/a.txt: Permission denied\nexit 1')).toMatchObject({ kind: 'failed' })
    expect(reads(bash, write, '')).toMatchObject({ kind: 'failed' })
  })
})
