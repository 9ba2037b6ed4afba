// Models of a cloud: the facts of Anthropic's table, less what clouds do not take.

import type { Model } from '../../core/backend.ts'
import { type AnthropicModel, anthropicModel } from '../../protocols/anthropic-messages/models.ts'

/** Clouds refuse a schema for the answer, or follow it only sometimes: the model is instructed instead. */
export const cloudFacts = (model: AnthropicModel): AnthropicModel => ({ ...model, structuredOutput: false })

export function modelOf(id: string, displayName?: string): Model {
  const { known, contextTokens, outputTokens, recognised, thinking, efforts } = anthropicModel(id)
  return {
    id,
    ownedBy: 'anthropic',
    ...(displayName === undefined ? {} : { displayName }),
    ...(known ? { contextTokens, outputTokens } : {}),
    ...(recognised ? { reasoning: thinking !== 'none', efforts, images: true } : {}),
  }
}
