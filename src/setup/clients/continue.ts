// Continue: a model in config.yaml, with the key beside it.

import { join } from 'node:path'
import { CannotEdit, editFile, type Facts, type Plan } from '../plan.ts'
import type { Session } from '../session.ts'
import { addYamlItem, type YamlFields } from '../yaml-edit.ts'

export function continueDev(facts: Facts): Plan {
  const folder = facts.variable('CONTINUE_GLOBAL_DIR') || join(facts.home, '.continue')
  const path = join(folder, 'config.yaml')
  const older = join(folder, 'config.json')
  const file = editFile(facts, path, (text) => {
    if (text.trim() !== '') return addYamlItem(text, 'models', fields(facts))
    if (facts.exists(older))
      throw new CannotEdit(
        `Continue would no longer read ${older} once there is a config.yaml; move to that first`,
      )
    return addYamlItem('name: Local\nversion: 1.0.0\nschema: v1\n', 'models', fields(facts))
  })
  return {
    files: [file],
    steps: [
      `The command \`cn\` uses the first model in the file, which is this one. In an editor, choose "Dragoman: ${facts.model.id}".`,
    ],
    start: 'cn',
  }
}

/** A copy of the file, with the user's models, rules and servers. */
export function continueSession(facts: Facts, folder: string): Session {
  const name = 'continue.yaml'
  const [file] = continueDev(facts).files
  return { files: { [name]: file?.after ?? '' }, args: ['--config', join(folder, name)] }
}

const fields = ({ url, key, model }: Facts): YamlFields => [
  ['name', `Dragoman: ${model.id}`],
  ['provider', 'openai'],
  ['model', model.id],
  ['apiBase', `${url}/v1`],
  ['apiKey', key.text],
  ['roles', ['chat', 'edit', 'apply']],
  // Continue decides by name which models support tools, and does not know these names.
  ['capabilities', ['tool_use', ...(model.images ? ['image_input'] : [])]],
  ...sizesOf(model),
]

/** Without a window Continue assumes one of its own, and cuts or overfills the conversation. */
function sizesOf({ contextTokens, outputTokens }: Facts['model']): YamlFields {
  if (contextTokens === undefined) return []
  const sizes = { contextLength: contextTokens, ...(outputTokens && { maxTokens: outputTokens }) }
  return [['defaultCompletionOptions', sizes]]
}
