// The gateway's models as OpenCode lists them.

import type { Model } from '../core/backend.ts'
import { parseModelName } from '../protocols/cursor-agent/model-name.ts'
import type { HostModel } from './host.ts'

export interface ModelsOptions {
  /** Left out of the names that the user sees, not of those that are sent. */
  prefix: string
  /** How variants ask for effort: by `reasoning_effort`, or as OpenCode itself does it for this kind of model. */
  efforts: 'reasoning-effort' | 'own'
}

/** What OpenCode offers by itself for a model that thinks, whether this one has it or not. */
const offeredAnyway = ['low', 'medium', 'high']

export function toHostModels(
  models: readonly Model[],
  { prefix, efforts }: ModelsOptions,
): Record<string, HostModel> {
  const entries = models.flatMap((model) => {
    if (isEffortOnly(model)) return []
    const key = model.id.startsWith(prefix) ? model.id.slice(prefix.length) : model.id
    return [[key, { ...toHostModel(model, key), ...(efforts === 'own' ? {} : variantsOf(model)) }] as const]
  })
  return Object.fromEntries(entries)
}

/** `gpt-5[effort=high]` is a variant of `gpt-5`, where that can be told how hard to think. */
function isEffortOnly({ id, efforts = [] }: Model): boolean {
  const { parameters } = parseModelName(id)
  return (
    efforts.length > 0 && parameters.length > 0 && parameters.every((one) => /effort|reasoning/.test(one.id))
  )
}

function toHostModel(model: Model, key: string): HostModel {
  const { id, displayName, contextTokens = 0, outputTokens = 0, reasoning = false, images = false } = model
  const { parameters } = parseModelName(id)
  const suffix = parameters.map(({ id, value }) => (value === 'true' ? id : `${id} ${value}`)).join(', ')
  return {
    id,
    name: `${displayName ?? key}${displayName && suffix ? ` (${suffix})` : ''}`,
    tool_call: true,
    reasoning,
    attachment: images,
    limit: { context: contextTokens, output: outputTokens },
    modalities: { input: images ? ['text', 'image'] : ['text'], output: ['text'] },
  }
}

function variantsOf({ reasoning, efforts = [] }: Model): Pick<HostModel, 'variants'> {
  if (!reasoning) return {}
  const unavailable = offeredAnyway.filter((name) => !efforts.some((effort) => effort === name))
  return {
    variants: Object.fromEntries([
      ...unavailable.map((name) => [name, { disabled: true }]),
      ...efforts.map((effort) => [effort, { reasoningEffort: effort }]),
    ]),
  }
}
