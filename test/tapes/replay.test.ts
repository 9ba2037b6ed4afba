// What was recorded plays to the same code as it was, to the byte; what is changed shows where it is.

import { describe, expect, it } from 'vitest'
import { checkReplayable } from '../../src/replay/check-replayable.ts'
import { replay } from '../../src/replay/replay.ts'
import type { ReadTape } from '../../src/tapes/read.ts'
import { type Bench, readTool, user } from '../harness.ts'
import { asked, recorded } from './recorded.ts'

const messagesTool = {
  name: 'read',
  description: 'Read a file',
  input_schema: readTool.function.parameters,
}
const responsesTool = { type: 'function', ...readTool.function }
const question = 'Read README.md'

const doors: Record<string, (bench: Bench, model: string, stream: boolean) => Promise<string>> = {
  chat: (bench, model, stream) =>
    asked(bench, '/v1/chat/completions', { model, stream, messages: [user(question)], tools: [readTool] }),
  messages: (bench, model, stream) =>
    asked(bench, '/v1/messages', {
      ...{ model, stream, max_tokens: 1000, messages: [user(question)], tools: [messagesTool] },
    }),
  responses: (bench, model, stream) =>
    asked(bench, '/v1/responses', { model, stream, input: question, tools: [responsesTool] }),
}

const backends = ['anthropic/claude-x', 'openai/gpt-x', 'text/plain-x', 'cursor/default']
const cases = Object.keys(doors).flatMap((door) =>
  backends.flatMap((model) => [true, false].map((stream) => [door, model, stream ? 'streamed' : 'whole'] as const)),
)

/** No difference, and nothing that was otherwise upstream. */
async function expectEqual(tapes: readonly ReadTape[]): Promise<void> {
  for (const tape of tapes) checkReplayable(tape, 'tape')
  const { turns, remarks } = await replay(tapes)
  expect({ differences: turns.flatMap(({ difference }) => difference ?? []), remarks }).toEqual({
    differences: [],
    remarks: [],
  })
  expect(turns.map(({ turn }) => turn)).toEqual(tapes.map(({ turn }) => turn))
  for (const { bytes, writes } of turns) expect(Math.min(bytes, writes)).toBeGreaterThan(0)
}

describe('a tape replays byte-equal', () => {
  it.each(cases)('%s on %s, %s', async (door, model, how) => {
    const tapes = await recorded(async (bench) => {
      await doors[door]?.(bench, model, how === 'streamed')
    })
    expect(tapes).toHaveLength(1)
    await expectEqual(tapes)
  })
})
