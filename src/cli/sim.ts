import { readFileSync } from 'node:fs'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { parseScript, type Script } from '../../sim/script.ts'
import type { Sim, SimOptions } from '../../sim/server.ts'
import { CommandError } from './command-error.ts'

const kinds = new Map<string, (options: SimOptions) => Promise<Sim>>([
  ['anthropic', startAnthropicSim],
  ['openai', startOpenAISim],
])

export async function sim(kind: string, flags: { port?: number; script?: string }): Promise<void> {
  const start = kinds.get(kind)
  if (!start)
    throw new CommandError(`There is no simulator "${kind}"; there are ${[...kinds.keys()].join(', ')}.`, 2)
  const script = flags.script === undefined ? {} : { script: readScript(flags.script, kind) }
  const running = await start({ port: flags.port ?? 0, ...script }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new CommandError(`Port ${flags.port} is in use; choose another, or --port 0 for any free one.`)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void running.close().then(() => process.exit(0)))
  process.stdout.write(`simulator ${kind} listening on ${running.url}\n`)
}

function readScript(file: string, kind: string): Script {
  let script: Script
  try {
    script = parseScript(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
  if (script.kind === kind) return script
  throw new CommandError(`${file}: is a script for "${script.kind}", not for "${kind}"`, 2)
}
