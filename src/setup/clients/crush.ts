// Crush: a provider with every model in crush.json, and the two models that it uses. A command in the value reads the key.

import { join } from 'node:path'
import { isObject } from '../../base/json.ts'
import { expandPath } from '../../base/platform/expand.ts'
import { places } from '../../base/platform/rows.ts'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import {
  CannotEdit,
  editFile,
  exportKey,
  type Facts,
  type Plan,
  type SetupModel,
  shellPath,
} from '../plan.ts'
import { mirrored, type Session } from '../session.ts'

const provider = ['providers', 'dragoman']
const types = ['openai-compat', 'openai']
/** Crush takes a model without its sizes for one that reads nothing. */
const usual = { context: 128_000, output: 16_000 }

const globalConfig = 'CRUSH_GLOBAL_CONFIG'

/** Unlike OpenCode, it has a folder of its own on Windows. */
const globalFolder = (facts: Facts) => {
  const { variable, system, configHome } = facts
  if (variable(globalConfig)) return String(variable(globalConfig))
  return system === 'windows' && !variable('XDG_CONFIG_HOME')
    ? expandPath(places.crush.windows, facts, system)
    : join(configHome, 'crush')
}

export function crush(facts: Facts): Plan {
  const folder = facts.project ? facts.projectFolder : globalFolder(facts)
  const hidden = join(folder, '.crush.json')
  const path = facts.project && facts.exists(hidden) ? hidden : join(folder, 'crush.json')
  const file = editFile(facts, path, (text) => {
    checkProvider(text)
    return editJson(text, [...schemaOf(text), ...changes(facts, text)])
  })
  const isExported = facts.project && facts.key.needed && facts.key.file === undefined
  return {
    files: [file],
    steps: isExported ? [`Before you start it: ${exportKey(facts)}`] : [],
    start: 'crush',
  }
}

/** Both variables name folders. In the second, Crush keeps the model that was chosen last, which would override the first. */
export function crushSession(facts: Facts, folder: string): Session {
  const at = 'crush'
  return {
    ...mirrored(crush(facts), { of: globalFolder(facts), at }),
    variables: { [globalConfig]: join(folder, at), CRUSH_GLOBAL_DATA: join(folder, 'crush-data') },
  }
}

function checkProvider(text: string): void {
  const there = jsonValue(text, provider)
  if (there === undefined) return
  const { type } = isObject(there) ? there : {}
  if (!isObject(there) || (type !== undefined && !types.includes(String(type))))
    throw new CannotEdit('"providers.dragoman" is not this gateway')
}

function changes(facts: Facts, text: string): JsonChange[] {
  const there = jsonValue(text, [...provider, 'models'])
  const known = new Set(Array.isArray(there) ? there.map((entry) => isObject(entry) && entry.id) : [])
  const unlessThere = (path: string[], value: unknown): JsonChange[] =>
    jsonValue(text, path) === undefined ? [{ path, value }] : []
  const chosen = { provider: 'dragoman', model: facts.model.id }
  return [
    ...unlessThere([...provider, 'name'], 'Dragoman'),
    ...unlessThere([...provider, 'type'], types[0]),
    { path: [...provider, 'base_url'], value: `${facts.url}/v1` },
    { path: [...provider, 'api_key'], value: apiKey(facts) },
    ...facts.models
      .filter(({ id }) => !known.has(id))
      .map((model) => ({
        path: [...provider, 'models'],
        value: entryOf(model),
        append: true as const,
        oneLine: true,
      })),
    ...['large', 'small'].flatMap((size) => [
      { path: ['models', size, 'provider'], value: chosen.provider },
      { path: ['models', size, 'model'], value: chosen.model },
    ]),
  ]
}

function apiKey({ key, home, project }: Facts): string {
  if (key.file !== undefined) return `$(cat ${shellPath(key.file, home)})`
  if (project && key.needed) return '$DRAGOMAN_KEY'
  // A dollar sign would begin a variable.
  return key.text.replaceAll('$', '\\$')
}

const entryOf = ({ id, contextTokens, outputTokens, images }: SetupModel) => ({
  id,
  name: id,
  context_window: contextTokens ?? usual.context,
  default_max_tokens:
    outputTokens ?? Math.min(usual.output, Math.floor((contextTokens ?? usual.context) / 2)),
  ...(images && { supports_attachments: true }),
})

const schemaOf = (text: string): JsonChange[] =>
  text.trim() === '' ? [{ path: ['$schema'], value: 'https://charm.land/crush.json' }] : []
