// Dragoman as a plugin of OpenCode: the gateway runs in OpenCode's own process, without a port. OpenCode takes every export
// of this module for a plugin, and a plugin has one provider at most.

import { createPlugin } from './create-plugin.ts'
import { anthropic, configured, cursor, openai } from './providers.ts'

export const DragomanCursor = createPlugin(cursor)
export const DragomanAnthropic = createPlugin(anthropic)
export const DragomanOpenAI = createPlugin(openai)
export const Dragoman = createPlugin(configured)
