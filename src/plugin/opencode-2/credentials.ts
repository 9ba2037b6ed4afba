// Reads what OpenCode 2 has stored for a provider, in version 1's terms.

import type { HostAuth } from '../host.ts'
import type { Context } from './host.ts'

export async function readCredential({ integration }: Context, id: string): Promise<HostAuth | undefined> {
  const active = await integration?.connection?.active?.(id)
  if (active === undefined || active === null) return undefined
  const credential = await integration?.connection?.resolve?.(active)
  if (!credential) return undefined
  if (credential.type === 'oauth') {
    const { access, refresh, expires } = credential
    return { type: 'oauth', access, refresh, expires }
  }
  // The answers of a form were metadata in version 1, and still are in what was stored by it.
  const answers = Object.entries({ ...credential.metadata, ...credential.configuration })
  const metadata = Object.fromEntries(
    answers.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  return { type: 'api', key: credential.key, ...(answers.length > 0 ? { metadata } : {}) }
}
