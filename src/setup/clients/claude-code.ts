// Claude Code: variables in its settings file. The key is not copied: a command reads it.

import { join } from 'node:path'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import { CannotEdit, editFile, exportKey, type Facts, type Plan, shellPath, staleWindow } from '../plan.ts'
import { strictJson } from '../strict-json.ts'

const token = 'ANTHROPIC_AUTH_TOKEN'
/** For a gateway without a key: if another gateway with a key is set up later, its key is read and not copied. */
const anyKey = 'echo any'
/** Values that an earlier setup wrote, for another data folder or without a key. */
const isEarlier = (command: string) =>
  command === anyKey || (/^cat (\S*)key'?$/.exec(command)?.[1]?.includes('dragoman') ?? false)

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

/** All but the address and the key. */
export function claudeVariables({ model }: Pick<Facts, 'model'>): Record<string, string> {
  return {
    ANTHROPIC_MODEL: model.id,
    // The models behind opus, sonnet and haiku: in its menu, for subagents, for background work.
    ANTHROPIC_DEFAULT_OPUS_MODEL: model.id,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model.id,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model.id,
    // Without it, Claude Code assumes a million tokens.
    ...(model.contextTokens && { [windowName]: String(model.contextTokens) }),
  }
}

function variables({ url, model }: Facts): JsonChange[] {
  const isForeign = model.ownedBy !== undefined && model.ownedBy !== 'anthropic'
  const env: Record<string, string> = {
    ANTHROPIC_BASE_URL: url,
    ...claudeVariables({ model }),
    // Its menu shows the gateway's models.
    CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
    // A line about its version, which only Anthropic takes out of the prompt.
    ...(isForeign && { CLAUDE_CODE_ATTRIBUTION_HEADER: '0' }),
  }
  return Object.entries(env).map(([name, value]) => ({ path: ['env', name], value }))
}

/**
 * In Claude Code a token in a variable takes precedence: if there is one, or another key command, the token is set. Empty if the
 * user must export it: a project's file holds no key.
 */
function keyChanges({ key, home, project }: Facts, text: string): JsonChange[] {
  const hasToken = jsonValue(text, ['env', token]) !== undefined
  const command = jsonValue(text, ['apiKeyHelper'])
  const ours = key.file !== undefined ? `cat ${shellPath(key.file, home)}` : key.needed ? undefined : anyKey
  const foreign = command !== undefined && command !== ours && !isEarlier(String(command))
  if (ours !== undefined && !foreign && !hasToken) return [{ path: ['apiKeyHelper'], value: ours }]
  if (!project || !key.needed) return [{ path: ['env', token], value: key.text }]
  if (hasToken)
    throw new CannotEdit(`"env.${token}" stands there, and no key is written into a project's file`)
  return []
}
