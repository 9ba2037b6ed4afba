// Starts a simulator and a gateway, each in its own process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from '../../scripts/prepare.mjs'
import { startChild } from './children.mjs'

const beside = (file) => fileURLToPath(new URL(file, import.meta.url))

export async function startSimulator(options = {}) {
  const child = await startChild(beside('simulator.mjs'))
  return { url: await child.call('start', options), ...child }
}

const settingsFor = (simulatorUrl, { transport, sessions }) => ({
  auth: 'none',
  listen: { port: 0 },
  log: { level: 'warn' },
  sessions,
  backends: { cursor: { kind: 'cursor', baseUrl: simulatorUrl, apiKey: 'crsr_bench', transport } },
})

/** Excludes the caller's settings, logins and proxies. */
function cleanEnvironment(folder) {
  const names = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'HOME']
  return { PATH: process.env.PATH, ...Object.fromEntries(names.map((name) => [name, folder])) }
}

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  return { folder, remove }
}

/** The program as users start it. */
export async function startServe(simulatorUrl, options) {
  const { folder, remove } = temporaryFolder()
  const config = join(folder, 'dragoman.jsonc')
  writeFileSync(config, JSON.stringify(settingsFor(simulatorUrl, options)))
  const child = spawn(process.execPath, [join(root, 'dist/src/cli.js'), 'serve', '--config', config], {
    env: cleanEnvironment(folder),
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    const isRunning = child.exitCode === null && child.signalCode === null
    const ended = isRunning ? once(child, 'exit') : undefined
    kill()
    await ended
    remove()
  }
  const url = await readyUrl(child)
  return { url, stop, residentBytes: () => residentBytes(url) }
}

async function readyUrl(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return url
  }
  throw new Error('the gateway ended before it was ready')
}

async function residentBytes(url) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = /^dragoman_resident_memory_bytes (\S+)$/m.exec(text)?.[1]
  if (value === undefined) throw new Error('/metrics does not tell the memory of the process')
  return Number(value)
}

/** The same gateway in a process that reports its memory after garbage collection and its CPU time. */
export async function startMeasuredGateway(simulatorUrl, options) {
  const { folder, remove } = temporaryFolder()
  const child = await startChild(beside('gateway.mjs'), {
    execArgv: ['--expose-gc'],
    env: cleanEnvironment(folder),
  })
  const url = await child.call('listen', settingsFor(simulatorUrl, options))
  const stop = async () => {
    await child.stop()
    remove()
  }
  return { url, call: child.call, stop }
}
