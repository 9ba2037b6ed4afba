// Claude Code's menu of models shows only ids with `claude` or `anthropic` in them. Every other model is listed to it as
// `claude-via/BACKEND/MODEL`, a name that every door resolves.

import type { ListedModel } from './models.ts'

const prefix = 'claude-via/'

/** The name after the prefix; undefined without it. */
export const withoutPickerPrefix = (name: string): string | undefined =>
  name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : undefined

/** `ids`: those that the client's menu takes. */
export const withPickerNames = (models: readonly ListedModel[], ids: RegExp): ListedModel[] =>
  models.map((model) =>
    ids.test(model.id) ? model : { displayName: model.id, ...model, id: prefix + model.id },
  )

/** The menu's second line, of at most 100 characters. */
export function pickerDescription({ backend, contextTokens }: ListedModel): string {
  const window = contextTokens === undefined ? '' : `, reads ${Math.round(contextTokens / 1000)}k tokens`
  return `backend ${backend.slice(0, 60)}${window}`
}
