// What a process has used, as the kernel counts it: nanoseconds on a core, calls of write, memory.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

export const cores = { subject: 0, others: 1 }

/** With one core, or without taskset, everything runs everywhere: the report says so. */
export const canPin = spawnSync('taskset', ['-c', `${cores.others}`, 'true']).status === 0

export const pinned = (core, command, args) =>
  canPin ? ['taskset', ['-c', `${core}`, command, ...args]] : [command, args]

export function pinSelf(core) {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', `${core}`, `${process.pid}`])
}

const threadsOf = (pid) => readdirSync(`/proc/${pid}/task`)

const nanosecondsOf = (pid) =>
  threadsOf(pid).reduce((sum, thread) => {
    const [onCore] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return sum + Number(onCore)
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

/** Starts a server that says where it listens, on its core; resolves once it does. */
export async function startServer(command, args, { core, env, says = /listening on (http:\/\/\S+)/ }) {
  const [program, all] = pinned(core, command, args)
  const child = spawn(program, all, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let heard = ''
  const url = await new Promise((resolve, reject) => {
    const onText = (text) => {
      heard += text
      const [, found] = says.exec(heard) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', onText)
    child.stderr.on('data', onText)
    child.on('exit', (code) => reject(new Error(`${command} ${args.join(' ')} ended (${code}): ${heard}`)))
    child.on('error', reject)
  })
  // Whatever else it says is read and thrown away, as a terminal or a file would take it.
  for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume()
  child.removeAllListeners('exit')
  return {
    url,
    pids: () => [child.pid],
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(process.env.NODE_ARGS ? 'SIGTERM' : 'SIGKILL')
      await ended
    },
  }
}
