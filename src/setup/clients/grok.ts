// The two programs called grok, which share a folder: xAI's own (config.toml) and the community's grok-cli (user-settings.json).
// Both read the key only from their file or from a variable.

import { join } from 'node:path'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { editFile, exportKey, type Facts, type Plan, shellWord } from '../plan.ts'
import { mirrored, type Session } from '../session.ts'
import { editToml, tomlValue } from '../toml-edit.ts'

const model = ['model', 'dragoman']

export function grokBuild(facts: Facts): Plan {
  const folder = facts.variable('GROK_HOME') || join(facts.home, '.grok')
  let variable: string | undefined
  const file = editFile(facts, join(folder, 'config.toml'), (text) => {
    variable = tomlValue(text, [...model, 'env_key'])?.slice(1, -1)
    return editToml(text, [
      // It asks the second for a title; without one it calls xAI.
      { path: ['models'], values: { default: 'dragoman', session_summary: 'dragoman' } },
      {
        path: model,
        values: {
          name: 'Dragoman',
          model: facts.model.id,
          base_url: `${facts.url}/v1`,
          api_backend: backendOf(text),
          ...(variable === undefined && { api_key: facts.key.text }),
          ...(facts.model.contextTokens && { context_window: facts.model.contextTokens }),
        },
      },
    ])
  })
  const steps = variable === undefined ? [] : [`Before you start it: ${exportKey(facts, variable)}`]
  return { files: [file], steps, start: 'grok' }
}

/** It has one folder for everything. */
export function grokBuildSession(facts: Facts, folder: string): Session {
  const of = facts.variable('GROK_HOME') || join(facts.home, '.grok')
  const at = 'grok'
  const [file] = grokBuild(facts).files
  const variable = tomlValue(file?.after ?? '', [...model, 'env_key'])?.slice(1, -1)
  return {
    ...mirrored(grokBuild(facts), { of, at }),
    variables: { GROK_HOME: join(folder, at), ...(variable !== undefined && { [variable]: facts.key.text }) },
  }
}

const backendOf = (text: string) =>
  tomlValue(text, [...model, 'api_backend'])?.slice(1, -1) ?? 'chat_completions'

/** It makes a project's file with a model of its own at once, which overrides the user's: only an option overrides that. */
export function grokCli(facts: Facts): Plan {
  const file = editFile(facts, join(facts.home, '.grok', 'user-settings.json'), (text) =>
    editJson(text, [
      { path: ['apiKey'], value: facts.key.text },
      { path: ['baseURL'], value: `${facts.url}/v1` },
      { path: ['defaultModel'], value: facts.model.id },
      ...listed(facts, text),
    ]),
  )
  return { files: [file], steps: [], start: `grok -m ${shellWord(facts.model.id)}` }
}

/** Its variables override its files, also the one that it makes in each folder. */
export const grokCliSession = ({ url, key, model: { id } }: Facts): Session => ({
  variables: { GROK_API_KEY: key.text, GROK_BASE_URL: `${url}/v1`, GROK_MODEL: id },
})

function listed({ model: { id } }: Facts, text: string): JsonChange[] {
  const there = jsonValue(text, ['models'])
  return Array.isArray(there) && there.includes(id) ? [] : [{ path: ['models'], value: id, append: true }]
}
