// Runs commands of the built program one after another in one process, so that a test does not pay for the start of a process
// and the loading of its modules each time. Each command sees its own arguments, environment and working directory.

import { pathToFileURL } from 'node:url'

const [program] = process.argv.slice(2)
const entry = pathToFileURL(program).href
const signals = ['SIGINT', 'SIGTERM']
let runs = 0

/** Thrown by `process.exit`: nothing of the command runs on, as in a process that ends. */
class Exit extends Error {}

const exit = process.exit
const streams = ['stdout', 'stderr']
const drop = () => true

process.on('message', async ({ args, env, cwd }) => {
  const written = { stdout: '', stderr: '' }
  for (const name of streams)
    process[name].write = (chunk, encoding, callback) => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      const done = typeof encoding === 'function' ? encoding : callback
      if (done) process.nextTick(done)
      return true
    }
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  const code = await new Promise((resolve) => {
    process.exit = (code = process.exitCode ?? 0) => {
      resolve(code)
      throw new Exit()
    }
    // The entry is evaluated anew for each command; what it imports is shared.
    import(`${entry}?run=${runs++}`).then(
      () => resolve(process.exitCode ?? 0),
      (error) => {
        if (error instanceof Exit) return
        written.stderr += `${error.stack}\n`
        resolve(1)
      },
    )
  })
  // The command may still unwind: what it writes or exits with from here on is dropped.
  process.exit = () => {
    throw new Exit()
  }
  process.exitCode = undefined
  for (const signal of signals) process.removeAllListeners(signal)
  for (const name of streams) {
    process[name].write = drop
    process[name].removeAllListeners('error')
  }
  process.send({ code, ...written })
})

process.on('uncaughtException', (error) => {
  if (!(error instanceof Exit)) throw error
})
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Exit)) throw error
})
process.on('disconnect', () => exit(0))
