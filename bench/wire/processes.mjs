// What a process has used, as the kernel counts it: nanoseconds on a core, calls of write, memory. And servers on their cores.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

export const cores = { subject: 0, others: 1 }

/** With one core, or without taskset, everything runs everywhere: the report says so. */
export const canPin = spawnSync('taskset', ['-c', `${cores.others}`, 'true']).status === 0

const pinned = (core, command, args) =>
  canPin && core !== undefined ? ['taskset', ['-c', `${core}`, command, ...args]] : [command, args]

export function pinSelf() {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', `${cores.others}`, `${process.pid}`])
}

/** Files that a process may have open; Node takes all it may. */
export const mostFiles = () =>
  Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0)

/** All threads: those that collect garbage and compile, too. One may end while it is looked at. */
const nanosecondsOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      return sum
    }
  }, 0)

const ioOf = (pid, field) =>
  Number(new RegExp(`^${field}: (\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)

const sumOver = (pids, read) => pids.reduce((sum, pid) => sum + read(pid), 0)

export const usageOf = (pids) => ({
  cpuNs: sumOver(pids, nanosecondsOf),
  writes: sumOver(pids, (pid) => ioOf(pid, 'syscw')),
  reads: sumOver(pids, (pid) => ioOf(pid, 'syscr')),
})

export const residentBytes = (pids) =>
  sumOver(
    pids,
    (pid) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
  )

/** Starts a server that says where it listens, on its core; resolves once it does. It goes with us. */
export async function startServer(args, { core, env = process.env, cwd }) {
  const [program, all] = pinned(core, process.execPath, args)
  const child = spawn(program, all, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let heard = ''
  const url = await new Promise((resolve, reject) => {
    const onText = (text) => {
      heard += text
      const found = /listening on (http:\/\/\S+)/.exec(heard)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', onText)
    child.stderr.on('data', onText)
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended (${code}): ${heard}`)))
    child.once('error', reject)
  })
  // Whatever else it says is read and thrown away, as a terminal or a file would take it.
  for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume()
  return {
    url,
    pids: () => [child.pid],
    async stop() {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      kill()
      await ended
    },
  }
}

/** A program that ends by itself: what it said. */
export async function runNode(args, { core }) {
  const child = spawn(...pinned(core, process.execPath, args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'close')
  process.off('exit', kill)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return said
}
