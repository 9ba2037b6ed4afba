// Files that deploy/ names exist, and its configurations are accepted.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import http from 'node:http'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../depth.ts'
import { deadPort, Home, root } from './program.ts'

const read = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8')
const example = join(root, 'deploy', 'dragoman.example.jsonc')
const variables = [
  ...new Set([...read('dragoman.example.jsonc').matchAll(/\{env:(\w+)\}/g)].map((m) => m[1] ?? '')),
]
const env = Object.fromEntries(variables.map((name) => [name, `canary-${name}`.padEnd(40, '-')]))
const home = new Home()
const source = (name: string) => readFileSync(join(root, 'src', name), 'utf8')
/** A number of milliseconds from the source. */
const secondsOf = (text: string, pattern: RegExp) =>
  Number(pattern.exec(text)?.[1]?.replaceAll('_', '')) / 1000
const drainSeconds = secondsOf(source('process/stop-times.ts'), /drainMs = ([\d_]+)/)

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

  it('bundles all that is built', () => {
    const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.declarations.json'), 'utf8'))
    for (const folder of include) expect(all('COPY')).toContain(`${folder} ${folder}`)
    const imported = [...readFileSync(join(root, 'scripts/bundle.mjs'), 'utf8').matchAll(/from '\.\/(.+)'/g)]
    const scripts = ['bundle.mjs', ...imported.map((match) => match[1])].map((name) => `scripts/${name}`)
    expect(all('COPY')).toContain(`${scripts.join(' ')} scripts/`)
    expect(all('RUN')).toContain('node scripts/bundle.mjs')
    expect(all('COPY')).toContain('--from=build /app/dist dist')
  })

  it.runIf(isNightly)("builds the program and the inspector's page from what it copies", () => {
    const folder = home.path('image')
    for (const rest of all('COPY').slice(0, all('COPY').indexOf('package.json LICENSE ./'))) {
      const words = rest.split(' ')
      const to = words.at(-1) ?? ''
      for (const from of words.slice(0, -1))
        cpSync(join(root, from), join(folder, to, to.endsWith('/') ? basename(from) : ''), {
          recursive: true,
        })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    execFileSync(process.execPath, ['scripts/bundle.mjs'], { cwd: folder })
    for (const file of ['src/cli.js', 'inspector/index.html', 'inspector/app.js', 'inspector/style.css'])
      expect(existsSync(join(folder, 'dist', file)), file).toBe(true)
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

  it.runIf(isNightly)('starts only with a key, and is healthy then', async () => {
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
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(drainSeconds)
  })
})

/** The text after `NAME: |`, by its indentation. */
function blockOf(yaml: string, name: string): string {
  const [, indent = '', rest = ''] = new RegExp(`^( *)${name}: \\|\\n([^]*)`, 'm').exec(yaml) ?? []
  const lines = rest.split('\n')
  const end = lines.findIndex((line) => line !== '' && !line.startsWith(`${indent} `))
  return lines.slice(0, end < 0 ? undefined : end).join('\n')
}

/** From `NAME:`, perhaps with an anchor, to the next key with the same indentation. */
function sectionOf(yaml: string, name: string): string {
  const [, indent = '', rest = ''] = new RegExp(`^( *)${name}:(?: &\\w+)?\\n([^]*)`, 'm').exec(yaml) ?? []
  return rest.split(new RegExp(`^${indent}\\S`, 'm'), 1)[0] ?? ''
}

const withoutComments = (text: string) => text.replace(/^\s*#.*\n/gm, '')
const compose = withoutComments(read('compose.yaml'))
const kubernetes = withoutComments(read('kubernetes.yaml'))
const variablesOf = (config: string) => [...config.matchAll(/\{env:(\w+)\}/g)].map((match) => match[1] ?? '')
const secretFor = (name: string) => `canary${name}`.replaceAll('_', '').padEnd(40, '0')

describe.each([
  { file: 'compose.yaml', config: blockOf(compose, 'content'), own: { INSTANCE: 'gateway-a' } },
  { file: 'kubernetes.yaml', config: blockOf(kubernetes, 'dragoman.jsonc'), own: { POD_IP: '10.1.2.3' } },
])('the configuration in $file', ({ file, config, own }) => {
  const path = home.write(`${file}.jsonc`, config)
  const secrets = variablesOf(config).filter((name) => !(name in own))
  const settings = { env: { ...Object.fromEntries(secrets.map((name) => [name, secretFor(name)])), ...own } }

  it('passes `config check`, with its variables set', async () => {
    const { code, output } = await home.run(['config', 'check', path], settings)
    expect(code, output).toBe(0)
    expect(output).toContain('found by other instances over Redis')
    expect(output).not.toContain('canary')
  })

  it('needs no variable that is not provided', () => {
    expect(secrets.length).toBeGreaterThan(3)
    const provided = file === 'compose.yaml' ? read('README.md') : kubernetes
    for (const name of secrets) expect(provided).toMatch(new RegExp(`${name}[=:]`))
    for (const name of Object.keys(own))
      expect(read(file)).toMatch(new RegExp(`${name}: |name: ${name}$`, 'm'))
  })

  it.runIf(isNightly)(
    'starts without its Redis, and answers the probe by no other name than its own',
    async () => {
      const args = ['serve', '--config', path, '--host', '0.0.0.0', '--port', '0']
      const running = await home.start(args, settings)
      const local = running.url.replace('0.0.0.0', '127.0.0.1')
      expect(await statusOf(`${local}/healthz`, 'localhost')).toBe(200)
      expect(await statusOf(`${local}/healthz`, '10.1.2.3')).toBe(421)
      // Why no probe asks it.
      expect(await statusOf(`${local}/readyz`, 'localhost')).toBe(401)
      await running.stop()
    },
  )
})

/** `fetch` does not send another Host than that of its URL. */
const statusOf = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    http
      .get(url, { headers: { host }, agent: false }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
  })

describe('compose.yaml', () => {
  it('has no dollar that compose would take for a variable', () => {
    expect(compose.replaceAll('$$', '')).not.toContain('$')
  })

  it.runIf(isNightly)('checks health with a command that works', async () => {
    const running = await home.serve({
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1' } },
    })
    const [, list = ''] = /test: (\["CMD", "node".*\])$/m.exec(compose) ?? []
    const [, , ...check] = JSON.parse(list) as string[]
    const health = (port: string) =>
      new Promise((resolve) => {
        const args = check.map((word) => word.replace(':18741/', `:${port}/`))
        spawn(process.execPath, args, { stdio: 'ignore' }).once('close', resolve)
      })
    expect(await health(new URL(running.url).port)).toBe(0)
    await running.stop()
    expect(await health(new URL(running.url).port)).toBe(1)
  })

  it('publishes the balancer alone, on loopback, and hardens everything', () => {
    expect([...compose.matchAll(/ports: (.*)$/gm)].map((match) => match[1])).toEqual([
      "['127.0.0.1:8080:8080']",
    ])
    expect(sectionOf(compose, 'balancer')).toContain('127.0.0.1:8080')
    const services = [...sectionOf(compose, 'services').matchAll(/^ {2}([\w-]+):$/gm)].map(
      (match) => match[1],
    )
    expect(services).toEqual(['gateway-a', 'gateway-b', 'balancer', 'redis'])
    for (const name of services) expect(sectionOf(compose, name ?? '')).toMatch(/<<: \*(hardened|gateway)/)
    expect(sectionOf(compose, 'x-gateway')).toContain('<<: *hardened')
    expect(sectionOf(compose, 'x-hardened')).toContain('read_only: true')
  })

  it('waits longer than a drain takes', () => {
    const grace = [...compose.matchAll(/stop_grace_period: (\d+)s/g)].map((match) => Number(match[1]))
    expect(grace.length).toBe(2)
    for (const seconds of grace) expect(seconds).toBeGreaterThan(drainSeconds)
  })
})

describe('kubernetes.yaml', () => {
  it('does not start with the example secrets', async () => {
    const secrets = [...kubernetes.matchAll(/^ {2}([A-Z_]+): (\S+)$/gm)].map((match) => [match[1], match[2]])
    expect(secrets.length).toBe(4)
    const path = home.write('placeholders.jsonc', blockOf(kubernetes, 'dragoman.jsonc'))
    const env = { ...Object.fromEntries(secrets), POD_IP: '10.1.2.3' }
    const { code } = await home.run(['serve', '--config', path, '--host', '0.0.0.0', '--port', '0'], { env })
    expect(code).toBe(2)
  })

  it('waits longer than its preStop and a drain take', () => {
    const [grace] = /terminationGracePeriodSeconds: (\d+)/.exec(kubernetes)?.slice(1).map(Number) ?? []
    const [pause] = /preStop: .*\[sleep, '(\d+)'\]/.exec(kubernetes)?.slice(1).map(Number) ?? []
    expect(grace).toBeGreaterThan(drainSeconds + (pause ?? Number.NaN))
  })

  it('runs nothing as root, and nothing that can write where it should not', () => {
    const times = (text: string) => kubernetes.split(text).length - 1
    const containers = times('image: ')
    expect(containers).toBe(2)
    for (const text of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'capabilities: { drop: [ALL] }',
      'automountServiceAccountToken: false',
    ])
      expect(times(text), text).toBe(containers)
  })
})

describe('nginx.conf', () => {
  const nginx = withoutComments(read('nginx.conf'))

  it('balances over the gateways of compose.yaml', () => {
    const servers = [...nginx.matchAll(/^ *server ([\w-]+):(\d+)/gm)].map((match) => [match[1], match[2]])
    expect(servers).toEqual([
      ['gateway-a', '18741'],
      ['gateway-b', '18741'],
    ])
    for (const [name] of servers) expect(compose).toContain(`INSTANCE: ${name} `)
    expect(nginx).toContain('listen 8080;')
  })

  it('keeps the internal routes to itself', () => {
    for (const path of ['turnsPath', 'resultsPath'])
      expect(source('cluster/relay-messages.ts')).toMatch(new RegExp(`${path} = '/internal/`))
    expect(nginx).toMatch(/location \/internal\/ \{\s*return 404;/)
  })

  it('retries no request that may be running, and buffers no answer', () => {
    expect(nginx).toContain('proxy_next_upstream error timeout;')
    expect(nginx).not.toContain('non_idempotent')
    expect(nginx).toContain('proxy_buffering off;')
  })

  it('lets go of idle connections before the gateway does', () => {
    const own = secondsOf(source('http/server.ts'), /keepAliveTimeout: ([\d_]+)/)
    expect(Number(/keepalive_timeout (\d+)s/.exec(nginx)?.[1])).toBeLessThan(own)
  })
})

describe('docs/scaling.md', () => {
  const text = readFileSync(join(root, 'docs', 'scaling.md'), 'utf8')

  it('quotes nginx.conf verbatim', () => {
    const [, shown = ''] = /```nginx\n(.*?)```/s.exec(text) ?? []
    const lines = shown
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(read('nginx.conf')).toContain(line)
  })

  it('names metrics that exist', () => {
    const facts = source('observe/metric-facts.ts')
    const named = new Set([...text.matchAll(/\bdragoman_\w+/g)].map(([name]) => name))
    expect(named.size).toBeGreaterThan(4)
    expect([...named].filter((name) => !facts.includes(`\n  ${name}: {`))).toEqual([])
  })
})
