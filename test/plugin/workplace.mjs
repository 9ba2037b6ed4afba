// A packed and installed Dragoman, an OpenCode of its own (home, settings, project), and the simulator behind both.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')
const clients = process.env.CLIENTS_HOME ?? join(homedir(), '.cache', 'dragoman-clients')

export function findOpenCode() {
  const installed = join(clients, 'inst/opencode/node_modules/opencode-linux-x64/bin/opencode')
  const onPath = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'opencode'))
  return [process.env.OPENCODE_BIN, installed, ...onPath].find((file) => file && existsSync(file))
}

/** As a user gets it: the tarball, in an empty folder. */
export function installPacked() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-packed-'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const run = (args, cwd) => {
    const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm ${args[0]}: ${stderr}`)
  }
  run(['pack', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  run(['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`], folder)
  return {
    folder,
    plugin: join(folder, 'node_modules', 'dragoman-gateway'),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export async function startSim(options = {}) {
  const child = spawn('node', [join(here, 'sim-host.mjs'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await new Promise((resolve) =>
    createInterface(child.stdout).once('line', (text) => resolve([text])),
  )
  const { url, control } = JSON.parse(line)
  const tell = async (order, value) =>
    (
      await fetch(`${control}/${order}${value === undefined ? '' : `?with=${encodeURIComponent(value)}`}`)
    ).json()
  return { url, control, tell, stop: () => child.kill() }
}

/** OpenCode installs types for plugins into its folders, and waits for it; offline, that is long. */
function pretendInstalled(folder) {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  const dependencies = { '@opencode-ai/plugin': '*' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }))
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } }),
  )
}

export class Workplace {
  #binary
  #environment
  folder = mkdtempSync(join(tmpdir(), 'dragoman-opencode-'))
  project = join(this.folder, 'project')
  data = join(this.folder, 'home/.local/share')

  /** `plugin`: the entries of the configuration file. */
  constructor({ binary, plugin }) {
    this.#binary = binary
    const home = join(this.folder, 'home')
    for (const folder of [this.project, home]) mkdirSync(folder, { recursive: true })
    pretendInstalled(join(home, '.config/opencode'))
    this.#environment = {
      PATH: process.env.PATH,
      TERM: 'xterm',
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: this.data,
      XDG_CACHE_HOME: join(home, '.cache'),
      XDG_STATE_HOME: join(home, '.local/state'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }
    const settings = {
      plugin,
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow' },
    }
    writeFileSync(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings))
    spawnSync('git', ['init', '-q', '.'], { cwd: this.project })
  }

  write(name, text) {
    const path = join(this.project, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  /** A folder of settings in the project, beside its own. */
  writeSettings(folder) {
    pretendInstalled(join(this.project, folder))
  }

  /** Runs a module in the project, with Node or with the Bun that is in OpenCode; resolves with what it prints, errors too. */
  async module(file, args, { inBun = false } = {}) {
    const [command, ...first] = inBun ? [this.#binary, 'run'] : ['node']
    const env = { ...this.#environment, ...(inBun && { BUN_BE_BUN: '1' }) }
    const options = { cwd: this.project, env, timeout: 120_000 }
    const { stdout, stderr } = await promisify(execFile)(command, [...first, file, ...args], options)
    return stdout + stderr
  }

  /** Dragoman's own configuration. */
  configure(config) {
    const folder = join(this.#environment.XDG_CONFIG_HOME, 'dragoman')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.jsonc'), JSON.stringify(config))
  }

  forget(name) {
    rmSync(join(this.project, name))
  }

  read(name) {
    const path = join(this.project, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  get log() {
    const folder = join(this.data, 'opencode/log')
    return existsSync(folder)
      ? readdirSync(folder)
          .map((name) => readFileSync(join(folder, name), 'utf8'))
          .join('')
      : ''
  }

  /** Runs OpenCode; `onText` sees all it has written so far, and may type. */
  async opencode(
    args,
    { onText = () => undefined, onStart = () => undefined, terminal = false, seconds = 120 } = {},
  ) {
    const quoted = [this.#binary, ...args].map((text) => `'${text.replaceAll("'", "'\\''")}'`).join(' ')
    const [command, ...rest] = terminal
      ? ['script', '-qfec', `stty cols 160 rows 50; ${quoted}`, '/dev/null']
      : [this.#binary, ...args]
    const child = spawn(command, rest, {
      cwd: this.project,
      env: this.#environment,
      stdio: [terminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    })
    let text = ''
    const hands = { type: (input) => child.stdin.write(input), interrupt: () => child.kill('SIGINT') }
    onStart(hands)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        text += bytes
        onText(text, hands)
      })
    const code = await Promise.race([
      new Promise((resolve) => child.once('exit', (status, signal) => resolve(status ?? signal))),
      sleep(seconds * 1000, 'late', { ref: false }),
    ])
    if (code === 'late') child.kill('SIGKILL')
    return { code, text: plain(text) }
  }

  /** OpenCode without a screen: what its screen talks to. */
  async serve() {
    let stop
    const running = new Promise((resolve) => {
      this.opencode(['serve', '--port', '0'], {
        onStart({ interrupt }) {
          stop = interrupt
        },
        onText(text) {
          const [url] = /http:\/\/127\S+/.exec(text) ?? []
          if (url) resolve(url)
        },
      })
    })
    const url = await running
    const headers = { 'content-type': 'application/json' }
    return {
      stop: () => stop(),
      get: async (path) => (await fetch(`${url}/${path}`)).json(),
      ask: async (path, body) =>
        (await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text(),
    }
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals are told by
const plain = (text) => text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '')
