// Every tape in this folder, played to the current code (README.md).

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { parseTapeScript } from '../../sim/tape-script.ts'
import { checkReplayable } from '../../src/replay/check-replayable.ts'
import { replay } from '../../src/replay/replay.ts'
import { withEarlier } from '../../src/tapes/earlier-turns.ts'
import { findSecrets } from '../../src/tapes/find-secrets.ts'
import { readTapeFile } from '../../src/tapes/read.ts'
import { upstreamKey } from '../harness.ts'

const folder = import.meta.dirname
const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

describe('a tape of a fixture', () => {
  it.each(names)('%s replays byte-equal', async (name) => {
    const file = readTapeFile(join(folder, name))
    const tapes = withEarlier(file)
    for (const tape of tapes) checkReplayable(tape, name)
    const { turns, remarks } = await replay(tapes)
    const differences = turns.flatMap(({ difference }) => difference ?? [])
    expect({ differences, remarks }).toEqual({ differences: [], remarks: [] })
  })

  it.each(names)('%s has a title and no secrets', (name) => {
    const { tapes } = readTapeFile(join(folder, name))
    expect(tapes[0]?.head.title).toBeTruthy()
    expect(tapes.flatMap(findSecrets)).toEqual([])
  })
})

describe('a simulator plays a tape', () => {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')

  it('byte for byte', async () => {
    const text = read('anthropic-tool-call.jsonl')
    const sim = await startAnthropicSim({ apiKey: upstreamKey, script: parseTapeScript(text, 'anthropic') })
    try {
      const response = await fetch(`${sim.url}/v1/messages`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': upstreamKey,
          'anthropic-version': '2023-06-01',
        },
        body: JSON.stringify({
          ...{ model: 'claude-sonnet-4-5', max_tokens: 100, stream: true },
          messages: [{ role: 'user', content: 'Whatever' }],
        }),
      })
      const [tape] = readTapeFile(join(folder, 'anthropic-tool-call.jsonl')).tapes
      const came = tape?.frames.map((frame) =>
        frame.side === 'upstream' && 'text' in frame ? frame.text : '',
      )
      expect(await response.text()).toBe(came?.join(''))
    } finally {
      await sim.close()
    }
  })

  it.each([
    [
      'cursor-two-turns.jsonl',
      'cursor',
      /line 4: a tape of "cursor", not for "openai"|a run of Cursor's agent/,
    ],
    ['openai-whole.jsonl', 'anthropic', /a tape of "openai", not for "anthropic"/],
  ])('%s, or says why not', (name, _kind, words) => {
    expect(() => parseTapeScript(read(name), name.startsWith('cursor') ? 'openai' : 'anthropic')).toThrow(
      words,
    )
    expect(() => parseTapeScript('{"tape":1}\n', 'openai')).toThrow('a tape on which no service was asked')
    expect(() => parseTapeScript('{"tape":2}\n', 'openai')).toThrow('line 1: a tape of another format')
    expect(() => parseTapeScript('{"tape":1}\n{', 'openai')).toThrow('line 2: not JSON')
  })
})
