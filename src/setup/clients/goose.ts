// Goose: it takes a provider of one's own from variables, which override its file and its keyring.

import { exportLines, keyComment, keyValue, variableValue } from '../export-lines.ts'
import { type Facts, type Plan, shellWord } from '../plan.ts'
import type { Session } from '../session.ts'

export function goose(facts: Facts): Plan {
  const { key, home, shell } = facts
  const word = (text: string) => shellWord(text, shell)
  const words = Object.entries(address(facts)).map(([name, value]) => [name, word(value)])
  const read = key.file === undefined ? undefined : keyValue[shell](key.file, home)
  const secret = key.needed ? variableValue[shell]('DRAGOMAN_KEY') : word(key.text)
  const variables = { ...Object.fromEntries(words), OPENAI_API_KEY: read ?? secret }
  const comments = key.needed && read === undefined ? [keyComment] : []
  return { files: [], steps: [], output: exportLines(variables, facts, comments) }
}

export const gooseSession = (facts: Facts): Session => ({
  variables: { ...address(facts), OPENAI_API_KEY: facts.key.text },
})

/** All but the key. */
const address = ({ url, model }: Facts): Record<string, string> => ({
  GOOSE_PROVIDER: 'openai',
  GOOSE_MODEL: model.id,
  OPENAI_HOST: url,
  OPENAI_BASE_PATH: 'v1/chat/completions',
  ...(model.contextTokens && { GOOSE_CONTEXT_LIMIT: String(model.contextTokens) }),
})
