// Codex: a provider in config.toml, the settings that select it, and beside that file a catalogue of the gateway's models. A command
// reads the key, so no variable is needed.

import { join, resolve } from 'node:path'
import type { System } from '../../base/platform/system.ts'
import { codexModels } from '../../doors/codex-models.ts'
import {
  CannotEdit,
  editFile,
  exportKey,
  type Facts,
  type FileChange,
  type Plan,
  printFile,
  staleWindow,
} from '../plan.ts'
import type { Session } from '../session.ts'
import { editToml, type TomlTable, tomlValue } from '../toml-edit.ts'

const provider = ['model_providers', 'dragoman']

const configFolder = ({ variable, home }: Facts) => variable('CODEX_HOME') || join(home, '.codex')

/** Codex refuses to start without a catalogue that its configuration names: it is written first, and removed last. */
export function codex(facts: Facts): Plan {
  const folder = configFolder(facts)
  const path = join(folder, 'config.toml')
  const catalogue = join(folder, 'dragoman-models.json')
  let variable: string | undefined
  const file = editFile(facts, path, (text) => {
    variable = tomlValue(text, [...provider, 'env_key'])?.slice(1, -1)
    return editToml(text, tables(facts, { text, catalogue: resolve(catalogue) }))
  })
  const steps = variable === undefined ? [] : [`Before you start it: ${exportKey(facts, variable)}`]
  const window = tomlValue(file.after, ['model_context_window'])
  if (facts.model.contextTokens === undefined && window !== undefined)
    steps.push(staleWindow('model_context_window', window, facts.model.id))
  return { files: [catalogueFile(facts, catalogue), file], steps, start: 'codex' }
}

/** Settings of the command line, under a provider's name of their own: a provider that setup wrote has another way to its key. */
export function codexSession(facts: Facts, folder: string): Session {
  const name = 'codex-models.json'
  const { url, model } = facts
  const table = 'model_providers.dragoman-session'
  const there = facts.read(join(configFolder(facts), 'config.toml')) ?? ''
  const settings = {
    model: model.id,
    model_provider: 'dragoman-session',
    model_catalog_json: join(folder, name),
    // As in the file: it overrides the catalogue for every model.
    ...(model.contextTokens && ownWindow.test(there) && { model_context_window: model.contextTokens }),
    [`${table}.name`]: 'Dragoman',
    [`${table}.base_url`]: `${url}/v1`,
    [`${table}.wire_api`]: 'responses',
    [`${table}.env_key`]: sessionKey,
  }
  return {
    files: { [name]: catalogueText(facts) },
    // JSON's strings and numbers are TOML's.
    args: Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`]),
    variables: { [sessionKey]: facts.key.text },
  }
}

const ownWindow = /^[ \t]*model_context_window[ \t]*=/m
const sessionKey = 'DRAGOMAN_SESSION_KEY'

const catalogueText = ({ models }: Facts) =>
  `${JSON.stringify({ models: codexModels(models) }, undefined, 2)}\n`

function catalogueFile(facts: Facts, path: string): FileChange {
  const file = editFile(facts, path, () => catalogueText(facts))
  const names = facts.models.map(({ id }) => id)
  const shown = names.slice(0, 3).join(', ')
  const count = `${names.length} ${names.length === 1 ? 'model' : 'models'}`
  return { ...file, summary: `${count}: ${shown}${names.length > 3 ? ', …' : ''}` }
}

function tables(facts: Facts, { text, catalogue }: { text: string; catalogue: string }): TomlTable[] {
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
        model_catalog_json: catalogue,
        // It overrides the catalogue for every model: only one that is there already is kept right.
        ...(model.contextTokens && hasWindow(text) && { model_context_window: model.contextTokens }),
      },
    },
    { path: provider, values: { name: 'Dragoman', base_url: `${url}/v1`, wire_api: 'responses' } },
    ...credential(facts, text),
  ]
}

const hasWindow = (text: string) => tomlValue(text, ['model_context_window']) !== undefined

function keyCommand(file: string, system: System) {
  const { program, args } = printFile(file, system)
  return { command: program, args }
}

/** A command of an earlier setup. */
const isOurs = (command: string, args = '') =>
  /^["']cat["']$/.test(command) || (/^["']node["']$/.test(command) && args.includes('readFileSync'))

/** Codex has three ways to get a key; an existing one stays. */
function credential({ key, system }: Facts, text: string): TomlTable[] {
  const has = (...name: string[]) => tomlValue(text, [...provider, ...name]) !== undefined
  if (has('env_key') || !key.needed) return []
  const auth = [...provider, 'auth']
  const command = tomlValue(text, [...auth, 'command'])
  if (command !== undefined && !isOurs(command, tomlValue(text, [...auth, 'args']))) return []
  if (key.file !== undefined && !has('experimental_bearer_token'))
    return [{ path: auth, values: keyCommand(key.file, system) }]
  if (command !== undefined) throw new CannotEdit(`"${auth.join('.')}" reads the key from another file`)
  return [{ path: provider, values: { experimental_bearer_token: key.text } }]
}
