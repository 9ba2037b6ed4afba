import { readFileSync } from 'node:fs'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { type CursorSimOptions, parseCursorScript, startCursorSim } from '../../sim/cursor.ts'
import { type OpenAISimOptions, QUIRKS, type Quirk, startOpenAISim } from '../../sim/openai.ts'
import { parseScript } from '../../sim/script.ts'
import { CommandError } from './command-error.ts'

interface RunningSim {
  url: string
  close(): Promise<void>
}

interface Manner {
  port: number
  script: string | undefined
  flags: SimFlags
  onRequest(request: { method: string; path: string }): void
}

const kinds = new Map<string, (manner: Manner) => Promise<RunningSim>>([
  [
    'anthropic',
    ({ script, ...shared }) =>
      startAnthropicSim({ ...shared, ...readScript(script, parseScript, 'anthropic') }),
  ],
  [
    'openai',
    ({ script, flags, ...shared }) =>
      startOpenAISim({ ...shared, ...manners(flags), ...readScript(script, parseScript, 'openai') }),
  ],
  [
    'cursor',
    ({ script, flags, ...shared }) =>
      startCursorSim({
        ...shared,
        ...http2Manner(flags),
        ...bootstrapCost(flags),
        ...readScript(script, parseCursorScript, 'cursor'),
      }),
  ],
])

export interface SimFlags {
  port?: number
  script?: string
  quirk?: string[]
  lenient?: boolean
  http2?: string
  bootstrap?: string
}

export async function sim(kind: string, flags: SimFlags): Promise<void> {
  const start = kinds.get(kind)
  if (!start)
    throw new CommandError(`There is no simulator "${kind}"; there are ${[...kinds.keys()].join(', ')}.`, 2)
  checkFlags(kind, flags)
  const onRequest: Manner['onRequest'] = ({ method, path }) => process.stderr.write(`${method} ${path}\n`)
  const running = await start({ port: flags.port ?? 0, script: flags.script, flags, onRequest }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      throw new CommandError(`Port ${flags.port} is in use; choose another, or --port 0 for any free one.`)
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void running.close().then(() => process.exit(0)))
  process.stdout.write(`simulator ${kind} listening on ${running.url}\n`)
}

function checkFlags(kind: string, { quirk = [], lenient = false, http2, bootstrap }: SimFlags): void {
  if (kind !== 'openai' && (quirk.length > 0 || lenient))
    throw new CommandError(`--quirk and --lenient are for the openai simulator, not for "${kind}".`, 2)
  if (kind !== 'cursor' && http2 !== undefined)
    throw new CommandError(`--http2 is for the cursor simulator, not for "${kind}".`, 2)
  if (kind !== 'cursor' && bootstrap !== undefined)
    throw new CommandError(`--bootstrap is for the cursor simulator, not for "${kind}".`, 2)
}

/** What the server's settings say about HTTP/2. */
function http2Manner({ http2 }: SimFlags): Pick<CursorSimOptions, 'http2'> {
  if (http2 === undefined) return {}
  if (http2 === 'forced' || http2 === 'off') return { http2 }
  throw new CommandError(`--http2 takes "forced" or "off", not "${http2}".`, 2)
}

/** What a new run costs before anything comes. */
function bootstrapCost({ bootstrap }: SimFlags): Pick<CursorSimOptions, 'bootstrapMs'> {
  if (bootstrap === undefined) return {}
  if (/^\d{1,7}$/.test(bootstrap)) return { bootstrapMs: Number(bootstrap) }
  throw new CommandError(`--bootstrap takes milliseconds, not "${bootstrap}".`, 2)
}

/** How an OpenAI-compatible server differs from OpenAI. */
function manners({ quirk = [], lenient = false }: SimFlags): OpenAISimOptions {
  const known = Object.keys(QUIRKS) as Quirk[]
  const quirks = quirk.map((name) => {
    const found = known.find((candidate) => candidate === name)
    if (!found) throw new CommandError(`There is no quirk "${name}"; there are ${known.join(', ')}.`, 2)
    return found
  })
  return { quirks, lenient }
}

function readScript<Script extends { kind: string }>(
  file: string | undefined,
  parse: (text: string) => Script,
  kind: string,
): { script?: Script } {
  if (file === undefined) return {}
  let script: Script
  try {
    script = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
  if (script.kind === kind) return { script }
  throw new CommandError(`${file}: is a script for "${script.kind}", not for "${kind}"`, 2)
}
