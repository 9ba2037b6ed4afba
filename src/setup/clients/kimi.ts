// Kimi Code CLI: a provider and a model in config.toml, with the key beside them: it reads keys from there or from a variable.

import { join } from 'node:path'
import { CannotEdit, editFile, exportKey, type Facts, type Plan } from '../plan.ts'
import type { Session } from '../session.ts'
import { editToml, type TomlTable, tomlValue } from '../toml-edit.ts'

const provider = ['providers', 'dragoman']
/** Kimi refuses a model without its window. */
const usualWindow = 128_000

export function kimi(facts: Facts): Plan {
  const folder = facts.variable('KIMI_CODE_HOME') || join(facts.home, '.kimi-code')
  let variable: string | undefined
  const file = editFile(facts, join(folder, 'config.toml'), (text) => {
    variable = tomlValue(text, [...provider, 'api_key_env'])?.slice(1, -1)
    return editToml(text, tables(facts, text, variable === undefined))
  })
  const steps = variable === undefined ? [] : [`Before you start it: ${exportKey(facts, variable)}`]
  if (facts.model.contextTokens === undefined)
    steps.push(
      `max_context_size is ${usualWindow}: how much "${facts.model.id}" reads is not known. Correct it.`,
    )
  return { files: [file], steps, start: 'kimi' }
}

/** Kimi refuses a provider that has a key and the name of a variable. */
function tables({ url, key, model }: Facts, text: string, copied: boolean): TomlTable[] {
  const type = tomlValue(text, [...provider, 'type'])
  if (type !== undefined && !/^["']openai(?:_responses)?["']$/.test(type))
    throw new CannotEdit('"providers.dragoman" is something else there than this gateway')
  return [
    { path: [], values: { default_model: 'dragoman' } },
    {
      path: provider,
      values: {
        ...(type === undefined && { type: 'openai' }),
        base_url: `${url}/v1`,
        ...(copied && { api_key: key.text }),
      },
    },
    {
      path: ['models', 'dragoman'],
      values: {
        provider: 'dragoman',
        model: model.id,
        max_context_size: model.contextTokens ?? usualWindow,
      },
    },
  ]
}

/** A model of variables is added to those of the file, and is the default. Kimi's own program (2.1.0) has these names. */
export const kimiSession = ({ url, key, model }: Facts): Session => ({
  variables: {
    KIMI_MODEL_PROVIDER_TYPE: 'openai',
    KIMI_MODEL_BASE_URL: `${url}/v1`,
    KIMI_MODEL_API_KEY: key.text,
    KIMI_MODEL_NAME: model.id,
    KIMI_MODEL_MAX_CONTEXT_SIZE: String(model.contextTokens ?? usualWindow),
  },
})
