// The gateway configuration for a replay: the backends of the tape, each with a base URL on this machine.

import { type Config, configSchema } from '../config/schema.ts'
import type { Frame } from '../tapes/frame.ts'
import { type ReadTape, TapeError } from '../tapes/read.ts'
import { gatewayFrames } from '../tapes/summary.ts'
import { targetSettings } from '../tapes/target-settings.ts'

/** A stand-in that nothing checks. It must not be a word that could occur in an answer. */
const credential = 'replayed-0123456789abcdef0123456789abcdef'

const credentials: Record<string, Record<string, string>> = {
  anthropic: { apiKey: credential },
  openai: { apiKey: credential },
  cursor: { accessToken: credential },
  'qwen-web': { token: credential },
}

/** The path that each kind of backend appends to its base URL. */
const ownPaths: Record<string, RegExp> = {
  anthropic: /\/v1\/messages$/,
  openai: /\/(?:chat\/completions|responses)(?:\?[\s\S]*)?$/,
  'qwen-web': /\/api\/[\s\S]*$/,
}

/** A tape may come from a stranger: it decides how a backend behaves, but not its address, its credentials or its files. */
export function replayConfig(tapes: readonly ReadTape[], url: string): Config {
  try {
    return configOf(tapes, url)
  } catch {
    throw new TapeError(tapes[0]?.turn ?? '', 'cannot be replayed: a recorded backend has invalid settings')
  }
}

function configOf(tapes: readonly ReadTape[], url: string): Config {
  const backends: Record<string, unknown> = {}
  const models: Record<string, string[]> = {}
  const manner: Record<string, unknown> = {}
  for (const { frames } of tapes) {
    const targets = gatewayFrames(frames, 'target')
    for (const { backend, kind, settings } of targets)
      backends[backend] = {
        ...targetSettings(settings),
        kind,
        baseUrl: url + prefixOf(kind, backend, frames),
        ...credentials[kind],
      }
    const names = [...new Set(targets.map(({ backend, model }) => `${backend}/${model}`))]
    const asked = nameAsked(frames)
    Object.assign(manner, mannerOf(frames))
    if (asked !== undefined && (names.length > 1 || names[0] !== asked)) models[asked] = names
  }
  return configSchema.parse({ auth: 'none', log: { level: 'silent' }, backends, models, ...manner })
}

/** The path of the base URL: the recorded path without the part that the backend appends. */
function prefixOf(kind: string, backend: string, frames: readonly Frame[]): string {
  const own = ownPaths[kind]
  const asked = frames.find(
    (frame) => frame.side === 'upstream' && frame.do === 'request' && frame.backend === backend,
  )
  if (!own || !asked || !('path' in asked)) return ''
  return own.test(asked.path) ? asked.path.replace(own, '') : ''
}

/** The name that the catalog must know: the model of the request, or the name that it was read as. */
function nameAsked(frames: readonly Frame[]): string | undefined {
  const read = gatewayFrames(frames, 'note').flatMap(
    ({ text }) => /^the model ".*?" was read as ("(?:[^"\\]|\\.)*")/.exec(text)?.[1] ?? [],
  )[0]
  return read === undefined ? gatewayFrames(frames, 'begin')[0]?.model : String(JSON.parse(read))
}

/** Tapes that belong together have the same client. */
function mannerOf(frames: readonly Frame[]): Record<string, unknown> {
  const [begin] = gatewayFrames(frames, 'begin')
  const { toolArguments = 'whole' } = begin?.manner ?? {}
  return begin?.client === undefined ? { toolArguments } : { clients: { [begin.client]: begin.manner ?? {} } }
}
