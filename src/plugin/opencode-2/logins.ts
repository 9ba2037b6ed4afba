// The ways to log in, in OpenCode 2's form: methods of an integration that has the provider's id.

import type { AuthMethod, Prompt } from '../host.ts'
import type { LoginContext, ProviderKind } from '../providers.ts'
import type { FormField, IntegrationEditor, MethodRegistration } from './host.ts'

export function addLogins(editor: IntegrationEditor, kind: ProviderKind, context: LoginContext): void {
  const methods = kind.methods?.(context) ?? []
  if (methods.length === 0) return
  editor.update(kind.id, (integration) => {
    integration.name = kind.name
  })
  for (const method of methods) editor.method.update(registration(kind.id, method))
  if (kind.variables)
    editor.method.update({ integrationID: kind.id, method: { type: 'env', names: [...kind.variables] } })
}

function registration(integrationID: string, method: AuthMethod): MethodRegistration {
  const { label, prompts } = method
  if (method.type === 'api') {
    const form = prompts && { form: prompts.map(toField) }
    return { integrationID, method: { type: 'key', label, ...form } }
  }
  const id = 'browser'
  return {
    integrationID,
    method: { id, type: 'oauth', label },
    async authorize() {
      const { url, instructions, callback } = await method.authorize()
      const credential = callback().then(
        ({ access, refresh, expires }) =>
          ({ type: 'oauth', methodID: id, access, refresh, expires }) as const,
      )
      // A cancelled login is no failure.
      credential.catch(() => undefined)
      return { mode: 'auto', url, instructions, callback: credential }
    },
  }
}

function toField(prompt: Prompt): FormField {
  const field = { type: 'string', key: prompt.key, title: prompt.message, required: true } as const
  if (prompt.type === 'text') {
    const { placeholder, pattern } = prompt
    return { ...field, ...(placeholder && { placeholder }), ...(pattern && { pattern }) }
  }
  const options = prompt.options.map(({ value, label, hint }) => ({
    value,
    label,
    ...(hint && { description: hint }),
  }))
  return { ...field, options }
}
