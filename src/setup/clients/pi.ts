// pi: a provider with every model in models.json, and the choice in settings.json. A command reads the key.

import { join } from 'node:path'
import { isObject } from '../../base/json.ts'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { CannotEdit, editFile, type Facts, type Plan, printFileLine, type SetupModel } from '../plan.ts'
import { mirrored, type Session } from '../session.ts'

const provider = ['providers', 'dragoman']

const agentFolder = ({ variable, home }: Facts) =>
  variable('PI_CODING_AGENT_DIR') || join(home, '.pi', 'agent')

export function pi(facts: Facts): Plan {
  const folder = agentFolder(facts)
  const models = editFile(facts, join(folder, 'models.json'), (text) => {
    checkProvider(text)
    return editJson(text, providerChanges(facts, text))
  })
  const settings = editFile(facts, join(folder, 'settings.json'), (text) =>
    editJson(text, [
      { path: ['defaultProvider'], value: 'dragoman' },
      { path: ['defaultModel'], value: facts.model.id },
    ]),
  )
  return { files: [models, settings], steps: [], start: 'pi' }
}

export function piSession(facts: Facts, folder: string): Session {
  const at = 'pi'
  return {
    ...mirrored(pi(facts), { of: agentFolder(facts), at }),
    variables: { PI_CODING_AGENT_DIR: join(folder, at) },
  }
}

function checkProvider(text: string): void {
  const there = jsonValue(text, provider)
  if (there === undefined) return
  const { baseUrl } = isObject(there) ? there : {}
  if (!isObject(there) || (baseUrl !== undefined && !/\/v1\/?$/.test(String(baseUrl))))
    throw new CannotEdit('"providers.dragoman" is not this gateway')
}

function providerChanges(facts: Facts, text: string): JsonChange[] {
  const { url, key, models } = facts
  const there = jsonValue(text, [...provider, 'models'])
  const known = new Set(Array.isArray(there) ? there.map((entry) => isObject(entry) && entry.id) : [])
  const hasApi = jsonValue(text, [...provider, 'api']) !== undefined
  return [
    { path: [...provider, 'baseUrl'], value: `${url}/v1` },
    ...(hasApi ? [] : [{ path: [...provider, 'api'], value: 'openai-completions' }]),
    {
      path: [...provider, 'apiKey'],
      value: key.file === undefined ? key.text : `!${printFileLine(key.file, facts)}`,
    },
    ...models
      .filter(({ id }) => !known.has(id))
      .map((model) => ({
        path: [...provider, 'models'],
        value: entryOf(model),
        append: true as const,
        oneLine: true,
      })),
  ]
}

const entryOf = ({ id, contextTokens, outputTokens, images }: SetupModel) => ({
  id,
  ...(images && { input: ['text', 'image'] }),
  ...(contextTokens && { contextWindow: contextTokens }),
  ...(outputTokens && { maxTokens: outputTokens }),
})
