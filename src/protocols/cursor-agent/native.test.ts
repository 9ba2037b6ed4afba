import type { JsonValue } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../client-tools/job.ts'
import { repliesTo } from './native.fixture.ts'

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
