// `dragoman logout`: deletes stored logins. Running gateways notice at their next turn.

import { readEnvironment } from '../config/environment.ts'
import { createLoginStore } from '../credentials/store.ts'
import { out } from '../process/output.ts'
import { toCommandError } from './login.ts'

export async function logout(provider: string, flags: { baseUrl?: string; as?: string }): Promise<void> {
  const store = createLoginStore(readEnvironment().dataFolder)
  const origin = flags.baseUrl === undefined ? undefined : new URL(flags.baseUrl).origin
  const gone = await store.remove(provider, { origin, account: flags.as }).catch((error: unknown) => {
    throw toCommandError(error)
  })
  for (const one of gone) {
    const which = one.account === undefined ? '' : ` (account "${one.account}")`
    out(`Logged out of ${one.origin}${which}: removed from ${store.path}\n`)
  }
  if (gone.length === 0)
    out(`No login${origin === undefined ? '' : ` for ${origin}`} is stored in ${store.path}\n`)
}
