// T44: text, and then a refusal. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { type Body, useBench, user } from '../harness.ts'
import { chatAnswer, chunk, done } from './frames.ts'

const bench = useBench()

const steps = (stream: boolean) =>
  stream
    ? [
        chunk({ role: 'assistant', content: 'Well, ' }),
        chunk({ content: 'no.' }),
        chunk({ refusal: 'I ' }),
        chunk({ refusal: "can't." }),
        chunk({}, 'stop'),
        done,
      ]
    : [chatAnswer({ content: 'Well, no.', refusal: "I can't." }, 'stop')]

async function ask(path: string, body: Body): Promise<string> {
  bench.openai.play(steps(body.stream === true))
  const answer = await fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-demo', ...body }),
  })
  expect(answer.status).toBe(200)
  return answer.text()
}

/** The values of this field in all events, put together. */
const joined = (text: string, pick: (event: Body) => unknown) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => pick(JSON.parse(line.slice(6))) ?? '')
    .join('')

describe('T44: text, and then a refusal', () => {
  it('Chat: each in its field', async () => {
    const whole = JSON.parse(await ask('/v1/chat/completions', { messages: [user('go')] }))
    expect(whole.choices[0].message).toMatchObject({ content: 'Well, no.', refusal: "I can't." })
    const stream = await ask('/v1/chat/completions', { messages: [user('go')], stream: true })
    const delta = (name: string) =>
      joined(stream, ({ choices }) => (choices as { delta: Body }[])[0]?.delta[name])
    expect([delta('content'), delta('refusal')]).toEqual(['Well, no.', "I can't."])
  })

  it('Responses: a part of each kind', async () => {
    const whole = JSON.parse(await ask('/v1/responses', { input: 'go' }))
    const parts = whole.output.flatMap((item: { content: Body[] }) => item.content)
    expect(parts).toMatchObject([
      { type: 'output_text', text: 'Well, no.' },
      { type: 'refusal', refusal: "I can't." },
    ])
    const stream = await ask('/v1/responses', { input: 'go', stream: true })
    const deltas = (type: string) => joined(stream, (event) => (event.type === type ? event.delta : ''))
    expect([deltas('response.output_text.delta'), deltas('response.refusal.delta')]).toEqual([
      'Well, no.',
      "I can't.",
    ])
  })

  it('Messages: two blocks of text, and the stop reason says so', async () => {
    const asked = { max_tokens: 100, messages: [user('go')] }
    const whole = JSON.parse(await ask('/v1/messages', asked))
    expect(whole.content).toEqual([
      { type: 'text', text: 'Well, no.' },
      { type: 'text', text: "I can't." },
    ])
    expect(whole.stop_reason).toBe('refusal')
    const stream = await ask('/v1/messages', { ...asked, stream: true })
    expect(stream).toContain('"stop_reason":"refusal"')
  })
})
