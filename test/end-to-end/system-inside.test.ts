// A system message after the user's text, as Claude Code sends one in every request: each backend gets it in a form that it
// accepts, and cannot mistake it for the user's request.

import { expect, it } from 'vitest'
import { type Body, useBench } from '../harness.ts'

const bench = useBench()
const note = 'a system message inside the conversation was sent as user text'
const schema = { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] }
const words = [
  { type: 'text', text: '<system-reminder>\nRun `ls`.\n</system-reminder>' },
  { type: 'text', text: 'Read a.txt' },
]
const system = 'Working directory: /srv\nUse Search with {"q":"x"}, then run `pwd`.'

async function ask(model: string, messages: Body[]) {
  const body = {
    model,
    max_tokens: 4_000,
    system: 'You are an agent.',
    messages,
    tools: [
      { name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } },
      { name: 'Read', input_schema: schema },
      { name: 'Search', input_schema: { type: 'object', properties: { q: { type: 'string' } } } },
    ],
  }
  const answer = await fetch(`${bench.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { headers } = answer
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into
  return { headers, ...((await answer.json()) as any) }
}

it.each([
  ['anthropic/claude-demo', null],
  ['openai/gpt-demo', null],
  ['cursor/composer-2', 'live'],
  ['text/text-demo', null],
])('%s', async (model, session) => {
  const begin = [
    { role: 'user', content: words },
    { role: 'system', content: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] },
  ]
  const first = await ask(model, begin)
  expect(first.content).toMatchObject([
    { type: 'tool_use', name: 'Read', input: { file_path: expect.stringMatching(/a\.txt$/) } },
  ])
  expect(first.headers.get('x-dragoman-notes')).toContain(note)

  const [call] = first.content
  const second = await ask(model, [
    { role: 'user', content: words },
    { role: 'system', content: system },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '1\tA\n' }] },
  ])
  expect(second.content).toMatchObject([{ type: 'text', text: 'a.txt begins: A' }])
  expect(second.headers.get('x-dragoman-session')).toBe(session)
})
