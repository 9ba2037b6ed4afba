// All providers as one plugin of OpenCode 1, for a module that it loads by its path. Such a plugin has one login: Cursor's.
// Credentials that are stored already work for all.

import { createPlugin } from './create-plugin.ts'
import type { Hooks, Plugin } from './host.ts'
import { anthropic, configured, cursor, openai } from './providers.ts'

const plugins = [cursor, anthropic, openai, configured].map(createPlugin)

export const server: Plugin = async (input, options) => {
  const all: Hooks[] = []
  for (const plugin of plugins) all.push(await plugin(input, options))
  const [first] = all
  return {
    ...(first?.auth && { auth: first.auth }),
    async config(config) {
      // The first configures the providers of all.
      await first?.config(config)
    },
    async dispose() {
      await Promise.all(all.map((hooks) => hooks.dispose()))
    },
  }
}
