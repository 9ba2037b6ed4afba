// Converts models to OpenCode 2's format.

import type { ListedModel } from '../../doors/models.ts'
import type { HostModel } from '../host.ts'
import { toHostModels } from '../models.ts'
import type { ProviderKind } from '../providers.ts'
import type { ModelInfo } from './host.ts'

/** OpenCode's own defaults, for sizes that a service does not report. */
const usual = { context: 200_000, output: 32_000 }

export const toModelInfos = (models: readonly ListedModel[], kind: ProviderKind): ModelInfo[] =>
  Object.entries(toHostModels(models, kind.models)).map(([id, model]) => toModelInfo(kind.id, id, model))

function toModelInfo(providerID: string, id: string, model: HostModel): ModelInfo {
  const { context = 0, output = 0 } = model.limit ?? {}
  const size = context || usual.context
  return {
    id,
    modelID: model.id ?? id,
    providerID,
    name: model.name ?? id,
    capabilities: { tools: true, input: model.modalities?.input ?? ['text'], output: ['text'] },
    // In the body, because settings mean different things to different clients of OpenCode.
    variants: Object.entries(model.variants ?? {}).flatMap(([id, { reasoningEffort }]) =>
      reasoningEffort === undefined ? [] : [{ id, body: { reasoning_effort: reasoningEffort } }],
    ),
    time: { released: 0 },
    cost: [],
    status: 'active',
    enabled: true,
    limit: { context: size, output: output || Math.min(usual.output, Math.floor(size / 2)) },
  }
}
