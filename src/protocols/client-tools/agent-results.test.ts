// Results in the agents' formats.

import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { clineCli, continueCli, copilot, goose, grokBuild, grokCli, kimi, pi } from './agents.fixture.ts'
import type { Job } from './job.ts'
import { redirect } from './redirect.ts'

const file: Job = { kind: 'read', path: '/w/a.txt' }
const shell: Job = { kind: 'shell', command: 'x' }
const grep: Job = { kind: 'grep', pattern: 'x', path: '/w', mode: 'content' }

type Row = [name: string, tools: Tool[], text: string, expected: object, job?: Job]
const reads = (rows: Row[], usual: Job) =>
  it.each(rows)('%s', (_name, tools, text, expected, job = usual) => {
    const outcome = redirect(job, tools, { workspace: '/w' })?.read({ text, isError: false })
    expect(outcome).toMatchObject(expected)
  })

const inCline = (result: string, error?: string) =>
  JSON.stringify([{ query: 'q', result, ...(error ? { error } : {}), success: error === undefined }])
const told = (lines: string, words: string) => `<system>${lines} read from file ${words}</system>`
const atEnd = 'Requested range complete. Effective max_chars: 100000. End of file reached.'
const partOf = { ...file, offset: 2, limit: 2 }
const whole = (content: string) => ({ kind: 'read', content, complete: true })
const incomplete = { kind: 'read', complete: false }
const notFound = { kind: 'failed', notFound: true }

describe('files', () => {
  reads(
    [
      ['Cline', clineCli, inCline('1 | a\n2 | '), whole('a\n\n')],
      ['Cline, padded', clineCli, inCline(` 9 | a`), incomplete],
      ['Cline, empty', clineCli, inCline(''), whole('')],
      ['Cline, a part', clineCli, inCline('2 | b\n3 | c'), { content: 'b\nc\n', complete: false }, partOf],
      [
        'Cline, capped',
        clineCli,
        inCline('1 | a\n\n[Showing lines 1-1 of 3000. Use start_line/end_line to read other sections.]'),
        { content: 'a\n', complete: false, totalLines: 3000 },
      ],
      ['Cline, a long line', clineCli, inCline('1 | aaa [line truncated]'), incomplete],
      [
        'Cline, missing',
        clineCli,
        inCline('', "Error reading file: ENOENT: no such file, statx '/w/a.txt'"),
        notFound,
      ],
      ['Continue', continueCli, 'Content of /w/a.txt:\nContent of x:\n', whole('Content of x:\n')],
      [
        'Continue, missing',
        continueCli,
        'Error executing tool Read: File does not exist: /w/a.txt',
        notFound,
      ],
      [
        'Continue, too large',
        continueCli,
        'Error executing tool Read: File is too large to read: /w/a.txt (228,894 characters)',
        { kind: 'failed' },
      ],
      ['Copilot', copilot, '1: a\n[truncated]\n', whole('1: a\n[truncated]\n')],
      ['Copilot, empty', copilot, '', whole('')],
      [
        'Copilot, as many lines as asked for',
        copilot,
        'a\nb',
        { kind: 'read', content: 'a\nb', complete: false },
        { ...file, limit: 2 },
      ],
      ['Copilot, fewer lines than asked for', copilot, 'a', whole('a'), { ...file, limit: 2 }],
      ['Copilot, missing', copilot, 'Path /w/a.txt does not exist. Please provide a valid path.', notFound],
      [
        'Copilot, too large',
        copilot,
        'File too large to read at once (223.5 KB). Consider …',
        { kind: 'failed' },
      ],
      ['Grok CLI', grokCli, 'Lines 1-1000000 of /w/a.txt:\n1: 1: a\n2: b\r\n3: ', whole('1: a\nb\r\n')],
      ['Grok CLI, without a final newline', grokCli, 'Lines 1-1000000 of /w/a.txt:\n1: a', whole('a')],
      ['Grok CLI, capped', grokCli, 'Contents of /w/a.txt:\n1: a\n... +9 lines', incomplete],
      ['Grok CLI, missing', grokCli, 'File or directory not found: /w/a.txt', notFound],
      ['Grok Build', grokBuild, '1→1→a\nb\n3\n4\n5\n6\n7\n8\n9\n10→', whole('1→a\nb\n3\n4\n5\n6\n7\n8\n9\n')],
      ['Grok Build, other numbers', grokBuild, '1→a\nb\n3\n4\n5\n6\n7\n8\n9\n11→', incomplete],
      ['Grok Build, empty', grokBuild, 'File is empty.', whole('')],
      ['Grok Build, a part', grokBuild, '2→b\nc', { content: 'b\nc', complete: false }, partOf],
      ['Grok Build, missing', grokBuild, 'Error: /w/a.txt does not exist.', notFound],
      [
        'Kimi',
        kimi,
        `1\ta\n2\t\n${told('2 lines', `starting from line 1. Total lines in file: 2. ${atEnd}`)}`,
        whole('a\n\n'),
      ],
      [
        'Kimi, empty',
        kimi,
        `<system>Tool output is empty.</system>\n${told('No lines', '. Total lines in file: 0. End of file reached.').replace('file .', 'file.')}`,
        whole(''),
      ],
      [
        'Kimi, mixed line ends',
        kimi,
        `1\ta\\r\n${told('1 line', `starting from line 1. Total lines in file: 1. ${atEnd} Mixed line endings are shown as \\r. Use …`)}`,
        incomplete,
      ],
      [
        'Kimi, a line too few',
        kimi,
        `1\ta\n${told('2 lines', `starting from line 1. Total lines in file: 2. ${atEnd}`)}`,
        incomplete,
      ],
      [
        'Kimi, capped',
        kimi,
        `1\ta\n${told('1 line', 'starting from line 1. Total lines in file: 9. Character limit reached.')}`,
        { content: 'a\n', complete: false, totalLines: 9 },
      ],
      [
        'Kimi, missing',
        kimi,
        '<system>ERROR: Tool execution failed.</system>\n"/w/a.txt" does not exist.',
        { kind: 'failed' },
      ],
      ['pi', pi, '1\ta\n[1 more lines]\n', whole('1\ta\n[1 more lines]\n')],
      ['pi, empty', pi, '(see attached image)', whole('')],
      [
        'pi, capped',
        pi,
        'a\n\n[Showing lines 1-1 of 3001. Use offset=2 to continue.]',
        { content: 'a', complete: false, totalLines: 3001 },
      ],
      ['pi, a folder', pi, 'EISDIR: illegal operation on a directory, read', { kind: 'failed' }],
      [
        'pi, a long line',
        pi,
        "[Line 1 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '1p' a.txt]",
        incomplete,
      ],
    ],
    file,
  )
})

const ended = (stdout: string, exitCode: number, more = {}) => ({ kind: 'shell', stdout, exitCode, ...more })

describe('commands', () => {
  reads(
    [
      ['Cline', clineCli, inCline('out\n'), ended('out\n', 0)],
      [
        'Cline, exit 3',
        clineCli,
        inCline('[Command exited with code 3]\nout\n', 'Command exited with code 3'),
        ended('out\n', 3),
      ],
      [
        'Cline, exit 1',
        clineCli,
        inCline('[Command exited with code 1]', 'Command exited with code 1'),
        ended('', 1),
      ],
      ['Continue', continueCli, 'out\n', ended('out\n', 0, { exitCodeAssumed: true })],
      [
        'Continue, capped',
        continueCli,
        '(previous 9 lines truncated)\n\nout\n',
        ended('out\n', 0, { truncated: true }),
      ],
      [
        'Continue, late',
        continueCli,
        'x\n\n\n[Command timed out after 1 seconds of no output]',
        ended('x\n', 124, { timedOut: true }),
      ],
      ['Copilot', copilot, 'exit 0\n<shellId: 7 completed with exit code 0>', ended('exit 0', 0)],
      ['Copilot, exit 3', copilot, 'out\n<shellId: 0 completed with exit code 3>', ended('out', 3)],
      ['Copilot, silent', copilot, '\n<shellId: 2 completed with exit code 1>', ended('', 1)],
      [
        'Copilot, capped',
        copilot,
        'Output too large to read at once (59.5 KB). Saved to: /t/x\nConsider …\n\nPreview (first 500 chars):\n1\n2\n\n<shellId: 0 completed with exit code 0>',
        ended('1\n2\n', 0, { truncated: true }),
      ],
      [
        'Copilot, late',
        copilot,
        'x\n<command with shellId: 1 is still running after 30 seconds. The command …>',
        ended('x', 124, { timedOut: true }),
      ],
      ['Copilot, refused', copilot, "Command not executed. The 'kill' command must …", { kind: 'failed' }],
      ['Goose', goose, 'hello\nerr', ended('hello\nerr', 0)],
      ['Goose, exit 3', goose, 'out\n\nCommand exited with code 3', ended('out', 3)],
      ['Goose, silent', goose, '(no output)\n\nCommand exited with code 1', ended('', 1)],
      [
        'Goose, capped',
        goose,
        'out\n\nCommand exited with code 4 [Output exceeded 2000 line limit (9 lines total). Full output saved to /t/a. Read it …]\n[Output exceeded 2000 line limit (9 lines total). Full output saved to /t/b. Read it …]',
        ended('out', 4, { truncated: true }),
      ],
      ['Goose, late', goose, 'x\n\nCommand timed out after 1 seconds', ended('x', 124, { timedOut: true })],
      ['Grok Build', grokBuild, 'exit: 0\nexit: 3\n', ended('exit: 3\n', 0)],
      ['Grok Build, exit 3', grokBuild, 'exit: 3\nout\n', ended('out\n', 3)],
      ['Grok Build, killed', grokBuild, 'exit: killed (signal 9)\n', ended('', 137)],
      [
        'Grok Build, capped',
        grokBuild,
        'exit: 4 [truncated: showing first/last 19.6 KB]\n1\n',
        ended('1\n', 4, { truncated: true }),
      ],
      [
        'Grok Build, late',
        grokBuild,
        '<task-id>c</task-id>\n<task-type>bash</task-type>\n<status>running</status>',
        ended('', 124, { timedOut: true }),
      ],
      ['Grok CLI', grokCli, 'hello\n\nSTDERR: err', ended('hello\n\nSTDERR: err', 0)],
      ['Grok CLI, silent', grokCli, 'Command executed successfully (no output)', ended('', 0)],
      [
        'Grok CLI, failed',
        grokCli,
        'Command failed: Command failed: x\nerr\n',
        ended('', 1, { stderr: 'err\n', exitCodeAssumed: true }),
      ],
      ['Kimi', kimi, 'Wall time: 0.017 seconds\nhello\n', ended('hello\n', 0)],
      ['Kimi, silent', kimi, 'Wall time: 0.017 seconds\nCommand executed successfully.', ended('', 0)],
      [
        'Kimi, exit 3',
        kimi,
        'Wall time: 0.020 seconds\n<system>ERROR: Tool execution failed.</system>\nout\nCommand failed with exit code: 3.',
        ended('out', 3),
      ],
      [
        'Kimi, silent, exit 1',
        kimi,
        'Wall time: 0.020 seconds\n<system>ERROR: Tool execution failed.</system>\nProcess exited with code 1\nCommand failed with exit code: 1.',
        ended('', 1),
      ],
      [
        'Kimi, capped',
        kimi,
        'Tool output exceeded 50000 characters; the full output was saved to a file.\nx\nCommand failed with exit code: 4.\n\ntask_id: b\noutput_size_bytes: 9\nnext_step: Use …',
        { kind: 'shell', exitCode: 4, truncated: true },
      ],
      [
        'Kimi, late',
        kimi,
        'Wall time: 1.0 seconds\ntask_id: b\npid: 4\nstatus: running\nnext_step: …\n\nforeground_output:\nx\n',
        ended('x\n', 124, { timedOut: true }),
      ],
      ['Kimi, broken', kimi, '<system>ERROR: Tool execution failed.</system>\nno shell', { kind: 'failed' }],
      ['pi', pi, 'hello\nerr\n', ended('hello\nerr\n', 0)],
      ['pi, exit 3', pi, 'out\n\n\nCommand exited with code 3', ended('out\n', 3)],
      [
        'pi, capped',
        pi,
        '2\n\n\n[Showing lines 2-3 of 3. Full output: /t/x.log]\n\nCommand exited with code 4',
        ended('2\n', 4, { truncated: true }),
      ],
    ],
    shell,
  )
})

const found = (matches: object[], more = {}) => ({ kind: 'grep', matches, truncated: false, ...more })
const one = { file: '/w/a.txt', line: 2, text: 'a: x' }

describe('searches and listings', () => {
  reads(
    [
      ['Continue', continueCli, 'Search results for pattern "x":\n\n/w/a.txt:2:a: x\n', found([one])],
      ['Continue, nothing', continueCli, 'No matches found for pattern "x".', found([])],
      ['Continue, failed', continueCli, 'Error executing tool Search: maxBuffer', { kind: 'failed' }],
      ['Copilot', copilot, '/w/a.txt:2:a: x', found([one])],
      [
        'Copilot, context',
        copilot,
        '/w/a.txt-1-y\n/w/a.txt:2:a: x',
        found([{ file: '/w/a.txt', line: 1, text: 'y', context: true }, one]),
      ],
      [
        'Grok Build',
        grokBuild,
        '<workspace_result workspace_path="/w">\nFound 2 matching lines\n/w/a.txt\n2:a: x\n3-y\n\n/w/b.txt\n1:x\n</workspace_result>',
        found([
          one,
          { file: '/w/a.txt', line: 3, text: 'y', context: true },
          { file: '/w/b.txt', line: 1, text: 'x' },
        ]),
      ],
      [
        'Grok Build, more',
        grokBuild,
        '<workspace_result workspace_path="/w">\nFound at least 1 matching lines\n/w/a.txt\n2:a: x\n</workspace_result>',
        found([one], { truncated: true }),
      ],
      [
        'Grok Build, nothing',
        grokBuild,
        '<workspace_result workspace_path="/w">\nNo matches found\n</workspace_result>',
        found([]),
      ],
      [
        'Grok CLI, counts',
        grokCli,
        'Search results for "x":\n  /w/a.txt (2 matches)\n  /w/b.txt (1 matches)',
        found([
          { file: '/w/a.txt', count: 2 },
          { file: '/w/b.txt', count: 1 },
        ]),
        { ...grep, mode: 'count' },
      ],
      [
        'Grok CLI, files',
        grokCli,
        'Search results for "x":\n  /w/a.txt (2 matches)',
        found([{ file: '/w/a.txt' }]),
        { ...grep, mode: 'files' },
      ],
      [
        'Grok CLI, failed',
        grokCli,
        'Search error: spawn rg ENOENT',
        { kind: 'failed' },
        { ...grep, mode: 'files' },
      ],
      ['Kimi', kimi, 'Wall time: 0.043 seconds\na.txt:2:a: x', found([{ ...one, file: 'a.txt' }])],
      ['Kimi, nothing', kimi, 'Wall time: 0.029 seconds\nNo non-sensitive matches found', found([])],
      [
        'Kimi, more',
        kimi,
        'a.txt:1:x\nResults truncated to 1 lines (total: 9). Use offset=1 to see more.',
        { truncated: true },
      ],
      [
        'Continue, a folder',
        continueCli,
        'Files in /w:\nsrc (directory)\na (1).txt (file, 12 bytes)',
        {
          kind: 'list',
          entries: [
            { path: 'src', directory: true },
            { path: 'a (1).txt', directory: false },
          ],
        },
        { kind: 'list', path: '/w' },
      ],
      [
        'Kimi, files',
        kimi,
        'Wall time: 0.020 seconds\na.txt\nsrc/b.txt',
        { kind: 'glob', files: ['a.txt', 'src/b.txt'] },
        { kind: 'glob', pattern: '**/*.txt' },
      ],
    ],
    grep,
  )
})

describe('writes', () => {
  const write: Job = { kind: 'write', path: '/w/a.txt', content: 'x' }
  reads(
    [
      [
        'Copilot, in its shell',
        copilot,
        'exit 0\n<shellId: 0 completed with exit code 0>',
        { kind: 'write' },
      ],
      [
        'Copilot, failed',
        copilot,
        'sh: /w/a.txt: no\nexit 1\n<shellId: 0 completed with exit code 0>',
        { kind: 'failed' },
      ],
      ['Cline, in its shell', clineCli, inCline('exit 0\n'), { kind: 'write' }],
      [
        'Continue',
        continueCli,
        'Successfully wrote to file: /w/a.txt\nDiff:\n-Error: y\n+x',
        { kind: 'write' },
      ],
      ['Continue, failed', continueCli, 'Error executing tool Write: no', { kind: 'failed' }],
      ['Grok CLI', grokCli, 'Updated /w/a.txt with 2 additions\n--- a/x', { kind: 'write' }],
      ['Grok Build', grokBuild, 'The file /w/a.txt has been created.', { kind: 'write' }],
      ['Kimi', kimi, 'Wrote 2 bytes to /w/a.txt', { kind: 'write' }],
      ['Kimi, failed', kimi, '<system>ERROR: Tool execution failed.</system>\nno', { kind: 'failed' }],
      ['Goose', goose, 'Created /w/a.txt (1 lines)', { kind: 'write' }],
      ['pi', pi, 'Successfully wrote 2 bytes to /w/a.txt', { kind: 'write' }],
    ],
    write,
  )
})
