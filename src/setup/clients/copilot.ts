// Copilot CLI: it takes a provider of one's own from variables alone.

import { exportLines, keyComment, variableValue } from '../export-lines.ts'
import { type Facts, type Plan, printFileLine, shellWord } from '../plan.ts'
import type { Session } from '../session.ts'

export function copilot(facts: Facts): Plan {
  const { key, shell } = facts
  const word = (text: string) => shellWord(text, shell)
  const comments: string[] = []
  const secret: Record<string, string> = {}
  if (key.file !== undefined) secret.COPILOT_PROVIDER_API_KEY_COMMAND = word(printFileLine(key.file, facts))
  else if (key.needed) {
    secret.COPILOT_PROVIDER_API_KEY = variableValue[shell]('DRAGOMAN_KEY')
    comments.push(keyComment)
  } else secret.COPILOT_PROVIDER_API_KEY = word(key.text)
  const words = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, word(value)]))
  const variables = { ...words(address(facts)), ...secret, ...words(modelOf(facts)) }
  return { files: [], steps: [], output: exportLines(variables, facts, comments) }
}

export const copilotSession = (facts: Facts): Session => ({
  variables: {
    ...address(facts),
    ...modelOf(facts),
    COPILOT_PROVIDER_API_KEY: facts.key.text,
    COPILOT_PROVIDER_API_KEY_COMMAND: undefined,
  },
})

const address = ({ url }: Facts): Record<string, string> => ({
  COPILOT_PROVIDER_TYPE: 'openai',
  COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
  COPILOT_PROVIDER_WIRE_API: 'completions',
})

const modelOf = ({ model }: Facts): Record<string, string> => ({
  COPILOT_MODEL: model.id,
  ...(model.contextTokens && { COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(model.contextTokens) }),
  ...(model.outputTokens && { COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(model.outputTokens) }),
})
