// What deploy/ names exists, and what it configures is accepted.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deadPort, Home, root } from './program.ts'

const read = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8')
const example = join(root, 'deploy', 'dragoman.example.jsonc')
const variables = [
  ...new Set([...read('dragoman.example.jsonc').matchAll(/\{env:(\w+)\}/g)].map((m) => m[1] ?? '')),
]
const env = Object.fromEntries(variables.map((name) => [name, `canary-${name}`.padEnd(40, '-')]))
const home = new Home()

describe('the example configuration', () => {
  it('passes `config check`, with its variables set', async () => {
    const { code, output } = await home.run(['config', 'check', example], { env })
    expect(code, output).toBe(0)
    expect(output).not.toContain('canary')
  })

  it('does not start without them', async () => {
    const { code, stderr } = await home.run(['serve', '--config', example, '--port', '0'])
    expect(code).toBe(2)
    for (const name of variables) expect(stderr).toContain(name)
  })
})

describe('the Dockerfile', () => {
  /** Instructions, with continued lines joined. */
  const instructions = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  const all = (name: string) => instructions.filter((entry) => entry.name === name).map((entry) => entry.rest)
  const last = (name: string) => all(name).at(-1) ?? ''
  const words = (name: string): string[] => JSON.parse(last(name))

  it('copies only what exists', () => {
    const sources = all('COPY')
      .filter((rest) => !rest.startsWith('--from'))
      .flatMap((rest) => rest.split(' ').slice(0, -1))
    expect(sources.length).toBeGreaterThan(5)
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  })

  it('builds all that the build configuration includes', () => {
    const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'))
    for (const folder of include) expect(all('COPY')).toContain(`${folder} ${folder}`)
    expect(all('RUN').join('\n')).toContain('tsc -p tsconfig.build.json')
    expect(existsSync(join(root, 'node_modules', 'typescript', 'bin', 'tsc'))).toBe(true)
  })

  it('runs the program of the package, with flags that it knows, as another user than root', async () => {
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(words('ENTRYPOINT')).toEqual(['node', `/app/${bin.dragoman}`])
    const [command = '', ...flags] = words('CMD')
    const { stdout } = await home.run([command, '--help'])
    for (const flag of flags.filter((word) => word.startsWith('--'))) expect(stdout).toContain(flag)
    expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })

  it('starts on a Node that the package takes', () => {
    for (const image of all('FROM')) expect(Number(/^node:(\d+)/.exec(image)?.[1])).toBeGreaterThanOrEqual(20)
  })

  it('starts only with a key, and is healthy then', async () => {
    const port = String(await deadPort())
    // As in the image: the configuration by variable, the flags of CMD.
    const settings = { env: { DRAGOMAN_CONFIG: example, PORT: port } }
    const refused = await home.run(words('CMD'), settings)
    expect(refused.code).toBe(2)
    const short = await home.run(words('CMD'), {
      env: { ...settings.env, ...env, DRAGOMAN_KEY: 'too-short' },
    })
    expect(short.code).toBe(2)

    const [, command = ''] = / CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? []
    const [node, ...check] = JSON.parse(command) as string[]
    expect(node).toBe('node')
    const health = () =>
      new Promise((resolve) => {
        spawn(process.execPath, check, { env: { PORT: port }, stdio: 'ignore' }).once('close', resolve)
      })
    expect(await health()).toBe(1)
    const running = await home.start(words('CMD'), { env: { ...settings.env, ...env } })
    expect(running.url).toBe(`http://0.0.0.0:${port}`)
    expect(await health()).toBe(0)
    await running.stop()
  })

  it('keeps its data where the volume is', () => {
    const [data, state] = ['XDG_DATA_HOME', 'XDG_STATE_HOME'].map(
      (name) => new RegExp(`${name}=(\\S+)`).exec(all('ENV').join(' '))?.[1],
    )
    expect(last('VOLUME')).toBe(`${data}/dragoman`)
    expect(state).toBe(data)
    expect(all('COPY')).toContain(
      `deploy/dragoman.example.jsonc ${/DRAGOMAN_CONFIG=(\S+)/.exec(last('ENV'))?.[1]}`,
    )
  })
})

describe('the systemd unit', () => {
  const unit = new Map(
    [...read('dragoman.service').matchAll(/^(\w+)=(.*)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']),
  )

  it('runs a command that exists, on the file that its comments install', async () => {
    const [, command = '', flags = ''] = /dragoman (\w+) (.*)$/.exec(unit.get('ExecStart') ?? '') ?? []
    const { stdout } = await home.run([command, '--help'])
    expect(stdout).toContain(flags.split(' ', 1)[0])
    expect(read('dragoman.service')).toContain(`#           ${flags.split(' ')[1]} `)
  })

  it('is hardened, and leaves V8 its compiler', () => {
    expect(Object.fromEntries(unit)).toMatchObject({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      PrivateTmp: 'yes',
      CapabilityBoundingSet: '',
      RestartPreventExitStatus: '2',
    })
    expect(unit.has('MemoryDenyWriteExecute')).toBe(false)
    expect(unit.get('EnvironmentFile')).toBe('/etc/dragoman/environment')
  })

  it('waits longer than a drain takes', () => {
    const drain = Number(
      /drainMs = ([\d_]+)/
        .exec(readFileSync(join(root, 'src/cli/run-gateway.ts'), 'utf8'))?.[1]
        ?.replace('_', ''),
    )
    expect(Number(unit.get('TimeoutStopSec')) * 1000).toBeGreaterThan(drain)
  })
})
