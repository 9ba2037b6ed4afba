// Claude Code: variables in its settings file. The key is not copied: a command reads it.

import { join } from 'node:path'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import {
  CannotEdit,
  editFile,
  exportKey,
  type Facts,
  type Plan,
  printFileLine,
  staleWindow,
} from '../plan.ts'
import type { Session } from '../session.ts'
import { strictJson } from '../strict-json.ts'

const token = 'ANTHROPIC_AUTH_TOKEN'
/** The key command for a gateway without a key. A later setup for a gateway with a key replaces the command, and copies no key. */
const anyKey = 'echo any'
/** Key commands that an earlier setup wrote, for another data folder or for a gateway without a key. */
const isEarlier = (command: string) =>
  command === anyKey ||
  [/^cat (\S*)key'?$/, /^node -p "require\('fs'\)\.readFileSync\('([^']*)key'/].some((form) =>
    form.exec(command)?.[1]?.includes('dragoman'),
  )

export function claudeCode(facts: Facts): Plan {
  const path = facts.project
    ? join(facts.projectFolder, '.claude', 'settings.local.json')
    : join(facts.variable('CLAUDE_CONFIG_DIR') || join(facts.home, '.claude'), 'settings.json')
  let exported = false
  let strict: string | undefined
  const file = editFile(facts, path, (text) => {
    const key = keyChanges(facts, text)
    exported = key.length === 0
    // Claude Code ignores a file with a comment or a trailing comma, without a word.
    strict = strictJson(text)
    return editJson(strict, [...variables(facts), ...key])
  })
  const other = ['ANTHROPIC_API_KEY', ...(exported ? [] : [token])].filter((name) => facts.variable(name))
  const steps = other.map(
    (name) => `Unset ${name} in the shell that starts it: that key would be sent to the gateway instead.`,
  )
  if (strict !== undefined && strict !== (file.before ?? ''))
    steps.push(
      'Claude Code ignores a settings file with comments or trailing commas: they are taken out. --undo brings them back.',
    )
  if (exported) steps.push(`Before you start it: ${exportKey(facts, token)}`)
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

/** All variables but the address and the key. */
export function claudeVariables({ model }: Pick<Facts, 'model'>): Record<string, string> {
  return {
    ANTHROPIC_MODEL: model.id,
    // The models that Claude Code uses for opus, sonnet and haiku: in its menu, for subagents, for background work.
    ANTHROPIC_DEFAULT_OPUS_MODEL: model.id,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model.id,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model.id,
    // Without this variable, Claude Code assumes a window of a million tokens.
    ...(model.contextTokens && { [windowName]: String(model.contextTokens) }),
  }
}

const variables = (facts: Facts): JsonChange[] =>
  Object.entries(settingsVariables(facts)).map(([name, value]) => ({ path: ['env', name], value }))

/** All variables but the key. */
function settingsVariables({ url, model }: Facts): Record<string, string> {
  const isForeign = model.ownedBy !== undefined && model.ownedBy !== 'anthropic'
  return {
    ANTHROPIC_BASE_URL: url,
    ...claudeVariables({ model }),
    // The menu of Claude Code then shows the gateway's models.
    CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
    // Turns off a line about Claude Code's version in the prompt, which only Anthropic removes again.
    ...(isForeign && { CLAUDE_CODE_ATTRIBUTION_HEADER: '0' }),
  }
}

/** Settings of the command line override those of the user and of the project, and these override variables. */
export function claudeCodeSession(facts: Facts, folder: string): Session {
  const name = 'claude-settings.json'
  const env = { ...settingsVariables(facts), [token]: facts.key.text }
  return {
    files: { [name]: `${JSON.stringify({ env }, undefined, 2)}\n` },
    args: ['--settings', join(folder, name)],
    // Claude Code would send this key to the gateway beside the token.
    variables: { ANTHROPIC_API_KEY: undefined },
  }
}

/**
 * In Claude Code a token in a variable takes precedence over a key command. The token is set if the file already has one, or has
 * another key command, or if no command can read the key. Empty if the user must export the token: a project's file holds no key.
 */
function keyChanges({ key, project, home, system }: Facts, text: string): JsonChange[] {
  const hasToken = jsonValue(text, ['env', token]) !== undefined
  const command = jsonValue(text, ['apiKeyHelper'])
  const printed = key.file === undefined ? undefined : printFileLine(key.file, { home, system })
  const ours = printed ?? (key.needed ? undefined : anyKey)
  const foreign = command !== undefined && command !== ours && !isEarlier(String(command))
  if (ours !== undefined && !foreign && !hasToken) return [{ path: ['apiKeyHelper'], value: ours }]
  if (!project || !key.needed) return [{ path: ['env', token], value: key.text }]
  if (hasToken)
    throw new CannotEdit(`"env.${token}" stands there, and no key is written into a project's file`)
  return []
}
