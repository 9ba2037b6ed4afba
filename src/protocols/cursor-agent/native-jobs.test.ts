import type { JsonValue } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Job } from '../client-tools/job.ts'
import { jobOf } from './native.fixture.ts'

describe('jobs', () => {
  it.each<[string, JsonValue, Job | string]>([
    [
      'a command with everything',
      { shellArgs: { command: 'ls', workingDirectory: '/w', timeout: 5000, description: 'list' } },
      { kind: 'shell', command: 'ls', workingDirectory: '/w', timeoutMs: 5000, description: 'list' },
    ],
    ['a plain command', { shellStreamArgs: { command: 'ls' } }, { kind: 'shell', command: 'ls' }],
    [
      'a command for the background',
      { shellArgs: { command: 'serve', isBackground: true } },
      expect.stringContaining('foreground') as unknown as string,
    ],
    ['a whole file', { readArgs: { path: 'a' } }, { kind: 'read', path: 'a' }],
    [
      'a part of a file',
      { redactedReadArgs: { path: 'a', offset: 5, limit: 10 } },
      { kind: 'read', path: 'a', offset: 5, limit: 10 },
    ],
    [
      'a text to write',
      { writeArgs: { path: 'a', fileText: 'x\n' } },
      { kind: 'write', path: 'a', content: 'x\n' },
    ],
    [
      'bytes to write that are text',
      { writeArgs: { path: 'a', fileBytes: Buffer.from('\ufeffü').toString('base64') } },
      { kind: 'write', path: 'a', content: '\ufeffü' },
    ],
    [
      'bytes to write that are none',
      { writeArgs: { path: 'a', fileBytes: Buffer.from([0xff, 0xfe]).toString('base64') } },
      expect.stringContaining('UTF-8') as unknown as string,
    ],
    ['an empty file', { writeArgs: { path: 'a' } }, { kind: 'write', path: 'a', content: '' }],
    ['a file to delete', { deleteArgs: { path: 'a' } }, { kind: 'delete', path: 'a' }],
    ['a folder', { lsArgs: { path: '/w', ignore: ['x'] } }, { kind: 'list', path: '/w', ignore: ['x'] }],
    [
      'a search',
      { grepArgs: { pattern: 'x', path: 'src', glob: '*.ts', context: 2, contextAfter: 3, headLimit: 9 } },
      {
        kind: 'grep',
        pattern: 'x',
        path: 'src',
        glob: '*.ts',
        mode: 'content',
        before: 2,
        after: 3,
        limit: 9,
      },
    ],
    [
      'a search for files',
      { grepArgs: { pattern: 'x', outputMode: 'files_with_matches', caseInsensitive: true, type: 'ts' } },
      { kind: 'grep', pattern: 'x', mode: 'files', caseInsensitive: true, fileType: 'ts' },
    ],
    [
      'file names',
      { grepArgs: { pattern: '', glob: '*.ts', path: 'src' } },
      { kind: 'glob', pattern: '**/*.ts', path: 'src' },
    ],
    [
      'file names by a pattern that matches anything',
      { grepArgs: { pattern: '.', glob: '**/*.ts', outputMode: 'files_with_matches' } },
      { kind: 'glob', pattern: '**/*.ts' },
    ],
    ['a search for nothing', { grepArgs: {} }, expect.stringContaining('pattern') as unknown as string],
    ['a page', { fetchArgs: { url: 'https://x' } }, { kind: 'fetch', url: 'https://x' }],
    ['diagnostics', { diagnosticsArgs: { path: 'a' } }, { kind: 'diagnostics', path: 'a' }],
  ])('%s', (_name, request, job) => {
    expect(jobOf(request)).toEqual(job)
  })
})
