// Copilot CLI: it takes a provider of one's own from variables alone.

import { catKey, exportLines, keyComment } from '../export-lines.ts'
import { type Facts, type Plan, shellWord } from '../plan.ts'

export function copilot(facts: Facts): Plan {
  const { url, key, model, shell } = facts
  const word = (text: string | number) => shellWord(String(text), shell)
  const comments: string[] = []
  const secret: Record<string, string> = {}
  if (key.file !== undefined) secret.COPILOT_PROVIDER_API_KEY_COMMAND = word(catKey(key.file, facts))
  else if (key.needed) {
    secret.COPILOT_PROVIDER_API_KEY = '"$DRAGOMAN_KEY"'
    comments.push(keyComment)
  } else secret.COPILOT_PROVIDER_API_KEY = word(key.text)
  const variables = {
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_BASE_URL: word(`${url}/v1`),
    COPILOT_PROVIDER_WIRE_API: 'completions',
    ...secret,
    COPILOT_MODEL: word(model.id),
    ...(model.contextTokens && { COPILOT_PROVIDER_MAX_PROMPT_TOKENS: word(model.contextTokens) }),
    ...(model.outputTokens && { COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: word(model.outputTokens) }),
  }
  return { files: [], steps: [], output: exportLines(variables, facts, comments) }
}
