// Converts the gateway's models to OpenCode's format.

import type { ListedModel } from '../doors/models.ts'
import { parseModelName } from '../protocols/cursor-agent/model-name.ts'
import type { HostModel } from './host.ts'

export interface ModelsOptions {
  /** Removed from displayed names, kept in those that are sent. */
  prefix: string
  /** How variants set the effort: by `reasoning_effort`, or by OpenCode's own means for this kind of model. */
  efforts: 'reasoning-effort' | 'own'
}

/** The efforts that OpenCode offers for every reasoning model, supported or not. */
const offeredAnyway = ['low', 'medium', 'high']

export function toHostModels(
  models: readonly ListedModel[],
  { prefix, efforts }: ModelsOptions,
): Record<string, HostModel> {
  const entries = models.flatMap((model) => {
    if (isEffortOnly(model)) return []
    const key = model.id.startsWith(prefix) ? model.id.slice(prefix.length) : model.id
    return [[key, { ...toHostModel(model, key), ...(efforts === 'own' ? {} : variantsOf(model)) }] as const]
  })
  return Object.fromEntries(entries)
}

/** `gpt-5[effort=high]` is listed as a variant of `gpt-5` if that model has efforts. */
function isEffortOnly({ id, efforts = [] }: ListedModel): boolean {
  const { parameters } = parseModelName(id)
  return (
    efforts.length > 0 && parameters.length > 0 && parameters.every((one) => /effort|reasoning/.test(one.id))
  )
}

function toHostModel(model: ListedModel, key: string): HostModel {
  const { id, contextTokens = 0, outputTokens = 0, reasoning = false, images = false } = model
  return {
    id,
    name: nameOf(model) ?? key,
    tool_call: true,
    reasoning,
    attachment: images,
    limit: { context: contextTokens, output: outputTokens },
    modalities: { input: images ? ['text', 'image'] : ['text'], output: ['text'] },
  }
}

/** Undefined for an alias: it keeps the user's name. */
function nameOf({ id, backend, displayName }: ListedModel): string | undefined {
  if (displayName === undefined || !id.startsWith(`${backend}/`)) return undefined
  const settings = parseModelName(id).parameters.map(({ id, value }) =>
    value === 'true' ? id : `${id} ${value}`,
  )
  return settings.length === 0 ? displayName : `${displayName} (${settings.join(', ')})`
}

function variantsOf({ reasoning, efforts = [] }: ListedModel): Pick<HostModel, 'variants'> {
  if (!reasoning) return {}
  const unavailable = offeredAnyway.filter((name) => !efforts.some((effort) => effort === name))
  return {
    variants: Object.fromEntries([
      ...unavailable.map((name) => [name, { disabled: true }]),
      ...efforts.map((effort) => [effort, { reasoningEffort: effort }]),
    ]),
  }
}
