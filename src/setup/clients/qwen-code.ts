// Qwen Code: a model in settings.json, and the key beside it: Qwen Code reads keys only from variables, and this file can set
// them.

import { join } from 'node:path'
import { isObject } from '../../base/json.ts'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { editFile, exportKey, type Facts, type Plan } from '../plan.ts'
import { planAbove, type Session } from '../session.ts'

const list = ['modelProviders', 'openai']
const variable = 'DRAGOMAN_KEY'
/** The version of the file format. Without one, Qwen Code rewrites the file at its first start. */
const settingsVersion = 4

export function qwenCode(facts: Facts): Plan {
  const folder = facts.project ? facts.projectFolder : facts.home
  const path = join(folder, '.qwen', 'settings.json')
  // A project's file is shared; it must not hold a key.
  const copied = !(facts.project && facts.key.needed)
  const file = editFile(facts, path, (text) =>
    editJson(text, [
      ...(text.trim() === '' ? [{ path: ['$version'], value: settingsVersion }] : []),
      ...modelChanges(facts, text),
      ...(copied ? [{ path: ['env', variable], value: facts.key.text }] : []),
      { path: ['security', 'auth', 'selectedType'], value: 'openai' },
      { path: ['model', 'name'], value: facts.model.id },
    ]),
  )
  return { files: [file], steps: copied ? [] : [`Before you start it: ${exportKey(facts)}`], start: 'qwen' }
}

const systemSettings = 'QWEN_CODE_SYSTEM_SETTINGS_PATH'

/** The system's settings are read above the user's and the project's; those that are there are kept. */
export function qwenCodeSession(facts: Facts, folder: string): Session {
  const name = 'qwen-settings.json'
  const there = facts.read(facts.variable(systemSettings) || '/etc/qwen-code/settings.json')
  const [file] = qwenCode(planAbove(facts, there)).files
  return {
    files: { [name]: file?.after ?? '' },
    variables: { [systemSettings]: join(folder, name), [variable]: facts.key.text },
  }
}

/** An entry of an earlier setup is corrected in place. */
function modelChanges({ url, model }: Facts, text: string): JsonChange[] {
  const baseUrl = `${url}/v1`
  const window = model.contextTokens && { contextWindowSize: model.contextTokens }
  const there = jsonValue(text, list)
  const at = Array.isArray(there)
    ? there.findIndex((entry) => isObject(entry) && entry.id === model.id && entry.envKey === variable)
    : -1
  if (at >= 0) return [{ path: [...list, at, 'baseUrl'], value: baseUrl }]
  const value = {
    id: model.id,
    name: `Dragoman: ${model.id}`,
    baseUrl,
    envKey: variable,
    ...(window && { generationConfig: window }),
  }
  return [{ path: list, value, append: true }]
}
