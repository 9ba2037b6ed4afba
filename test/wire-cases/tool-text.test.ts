// T24 and T25: tool calls in plain text. docs/wire-cases.md explains each case.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Manner } from '../../sim/text-chat.ts'
import { ask, type Body, chat, chatStream } from '../harness.ts'
import { useTextBench } from '../text-bench.ts'

const forms = ['streamed', 'whole'] as const
type Form = (typeof forms)[number]

const bench = useTextBench()

interface Answer {
  text: string
  calls: { name: string; input: unknown }[]
  finish: string | null | undefined
}

async function answerTo(body: Body, form: Form): Promise<Answer> {
  if (form === 'streamed') {
    const answer = await chatStream(bench.url, body)
    expect(answer.problems).toEqual([])
    expect(answer.error).toBeUndefined()
    return {
      text: answer.text,
      calls: answer.calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) })),
      finish: answer.finishReason,
    }
  }
  const { status, json } = await chat(bench.url, body)
  expect(status).toBe(200)
  const [choice] = json.choices
  return {
    text: choice.message.content ?? '',
    calls: (choice.message.tool_calls ?? []).map(
      (call: { function: { name: string; arguments: string } }) => ({
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      }),
    ),
    finish: choice.finish_reason,
  }
}

const body = ask('text/text-demo')
const block = (path: string) =>
  `<tool_call>\n${JSON.stringify({ name: 'read', arguments: { path } })}\n</tool_call>`
const reads = (...paths: string[]) => paths.map((path) => ({ name: 'read', input: { path } }))

/** Characters to a delta: one, as tokens come, and all at once. */
const lengths = [1, 5, 100_000]
const say = (text: string, length: number): Step => ({ say: text, pieces: Math.ceil(text.length / length) })

describe.each(forms)('%s', (form) => {
  it.each([
    ['a fence', `So:\n\`\`\`xml\n${block('x')}\n\`\`\`\nThat is the form.`],
    ['inline code', `Write \`<tool_call>{"name": "read", "arguments": {"path": "x"}}</tool_call>\` for it.`],
    ['quotes', `It says "${block('x').replaceAll('\n', '')}" there.`],
    ['a quoted line', `> ${block('x').replaceAll('\n', '')}\nis what it says.`],
  ])('T24: a call in %s is text', async (_, text) => {
    for (const length of lengths) {
      bench.sim.play([say(text, length)])
      expect(await answerTo(body, form)).toEqual({ text, calls: [], finish: 'stop' })
    }
  })

  it('T24: a call in thinking is not a call', async () => {
    for (const length of lengths) {
      bench.sim.play([say(`<think>Perhaps ${block('/')}?</think>\nNo need.`, length)])
      expect(await answerTo(body, form)).toEqual({ text: 'No need.', calls: [], finish: 'stop' })
    }
  })

  it('T24: repeated calls and the text beside them are kept', async () => {
    for (const length of lengths) {
      bench.sim.play([say(`First.\n${block('a')}\n${block('a')}\nThen.\n${block('b')}`, length)])
      expect(await answerTo(body, form)).toEqual({
        text: 'First.\nThen.',
        calls: reads('a', 'a', 'b'),
        finish: 'tool_calls',
      })
    }
  })

  it('T24: a name without a tag must be one of the tools; in a tag any name is a call, asked for once more', async () => {
    bench.sim.play([{ say: '{"name": "Bash", "arguments": {"command": "ls"}}' }])
    expect(await answerTo(body, form)).toMatchObject({ calls: [], finish: 'stop' })
    bench.sim.play([{ say: '<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>' }])
    expect(await answerTo(body, form)).toMatchObject({ calls: [], finish: 'stop' })
    const unknown = [{ say: '<tool_call>{"name": "Bash", "arguments": {"command": "ls"}}</tool_call>' }]
    bench.sim.play(unknown, unknown)
    expect(await answerTo(body, form)).toEqual({
      text: '',
      calls: [{ name: 'Bash', input: { command: 'ls' } }],
      finish: 'tool_calls',
    })
  })

  const dialects: Manner[] = [
    'asked',
    'hermes',
    'qwen3-coder',
    'native',
    'bare-function',
    'fenced-json',
    'bare-json',
    'glm',
    'invoke',
    'dsml',
    'mistral',
    'mistral-v11',
    'kimi',
    'deepseek-v3',
    'deepseek-v3.1',
    'llama3',
  ]
  it.each(dialects)('T25: no marker leaks, however it is split: %s', async (as) => {
    const content = 'mkdir -p t/{a,b\n</tool_call> }}} "'
    const call = (path: string): Step => ({ call: { name: 'read', arguments: { path } }, as })
    bench.sim.play([{ say: 'Let me see.' }, call('a'), call(content)])
    expect(await answerTo(body, form)).toEqual({
      text: 'Let me see.',
      calls: reads('a', content),
      finish: 'tool_calls',
    })
  })

  it('T25: an unclosed call at the end counts if it is complete', async () => {
    for (const length of lengths) {
      bench.sim.play([say(block('a').replace('\n</tool_call>', ''), length)])
      expect(await answerTo(body, form)).toEqual({ text: '', calls: reads('a'), finish: 'tool_calls' })
    }
  })

  it('T25: a truncated call is dropped, and the finish reason is length', async () => {
    const text = `Now.\n${block('a long path').slice(0, -30)}`
    for (const length of lengths) {
      bench.sim.play([say(text, length), { end: 'length' }])
      expect(await answerTo(body, form)).toEqual({ text: 'Now.', calls: [], finish: 'length' })
    }
  })
})
