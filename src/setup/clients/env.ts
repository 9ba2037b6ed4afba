// Environment variables for every other client: `eval "$(dragoman setup env)"`.

import { exportLines, keyComment, keyValue, variableValue } from '../export-lines.ts'
import { type Facts, type Plan, shellWord } from '../plan.ts'
import type { Session } from '../session.ts'
import { claudeVariables } from './claude-code.ts'

export function env(facts: Facts): Plan {
  const { url, key, model, shell } = facts
  const comments: string[] = []
  const word = (text: string) => shellWord(text, shell)
  let secret = word(key.text)
  if (key.file !== undefined) {
    secret = keyValue[shell](key.file, facts.home)
  } else if (key.needed) {
    secret = variableValue[shell]('DRAGOMAN_KEY')
    comments.push(keyComment)
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
  return { files: [], steps: [], output: exportLines(variables, facts, comments) }
}

export const envSession = ({ url, key, model }: Facts): Session => ({
  variables: {
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key.text,
    OPENAI_MODEL: model.id,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key.text,
    ANTHROPIC_API_KEY: undefined,
    ...claudeVariables({ model }),
  },
})
