// The same question at every door, streamed and whole.

import { expect } from 'vitest'
import type { Sim } from '../../sim/server.ts'
import { isNightly } from '../depth.ts'
import type { Body } from '../harness.ts'

export interface Question {
  model: string
  effort?: string
  /** Absent: one tool. */
  tools?: false
  temperature?: number
  stop?: string[]
  /** A conversation in Chat's form, for that door alone. */
  messages?: Body[]
  /** Fields of this door's own. */
  more?: Body
}

export const doors = ['chat', 'messages', 'responses', 'gemini', 'ollama'] as const
export type Door = (typeof doors)[number]

/** Every door in both forms, for `it.each`; by day in one, streamed and whole by turns. */
export const doorForms = doors.flatMap((door, at) =>
  [true, false]
    .filter((stream) => isNightly || stream === (at % 2 === 0))
    .map((stream) => ({ door, stream })),
)

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tool = { name: 'read', description: 'Read a file' }

const paths: Record<Door, (model: string, stream: boolean) => string> = {
  chat: () => '/v1/chat/completions',
  messages: () => '/v1/messages',
  responses: () => '/v1/responses',
  gemini: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  ollama: () => '/api/chat',
}

const bodies: Record<Door, (question: Question) => Body> = {
  chat: ({ effort, tools, stop, messages }) => ({
    messages: messages ?? [{ role: 'user', content: 'hello' }],
    max_tokens: 500,
    reasoning_effort: effort,
    stop,
    ...(tools ?? { tools: [{ type: 'function', function: { ...tool, parameters: schema } }] }),
  }),
  messages: ({ effort, tools, stop }) => ({
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 500,
    ...(effort === 'none' ? { thinking: { type: 'disabled' } } : effort && { output_config: { effort } }),
    stop_sequences: stop,
    ...(tools ?? { tools: [{ ...tool, input_schema: schema }] }),
  }),
  responses: ({ effort, tools }) => ({
    input: 'hello',
    max_output_tokens: 500,
    reasoning: effort && { effort },
    ...(tools ?? { tools: [{ type: 'function', ...tool, parameters: schema }] }),
  }),
  gemini: ({ effort, tools, stop, temperature }) => ({
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    generationConfig: {
      maxOutputTokens: 500,
      stopSequences: stop,
      temperature,
      thinkingConfig: effort === 'none' ? { thinkingBudget: 0 } : effort && { thinkingLevel: effort },
    },
    ...(tools ?? { tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: schema }] }] }),
  }),
  ollama: ({ effort, tools, stop, temperature }) => ({
    messages: [{ role: 'user', content: 'hello' }],
    options: { num_predict: 500, stop, temperature },
    think: effort === 'none' ? false : effort,
    ...(tools ?? { tools: [{ type: 'function', function: { ...tool, parameters: schema } }] }),
  }),
}

export interface DoorReply {
  status: number
  text: string
  notes: string
}

export async function askAt(
  url: string,
  { door, stream }: { door: Door; stream: boolean },
  question: Question,
  headers: Record<string, string> = {},
): Promise<DoorReply> {
  const { model, more } = question
  const temperature = door === 'ollama' ? undefined : question.temperature
  const response = await fetch(url + paths[door](model, stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      ...(door === 'gemini' ? {} : { model, temperature, stream }),
      ...bodies[door](question),
      ...more,
    }),
  })
  const text = await response.text()
  return { status: response.status, text, notes: response.headers.get('x-dragoman-notes') ?? text }
}

const failed = /event: error|response\.failed|"error":\{|^\{"error":"/m

/** Expects an answer; returns the last upstream request. */
export async function answeredAt(
  url: string,
  sim: Sim | undefined,
  at: { door: Door; stream: boolean },
  question: Question,
) {
  const reply = await askAt(url, at, question)
  expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, ''])
  expect(reply.text).not.toMatch(failed)
  // biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
  return { ...reply, sent: sim?.requests.at(-1)?.body as any }
}

/** At the first asking: a refusal that teaches how to ask is one refusal too many. */
export async function acceptedAt(...asked: Parameters<typeof answeredAt>) {
  const [, sim] = asked
  const before = sim?.requests.length ?? 0
  const answer = await answeredAt(...asked)
  if (sim) expect(sim.requests.length - before).toBe(1)
  return answer
}
