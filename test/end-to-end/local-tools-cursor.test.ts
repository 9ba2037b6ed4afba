// For a client without tools the gateway runs the tools of Cursor's agent itself: each kind has its typed result.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { atEnd } from '../at-end.ts'
import { model, startCursorBench, transports, useCursorBench } from '../cursor-bench.ts'
import { chatStream, post, user } from '../harness.ts'
import { describeWithSandbox } from '../sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-local-cursor-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
const root = join(folder, 'work')
const outside = join(folder, 'outside.txt')
mkdirSync(join(root, 'src'), { recursive: true })

beforeEach(() => {
  writeFileSync(outside, 'canary outside')
  writeFileSync(join(root, 'a.txt'), 'one\r\ntwo\r\n')
  writeFileSync(join(root, 'src', 'b.ts'), 'const needle = 1\n')
})

const ask = { model, messages: [user('go')] }

describe.each(transports)('over %s', (transport) => {
  const bench = useCursorBench({
    transport,
    backend: { nativeTools: 'redirect' },
    settings: { exec: { enabled: true, root } },
  })

  async function answerTo(exec: Record<string, unknown>) {
    bench.sim.play([{ exec } as unknown as CursorStep, { await: 'results' }, { say: 'done' }, { end: true }])
    const answer = await chatStream(bench.url, ask)
    expect(answer.problems).toEqual([])
    expect(answer).toMatchObject({ text: 'done', calls: [], finishReason: 'stop' })
    const [run] = bench.sim.runs
    expect(bench.sim.runs).toHaveLength(1)
    const replies = [...(run?.execResults.values() ?? [])].flat()
    const given = replies
      .map(({ message }) => message)
      .filter((reply) => reply.case !== 'requestContextResult')
    return { replies: given, reasoning: answer.reasoning }
  }

  /** The only typed result: its kind and content. */
  async function resultOf(exec: Record<string, unknown>) {
    const { replies } = await answerTo(exec)
    const value = replies[0]?.value as { result: { case: string; value: Record<string, unknown> } }
    return { replies: replies.length, kind: replies[0]?.case, ...value.result }
  }

  it('read: the unchanged file, by a relative and by an absolute path', async () => {
    for (const path of ['a.txt', join(root, 'a.txt')]) {
      bench.sim.clear()
      expect(await resultOf({ read: { path } })).toMatchObject({
        replies: 1,
        kind: 'readResult',
        case: 'success',
        value: { output: { value: 'one\r\ntwo\r\n' }, totalLines: 2, truncated: false },
      })
    }
  })

  it('read, where Cursor is not to use its own tools: by the tool that is offered', async () => {
    const hiding = await startCursorBench({ transport, settings: { exec: { enabled: true, root } } })
    const answer = await chatStream(hiding.url, { model, messages: [user('Read a.txt')] })
    expect(answer).toMatchObject({ text: expect.stringContaining('a.txt begins: one'), calls: [] })
    expect(hiding.sim.runs[0]?.asked).toEqual(['requestContextArgs', 'mcpArgs'])
    expect(hiding.sim.violations).toEqual([])
    await hiding.close()
  })

  it('read: a missing file, and a file outside of the root', async () => {
    expect(await resultOf({ read: { path: 'none.txt' } })).toMatchObject({ case: 'fileNotFound' })
    bench.sim.clear()
    const refused = await resultOf({ read: { path: outside } })
    expect(refused).toMatchObject({ case: 'rejected' })
    expect(JSON.stringify(refused.value)).not.toContain('canary')
  })

  it('write and delete', async () => {
    expect(await resultOf({ write: { path: 'new/c.txt', fileText: 'c\n' } })).toMatchObject({
      case: 'success',
    })
    expect(readFileSync(join(root, 'new', 'c.txt'), 'utf8')).toBe('c\n')
    bench.sim.clear()
    expect(await resultOf({ delete: { path: 'new/c.txt' } })).toMatchObject({ case: 'success' })
    expect(existsSync(join(root, 'new', 'c.txt'))).toBe(false)
    bench.sim.clear()
    expect(await resultOf({ write: { path: '../outside.txt', fileText: 'x' } })).toMatchObject({
      case: 'rejected',
    })
    bench.sim.clear()
    expect(await resultOf({ delete: { path: outside } })).toMatchObject({ case: 'rejected' })
    expect(readFileSync(outside, 'utf8')).toBe('canary outside')
  })

  it('list', async () => {
    const { case: how, value } = await resultOf({ ls: { path: root } })
    expect(how).toBe('success')
    expect(value).toMatchObject({ directoryTreeRoot: { childrenFiles: [{ name: 'a.txt' }] } })
  })

  it('grep', async () => {
    const { case: how, value } = await resultOf({ grep: { pattern: 'needle', outputMode: 'content' } })
    expect(how).toBe('success')
    expect(JSON.stringify(value)).toContain('const needle = 1')
    bench.sim.clear()
    const files = await resultOf({ grep: { pattern: '', glob: '*.ts', outputMode: 'files_with_matches' } })
    expect(JSON.stringify(files.value)).toContain('src/b.ts')
  })

  it('a tool that is not on the list is refused, and the model gets the list', async () => {
    const { case: how, value } = await resultOf({ fetch: { url: 'https://example.com/' } })
    expect(how).toBe('error')
    expect(JSON.stringify(value)).toContain('workspace_read')
  })

  it('several at once, and several rounds, are one run and one answer', async () => {
    bench.sim.play([
      { execs: [{ read: { path: 'a.txt' } }, { read: { path: 'src/b.ts' } }], together: true } as CursorStep,
      { await: 'results' },
      { say: 'Then.' },
      { exec: { read: { path: 'a.txt' } } },
      { await: 'results' },
      { say: 'Done.' },
      { end: true },
    ])
    const answer = await chatStream(bench.url, ask)
    expect(answer.text).toBe('Then.\n\nDone.')
    expect(answer.reasoning.match(/^read /gm)).toHaveLength(3)
    expect(bench.sim.runs).toHaveLength(1)
  })

  it('the tools that are offered by name are the same', async () => {
    const { replies } = await answerTo({
      mcp: { name: 'workspace_read', toolName: 'workspace_read', args: { path: 'a.txt' } },
    })
    expect(JSON.stringify(replies[0])).toContain('one\\r\\ntwo')
  })

  it('a client that leaves takes the run with it', async () => {
    bench.sim.play([
      { say: 'on and on' },
      { exec: { read: { path: 'a.txt' } } },
      { await: 'results' },
      { heartbeats: { everyMs: 5, count: 'forever' } },
    ])
    const response = await post(bench.url, { ...ask, stream: true })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
  })
})

describeWithSandbox('commands', () => {
  const bench = useCursorBench({ settings: { exec: { enabled: true, root } } })

  async function resultsOf(exec: Record<string, unknown>) {
    bench.sim.play([{ exec } as unknown as CursorStep, { await: 'results' }, { say: 'done' }, { end: true }])
    const answer = await chatStream(bench.url, ask)
    expect(answer).toMatchObject({ problems: [], text: 'done', finishReason: 'stop' })
    const replies = [...(bench.sim.runs[0]?.execResults.values() ?? [])].flat()
    return {
      reasoning: answer.reasoning,
      results: replies.flatMap(({ message }) => {
        const value = message.value as { result?: unknown; event?: unknown }
        return message.case === 'requestContextResult' ? [] : [value.result ?? value.event]
      }),
    }
  }

  it('shell: output, errors and the exit code', async () => {
    const { results, reasoning } = await resultsOf({ shell: { command: 'cat a.txt; echo no >&2; exit 3' } })
    expect(results).toMatchObject([
      { case: 'failure', value: { exitCode: 3, stdout: 'one\r\ntwo\r\n', stderr: 'no\n' } },
    ])
    expect(reasoning).toContain('$ cat a.txt; echo no >&2; exit 3\n')
    expect(reasoning).toContain('  one\n  two\n')
    expect(reasoning).toContain('→ exit code 3\n')
  })

  it('streaming shell: the same, as events, while it runs', async () => {
    const command = 'echo hello; sleep 0.1; echo no >&2; sleep 0.1; echo there'
    const { results } = await resultsOf({ shellStream: { command } })
    expect(results).toMatchObject([
      { case: 'start' },
      { case: 'stdout', value: { data: 'hello\n' } },
      { case: 'stderr', value: { data: 'no\n' } },
      { case: 'stdout', value: { data: 'there\n' } },
      { case: 'exit', value: { code: 0 } },
    ])
  })

  it('a command that takes too long', async () => {
    const { results } = await resultsOf({ shell: { command: 'sleep 30', timeout: 400 } })
    expect(results).toMatchObject([{ case: 'timeout' }])
  })

  it.each([
    ['reads outside', `cat ${outside}`],
    ['reads the passwords', 'cat /etc/shadow'],
    ["reads the gateway's environment", `cat /proc/${process.pid}/environ`],
    ['writes outside', `echo x > ${outside}; rm ${outside}; cat ${outside}`],
    ['calls out', 'exec 3<>/dev/tcp/127.0.0.1/22'],
  ])('that %s does not get there', async (_what, command) => {
    const { results } = await resultsOf({ shell: { command } })
    expect(results).toMatchObject([{ case: 'failure' }])
    expect(JSON.stringify(results)).not.toContain('canary')
    expect(readFileSync(outside, 'utf8')).toBe('canary outside')
  })

  it('a client that leaves ends its command', async () => {
    bench.sim.play([
      { exec: { shell: { command: 'echo begun; sleep 0.3; touch survived' } } } as unknown as CursorStep,
      { await: 'results' },
    ])
    const response = await post(bench.url, { ...ask, stream: true })
    const reader = response.body?.getReader()
    for (let seen = ''; !seen.includes('  begun'); )
      seen += Buffer.from((await reader?.read())?.value ?? []).toString()
    await reader?.cancel()
    expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
    await expect
      .poll(async () =>
        (await (await fetch(`${bench.url}/metrics`)).text()).includes('dragoman_local_tools_running 0'),
      )
      .toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 350))
    expect(existsSync(join(root, 'survived'))).toBe(false)
  })
})
