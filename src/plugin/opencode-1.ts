// The package's `main`, which OpenCode 1 reads: four plugins, because a plugin of version 1 has at most one provider with a
// login. OpenCode 1 takes every export of this module for a plugin. OpenCode 2 never reads `main`; its module is opencode.ts.

import { createPlugin } from './create-plugin.ts'
import { anthropic, configured, cursor, openai } from './providers.ts'

export const DragomanCursor = createPlugin(cursor)
export const DragomanAnthropic = createPlugin(anthropic)
export const DragomanOpenAI = createPlugin(openai)
export const Dragoman = createPlugin(configured)
