// Codex: a provider in config.toml, and the settings that select it. A command reads the key, so no variable is needed.

import { join } from 'node:path'
import { CannotEdit, editFile, exportKey, type Facts, type Plan, staleWindow } from '../plan.ts'
import { editToml, type TomlTable, tomlValue } from '../toml-edit.ts'

const provider = ['model_providers', 'dragoman']

export function codex(facts: Facts): Plan {
  const path = join(facts.variable('CODEX_HOME') || join(facts.home, '.codex'), 'config.toml')
  let variable: string | undefined
  const file = editFile(facts, path, (text) => {
    variable = tomlValue(text, [...provider, 'env_key'])?.slice(1, -1)
    return editToml(text, tables(facts, text))
  })
  const steps = variable === undefined ? [] : [`Before you start it: ${exportKey(facts, variable)}`]
  const window = tomlValue(file.after, ['model_context_window'])
  if (facts.model.contextTokens === undefined && window !== undefined)
    steps.push(staleWindow('model_context_window', window, facts.model.id))
  return { files: [file], steps, start: 'codex' }
}

function tables(facts: Facts, text: string): TomlTable[] {
  const { url, model } = facts
  const wire = tomlValue(text, [...provider, 'wire_api'])
  if (wire !== undefined && !/^["']responses["']$/.test(wire))
    throw new CannotEdit('"model_providers.dragoman" is something else there than this gateway')
  return [
    {
      path: [],
      values: {
        model: model.id,
        model_provider: 'dragoman',
        // Codex knows these facts only of its own models.
        ...(model.contextTokens && { model_context_window: model.contextTokens }),
      },
    },
    { path: provider, values: { name: 'Dragoman', base_url: `${url}/v1`, wire_api: 'responses' } },
    ...credential(facts, text),
  ]
}

/** Codex has three ways to get a key; an existing one stays. */
function credential({ key }: Facts, text: string): TomlTable[] {
  const has = (...name: string[]) => tomlValue(text, [...provider, ...name]) !== undefined
  if (has('env_key') || !key.needed) return []
  const auth = [...provider, 'auth']
  const command = tomlValue(text, [...auth, 'command'])
  if (command !== undefined && !/^["']cat["']$/.test(command)) return []
  if (key.file !== undefined && !has('experimental_bearer_token'))
    return [{ path: auth, values: { command: 'cat', args: [key.file] } }]
  if (command !== undefined) throw new CannotEdit(`"${auth.join('.')}" reads the key from another file`)
  return [{ path: provider, values: { experimental_bearer_token: key.text } }]
}
