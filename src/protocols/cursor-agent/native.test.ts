import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ExecClientMessageSchema, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { Job, Outcome } from '../client-tools/job.ts'
import { replyTo } from './native.ts'
import { type ExecRequest, nativeKind } from './native-kinds.ts'

/** The request as protobuf JSON writes it → its row, and its arguments as messages. */
function rowOf(request: JsonValue) {
  const { message } = fromJson(ExecServerMessageSchema, request)
  const kind = nativeKind(message as ExecRequest)
  if (!kind) throw new Error('no such kind')
  return { kind, args: message.value as unknown }
}

const jobOf = (request: JsonValue): Job | string => {
  const { kind, args } = rowOf(request)
  return kind.job(args)
}

function repliesTo(request: JsonValue, outcome: Outcome): JsonValue[] {
  const { kind, args } = rowOf(request)
  return replyTo(kind, args, outcome).map((message) =>
    toJson(ExecClientMessageSchema, create(ExecClientMessageSchema, { message })),
  )
}

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

const shell = { shellArgs: { command: 'ls', workingDirectory: '/w', timeout: 7000 } }
const stream = { shellStreamArgs: { command: 'ls', workingDirectory: '/w' } }
const ran = (more: Partial<Extract<Outcome, { kind: 'shell' }>>): Outcome => ({
  kind: 'shell',
  stdout: '',
  stderr: '',
  exitCode: 0,
  truncated: false,
  ...more,
})
const denied: Outcome = { kind: 'failed', error: 'the user said no', denied: true }
const broken: Outcome = { kind: 'failed', error: 'disk on fire' }
const missing: Outcome = { kind: 'failed', error: 'ENOENT', notFound: true }

describe('typed results', () => {
  it.each<[string, JsonValue, Outcome, JsonValue[]]>([
    [
      'exit 0 is a success',
      shell,
      ran({ stdout: 'a\n', stderr: 'w' }),
      [{ shellResult: { success: { command: 'ls', workingDirectory: '/w', stdout: 'a\n', stderr: 'w' } } }],
    ],
    [
      'another exit is a failure',
      shell,
      ran({ exitCode: 3, stderr: 'no' }),
      [{ shellResult: { failure: { command: 'ls', workingDirectory: '/w', exitCode: 3, stderr: 'no' } } }],
    ],
    [
      'a time-out',
      shell,
      ran({ exitCode: 124, timedOut: true }),
      [{ shellResult: { timeout: { command: 'ls', workingDirectory: '/w', timeoutMs: 7000 } } }],
    ],
    [
      'a refused command',
      shell,
      denied,
      [{ shellResult: { rejected: { command: 'ls', workingDirectory: '/w', reason: 'the user said no' } } }],
    ],
    [
      'a command that could not be run',
      shell,
      broken,
      [{ shellResult: { spawnError: { command: 'ls', workingDirectory: '/w', error: 'disk on fire' } } }],
    ],
    [
      'a stream of events',
      stream,
      ran({ stdout: 'out', stderr: 'err', exitCode: 2 }),
      [
        { shellStream: { start: {} } },
        { shellStream: { stdout: { data: 'out' } } },
        { shellStream: { stderr: { data: 'err' } } },
        { shellStream: { exit: { code: 2, cwd: '/w' } } },
      ],
    ],
    [
      'a command whose end the client does not tell',
      stream,
      ran({ stdout: 'out', exitCodeAssumed: true }),
      [
        { shellStream: { start: {} } },
        { shellStream: { stdout: { data: 'out' } } },
        { shellStream: { stderr: { data: expect.stringContaining('does not tell exit codes') } } },
        { shellStream: { exit: { cwd: '/w' } } },
      ],
    ],
    [
      'a stream without output',
      stream,
      ran({}),
      [{ shellStream: { start: {} } }, { shellStream: { exit: { cwd: '/w' } } }],
    ],
    [
      'a stream that ran out of time',
      stream,
      ran({ exitCode: 124, timedOut: true }),
      [
        { shellStream: { start: {} } },
        { shellStream: { exit: { code: 124, cwd: '/w', aborted: true, abortReason: 2 } } },
      ],
    ],
    [
      'a refused stream',
      stream,
      denied,
      [{ shellStream: { rejected: { command: 'ls', workingDirectory: '/w', reason: 'the user said no' } } }],
    ],
    [
      'a file, with lines and size',
      { readArgs: { path: 'a' } },
      { kind: 'read', content: 'ü\nb\n', complete: true },
      [{ readResult: { success: { path: 'a', content: 'ü\nb\n', totalLines: 3, fileSize: '5' } } }],
    ],
    [
      'a file that the client cut short',
      { readArgs: { path: 'a' } },
      { kind: 'read', content: 'x', complete: false, totalLines: 9000 },
      [
        {
          readResult: {
            success: { path: 'a', content: 'x', totalLines: 9000, fileSize: '1', truncated: true },
          },
        },
      ],
    ],
    [
      'a part of a file, as asked',
      { redactedReadArgs: { path: 'a', offset: 2 } },
      { kind: 'read', content: 'x', complete: false },
      [
        {
          redactedReadResult: {
            success: { path: 'a', content: 'x', totalLines: 1, fileSize: '1', rangeApplied: true },
          },
        },
      ],
    ],
    [
      'a missing file',
      { readArgs: { path: 'a' } },
      missing,
      [{ readResult: { fileNotFound: { path: 'a' } } }],
    ],
    [
      'a refused read',
      { readArgs: { path: 'a' } },
      denied,
      [{ readResult: { rejected: { path: 'a', reason: 'the user said no' } } }],
    ],
    [
      'a failed read',
      { readArgs: { path: 'a' } },
      broken,
      [{ readResult: { error: { path: 'a', error: 'disk on fire' } } }],
    ],
    [
      'a written file',
      { writeArgs: { path: 'a', fileText: 'x\ny' } },
      { kind: 'write' },
      [{ writeResult: { success: { path: 'a', linesCreated: 2, fileSize: 3 } } }],
    ],
    [
      'a written file that is to be shown',
      { writeArgs: { path: 'a', fileText: 'x', returnFileContentAfterWrite: true } },
      { kind: 'write' },
      [{ writeResult: { success: { path: 'a', linesCreated: 1, fileSize: 1, fileContentAfterWrite: 'x' } } }],
    ],
    [
      'a refused write',
      { writeArgs: { path: 'a', fileText: 'x' } },
      denied,
      [{ writeResult: { rejected: { path: 'a', reason: 'the user said no' } } }],
    ],
    [
      'a deleted file',
      { deleteArgs: { path: 'a' } },
      { kind: 'delete' },
      [{ deleteResult: { success: { path: 'a', deletedFile: 'a' } } }],
    ],
    [
      'nothing to delete',
      { deleteArgs: { path: 'a' } },
      missing,
      [{ deleteResult: { fileNotFound: { path: 'a' } } }],
    ],
    [
      'a folder as a tree',
      { lsArgs: { path: '/w/' } },
      {
        kind: 'list',
        entries: [
          { path: 'a.txt', directory: false },
          { path: 'src/', directory: true },
          { path: './src/lib/b.ts', directory: false },
        ],
        truncated: false,
      },
      [
        {
          lsResult: {
            success: {
              directoryTreeRoot: {
                absPath: '/w/',
                childrenFiles: [{ name: 'a.txt' }],
                childrenDirs: [
                  {
                    absPath: '/w/src',
                    childrenDirs: [
                      {
                        absPath: '/w/src/lib',
                        childrenFiles: [{ name: 'b.ts' }],
                        childrenWereProcessed: true,
                        numFiles: 1,
                      },
                    ],
                    childrenWereProcessed: true,
                  },
                ],
                childrenWereProcessed: true,
                numFiles: 1,
              },
            },
          },
        },
      ],
    ],
    [
      'matches with their context',
      { grepArgs: { pattern: 'x', path: 'src' } },
      {
        kind: 'grep',
        matches: [
          { file: 'a', line: 3, text: 'x' },
          { file: 'a', line: 4, text: 'y', context: true },
          { file: 'b', line: 1, text: 'x' },
        ],
        truncated: true,
      },
      [
        {
          grepResult: {
            success: {
              pattern: 'x',
              path: 'src',
              outputMode: 'content',
              workspaceResults: {
                src: {
                  content: {
                    matches: [
                      {
                        file: 'a',
                        matches: [
                          { lineNumber: 3, content: 'x' },
                          { lineNumber: 4, content: 'y', isContextLine: true },
                        ],
                      },
                      { file: 'b', matches: [{ lineNumber: 1, content: 'x' }] },
                    ],
                    totalLines: 3,
                    totalMatchedLines: 2,
                    clientTruncated: true,
                  },
                },
              },
            },
          },
        },
      ],
    ],
    [
      'matching files',
      { grepArgs: { pattern: 'x', outputMode: 'files_with_matches' } },
      {
        kind: 'grep',
        matches: [{ file: 'a', line: 1 }, { file: 'a', line: 2 }, { file: 'b' }],
        truncated: false,
      },
      [
        {
          grepResult: {
            success: {
              pattern: 'x',
              outputMode: 'files_with_matches',
              workspaceResults: { '.': { files: { files: ['a', 'b'], totalFiles: 2 } } },
            },
          },
        },
      ],
    ],
    [
      'the second page of matching files',
      { grepArgs: { pattern: 'x', outputMode: 'files_with_matches', headLimit: 1, offset: 1 } },
      { kind: 'grep', matches: [{ file: 'a' }, { file: 'b' }], truncated: false },
      [
        {
          grepResult: {
            success: {
              pattern: 'x',
              outputMode: 'files_with_matches',
              workspaceResults: { '.': { files: { files: ['b'], totalFiles: 1 } } },
            },
          },
        },
      ],
    ],
    [
      'counts',
      { grepArgs: { pattern: 'x', outputMode: 'count' } },
      {
        kind: 'grep',
        matches: [
          { file: 'a', count: 4 },
          { file: 'b', line: 1 },
        ],
        truncated: false,
      },
      [
        {
          grepResult: {
            success: {
              pattern: 'x',
              outputMode: 'count',
              workspaceResults: {
                '.': {
                  count: {
                    counts: [
                      { file: 'a', count: 4 },
                      { file: 'b', count: 1 },
                    ],
                    totalFiles: 2,
                    totalMatches: 5,
                  },
                },
              },
            },
          },
        },
      ],
    ],
    [
      'file names',
      { grepArgs: { glob: '*.ts' } },
      { kind: 'glob', files: ['a.ts'], truncated: false },
      [
        {
          grepResult: {
            success: {
              outputMode: 'files_with_matches',
              workspaceResults: { '.': { files: { files: ['a.ts'], totalFiles: 1 } } },
            },
          },
        },
      ],
    ],
    [
      'a failed search',
      { grepArgs: { pattern: 'x' } },
      broken,
      [{ grepResult: { error: { error: 'disk on fire' } } }],
    ],
    [
      'a page',
      { fetchArgs: { url: 'https://x' } },
      { kind: 'fetch', content: 'hi' },
      [
        {
          fetchResult: {
            success: { url: 'https://x', content: 'hi', statusCode: 200, contentType: 'text/plain' },
          },
        },
      ],
    ],
    [
      'no diagnostics',
      { diagnosticsArgs: { path: 'a' } },
      { kind: 'diagnostics', text: '' },
      [{ diagnosticsResult: { success: { path: 'a' } } }],
    ],
    [
      'a result of another kind is an error, never a success',
      { readArgs: { path: 'a' } },
      { kind: 'write' },
      [{ readResult: { error: { path: 'a', error: expect.stringContaining('another kind') } } }],
    ],
  ])('%s', (_name, request, outcome, replies) => {
    expect(repliesTo(request, outcome)).toEqual(replies)
  })
})
