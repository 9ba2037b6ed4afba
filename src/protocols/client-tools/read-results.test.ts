// Results as the clients word them. What `read()` makes of them is what a model gets to see, and may write back.

import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import {
  claudeCode,
  cline,
  codex,
  demos,
  earlierOpenCode,
  openCode,
  qwenCode,
  tool,
} from './clients.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

function reads(tools: readonly Tool[], job: Job, text: string, isError = false) {
  return redirect(job, tools, { workspace: '/w' })?.read({ text, isError })
}
const file: Job = { kind: 'read', path: '/w/a.txt' }
const shell: Job = { kind: 'shell', command: 'x' }

describe('files', () => {
  const openCodeText = (body: string) =>
    `<path>/w/a.txt</path>\n<type>file</type>\n<content>\n${body}\n</content>`
  const end = (lines: number) => `\n\n(End of file - total ${lines} lines)`

  it('of OpenCode', () => {
    const read = (body: string, job: Job = file) => reads(openCode, job, openCodeText(body))
    expect(read(`1: a\n2: b${end(2)}`)).toMatchObject({ content: 'a\nb\n', complete: true, totalLines: 2 })
    expect(read(`1: 1: a\n2: </content>${end(2)}`)).toMatchObject({
      content: '1: a\n</content>\n',
      complete: true,
    })
    expect(read(`${end(0)}`)).toMatchObject({ content: '', complete: true })
    expect(read('1: a\n\n(Showing lines 1-1 of 9. Use offset=2 to continue.)')).toMatchObject({
      content: 'a',
      complete: false,
      totalLines: 9,
    })
    expect(
      read('1: a\n\n(Output capped at 50 KB. Showing lines 1-1. Use offset=2 to continue.)'),
    ).toMatchObject({
      complete: false,
    })
    expect(read(`1: ${'x'.repeat(2000)}... (line truncated to 2000 chars)${end(1)}`)).toMatchObject({
      complete: false,
    })
    expect(read(`2: b${end(2)}`, { ...file, offset: 2 })).toMatchObject({ content: 'b\n', complete: false })
    expect(read(`1: a\n3: b${end(2)}`)).toMatchObject({ complete: false })
    const reminded = `${openCodeText(`1: a${end(1)}`)}\n\n<system-reminder>\nx\n</system-reminder>`
    expect(reads(openCode, file, reminded)).toMatchObject({ content: 'a\n', complete: true })
  })

  it('of earlier OpenCode', () => {
    const text = `<file>\n00001| a\n00002| 00002| b\n${end(2).slice(1)}\n</file>`
    expect(reads(earlierOpenCode, file, text)).toMatchObject({ content: 'a\n00002| b\n', complete: true })
    expect(reads(earlierOpenCode, file, '<file>\n00001| a\n</file>')).toMatchObject({
      content: 'a\n',
      complete: true,
    })
  })

  it('of Claude Code, which tells how the file ends', () => {
    const read = (text: string, job: Job = file) => reads(claudeCode, job, text)
    expect(read('1\ta\n2\tb\n3\t')).toMatchObject({ content: 'a\nb\n', complete: true, totalLines: 2 })
    expect(read('1\ta\n2\tb')).toMatchObject({ content: 'a\nb', complete: true })
    expect(read('     1→     1→a\n     2→')).toMatchObject({ content: '     1→a\n', complete: true })
    expect(read('1\ta\n2\t\n\n<system-reminder>x</system-reminder>\n')).toMatchObject({
      content: 'a\n',
      complete: true,
    })
    expect(
      read('<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>'),
    ).toMatchObject({ content: '', complete: true })
    expect(read('1\ta\n5\tb')).toMatchObject({ content: '1\ta\n5\tb', complete: false })
    expect(read('7\ta\n8\tb', { ...file, offset: 7, limit: 2 })).toMatchObject({
      content: 'a\nb',
      complete: false,
    })
    expect(read('1\ta\n2\tb', { ...file, limit: 2 })).toMatchObject({ complete: false })
    expect(read('1\ta\n2\tb', { ...file, limit: 5 })).toMatchObject({ complete: true })
    const capped = Array.from({ length: 2000 }, (_, at) => `${at + 1}\tx`).join('\n')
    expect(read(capped)).toMatchObject({ complete: false })
  })

  it('of Qwen Code', () => {
    const read = (text: string, job: Job = file) => reads(qwenCode, job, text)
    expect(read('1: a\n</content>\n')).toMatchObject({ content: '1: a\n</content>\n', complete: true })
    expect(read('(read_file completed with no output)')).toMatchObject({ content: '', complete: true })
    expect(read('Showing lines 1-2 of 9 total lines.\n\n---\n\na\nb')).toMatchObject({
      content: 'a\nb',
      complete: false,
      totalLines: 9,
    })
    expect(read('[File a.txt unchanged since last read in this session — …]')).toMatchObject({
      complete: false,
    })
    expect(read('File not found: /w/a.txt')).toMatchObject({ kind: 'failed', notFound: true })
    expect(read('Cannot display content of binary file: a.txt')).toMatchObject({ kind: 'failed' })
    expect(read('Error: this line is all there is\n')).toMatchObject({
      kind: 'read',
      content: 'Error: this line is all there is\n',
    })
  })

  it('of Cline, which takes no range: the part is cut out here', () => {
    const text = '1 | a\n2 | b\n3 | c\n\n(File has 3 lines total.)'
    expect(reads(cline, file, text)).toMatchObject({ content: 'a\nb\nc\n', complete: true, totalLines: 3 })
    expect(reads(cline, { ...file, offset: 2, limit: 1 } as Job, text)).toMatchObject({
      content: 'b\n',
      complete: false,
    })
    expect(reads(cline, file, '1 | a\n\n(Showing lines 1-1 of 9 total. Use start_line=2.)')).toMatchObject({
      complete: false,
    })
    expect(reads(cline, { ...file, offset: -1 } as Job, text)).toMatchObject({
      content: 'c\n',
      complete: false,
    })
    expect(reads(cline, file, 'plain\n')).toMatchObject({ content: 'plain\n', complete: true })
  })

  it('of tools that nobody described', () => {
    const read = (text: string) => reads(demos, file, text)
    expect(read('a\nb')).toMatchObject({ content: 'a\nb', complete: true })
    expect(read('1: a\n2: b')).toMatchObject({ content: '1: a\n2: b', complete: false })
    expect(read('a\n[truncated]')).toMatchObject({ complete: false })
    expect(read('{"path":"a.txt","content":"x\\n"}')).toMatchObject({ content: 'x\n', complete: true })
    expect(read('{"content":"x\\n"}')).toMatchObject({ content: '{"content":"x\\n"}', complete: false })
  })

  it('that are not there, or not allowed', () => {
    expect(
      reads(openCode, file, 'File not found: /w/a.txt\n\nDid you mean one of these?\n/w/b.txt'),
    ).toMatchObject({
      kind: 'failed',
      notFound: true,
    })
    expect(reads(claudeCode, file, 'File does not exist. Note: your cwd is /w.', true)).toMatchObject({
      notFound: true,
    })
    for (const text of [
      'The user rejected permission to use this specific tool call.',
      "The user doesn't want to proceed with this tool use. The tool use was rejected",
      'Qwen Code requires permission to use "read_file", but that permission was declined. Matching deny rule: "x".',
      'The user denied this operation.',
    ])
      expect(reads(qwenCode, file, text)).toMatchObject({ kind: 'failed', denied: true })
  })
})

describe('commands', () => {
  it('of OpenCode, which does not tell how they ended', () => {
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

  it('of Cline, Roo Code and the undescribed', () => {
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
})

describe('changes', () => {
  const write: Job = { kind: 'write', path: '/w/a.txt', content: 'x' }
  it('are made, or not', () => {
    for (const text of ['Wrote file successfully.', 'Successfully overwrote file: /w/a.txt.', 'ok', ''])
      expect(reads(openCode, write, text)).toEqual({ kind: 'write' })
    for (const text of [
      'File /w/a.txt has not been read in this session. Use the read_file tool first',
      'Path is a directory, not a file: /w/a.txt',
      'BadResource: FileSystem.readFile (/w/a.txt)',
    ])
      expect(reads(openCode, write, text)).toMatchObject({ kind: 'failed' })
    const remove: Job = { kind: 'delete', path: '/w/a.txt' }
    expect(reads(openCode, remove, '(no output)')).toEqual({ kind: 'delete' })
    expect(
      reads(openCode, remove, "rm: cannot remove '/w/a.txt': No such file or directory\n"),
    ).toMatchObject({
      kind: 'failed',
      notFound: true,
    })
  })

  it('that a shell makes say so themselves', () => {
    const bash = [tool('bash', { 'command!': 'string' })]
    expect(reads(bash, write, 'exit 0\n')).toEqual({ kind: 'write' })
    expect(reads(bash, write, 'sh: /w/a.txt: Permission denied\nexit 1')).toMatchObject({ kind: 'failed' })
    expect(reads(bash, write, '')).toMatchObject({ kind: 'failed' })
  })
})
