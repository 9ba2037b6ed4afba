import { readFileSync } from 'node:fs'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type OpenAISimOptions, QUIRKS, type Quirk, startOpenAISim } from '../../sim/openai.ts'
import type { RecordedRequest } from '../../sim/recording.ts'
import { parseScript, type Script } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { CommandError } from './command-error.ts'

const kinds = new Map<string, (options: OpenAISimOptions) => Promise<Sim>>([
  ['anthropic', startAnthropicSim],
  ['openai', startOpenAISim],
])

export interface SimFlags {
  port?: number
  script?: string
  quirk?: string[]
  lenient?: boolean
}

export async function sim(kind: string, flags: SimFlags): Promise<void> {
  const start = kinds.get(kind)
  if (!start)
    throw new CommandError(`There is no simulator "${kind}"; there are ${[...kinds.keys()].join(', ')}.`, 2)
  const script = flags.script === undefined ? {} : { script: readScript(flags.script, kind) }
  const onRequest = ({ method, path }: RecordedRequest) => process.stderr.write(`${method} ${path}\n`)
  const options = { port: flags.port ?? 0, ...script, ...manners(kind, flags), onRequest }
  const running = await start(options).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new CommandError(`Port ${flags.port} is in use; choose another, or --port 0 for any free one.`)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void running.close().then(() => process.exit(0)))
  process.stdout.write(`simulator ${kind} listening on ${running.url}\n`)
}

/** How an OpenAI-compatible server differs from OpenAI. */
function manners(kind: string, { quirk = [], lenient = false }: SimFlags): OpenAISimOptions {
  if (kind !== 'openai' && (quirk.length > 0 || lenient))
    throw new CommandError(`--quirk and --lenient are for the openai simulator, not for "${kind}".`, 2)
  const known = Object.keys(QUIRKS) as Quirk[]
  const quirks = quirk.map((name) => {
    const found = known.find((candidate) => candidate === name)
    if (!found) throw new CommandError(`There is no quirk "${name}"; there are ${known.join(', ')}.`, 2)
    return found
  })
  return { quirks, lenient }
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
