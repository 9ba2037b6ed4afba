// Checks a body for one server: its shape, the rules of Chat Completions, and the server's own rules.

import type { Path, Shape, Wording } from '../shape.ts'
import { checkRequest } from './check-request.ts'
import type { ServerProfile } from './profiles.ts'
import { type Refusal, toParam, WORDING } from './refusal.ts'
import type { ChatRequest } from './request.ts'
import { shapeOf } from './schema.ts'

interface BodyOptions {
  /** Accepts unknown fields. */
  readonly lenient?: boolean
  readonly requiresReasoning?: boolean
}

/** Returns the checked request, or throws a Refusal. */
export function checkBody(body: unknown, profile: ServerProfile, options: BodyOptions = {}): ChatRequest {
  const { isOpenAI = false, rules = [] } = profile
  const words: Wording = { ...WORDING, unknown: (path) => unknownField(path, profile, options) }
  shapes[kindOf(profile)](body, [], words)
  const request = body as ChatRequest
  checkRequest(request, { requiresReasoning: options.requiresReasoning ?? false, isOpenAI })
  for (const rule of rules) rule(request)
  return request
}

const shapes: Readonly<Record<'openai' | 'mistral' | 'other', Shape>> = {
  openai: shapeOf('openai'),
  mistral: shapeOf('mistral'),
  other: shapeOf('other'),
}

function kindOf({ isOpenAI, thinkingParts }: ServerProfile) {
  if (isOpenAI) return 'openai'
  return thinkingParts ? 'mistral' : 'other'
}

function unknownField(path: Path, profile: ServerProfile, options: BodyOptions): Refusal | undefined {
  if (options.lenient || (options.requiresReasoning && path.at(-1) === 'reasoning_content')) return undefined
  return profile.isOpenAI ? (WORDING.unknown(path) as Refusal) : profile.unknownField?.(toParam(path))
}
