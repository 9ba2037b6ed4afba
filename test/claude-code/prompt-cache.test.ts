// A Claude Code session of twenty turns against the strict simulator: what the service reads from its prompt cache never shrinks, whatever
// the turns add. A gateway that rewrites a byte of the prefix loses the cache from there on.

import { expect, it } from 'vitest'
import type { Body } from '../harness.ts'
import { claude, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()

/** The usage of an answer, streamed or whole. */
function usageOf(said: string): { read: number; created: number; fresh: number } {
  const number = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(said)?.[1] ?? 0)
  return {
    read: number('cache_read_input_tokens'),
    created: number('cache_creation_input_tokens'),
    fresh: number('input_tokens'),
  }
}

/** The client moves its last mark to the newest turn, and sends an earlier system message as a plain string. */
function asHistory(messages: readonly Body[]): Body[] {
  return messages.map((message) => {
    const { content } = message
    if (!Array.isArray(content)) return message
    const bare = content.map(({ cache_control: _, ...block }: Body) => block)
    const [only] = bare
    const isText = message.role === 'system' && bare.length === 1 && only?.type === 'text'
    return { ...message, content: isText ? only?.text : bare }
  })
}

const file = 'a line of the file, which is long enough to count for something\n'.repeat(40)

/** What each turn brings beside its result: the session of an hour. */
const events: Record<number, () => { after?: Body[]; tools?: Body[] }> = {
  4: () => ({ after: [cc.system([], { output_config: { effort: 'low' } })] }),
  7: () => ({
    after: [cc.system([{ type: 'tool_addition', tool: cc.reference(String(cc.weather.name)) }])],
    tools: [cc.weather],
  }),
  11: () => ({ after: [cc.system([cc.text('The user opened b.ts.')])] }),
  15: () => ({
    after: [cc.system([{ type: 'tool_removal', tool: cc.reference(String(cc.weather.name)) }])],
  }),
}

it.each([true, false])('cache reads grow with the conversation, streamed: %s', async (stream) => {
  let history: Body[] = cc.opening(`what is here? streamed: ${stream}`)
  let tools = cc.tools
  const reads: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    bench.anthropic.play([
      { think: `thought ${turn}` },
      { call: { id: `toolu_${turn}`, name: 'Read', arguments: { file_path: `/srv/${turn}` } } },
      { end: 'tool_use' },
    ])
    const body = cc.turn(claude, { messages: history, tools, stream: false })
    const asked = stream ? { ...body, stream } : body
    const answer = await send(bench, asked)
    expect([turn, answer.status, answer.notes, answer.status === 200 ? '' : answer.said]).toEqual([
      turn,
      200,
      '',
      '',
    ])
    const { read, created, fresh } = usageOf(answer.said)
    reads.push(read)
    // Nothing but the newest messages is read without the cache.
    if (turn > 0) expect([turn, created + fresh < 2_000]).toEqual([turn, true])
    const sent = bench.anthropic.requests.at(-1)?.bodyText
    expect(sent).toBe(JSON.stringify({ ...asked, model: 'claude-opus-5-5' }))
    const content = stream ? contentOf(answer.said) : answer.json.content
    const result = { type: 'tool_result', tool_use_id: `toolu_${turn}`, content: file, ...cc.marked }
    const { after = [], tools: more = [] } = events[turn]?.() ?? {}
    tools = [...tools, ...more]
    history = [...asHistory(history), cc.assistant(content), cc.user([result]), ...after]
  }
  expect(reads).toEqual([...reads].sort((one, two) => one - two))
  expect(new Set(reads.slice(1)).size).toBe(19)
  expect(reads[19]).toBeGreaterThan(10_000)
})

/** The blocks of a streamed answer, as the client sends them back. */
function contentOf(said: string): Body[] {
  const blocks: Body[] = []
  const events = said.split('\n\n').flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? [])
  for (const { type, index, content_block: block, delta } of events.map((data) => JSON.parse(data))) {
    if (type === 'content_block_start')
      blocks[index] = { ...block, ...(block.type === 'tool_use' ? { input: '' } : {}) }
    if (type !== 'content_block_delta') continue
    const open = blocks[index] as Record<string, string>
    const fields = { text_delta: 'text', thinking_delta: 'thinking', signature_delta: 'signature' } as const
    if (delta.type === 'input_json_delta') open.input += delta.partial_json
    else {
      const field = fields[delta.type as keyof typeof fields]
      open[field] = (open[field] ?? '') + delta[field]
    }
  }
  return blocks.map((block) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(String(block.input) || '{}') } : block,
  )
}

it('a change in the prefix is seen: the cache is read no more', async () => {
  const first = cc.turn(claude, { messages: cc.opening('hello'), stream: false })
  await send(bench, first)
  const same = await send(bench, first)
  const changed = await send(bench, {
    ...first,
    system: [cc.text('Other words.'), ...(first.system as []).slice(1)],
  })
  expect(usageOf(same.said).read).toBeGreaterThan(usageOf(changed.said).read)
})
