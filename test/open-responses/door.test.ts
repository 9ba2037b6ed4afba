// Every object and event of the Responses door has what the published schema requires, on every kind of backend.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { cloudBackends, type DoorBackend, doorBackends } from '../contract/door-backends.ts'
import { doorForms, useDoorBench } from '../contract/door-bench.ts'
import { spread } from '../depth.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { eventProblems, responseProblems } from './required.ts'
import { hasSchema, schemaProblemsOfEvent, schemaProblemsOfResponse } from './schema.ts'

const bench = useDoorBench()

const read = {
  type: 'function',
  name: 'read',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const patch = { type: 'custom', name: 'patch', description: 'Changes files' }
const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }

interface Case {
  steps: readonly Step[]
  body?: Record<string, unknown>
  status?: string
  /** Item types that the answer must have. */
  has?: string[]
}

const cases: Record<string, (backend: DoorBackend, stream: boolean) => Case | undefined> = {
  text: () => ({ steps: [{ say: 'Grüße', pieces: 3 }], has: ['message'] }),
  'text for a request with every field': () => ({
    steps: [{ say: '{"a":1}' }],
    body: {
      instructions: 'be brief',
      max_output_tokens: 100,
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      prompt_cache_key: 'conversation',
      reasoning: { effort: 'low', summary: 'auto' },
      safety_identifier: 'someone',
      service_tier: 'auto',
      store: false,
      temperature: 0.5,
      text: { format: { type: 'json_schema', name: 'answer', schema }, verbosity: 'low' },
      tools: [read, { description: 'd', strict: true, ...read, name: 'other' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'read' }] },
      top_p: 0.5,
      truncation: 'auto',
      user: 'someone',
    },
  }),
  'a tool choice as an object': () => ({
    steps: [{ say: 'so' }],
    body: { tools: [read], tool_choice: { type: 'auto' } },
  }),
  reasoning: ({ model }) =>
    model.startsWith('cursor')
      ? undefined
      : {
          steps: [{ think: 'let me see', pieces: 2, signature: 'c2ln' }, { say: 'so' }],
          body: { reasoning: { effort: 'high', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
          has: ['reasoning', 'message'],
        },
  'tool calls': () => ({
    steps: [
      { say: 'I look' },
      { call: { name: 'read', arguments: { path: 'a' } }, pieces: 2 },
      { call: { name: 'read', arguments: { path: 'b' } } },
    ],
    body: { tools: [read] },
    has: ['message', 'function_call'],
  }),
  'a custom tool': () => ({
    steps: [{ call: { name: 'patch', arguments: { input: 'text' } } }],
    body: { tools: [patch, read] },
    has: ['custom_tool_call'],
  }),
  'a refusal': ({ refusal }, stream) => refusal && { steps: refusal[stream ? 'streamed' : 'whole'] },
  'an incomplete answer': ({ givesReasons }) =>
    givesReasons
      ? { steps: [{ say: 'half an' }, { end: 'length' }], status: 'incomplete', has: ['message'] }
      : undefined,
  'a failure in the middle': (_backend, stream) =>
    stream ? { steps: [{ say: 'half' }, { wait: 20 }, { fault: 'reset' }], status: 'failed' } : undefined,
}

const ask = (model: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${bench.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, input: 'hello', ...body }),
  })

for (const backend of [...doorBackends, ...spread(cloudBackends, 0)])
  for (const { name: form, stream, headers } of doorForms)
    describe(`Open Responses on ${backend.model}, ${form}`, () => {
      for (const [name, make] of Object.entries(cases)) {
        const made = make(backend, stream)
        if (!made) continue
        const { steps, body = {}, status = 'completed', has = [] } = made
        it(name, async () => {
          backend.play(bench, steps)
          const answer = await ask(backend.model, { stream, ...body }, headers)
          const { response, events, problems } = stream
            ? await readResponsesStream(answer)
            : { response: await answer.json(), events: [], problems: [] }
          expect(problems).toEqual([])
          expect(response.status).toBe(status)
          const types = response.output.map((item: { type: string }) => item.type)
          expect(types).toEqual(expect.arrayContaining(has))
          expect([...responseProblems(response), ...events.flatMap(eventProblems)]).toEqual([])
          expect([...schemaProblemsOfResponse(response), ...events.flatMap(schemaProblemsOfEvent)]).toEqual(
            [],
          )
        })
      }
    })

it.skipIf(!hasSchema)('the schema and the table agree about what they refuse', async () => {
  backend.play(bench, [{ say: 'so' }])
  const response = (await (await ask(backend.model, {})).json()) as Record<string, unknown>
  for (const field of Object.keys(response)) {
    const { [field]: _dropped, ...less } = response
    expect([field, responseProblems(less).length > 0]).toEqual([
      field,
      schemaProblemsOfResponse(less).length > 0,
    ])
  }
})

const [backend] = doorBackends as [DoorBackend]

it('a stored response is the one that was answered', async () => {
  backend.play(bench, [{ say: 'kept' }])
  const answered = (await (await ask(backend.model, {})).json()) as { id: string }
  const stored = await (await fetch(`${bench.url}/v1/responses/${answered.id}`)).json()
  expect(stored).toEqual(answered)
  expect(responseProblems(stored)).toEqual([])
})
