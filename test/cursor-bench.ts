// A gateway in front of a Cursor simulator, on one transport.

import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type CursorRun, type CursorSim, type CursorSimOptions, startCursorSim } from '../sim/cursor.ts'
import type { InternalOptions } from '../src/gateway.ts'
import type { ChatStream } from './chat-stream.ts'
import { spread } from './depth.ts'
import {
  answered,
  type Bench,
  type Body,
  called,
  chat,
  chatStream,
  readTool,
  startBench,
  user,
} from './harness.ts'

export const transports = spread(['http2', 'sse'] as const, 1)
export type TransportName = (typeof transports)[number]

export const cursorKey = 'crsr_canary_31415926535'

export interface CursorBench extends Pick<Bench, 'url' | 'gateway' | 'logs'> {
  sim: CursorSim
  close(): Promise<void>
}

export interface CursorBenchOptions {
  transport?: TransportName | 'auto'
  sim?: CursorSimOptions
  backend?: Body
  settings?: Body
  gateway?: Partial<InternalOptions>
}

export async function startCursorBench(options: CursorBenchOptions = {}): Promise<CursorBench> {
  const sim = await startCursorSim({ apiKey: cursorKey, ...options.sim })
  const { transport = 'http2' } = options
  const cursor = { kind: 'cursor', baseUrl: sim.url, apiKey: cursorKey, transport, ...options.backend }
  const bench = await startBench({
    settings: { backends: { cursor }, ...options.settings },
    ...(options.gateway ? { gateway: options.gateway } : {}),
  })
  return {
    url: bench.url,
    gateway: bench.gateway,
    logs: bench.logs,
    sim,
    async close() {
      await bench.close()
      await sim.close()
    },
  }
}

/** For all tests of a `describe`; what the gateway did wrong upstream fails the test it did it in. */
export function useCursorBench(options: CursorBenchOptions = {}): CursorBench {
  const bench = {} as CursorBench
  beforeAll(async () => {
    const started = await startCursorBench(options)
    Object.defineProperties(bench, Object.getOwnPropertyDescriptors(started))
  })
  afterAll(() => bench.close())
  afterEach(() => {
    const violations = [...bench.sim.violations]
    bench.sim.clear()
    bench.logs.length = 0
    expect(violations).toEqual([])
  })
  return bench
}

export const model = 'cursor/composer-2'

export const askCursor = (content: string, more: Body = {}): Body => ({
  model,
  messages: [user(content)],
  tools: [readTool],
  ...more,
})

export async function stream(url: string, body: Body, headers?: Record<string, string>): Promise<ChatStream> {
  const answer = await chatStream(url, body, headers)
  expect(answer.problems).toEqual([])
  return answer
}

interface Call {
  id: string
  name: string
  arguments: string
}

/** An answer in either form, reduced to what both have. */
export interface Answer {
  status: number
  session: string | null
  notes: string
  text: string
  calls: Call[]
  finish: string | undefined
  error: { message: string; code?: string; type?: string } | undefined
}

export async function answerOf(
  url: string,
  body: Body,
  form: 'streamed' | 'whole',
  headers?: Record<string, string>,
): Promise<Answer> {
  if (form === 'streamed') {
    const got = await stream(url, body, headers)
    return {
      status: got.status,
      session: got.headers.get('x-dragoman-session'),
      notes: `${got.headers.get('x-dragoman-notes') ?? ''} ${got.comments.join()}`,
      text: got.text,
      calls: got.calls.map(({ id, name, arguments: input }) => ({ id, name, arguments: input })),
      finish: got.finishReason,
      error: got.error,
    }
  }
  const { status, headers: answerHeaders, json } = await chat(url, body, headers)
  const choice = json.choices?.[0]
  const calls: { id: string; function: { name: string; arguments: string } }[] =
    choice?.message.tool_calls ?? []
  return {
    status,
    session: answerHeaders.get('x-dragoman-session'),
    notes: answerHeaders.get('x-dragoman-notes') ?? '',
    text: choice?.message.content ?? '',
    calls: calls.map((call) => ({ id: call.id, ...call.function })),
    finish: choice?.finish_reason,
    error: json.error,
  }
}

/** The request that brings the results of an answer's calls. */
export function followUp(
  body: Body,
  answer: Pick<Answer, 'calls' | 'text'>,
  results: readonly string[],
): Body {
  const messages = body.messages as Body[]
  return {
    ...body,
    messages: [
      ...messages,
      {
        role: 'assistant',
        content: answer.text === '' ? null : answer.text,
        tool_calls: answer.calls.map((call) => called(call.id, call.name, call.arguments)),
      },
      ...answer.calls.map((call, index) => answered(call.id, results[index] ?? '')),
    ],
  }
}

/** How many calls of the run were answered and closed; what the service asks for itself is none. */
export function closedCalls(run: CursorRun | undefined): number {
  const answered = [...(run?.execResults ?? [])].filter(
    ([, [first]]) => first?.message.case !== 'requestContextResult',
  )
  return answered.filter(([execId]) => run?.closedExecs.has(execId)).length
}

/** All that a run's client has answered to its requests, as one text to look into. */
export function resultsText(run: CursorRun | undefined): string {
  const results = [...(run?.execResults.values() ?? [])].flat()
  return JSON.stringify(results, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
}
