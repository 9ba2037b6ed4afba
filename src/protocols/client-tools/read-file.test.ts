// Results in the clients' formats. The model sees the outcome, and may write it back.

import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { claudeCode, cline, codex, demos, earlierOpenCode, openCode, qwenCode } from './clients.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

function reads(tools: readonly Tool[], job: Job, text: string, isError = false) {
  return redirect(job, tools, { workspace: '/w' })?.read({ text, isError })
}
const file: Job = { kind: 'read', path: '/w/a.txt' }

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
    expect(reads(openCode, file, `${openCodeText(`1: a${end(1)}`)}\nmore`)).toMatchObject({ complete: false })
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

  it('of Claude Code, which shows the final newline', () => {
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
    expect(read('Wasted call — file unchanged since your last Read. Refer to that.')).toMatchObject({
      kind: 'failed',
    })
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

  it('of Qwen Code are not content if a remark replaces, precedes or follows them', () => {
    for (const text of [
      'Showing lines 1-2 of at least 9 total lines.\n\n---\n\na\nb',
      'a\n\n\n<system-reminder>\nA rule that this file brought up\n</system-reminder>',
      '<system-reminder>This memory is 9 days old.</system-reminder>\na\n',
      '<persisted-output>\nOutput too large (90 KB). Full output saved to: /x\n\nPreview (up to 2000 chars):\na\n</persisted-output>',
      'Output too large (90 KB). (disk persistence unavailable)\n\nPreview (up to 2000 chars):\na',
      'Tool output was too large and has been truncated.\n\nTruncated part of the output:\na',
      'What is said about /w/a.txt in words that nobody knows',
    ])
      expect(reads(qwenCode, file, text)).toMatchObject({ kind: 'read', complete: false })
    for (const text of [
      "File path '/w/a.txt' is ignored by .qwenignore pattern(s).",
      'Not a regular file: /w/a.txt',
      'File size exceeds the 10MB limit: /w/a.txt (11.00MB)',
    ])
      expect(reads(qwenCode, file, text)).toMatchObject({ kind: 'failed' })
    expect(reads(qwenCode, file, '<system-reminder>\n')).toMatchObject({ complete: false })
  })

  it('of Qwen Code are incomplete if they are notebooks', () => {
    const notebook: Job = { kind: 'read', path: '/w/a.ipynb' }
    expect(redirect(notebook, qwenCode)?.input).toEqual({ file_path: '/w/a.ipynb' })
    expect(reads(qwenCode, notebook, 'Cell 1 (code):\nx')).toMatchObject({ complete: false })
    expect(reads(qwenCode, { ...notebook, offset: 2, limit: 1 }, 'a\nb\nc')).toMatchObject({ content: 'b\n' })
  })

  it('of a program with Qwen Code’s tool names that numbers the lines', () => {
    for (const text of ['     1\ta\n     2\tb', '1: a\n2: b\n', '1 | a\n2 | b', '00001| a'])
      expect(reads(qwenCode, file, text)).toMatchObject({ content: text, complete: false })
    expect(reads(qwenCode, file, '1\ta\n3\tb\n')).toMatchObject({ complete: true })
  })

  it('that are not UTF-8 are incomplete: they would be written back with replacement characters', () => {
    expect(reads(openCode, file, openCodeText(`1: caf\uFFFD${end(1)}`))).toMatchObject({ complete: false })
    expect(reads(claudeCode, file, '1\tcaf\uFFFD\n2\t')).toMatchObject({ complete: false })
    const shown = 'Process exited with code 0\nOutput:\nbegin\n\uFFFDexit 0 3\n'
    expect(reads(codex, file, shown)).toMatchObject({ complete: false })
  })

  it('from the first line to the end are complete', () => {
    const shown = 'Process exited with code 0\nOutput:\nbegin\na\nexit 0 2\n'
    expect(reads(codex, { ...file, offset: 1 } as Job, shown)).toMatchObject({ complete: true })
    expect(reads(claudeCode, { ...file, offset: 1, limit: 0 } as Job, '1\ta')).toMatchObject({
      complete: true,
    })
  })

  it('of Cline with many empty lines at the end', () => {
    const text = `1 | a\n${' '.repeat(200_000)}x`
    expect(reads(cline, file, text)).toMatchObject({ complete: false })
  })

  it('of Cline, which takes no range: the gateway cuts the part out', () => {
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

  it('of a shell, which counts the bytes', () => {
    const read = (text: string) => reads(codex, file, `Process exited with code 0\nOutput:\n${text}`)
    expect(read('begin\nä\nexit 0 3\n')).toEqual({
      kind: 'read',
      content: 'ä\n',
      complete: true,
      totalLines: 1,
    })
    expect(read('begin\nä\nexit 0 4\n')).toMatchObject({ content: 'ä\n', complete: false })
    expect(read('begin\nopenexit 0      4\n')).toMatchObject({ content: 'open', complete: true })
    expect(read('begin\nä\n')).toMatchObject({ content: 'ä\n', complete: false })
    expect(read('begin\ncat: no such file\nexit 1 \n')).toMatchObject({ kind: 'failed', notFound: true })
    expect(read('')).toMatchObject({ kind: 'failed' })
  })

  it('of unknown tools', () => {
    const read = (text: string) => reads(demos, file, text)
    expect(read('a\nb')).toMatchObject({ content: 'a\nb', complete: true })
    expect(read('1: a\n2: b')).toMatchObject({ content: '1: a\n2: b', complete: false })
    expect(read('a\n[truncated]')).toMatchObject({ complete: false })
    for (const text of [
      '[Reading 2 lines from start (total: 2 lines, 0 remaining)]\n\na\nb',
      'File: a.txt\n\na\n',
      'Contents of a.txt:\na\n',
      '1. a\n2. b\n',
      '[1] a\n[2] b\n',
      'Line 1: a\n',
    ])
      expect(read(text)).toMatchObject({ complete: false })
    expect(read('{"path":"a.txt","content":"x\\n"}')).toMatchObject({ content: 'x\n', complete: true })
    expect(read('{"content":"x\\n"}')).toMatchObject({ content: '{"content":"x\\n"}', complete: false })
  })

  it('that are missing or denied', () => {
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
