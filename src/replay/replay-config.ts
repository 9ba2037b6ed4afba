// The gateway configuration for a replay: the backends of the tape.

import { type Config, configSchema } from '../config/schema.ts'
import type { Frame } from '../tapes/frame.ts'
import { type ReadTape, TapeError } from '../tapes/read.ts'
import { gatewayFrames } from '../tapes/summary.ts'
import { type SharedSettings, targetSettings } from '../tapes/target-settings.ts'

/** A stand-in that nothing checks. It must not be a word that could occur in an answer. */
const credential = 'replayed-0123456789abcdef0123456789abcdef'

const credentials: Record<string, Record<string, string>> = {
  anthropic: { apiKey: credential },
  gemini: { apiKey: credential },
  openai: { apiKey: credential },
  cursor: { accessToken: credential },
  'qwen-web': { token: credential },
}

const vertex = { accessToken: credential, models: ['replayed'] }

const credentialOf = (kind: string, { provider }: { provider?: unknown }) =>
  provider === 'vertex' ? vertex : credentials[kind]

/** The path that each kind of backend appends to its base URL. */
const ownPaths: Record<string, RegExp> = {
  anthropic: /\/v1\/messages$/,
  gemini: /\/v1beta\/[\s\S]*$/,
  openai: /\/(?:chat\/completions|responses)(?:\?[\s\S]*)?$/,
  'qwen-web': /\/api\/[\s\S]*$/,
}

/**
 * A tape may come from a stranger: it decides how a backend behaves, but not its credentials or its files. The address is the recorded
 * one, because some services are known by it; nothing connects to it.
 */
export function replayConfig(tapes: readonly ReadTape[]): Config {
  try {
    return configOf(tapes)
  } catch {
    throw new TapeError(tapes[0]?.turn ?? '', 'cannot be replayed: a recorded backend has invalid settings')
  }
}

function configOf(tapes: readonly ReadTape[]): Config {
  const backends: Record<string, unknown> = {}
  const models: Record<string, string[]> = {}
  const manner: Record<string, unknown> = {}
  for (const { frames } of tapes) {
    const targets = gatewayFrames(frames, 'target')
    for (const { backend, kind, settings, address } of targets) {
      const { deferTools, progressMs, ...own }: SharedSettings = targetSettings(settings)
      const baseUrl = address ?? baseUrlOf(kind, backend, frames)
      backends[backend] = { ...own, kind, baseUrl, ...credentialOf(kind, own) }
      if (deferTools !== undefined) manner.deferTools = deferTools
      if (progressMs !== undefined) manner.sessions = { progressMs }
    }
    const addresses = frames.flatMap((frame) =>
      frame.side === 'gateway' && (frame.do === 'target' || (frame.do === 'failure' && frame.skipped))
        ? [frame]
        : [],
    )
    // A target that was skipped is never called.
    for (const { backend } of addresses) backends[backend] ??= { kind: 'openai', baseUrl: nowhere }
    const names = [...new Set(addresses.map(({ backend, model }) => `${backend}/${model}`))]
    const asked = nameAsked(frames)
    Object.assign(manner, mannerOf(frames))
    const isAlias = names.length > 1 || (names.length === 1 && names[0] !== asked)
    if (asked !== undefined && isAlias) models[asked] = names
  }
  return configSchema.parse({
    auth: 'none',
    log: { level: 'silent' },
    ...{ backends, models, ollama: { enabled: true } },
    ...manner,
  })
}

const nowhere = 'http://127.0.0.1:9'

/** Tapes did not always have the base URL: the address of a request without the part of the path that the backend appends. */
function baseUrlOf(kind: string, backend: string, frames: readonly Frame[]): string {
  const asked = frames.find(
    (frame) =>
      (frame.side === 'upstream' || frame.side === 'run') && 'origin' in frame && frame.backend === backend,
  )
  if (!asked || !('origin' in asked)) return nowhere
  const own = ownPaths[kind]
  return own?.test(asked.path) ? asked.origin + asked.path.replace(own, '') : asked.origin
}

/** Notes about a name that the catalog did not know. */
const otherName = /^(?:the model ".*?" was read as|there is no model ".*?" here:) ("(?:[^"\\]|\\.)*")/

/** The name that the catalog must know: the model of the request, or the name that it was read as. */
function nameAsked(frames: readonly Frame[]): string | undefined {
  const read = gatewayFrames(frames, 'note').flatMap(({ text }) => otherName.exec(text)?.[1] ?? [])[0]
  return read === undefined ? gatewayFrames(frames, 'begin')[0]?.model : String(JSON.parse(read))
}

/** Tapes that belong together have the same client. */
function mannerOf(frames: readonly Frame[]): Record<string, unknown> {
  const [begin] = gatewayFrames(frames, 'begin')
  const { toolArguments = 'whole' } = begin?.manner ?? {}
  return begin?.client === undefined ? { toolArguments } : { clients: { [begin.client]: begin.manner ?? {} } }
}
