// Every repair, drop and default that notes name is visible in the side-by-side view.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Frame } from '../../src/tapes/frame.ts'
import { isNightly, spread } from '../depth.ts'
import { ask, type Body, chatStream, readTool, user } from '../harness.ts'
import { type RepairBench, repairForms, startRepairBench } from '../wire-cases/repair-bench.ts'
import { type RepairRow, repairRows, responsesRows } from '../wire-cases/repair-rows.ts'
import { useInspected } from './inspected.ts'
import { unseenNotes } from './unseen-notes.ts'

const settings = { inspector: { enabled: true } }

/** The frames of the newest turn, once it is over. */
async function lastFrames({ gateway }: Pick<RepairBench, 'gateway'>): Promise<readonly Frame[]> {
  await expect.poll(() => gateway.inspector?.shelf.all().at(-1)?.tape.isOver).toBe(true)
  return gateway.inspector?.shelf.all().at(-1)?.tape.frames ?? []
}

const tables = [
  ['chat', repairRows],
  ['responses', responsesRows],
] as const

describe.each(tables)('repairs of answers from %s', (api, rows: Record<string, RepairRow>) => {
  const quirks = spread(Object.entries(rows), 8)
  let bench: RepairBench
  beforeAll(async () => {
    const names = quirks.map(([quirk]) => quirk)
    bench = await startRepairBench(api, names, settings)
  })
  afterAll(() => bench.close())

  it.each(quirks)('%s', async (quirk, row) => {
    for (const form of isNightly ? repairForms : spread(repairForms, 3)) {
      await bench.ask(quirk, form, row.steps)
      expect([form, await unseenNotes(await lastFrames(bench))]).toEqual([form, []])
    }
  })
})

describe('changes of requests', () => {
  const bench = useInspected({ clouds: isNightly })
  const odd: Body = {
    messages: [
      user('go'),
      { role: 'assistant', content: '' },
      { role: 'system', content: 'Be brief.' },
      { role: 'tool', tool_call_id: 'lost', content: 'of no call' },
      user('and on'),
    ],
    tools: [{ ...readTool, function: { ...readTool.function, name: 'read file!', strict: true } }],
    ...{ temperature: 1.7, seed: 4, stop: ['END', ' '], user: 'a@b.example', max_tokens: 99 },
    ...{ reasoning_effort: 'minimal', response_format: { type: 'json_object' }, novel: { a: 1 } },
  }

  const models = [
    ...['anthropic/claude-demo', 'openai/gpt-4o', 'cursor/composer-2', 'text/text-demo'],
    ...['gemini/gemini-3.8-flash', ...(isNightly ? ['bedrock/claude-demo', 'vertex/claude-demo'] : [])],
  ]

  async function expectSeen() {
    const frames = await lastFrames(bench)
    expect(frames.some((frame) => frame.side === 'gateway' && frame.do === 'note')).toBe(true)
    expect(await unseenNotes(frames)).toEqual([])
  }

  it.each(models)('%s', async (model) => {
    await chatStream(bench.url, ask(model, odd))
    await expectSeen()
  })

  it.each(models)('%s, by the Ollama door', async (model) => {
    const { messages, tools, novel } = odd
    const options = { temperature: 1.7, seed: 4, stop: ['END', ' '], num_predict: 99, mirostat: 2 }
    const body = { ...{ model, messages, tools, novel, options }, think: 'minimal', format: 'json' }
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    await (await fetch(`${bench.url}/api/chat`, init)).text()
    await expectSeen()
  })

  it("Gemini's signatures of calls that are not known, and that are refused", async () => {
    const made = { name: 'read', arguments: '{"path":"a.txt"}' }
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: made }],
    }
    const result = { role: 'tool', tool_call_id: 'c1', content: 'what it says' }
    const body = { messages: [user('go'), call, result], tools: [readTool] }
    const refusal = {
      error: { code: 400, message: 'Corrupted thought signature.', status: 'INVALID_ARGUMENT' },
    }
    const notesOf = async () => {
      await chatStream(bench.url, ask('gemini/gemini-3-pro-preview', body))
      const frames = await lastFrames(bench)
      expect(await unseenNotes(frames)).toEqual([])
      return frames.flatMap((frame) => (frame.side === 'gateway' && frame.do === 'note' ? [frame.text] : []))
    }
    expect(await notesOf()).toEqual([expect.stringContaining('is not known')])
    bench.gemini.play([{ status: 400, body: refusal }])
    expect(await notesOf()).toContainEqual(expect.stringContaining('refused the thought signatures'))
  })
})
