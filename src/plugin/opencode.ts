// Dragoman as a plugin of OpenCode 1 and 2, from one default export: version 1 calls `server`, version 2 `setup`. There must be no
// other export, and no other key that a host knows. Each host loads only its own half.

import type { Hooks, PluginInput } from './host.ts'
import type { Cleanup, Context } from './opencode-2/host.ts'

export default {
  id: 'dragoman',

  async server(input: PluginInput, options?: Record<string, unknown>): Promise<Hooks> {
    const { server } = await import('./server.ts')
    return server(input, options)
  },

  /** OpenCode 1 calls it too, after `server`, with less in its context. */
  async setup(context: Context): Promise<Cleanup | undefined> {
    const { isVersion2 } = await import('./opencode-2/registry.ts')
    if (!isVersion2(context)) return undefined
    const { setup } = await import('./opencode-2/setup.ts')
    return setup(context)
  },
}
