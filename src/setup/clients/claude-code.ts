// Claude Code: variables in its settings file. The key stays where it is: a command reads it.

import { join } from 'node:path'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { editFile, type Facts, type Plan, shellPath, staleWindow } from '../plan.ts'

export function claudeCode(facts: Facts): Plan {
  const path = facts.project
    ? join(facts.projectFolder, '.claude', 'settings.local.json')
    : join(facts.variable('CLAUDE_CONFIG_DIR') || join(facts.home, '.claude'), 'settings.json')
  const file = editFile(facts, path, (text) => editJson(text, [...variables(facts), keyChange(facts, text)]))
  const other = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].filter((name) => facts.variable(name))
  const steps = other.map(
    (name) => `Unset ${name} in the shell that starts it: that key would be sent to the gateway instead.`,
  )
  if (facts.model.contextTokens === undefined) steps.push(windowStep(facts, file.after))
  return { files: [file], steps, start: 'claude' }
}

const windowName = 'CLAUDE_CODE_MAX_CONTEXT_TOKENS'

function windowStep({ model }: Facts, text: string): string {
  const there = jsonValue(text, ['env', windowName])
  return there === undefined
    ? `Claude Code takes a window of a million tokens for granted. If "${model.id}" reads less, set ${windowName} beside the others.`
    : staleWindow(windowName, String(there), model.id)
}

function variables({ url, model }: Facts): JsonChange[] {
  const env: Record<string, string> = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_MODEL: model.id,
    // What it calls opus, sonnet and haiku, in its menu, for subagents and on the side.
    ANTHROPIC_DEFAULT_OPUS_MODEL: model.id,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model.id,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model.id,
    // Else it takes a million for granted.
    ...(model.contextTokens && { [windowName]: String(model.contextTokens) }),
  }
  return Object.entries(env).map(([name, value]) => ({ path: ['env', name], value }))
}

/** The token in a variable goes first with Claude Code: where there is one, or a command of somebody else's, it is set. */
function keyChange({ key, home }: Facts, text: string): JsonChange {
  const token = ['env', 'ANTHROPIC_AUTH_TOKEN']
  const command = jsonValue(text, ['apiKeyHelper'])
  const foreign = command !== undefined && !/^cat \S*dragoman\S*key'?$/.test(String(command))
  if (key.file === undefined || foreign || jsonValue(text, token) !== undefined)
    return { path: token, value: key.text }
  return { path: ['apiKeyHelper'], value: `cat ${shellPath(key.file, home)}` }
}
