// Cline: the file that `cline auth` writes, with the key in it. The extension in the editor keeps its settings elsewhere: steps.

import { join } from 'node:path'
import { editJson, jsonValue } from '../json-edit.ts'
import { editFile, type Facts, type Plan } from '../plan.ts'
import type { Session } from '../session.ts'
import { clineSteps } from './by-hand.ts'

const name = 'openai-compatible'
const entry = ['providers', name]

export function cline(facts: Facts): Plan {
  const file = editFile(facts, settingsPath(facts), (text) => {
    const isNew = text.trim() === ''
    const hasSource = jsonValue(text, [...entry, 'tokenSource']) !== undefined
    return editJson(text, [
      ...(isNew ? [{ path: ['version'], value: 1 }] : []),
      { path: ['lastUsedProvider'], value: name },
      ...(isNew ? [{ path: ['modes'], value: {} }] : []),
      { path: [...entry, 'settings', 'provider'], value: name },
      { path: [...entry, 'settings', 'apiKey'], value: facts.key.text },
      { path: [...entry, 'settings', 'model'], value: facts.model.id },
      { path: [...entry, 'settings', 'baseUrl'], value: `${facts.url}/v1` },
      // Cline drops an entry without both; the time is only shown.
      ...(hasSource
        ? []
        : [
            { path: [...entry, 'updatedAt'], value: '2026-01-01T00:00:00.000Z' },
            { path: [...entry, 'tokenSource'], value: 'manual' },
          ]),
    ])
  })
  return { files: [file], steps: clineSteps(facts), start: 'cline' }
}

/** A copy of the file, with the providers that the user has. */
export function clineSession(facts: Facts, folder: string): Session {
  const name = 'cline-providers.json'
  const [file] = cline(facts).files
  return {
    files: { [name]: file?.after ?? '' },
    variables: { CLINE_PROVIDER_SETTINGS_PATH: join(folder, name) },
  }
}

function settingsPath({ variable, home }: Facts): string {
  const own = variable('CLINE_PROVIDER_SETTINGS_PATH')
  if (own) return own
  const data = variable('CLINE_DATA_DIR') || join(variable('CLINE_DIR') || join(home, '.cline'), 'data')
  return join(data, 'settings', 'providers.json')
}
