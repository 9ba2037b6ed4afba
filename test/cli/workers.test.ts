// `dragoman serve --workers`: errors of a wrong number, and start-up errors, which are those of a single process.

import net from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { isNightly, spread } from '../depth.ts'
import { Home, listen, stackTrace } from './program.ts'

const home = new Home()
const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }
const fileOf = (name: string, more: object = {}) => home.write(`${name}.jsonc`, { backends, ...more })

describe('an invalid number of workers', () => {
  it.concurrent.each(spread(['0', '-1', 'x', '1.5', '65', '1000', '', 'auto', '0x2', '1e1'], 3))(
    '--workers %j',
    async (value) => {
      const { code, stdout, stderr } = await home.run(['serve', '--workers', value])
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('a number from 1 to 64: one for each core')
      expect(stderr).not.toMatch(stackTrace)
    },
  )

  const wrongNumbers = [
    [0, 'workers: must be at least 1'],
    [-1, 'workers: must be at least 1'],
    [65, 'workers: must be at most 64'],
    ['2', 'workers: must be a'],
    [1.5, 'workers: must be a whole number'],
  ] as const
  it.concurrent.each(spread(wrongNumbers, 2))('"workers": %j', async (workers, expected) => {
    const file = fileOf(`wrong-${String(workers)}`, { workers })
    const { code, stdout, stderr } = await home.run(['serve', '--config', file])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(expected)
  })
})

describe('what keeps it from starting is the same for one and for several', () => {
  let taken: number
  beforeAll(async () => {
    taken = await listen(net.createServer())
  })

  const started = async (name: string, more: object, args: readonly string[]) => {
    const file = fileOf(name, more)
    const run = (workers: string) => home.run(['serve', '--config', file, ...args, '--workers', workers])
    const [one, several] = await Promise.all([run('1'), run('3')])
    expect(one.code).not.toBe(0)
    expect(several).toEqual(one)
    expect(several.output).not.toMatch(stackTrace)
    return several
  }

  it('a port in use', async () => {
    const { code, stderr } = await started('busy', {}, ['--port', String(taken)])
    expect(code).toBe(1)
    expect(stderr).toContain(`Port ${taken} on 127.0.0.1 is in use`)
  })

  it.runIf(isNightly)("a second port in use, which is Ollama's own where Ollama runs", async () => {
    const ollama = { enabled: true, port: taken }
    const { code, stderr } = await started('busy-second', { ollama }, ['--port', '0'])
    expect(code).toBe(1)
    expect(stderr).toContain(`Port ${taken} on 127.0.0.1 is in use`)
    expect(stderr).toContain(`"ollama.port": ${taken + 1}`)
  })

  it('an address that is not here', async () => {
    const key = { name: 'team', key: 'k'.repeat(40) }
    await started('elsewhere', { auth: { keys: [key] } }, ['--host', '192.0.2.1', '--port', '0'])
  })

  it('a network address without a key', async () => {
    expect((await started('open', {}, ['--host', '0.0.0.0'])).code).toBe(2)
  })

  it.runIf(isNightly)('a missing folder for local tools: found by the workers, reported once', async () => {
    const { code, stderr } = await started('exec', { exec: { enabled: true, root: 'nowhere' } }, [
      '--port',
      '0',
    ])
    expect(code).toBe(2)
    expect(stderr.match(/exec\.root/g)).toHaveLength(1)
  })

  it('a mistake in the file', async () => {
    expect((await started('mistake', { worker: 2 }, [])).stderr).toContain('did you mean "workers"?')
  })
})

it('config check says how many there are', async () => {
  const { code, stdout } = await home.run(['config', 'check', fileOf('check', { workers: 3 })])
  expect(code).toBe(0)
  expect(stdout).toContain('3 processes share the port')
  const alone = await home.run(['config', 'check', fileOf('check-alone')])
  expect(alone.stdout).not.toContain('processes')
})

it('doctor warns of more workers than cores', async () => {
  const { stdout } = await home.run(['doctor', '--json', '--config', fileOf('doctor', { workers: 64 })])
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; status: string; message: string }[]
  }
  expect(findings.find(({ check }) => check === 'workers')).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/^64 workers on \d+ cores?: /),
  })
})

describe('workers that break', () => {
  /** Runs in each worker, before anything else does. */
  const inWorkers = (name: string, script: string) => {
    const file = home.write(`${name}.mjs`, `if (process.argv[1]?.endsWith('worker.js')) { ${script} }`)
    return { env: { NODE_OPTIONS: `--import=${file}` } }
  }

  it('a worker that dies at the start ends all, with the known reason', async () => {
    const args = ['serve', '--config', fileOf('dies'), '--port', '0', '--workers', '2']
    const { code, stdout, stderr } = await home.run(args, inWorkers('dies', 'process.exit(7)'))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe('dragoman: A worker ended before it could serve (exit code 7).\n')
  })

  it.runIf(isNightly)('one that throws says so, leaves, and is replaced; the other goes on', async () => {
    const script = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('it broke') }))"
    const running = await home.serve({ backends }, ['--workers', '2'], inWorkers('throws', script))
    const lines = () =>
      running
        .stderr()
        .split('\n')
        // The last one may not be whole yet.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    const line = (message: string) => lines().find((one) => one.message === message)
    await expect.poll(() => line('workers are ready')).toBeDefined()
    const pid = (line('workers are ready')?.pids as number[] | undefined)?.[0] ?? Number.NaN
    process.kill(pid, 'SIGUSR2')
    for (let at = 0; at < 6; at++)
      expect((await fetch(`${running.url}/healthz`, { headers: { connection: 'close' } })).status).toBe(200)
    await expect.poll(() => line('a worker was restarted')).toMatchObject({ started: 1 })
    expect(line('uncaught exception')).toMatchObject({ worker: 1, error: 'it broke' })
    expect(line('a worker has ended and will be restarted')).toMatchObject({ pid, code: 1 })
    expect((await running.stop()).code).toBe(0)
  })
})
