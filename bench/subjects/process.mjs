// Programs under test as processes: on one core where the machine can pin, found by their port, gone with whoever started them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const say = (line) => process.stderr.write(`${line}\n`)

export const onPath = (program) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file))

/** taskset becomes the program: the process is the same, and its children stay on the core. */
export const pinned = (core, command, args) =>
  core === undefined || onPath('taskset') === undefined
    ? [command, args]
    : [onPath('taskset'), ['-c', String(core), command, ...args]]

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts `command` and waits until something listens on `port`; what it says goes to `log`. Throws with the end of that if it
 * ends, or does not listen in time.
 */
export async function startProgram({
  command,
  args,
  port,
  log,
  core,
  env = process.env,
  cwd,
  patience = 30,
}) {
  const output = openSync(log, 'w')
  const child = spawn(...pinned(core, command, args), { cwd, env, stdio: ['ignore', output, output] })
  closeSync(output)
  const kill = () => killAll(pidsOf(child.pid), 'SIGKILL')
  process.once('exit', kill)
  let problem
  child.once('error', (error) => {
    problem = error
  })
  const hasEnded = () => problem !== undefined || child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    process.off('exit', kill)
    if (hasEnded()) return
    const pids = pidsOf(child.pid)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await Promise.race([ended, sleep(2_000, undefined, { ref: false })])
    if (!hasEnded()) {
      killAll(pids, 'SIGKILL')
      await ended
    }
  }
  for (const until = Date.now() + patience * 1_000; !(await isListening(port)); await sleep(50)) {
    if (!hasEnded() && Date.now() < until) continue
    await stop()
    const said = readFileSync(log, 'utf8').slice(-2_000)
    throw new Error(`${command} does not listen: ${problem?.message ?? said}`)
  }
  return { url: `http://127.0.0.1:${port}`, pids: () => pidsOf(child.pid), stop }
}

/** With its children, and theirs. */
function pidsOf(pid) {
  let children = ''
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  } catch {
    // Ended, or no Linux.
  }
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(pidsOf)]
}

function killAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended on its own.
    }
  }
}

async function isListening(port) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
