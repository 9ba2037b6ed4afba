// Dragoman as a plugin of OpenCode: the gateway runs in OpenCode's process, without a port. OpenCode treats every export of
// this module as a plugin, and a plugin has at most one provider.

import { createPlugin } from './create-plugin.ts'
import { anthropic, configured, cursor, openai } from './providers.ts'

export const DragomanCursor = createPlugin(cursor)
export const DragomanAnthropic = createPlugin(anthropic)
export const DragomanOpenAI = createPlugin(openai)
export const Dragoman = createPlugin(configured)
