// Answers with tool calls, as cases about calls need them.

import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import type { Play } from '../upstream/played.ts'
import { tools } from './tools.ts'

export const ask = { tools }

/** A stream of these chunks; not streamed, the calls in their correct form. */
export const chunked =
  (pieces: readonly string[], whole: readonly [string, string, string][], finish = 'tool_calls'): Play =>
  ({ stream }) =>
    stream
      ? openai.chunks(pieces, finish)
      : openai.completion({ tool_calls: whole.map((call) => openai.call(...call)) }, finish)

export const blocks =
  (pieces: readonly string[], whole: Parameters<typeof anthropic.message>[0], stop = 'tool_use'): Play =>
  ({ stream }) =>
    stream ? anthropic.events(pieces, stop) : anthropic.message(whole, stop)

export const use = (id: string, name: string, input: Record<string, unknown>) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

export const pathA = '{"path":"a"}'
