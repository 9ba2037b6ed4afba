// Environment variables for every other client: `eval "$(dragoman setup env)"`.

import { type Facts, type Plan, shellPath, shellWord } from '../plan.ts'
import { claudeVariables } from './claude-code.ts'

export function env(facts: Facts): Plan {
  const { url, key, model, home, shell } = facts
  const comments: string[] = []
  const word = (text: string) => shellWord(text, shell)
  let secret = word(key.text)
  if (key.file !== undefined) {
    const path = shellPath(key.file, home, shell)
    secret = shell === 'fish' ? `(cat ${path})` : `"$(cat ${path})"`
  } else if (key.needed) {
    // The key must appear neither on a terminal nor in a shell history.
    secret = '"$DRAGOMAN_KEY"'
    comments.push('# DRAGOMAN_KEY: one of "auth.keys" in the configuration')
  }
  const variables = {
    OPENAI_BASE_URL: word(`${url}/v1`),
    OPENAI_API_KEY: secret,
    OPENAI_MODEL: word(model.id),
    ANTHROPIC_BASE_URL: word(url),
    ANTHROPIC_AUTH_TOKEN: secret,
    ...Object.fromEntries(
      Object.entries(claudeVariables({ model })).map(([name, value]) => [name, word(value)]),
    ),
  }
  const lines = Object.entries(variables).map(([name, value]) =>
    shell === 'fish' ? `set -gx ${name} ${value}` : `export ${name}=${value}`,
  )
  return { files: [], steps: [], output: `${[...comments, ...lines].join('\n')}\n` }
}
