// Zed: a provider with every model in settings.json, and the agent's model. Zed reads keys from its keychain or from a variable, never
// from this file (github.com/zed-industries/zed, docs/src/ai/use-api-access.md, "OpenAI-Compatible Endpoints").

import { join } from 'node:path'
import { isObject } from '../../base/json.ts'
import { expandPath } from '../../base/platform/expand.ts'
import { places } from '../../base/platform/rows.ts'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { CannotEdit, editFile, exportKey, type Facts, type Plan, type SetupModel, tilde } from '../plan.ts'

const provider = ['language_models', 'openai_compatible', 'dragoman']
/** Zed makes the name from that of the provider. */
const variable = 'DRAGOMAN_API_KEY'
/** Zed demands a window. */
const usualWindow = 128_000

export function zed(facts: Facts): Plan {
  const file = editFile(facts, join(zedFolder(facts), 'settings.json'), (text) => {
    const there = jsonValue(text, provider)
    if (there !== undefined && !isObject(there))
      throw new CannotEdit(`"${provider.join('.')}" is no object there`)
    return editJson(text, changes(facts, text))
  })
  return { files: [file], steps: keySteps(facts), start: 'zed' }
}

const zedFolder = (facts: Facts) =>
  facts.system === 'windows'
    ? expandPath(places.zed.windows, facts, facts.system)
    : join(facts.configHome, 'zed')

function changes({ url, model, models }: Facts, text: string): JsonChange[] {
  const list = [...provider, 'available_models']
  const there = jsonValue(text, list)
  const known = new Set(Array.isArray(there) ? there.map((entry) => isObject(entry) && entry.name) : [])
  return [
    { path: [...provider, 'api_url'], value: `${url}/v1` },
    ...models
      .filter(({ id }) => !known.has(id))
      .map((one) => ({ path: list, value: entryOf(one), append: true as const, oneLine: true })),
    { path: ['agent', 'default_model', 'provider'], value: 'dragoman' },
    { path: ['agent', 'default_model', 'model'], value: model.id },
  ]
}

const entryOf = ({ id, contextTokens, outputTokens, images }: SetupModel) => ({
  name: id,
  max_tokens: contextTokens ?? usualWindow,
  ...(outputTokens && { max_output_tokens: outputTokens }),
  capabilities: { tools: true, images: images === true, parallel_tool_calls: true },
})

function keySteps(facts: Facts): string[] {
  const { key, home } = facts
  if (!key.needed)
    return [
      `In Zed, run "agent: open settings", and under LLM Providers give "dragoman" any key: this gateway asks for none.`,
    ]
  const where =
    key.file === undefined
      ? 'one of "auth.keys" in the configuration'
      : `the text in ${tilde(key.file, home)}`
  return [
    `In Zed, run "agent: open settings", and under LLM Providers give "dragoman" its key: ${where}. Or start Zed from a shell, after: ${exportKey(facts, variable)}`,
  ]
}
