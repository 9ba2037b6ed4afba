// OpenCode 2's list of providers, under both names that it has had.

import type { Context, ModelInfo, ProviderInfo, ProviderRecord } from './host.ts'

/** The list while it is changed. */
export interface Draft {
  get(id: string): ProviderRecord | undefined
  put(info: ProviderInfo, models: ModelInfo[]): void
  disable(id: string): void
}

interface Registry {
  change(change: (draft: Draft) => void): Promise<unknown>
  reload(): Promise<unknown>
}

/** False in OpenCode 1, which ignores what is registered there. */
export const isVersion2 = ({ provider, catalog, session }: Context): boolean =>
  typeof provider?.transform === 'function' ||
  (typeof catalog?.transform === 'function' && typeof session?.hook === 'function')

/** Since 2.0.4 `provider`, before `catalog`. */
export function registryOf({ provider, catalog }: Context): Registry | undefined {
  if (provider?.transform)
    return {
      change: (change) =>
        provider.transform?.((editor) =>
          change({
            get: (id) => editor.get(id),
            put(info, models) {
              if (editor.get(info.id) === undefined) return editor.add({ info, models })
              editor.update(info.id, (there) => void Object.assign(there, info))
              editor.models.set(info.id, models)
            },
            disable: (id) => editor.update(id, disable),
          }),
        ) ?? Promise.resolve(),
      reload: async () => provider.reload?.(),
    }
  if (catalog?.transform)
    return {
      change: (change) =>
        catalog.transform?.((editor) =>
          change({
            get: (id) => editor.provider.get(id),
            put(info, models) {
              editor.provider.update(info.id, (there) => void Object.assign(there, info))
              for (const model of models)
                editor.model.update(info.id, model.id, (there) => void Object.assign(there, model))
            },
            disable: (id) => editor.provider.update(id, disable),
          }),
        ) ?? Promise.resolve(),
      reload: async () => catalog.reload?.(),
    }
  return undefined
}

const disable = (provider: ProviderInfo) => {
  provider.activation = 'disabled'
}
