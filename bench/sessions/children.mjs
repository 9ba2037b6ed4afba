// Calls between processes of the bench over IPC: `startChild` in the parent, `answerCalls` in the child.
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** In the child: each call names one of these functions. */
export function answerCalls(functions) {
  process.on('message', async ({ id, name, args }) => {
    try {
      process.send({ id, value: await functions[name](...args) })
    } catch (error) {
      process.send({ id, problem: `${name}: ${error?.stack ?? error}` })
    }
  })
  // The parent is gone.
  process.on('disconnect', () => process.exit(0))
}

export async function startChild(file, { execArgv = [], env = process.env } = {}) {
  const child = fork(file, [], { execArgv, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const waiting = new Map()
  let nextId = 0
  child.on('message', ({ id, value, problem }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (problem === undefined) resolve(value)
    else reject(new Error(problem))
  })
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended (${signal ?? code})`))
  })
  return {
    call(name, ...args) {
      return new Promise((resolve, reject) => {
        const id = nextId++
        waiting.set(id, { resolve, reject })
        child.send({ id, name, args })
      })
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
