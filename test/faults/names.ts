// A resolver that fails for `localhost` on demand; all other names resolve normally.

import dns from 'node:dns'
import { vi } from 'vitest'
import { atTestEnd } from '../at-end.ts'

/** Until the test is through. */
export function watchNames(): { isDown: boolean } {
  const state = { isDown: false }
  const { lookup } = dns
  const watched = vi.spyOn(dns, 'lookup').mockImplementation(((...args: Parameters<typeof lookup>) => {
    const [host] = args
    if (!state.isDown || host !== 'localhost') return lookup(...args)
    const callback = args.at(-1) as unknown as (error: Error) => void
    const code = 'ENOTFOUND'
    setImmediate(() => callback(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code })))
  }) as unknown as typeof lookup)
  atTestEnd(() => watched.mockRestore())
  return state
}
