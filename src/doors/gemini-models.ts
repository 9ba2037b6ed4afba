// GET /v1beta/models and /v1beta/models/MODEL: all models that can be called, in Google's format.

import { GatewayError } from '../core/errors.ts'
import type { ListedModel } from './models.ts'

/** What the service itself lists of the model is passed on, unknown members too. */
export function toGeminiModel(model: ListedModel): Record<string, unknown> {
  const said = model.listed?.form === 'gemini' ? model.listed.entry : {}
  return {
    ...{ version: '', description: '', supportedGenerationMethods: ['generateContent', 'countTokens'] },
    ...said,
    name: `models/${model.id}`,
    displayName: model.displayName ?? model.id,
    ...(model.contextTokens === undefined ? {} : { inputTokenLimit: model.contextTokens }),
    ...(model.outputTokens === undefined ? {} : { outputTokenLimit: model.outputTokens }),
    ...(model.reasoning === undefined ? {} : { thinking: model.reasoning }),
  }
}

const defaultPage = 50
const largestPage = 1_000

/** A page of the listing. The token of the next one is the number of models before it. */
export function geminiModelList(models: readonly ListedModel[], query: string): Record<string, unknown> {
  const asked = new URLSearchParams(query)
  const numberIn = (name: string, low: number): number | undefined => {
    const text = asked.get(name) ?? ''
    if (text === '') return undefined
    if (/^\d{1,9}$/.test(text) && Number(text) >= low) return Number(text)
    throw new GatewayError('invalid-request', `${name}: must be a number of ${low} or more`, { param: name })
  }
  const size = Math.min(numberIn('pageSize', 0) || defaultPage, largestPage)
  const from = numberIn('pageToken', 0) ?? 0
  const next = from + size
  return {
    models: models.slice(from, next).map(toGeminiModel),
    ...(next < models.length ? { nextPageToken: String(next) } : {}),
  }
}
