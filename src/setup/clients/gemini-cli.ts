// Gemini CLI: settings.json says how it logs in and which model it asks; the address, the key and the model that stands in for
// Google's are variables, which it reads from ~/.gemini/.env.

import { join } from 'node:path'
import { editEnv } from '../env-edit.ts'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { editFile, type Facts, type Plan, staleWindow } from '../plan.ts'
import { mirrored, type Session } from '../session.ts'

/** What Gemini CLI takes for the window of every model that it does not know. */
const assumedWindow = 1_048_576
/** It sums the conversation up at half of the window that it knows. */
const usualShare = 0.5

export function geminiCli(facts: Facts): Plan {
  const { model } = facts
  const folder = settingsFolder(facts)
  const settings = editFile(facts, join(folder, 'settings.json'), (text) => editJson(text, changes(facts)))
  const values = variablesOf(facts)
  const variables = editFile(facts, join(folder, '.env'), (text) => editEnv(text, values))
  const set = Object.keys(values).filter((name) => facts.variable(name))
  const steps = set.map((name) => `Unset ${name} in the shell that starts it: it wins over the file.`)
  const share = jsonValue(settings.after, ['model', 'compressionThreshold'])
  if (model.contextTokens === undefined && share !== undefined)
    steps.push(staleWindow('model.compressionThreshold', String(share), model.id))
  steps.push(
    'In a folder that has an .env of its own, Gemini CLI reads that one alone: set the variables there, too.',
  )
  return { files: [settings, variables], steps, start: 'gemini' }
}

const variablesOf = ({ url, key, model }: Facts) => ({
  GOOGLE_GEMINI_BASE_URL: url,
  GEMINI_API_KEY: key.text,
  GEMINI_MODEL: model.id,
  // Summaries, corrections and loop checks go to models of Google by name, whatever model the user chose.
  GEMINI_CLI_CUSTOM_HEADERS: `x-dragoman-helper-model: ${model.id}`,
})

const settingsFolder = ({ variable, home }: Facts) => join(variable('GEMINI_CLI_HOME') || home, '.gemini')

/** The settings of the system, which would be read above the user's, must belong to root. */
export function geminiCliSession(facts: Facts, folder: string): Session {
  const at = 'gemini'
  return {
    ...mirrored(geminiCli(facts), { of: settingsFolder(facts), at: join(at, '.gemini') }),
    // Variables of the process override those of every .env file.
    variables: { ...variablesOf(facts), GEMINI_CLI_HOME: join(folder, at) },
  }
}

function changes({ model }: Facts): JsonChange[] {
  const share = model.contextTokens && shareOf(model.contextTokens)
  return [
    { path: ['security', 'auth', 'selectedType'], value: 'gemini-api-key' },
    { path: ['model', 'name'], value: model.id },
    ...(share ? [{ path: ['model', 'compressionThreshold'], value: share }] : []),
  ]
}

/** In thousandths, rounded down. */
const shareOf = (window: number) =>
  Math.max(1, Math.min(usualShare * 1000, Math.floor((usualShare * 1000 * window) / assumedWindow))) / 1000
