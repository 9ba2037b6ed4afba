import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { atEnd } from '../../test/at-end.ts'
import { createLog } from '../observe/log.ts'
import { Metrics } from '../observe/metrics.ts'
import { Scrubber } from '../observe/scrub.ts'
import { LocalExecutor, type LocalSettings } from './executor.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-executor-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
const root = join(folder, 'work')
const auditFile = join(folder, 'state', 'audit.jsonl')
mkdirSync(root)

const scrubber = new Scrubber()
scrubber.add('registered-secret-1234')
const metrics = new Metrics()
const log = createLog({ level: 'silent', scrubber })

const executors: LocalExecutor[] = []
afterEach(async () => {
  await Promise.all(executors.splice(0).map((executor) => executor.close()))
  rmSync(auditFile, { force: true })
})

function executorWith(more: Partial<LocalSettings> = {}): LocalExecutor {
  const settings: LocalSettings = {
    root,
    hidden: [],
    shell: 'unconfined',
    network: false,
    readable: [],
    timeoutMs: 20_000,
    outputBytes: 100_000,
    maxProcesses: 64,
    tools: ['read', 'write', 'list', 'shell'],
    maxRuns: 10,
    progress: 'off',
    auditFile,
    ...more,
  }
  const executor = new LocalExecutor(settings, { log, metrics, scrubber, usageLog: undefined })
  executors.push(executor)
  return executor
}

const audited = () =>
  readFileSync(auditFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const context = { turnId: 'turn_1', key: 'me', signal: new AbortController().signal }
const call = (name: string, input: unknown) => ({ name, input: JSON.stringify(input) })

describe('the audit log', () => {
  it.each([
    ['workspace_fetch', { url: 'https://example.com' }, 'there is no tool workspace_fetch'],
    ['rm', {}, 'there is no tool rm'],
    ['workspace_read', { path: 7 }, 'path: must be a string'],
    ['workspace_write', { path: 'a', content: { text: 'private words' } }, 'content: must be a string'],
  ])('records refused calls: %s %j', async (name, input, error) => {
    const { result } = await executorWith().run(call(name, input), context)
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining(error) })
    expect(audited()).toEqual([
      {
        time: expect.any(String),
        event: 'refused',
        turn: 'turn_1',
        key: 'me',
        call: name,
        error: expect.stringContaining(error),
      },
    ])
    expect(readFileSync(auditFile, 'utf8')).not.toContain('private words')
  })

  it('has no secrets, not even half of one at a cut', async () => {
    const command = `: ${'x'.repeat(3_990)} registered-secret-1234; echo "registered-secret-1234"`
    await executorWith().run(call('workspace_shell', { command }), context)
    expect(audited()[0]).toMatchObject({ event: 'begin', tool: 'shell', sandbox: 'none' })
    expect(readFileSync(auditFile, 'utf8')).not.toContain('registered')
  })

  it('has short lines for any input', async () => {
    const ignore = Array.from({ length: 10_000 }, (_, index) => `pattern-${index}`)
    await executorWith().run(call('workspace_list', { path: '.', ignore }), context)
    expect(readFileSync(auditFile, 'utf8').length).toBeLessThan(1_000)
  })

  it.each(['the client leaves', 'the gateway stops'])('records cancellation: %s', async (who) => {
    const leaving = new AbortController()
    const executor = executorWith()
    let running: Promise<unknown> | undefined
    await new Promise<unknown>((begun) => {
      const { signal } = leaving
      const command = 'echo on; sleep 30'
      running = executor.run(call('workspace_shell', { command }), { ...context, signal, onOutput: begun })
    })
    if (who === 'the client leaves') {
      leaving.abort()
      await running
    } else await executor.close()
    // After close, nothing runs, and everything is recorded.
    expect(audited().map(({ event, outcome }) => [event, outcome])).toEqual([
      ['begin', undefined],
      ['end', 'canceled'],
    ])
    expect(metrics.render()).toContain('dragoman_local_tools_running 0')
  })

  it('records a finished run as done, even after cancellation', async () => {
    const leaving = new AbortController()
    const executor = executorWith()
    await executor.run(call('workspace_write', { path: 'w.txt', content: 'w' }), {
      ...context,
      signal: leaving.signal,
    })
    leaving.abort()
    expect(audited().at(-1)).toMatchObject({ event: 'end', outcome: 'done' })
  })

  it('that cannot be written is reported at startup', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const problem = {
      status: 'warning',
      message: expect.stringContaining('no tool will run, because the audit log'),
    }
    expect(await executorWith({ auditFile: join(file, 'audit.jsonl') }).findings()).toContainEqual(problem)
    expect(await executorWith().findings()).not.toContainEqual(problem)
  })
})

it('runs four at once, and none for a canceled caller in the queue', async () => {
  const executor = executorWith()
  const leaving = new AbortController()
  const hold = call('workspace_shell', { command: 'while [ ! -e go ]; do sleep 0.02; done' })
  const four = [1, 2, 3, 4].map(() => executor.run(hold, context))
  const fifth = executor.run(call('workspace_write', { path: 'fifth', content: '' }), {
    ...context,
    signal: leaving.signal,
  })
  await expect.poll(() => metrics.render()).toContain('dragoman_local_tools_running 4')
  leaving.abort()
  expect((await fifth).outcome).toMatchObject({ kind: 'failed', error: 'it was canceled' })
  writeFileSync(join(root, 'go'), '')
  await Promise.all(four)
  expect(audited().filter(({ tool }) => tool === 'write')).toEqual([])
})

describe('pages that switch protocols', () => {
  async function executorWithPage(answer: string): Promise<LocalExecutor> {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write(answer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atEnd(() => server.close())
    const { port } = server.address() as net.AddressInfo
    const open = () =>
      new Promise<net.Socket>((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => resolve(socket))
      })
    const connect = { lookup: async () => ['93.184.215.14'], open }
    return executorWith({ tools: ['fetch', 'write'], fetching: { connect, timeoutMs: 20_000 } })
  }
  const page = call('workspace_fetch', { url: 'http://good.test/' })

  it('do not hold a permit', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
    const executor = await executorWithPage(switching)
    const five = [1, 2, 3, 4, 5].map(() => executor.run(page, context))
    const write = executor.run(call('workspace_write', { path: 'after', content: '' }), context)
    expect((await write).outcome).toEqual({ kind: 'write' })
    for (const { result } of await Promise.all(five))
      expect(result).toMatchObject({
        isError: true,
        text: expect.stringContaining('101 Switching Protocols'),
      })
    expect(audited().filter(({ event }) => event === 'end')).toHaveLength(6)
    expect(metrics.render()).toContain('dragoman_local_tools_running 0')
  })

  it('the log says that a page may be incomplete', async () => {
    const executor = await executorWithPage('HTTP/1.1 206 Partial Content\r\ncontent-length: 4\r\n\r\nsome')
    const { result } = await executor.run(page, context)
    expect(result).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^\[part of the page\]\nsome/),
    })
    expect(audited().at(-1)).toMatchObject({ event: 'end', outcome: 'done', truncated: true })
  })
})
