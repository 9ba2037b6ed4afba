// TurnRequest → a generateContent request. The model is in the path. https://ai.google.dev/api/generate-content

import { type Fields, isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { unusedFields } from '../requests/unused-fields.ts'
import { type ContentsOptions, toContents } from './contents-out.ts'
import { dialect } from './dialect.ts'
import { camelCase, member } from './member.ts'
import { toGenerationConfig } from './settings-out.ts'
import { toTools } from './tools-out.ts'
import { verbatimBody } from './verbatim.ts'

interface GeminiRequestOptions extends ContentsOptions {
  /** A client of this dialect may get the service's own messages. */
  mayForward: boolean
}

interface GeminiUpstreamRequest {
  body: Fields
  /** The client's own body, but for signatures. */
  isVerbatim: boolean
}

export function toGeminiRequest(request: TurnRequest, options: GeminiRequestOptions): GeminiUpstreamRequest {
  const { model, note } = options
  const verbatim = options.mayForward ? verbatimBody(request, options) : undefined
  if (verbatim) return { body: verbatim, isVerbatim: true }
  const { systemInstruction, contents } = toContents(request.messages, options)
  const generationConfig = { ...ownConfig(request), ...toGenerationConfig(request, model, note) }
  const isOwn = request.origin.dialect === dialect
  const dropped = isOwn ? [] : unusedFields(request, used)
  if (dropped.length > 0) note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
  const body: Fields = { ...ownFields(request), contents }
  if (systemInstruction) body.systemInstruction = systemInstruction
  Object.assign(body, toTools(request, model, note))
  if (Object.keys(generationConfig).length > 0) body.generationConfig = generationConfig
  return { body, isVerbatim: false }
}

/** Fields of other dialects that this module writes, or that say nothing about the answer. */
const used = [
  'max_completion_tokens', 'max_tokens', 'stop', 'temperature', 'top_k', 'top_p', 'user',
] // biome-ignore format: a list to be read as one

const written: ReadonlySet<string> = new Set([
  'contents', 'generateContentRequest', 'generationConfig', 'model', 'systemInstruction', 'toolConfig', 'tools',
]) // biome-ignore format: a list to be read as one

const writtenConfig: ReadonlySet<string> = new Set([
  'maxOutputTokens', 'responseJsonSchema', 'responseMimeType', 'responseSchema', 'stopSequences', 'temperature',
  'thinkingConfig', 'topK', 'topP',
]) // biome-ignore format: a list to be read as one

const others = (fields: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(camelCase(name))))

/** A client of this dialect may send any other field: the service knows it. */
const ownFields = ({ origin }: TurnRequest): Fields =>
  origin.dialect === dialect ? others(origin.body, written) : {}

function ownConfig({ origin }: TurnRequest): Fields {
  const config = origin.dialect === dialect ? member(origin.body, 'generationConfig') : undefined
  return isObject(config) ? others(config, writtenConfig) : {}
}
