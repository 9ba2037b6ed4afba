// Runs commands of the built program one after another in one process, so that a test does not pay for the start of a process
// and the loading of its modules each time. Each command sees its own arguments, environment and working directory. A command
// that prints a ready line runs until it exits; its signals arrive as messages.

import { AsyncLocalStorage } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'

const [program] = process.argv.slice(2)
const entry = pathToFileURL(program).href
const readyLine = /^(?:dragoman|simulator \S+) listening on http:\/\/\S+\n/
const streams = ['stdout', 'stderr']
const handled = ['SIGHUP', 'SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection']

/** Thrown by `process.exit`: nothing of the command runs on, as in a process that ends. */
class Exit extends Error {}

/** The command whose code runs: timers and sockets of an earlier one may still act, and must not end a later one. */
const callers = new AsyncLocalStorage()
const exitProcess = process.exit
let current

class Command {
  #stdout = ''

  constructor({ args, env, cwd }) {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, env)
    process.chdir(cwd)
    process.argv = [process.execPath, program, ...args]
    process.exitCode = undefined
  }

  async run(count) {
    try {
      // The entry is evaluated anew for each command; what it imports is shared.
      await import(`${entry}?run=${count}`)
      if (!readyLine.test(this.#stdout)) this.end(process.exitCode ?? 0)
    } catch (error) {
      if (error instanceof Exit || current !== this) return
      this.write('stderr', `${error.stack}\n`)
      this.end(1)
    }
  }

  write(name, text) {
    if (current !== this) return
    if (name === 'stdout' && !readyLine.test(this.#stdout)) this.#stdout += text
    process.send({ [name]: text })
  }

  signal(name) {
    if (process.listenerCount(name) > 0) process.emit(name, name)
    else this.#leave({ code: null, signal: name })
  }

  end(code) {
    if (current === this) this.#leave({ code, signal: null })
  }

  #leave(end) {
    // Log lines that wait for others, and programs that still run.
    for (const listener of process.listeners('exit')) listener(end.code)
    current = undefined
    process.exitCode = undefined
    for (const event of handled) process.removeAllListeners(event)
    for (const name of streams) process[name].removeAllListeners('error')
    ignoreExits()
    process.send({ end })
  }
}

for (const name of streams)
  process[name].write = (chunk, encoding, callback) => {
    callers.getStore()?.write(name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const done = typeof encoding === 'function' ? encoding : callback
    if (done) process.nextTick(done)
    return true
  }

process.exit = (code = process.exitCode ?? 0) => {
  const caller = callers.getStore()
  // An earlier command, such as the deadline of its shutdown: thrown, it would be an error of the current one.
  if (caller !== current) return
  caller.end(code)
  throw new Exit()
}

function ignoreExits() {
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => {
      // Without a command, nothing is left to fail: a socket of the last one may still close.
      const isOurs = current !== undefined && process.listenerCount(event) === 1
      if (!(error instanceof Exit) && isOurs) throw error
    })
}

ignoreExits()
let runs = 0
process.on('message', ({ run, signal }) => {
  if (signal !== undefined) return current && callers.run(current, () => current.signal(signal))
  current = new Command(run)
  void callers.run(current, () => current.run(runs++))
})
process.on('disconnect', () => exitProcess(0))
