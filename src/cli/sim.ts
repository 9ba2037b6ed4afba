// `dragoman sim`: runs one simulator of a service until a signal.

import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startBedrockSim } from '../../sim/bedrock.ts'
import { type CursorSimOptions, parseCursorScript, startCursorSim } from '../../sim/cursor.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import {
  type OpenAISimOptions,
  PROFILES,
  QUIRKS,
  type Quirk,
  RESPONSES_QUIRKS,
  type ResponsesQuirk,
  type ServerName,
  startOpenAISim,
} from '../../sim/openai.ts'
import { FAILURES, isFailure, type QwenWebSimOptions, startQwenWebSim } from '../../sim/qwen-web.ts'
import { parseScript, type Script, ScriptError } from '../../sim/script.ts'
import { isTape, parseTapeScript } from '../../sim/tape-script.ts'
import { isManner, MANNERS, startTextSim, type TextSimOptions } from '../../sim/text-chat.ts'
import { startVertexSim } from '../../sim/vertex.ts'
import { nearest } from '../base/nearest.ts'
import { stopSignals } from '../base/platform/stop-signals.ts'
import { pipePatienceMs, readRegularFile } from '../base/read-file.ts'
import { CommandError } from '../process/command-error.ts'
import { listenProblem } from '../process/listening.ts'
import { err, out } from '../process/output.ts'

interface RunningSim {
  url: string
  close(): Promise<void>
}

interface Start {
  port: number
  script: string | undefined
  flags: SimFlags
  onRequest(request: { method: string; path: string }): void
}

const kinds = new Map<string, (start: Start) => Promise<RunningSim>>([
  [
    'anthropic',
    ({ script, ...shared }) =>
      startAnthropicSim({ ...shared, ...readScript(script, scriptOrTape('anthropic'), 'anthropic') }),
  ],
  [
    'gemini',
    ({ script, ...shared }) =>
      startGeminiSim({ ...shared, ...readScript(script, scriptOrTape('gemini'), 'gemini') }),
  ],
  [
    'openai',
    ({ script, flags, ...shared }) =>
      startOpenAISim({
        ...shared,
        ...manners(flags),
        ...serverOf(flags),
        ...readScript(script, scriptOrTape('openai'), 'openai'),
      }),
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
  [
    'qwen-web',
    ({ script, flags, ...shared }) =>
      startQwenWebSim({
        ...shared,
        ...callManner(flags),
        ...failures(flags),
        ...readScript(script, scriptOrTape('qwen-web'), 'qwen-web'),
      }),
  ],
  [
    'text',
    ({ script, flags, ...shared }) =>
      startTextSim({ ...shared, ...callManner(flags), ...readScript(script, scriptOrTape('text'), 'text') }),
  ],
  [
    'bedrock',
    ({ script, ...shared }) => startBedrockSim({ ...shared, ...readScript(script, parseScript, 'bedrock') }),
  ],
  [
    'vertex',
    ({ script, ...shared }) => startVertexSim({ ...shared, ...readScript(script, parseScript, 'vertex') }),
  ],
])

interface SimFlags {
  port?: number
  script?: string
  server?: string
  quirk?: string[]
  lenient?: boolean
  http2?: string
  bootstrap?: string
  manner?: string
  error?: string[]
}

export async function sim(kind: string, flags: SimFlags): Promise<void> {
  const start = kinds.get(kind)
  if (!start)
    throw new CommandError(
      `There is no simulator "${kind}"${closeTo(kind)}; there are ${[...kinds.keys()].join(', ')}.`,
      2,
    )
  checkFlags(kind, flags)
  const onRequest: Start['onRequest'] = ({ method, path }) => err(`${method} ${path}\n`)
  const running = await start({ port: flags.port ?? 0, script: flags.script, flags, onRequest }).catch(
    async (error: NodeJS.ErrnoException) => {
      if (error instanceof ScriptError) throw new CommandError(`${flags.script}: ${error.message}`, 2)
      if (error.code !== 'EADDRINUSE') throw error
      throw new CommandError(
        await listenProblem(error, { host: '127.0.0.1', port: flags.port ?? 0 }, '--port'),
      )
    },
  )
  for (const signal of stopSignals())
    process.once(signal, () => void running.close().then(() => process.exit(0)))
  out(`simulator ${kind} listening on ${running.url}\n`)
}

function closeTo(kind: string): string {
  const [close] = nearest(kind, kinds.keys())
  return close === undefined ? '' : ` (did you mean "${close}"?)`
}

/** The simulators that support each flag. */
const flagKinds: readonly { flags: readonly (keyof SimFlags)[]; kinds: readonly string[] }[] = [
  { flags: ['server', 'quirk', 'lenient'], kinds: ['openai'] },
  { flags: ['http2'], kinds: ['cursor'] },
  { flags: ['bootstrap'], kinds: ['cursor'] },
  { flags: ['manner'], kinds: ['text', 'qwen-web'] },
  { flags: ['error'], kinds: ['qwen-web'] },
]

function checkFlags(kind: string, given: SimFlags): void {
  for (const { flags, kinds } of flagKinds) {
    if (kinds.includes(kind) || flags.every((flag) => given[flag] === undefined)) continue
    const names = flags.map((flag) => `--${flag}`).join(' and ')
    const verb = flags.length > 1 ? 'are' : 'is'
    const sims = kinds.length > 1 ? 'simulators' : 'simulator'
    throw new CommandError(`${names} ${verb} for the ${kinds.join(' and ')} ${sims}, not for "${kind}".`, 2)
  }
}

/** The HTTP/2 setting that the server sends. */
function http2Manner({ http2 }: SimFlags): Pick<CursorSimOptions, 'http2'> {
  if (http2 === undefined) return {}
  if (http2 === 'forced' || http2 === 'off') return { http2 }
  throw new CommandError(`--http2 takes "forced" or "off", not "${http2}".`, 2)
}

/** The delay before the first message of a new run. */
function bootstrapCost({ bootstrap }: SimFlags): Pick<CursorSimOptions, 'bootstrapMs'> {
  if (bootstrap === undefined) return {}
  if (/^\d{1,7}$/.test(bootstrap)) return { bootstrapMs: Number(bootstrap) }
  throw new CommandError(`--bootstrap takes milliseconds, not "${bootstrap}".`, 2)
}

/** Deviations of OpenAI-compatible servers from OpenAI. */
function manners({ quirk = [], lenient = false }: SimFlags): OpenAISimOptions {
  const known = Object.keys({ ...QUIRKS, ...RESPONSES_QUIRKS }) as (Quirk | ResponsesQuirk)[]
  const quirks = quirk.map((name) => {
    const found = known.find((candidate) => candidate === name)
    if (!found) throw new CommandError(`There is no quirk "${name}"; there are ${known.join(', ')}.`, 2)
    return found
  })
  return { quirks, lenient }
}

/** The OpenAI-compatible server to imitate. */
function serverOf({ server }: SimFlags): Pick<OpenAISimOptions, 'server'> {
  if (server === undefined) return {}
  if (Object.hasOwn(PROFILES, server)) return { server: server as ServerName }
  throw new CommandError(`There is no server "${server}"; there are ${Object.keys(PROFILES).join(', ')}.`, 2)
}

/** How the model writes tool calls. */
function callManner({ manner }: SimFlags): Pick<TextSimOptions, 'manner'> {
  if (manner === undefined) return {}
  if (isManner(manner)) return { manner }
  throw new CommandError(`There is no manner "${manner}"; there are ${Object.keys(MANNERS).join(', ')}.`, 2)
}

/** The failures that the service answers with. */
function failures({ error = [] }: SimFlags): Pick<QwenWebSimOptions, 'errors'> {
  const errors = error.map((name) => {
    if (isFailure(name)) return name
    throw new CommandError(`There is no error "${name}"; there are ${Object.keys(FAILURES).join(', ')}.`, 2)
  })
  return { errors }
}

const scriptOrTape =
  (kind: string) =>
  (text: string): Script =>
    isTape(text) ? parseTapeScript(text, kind) : parseScript(text)

const mostScriptBytes = 256 * 1024 * 1024

function readScript<Script extends { kind: string }>(
  file: string | undefined,
  parse: (text: string) => Script,
  kind: string,
): { script?: Script } {
  if (file === undefined) return {}
  let script: Script
  try {
    script = parse(
      readRegularFile(file, { maxBytes: mostScriptBytes, pipeMs: pipePatienceMs }).toString('utf8'),
    )
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
  if (script.kind === kind) return { script }
  throw new CommandError(`${file}: is a script for "${script.kind}", not for "${kind}"`, 2)
}
