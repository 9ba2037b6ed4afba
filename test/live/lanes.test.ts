// Recorded answers of live services by the lane of their own dialect: the same bytes but for the model's name and the id of a
// response. Needs CASES_DIR.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { eventStream, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'
import {
  firstResponse,
  isSpliced,
  isUnreadable,
  type Json,
  type Recording,
  readRecordings,
} from './recordings.ts'

const folder = process.env.CASES_DIR
const name = 'name-of-the-client'

interface LaneRows {
  api: string
  path(stream: boolean): string
  service: Json
  model: string
  question: Json
  isPlayed(row: Recording): boolean
  /** The events of the first answer of a recording. */
  first(chunks: readonly string[]): string[]
  /** What the client gets for an event or a whole answer. `received`: what it got. */
  expected(sent: string, received: string | undefined): string
}

const lanes: readonly LaneRows[] = [
  {
    api: 'messages',
    path: () => '/v1/messages',
    service: { kind: 'anthropic' },
    model: 'claude-opus-5-5',
    question: { max_tokens: 9, messages: [{ role: 'user', content: 'go' }] },
    isPlayed: (row) => !isSpliced(row),
    first: firstMessage,
    expected: renamed,
  },
  {
    api: 'responses',
    path: () => '/v1/responses',
    service: { kind: 'openai', api: 'responses' },
    model: 'gpt-5.6-sol',
    question: { input: 'go' },
    isPlayed: (row) => !isUnreadable(row),
    first: (chunks) => firstResponse(chunks) ?? [],
    expected: renamedResponse,
  },
  {
    api: 'gemini',
    path: (stream) =>
      `/v1beta/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    service: { kind: 'gemini' },
    model: 'gemini-3.8-flash',
    question: { contents: [{ role: 'user', parts: [{ text: 'go' }] }] },
    isPlayed: () => true,
    first: (chunks) => [...chunks],
    expected: renamedVersion,
  },
]

if (folder === undefined)
  it.skip('set CASES_DIR to the folder of live.jsonl.gz, and its answers are played', () => undefined)
else
  describe.each(lanes)('recorded answers by $api', (lane) => {
    const isOfLane = (row: Recording) => row.api === lane.api && row.form !== 'error'
    play(
      lane,
      readRecordings(folder).filter((row) => isOfLane(row) && lane.isPlayed(row)),
    )
  })

function play(lane: LaneRows, rows: readonly Recording[]): void {
  let upstream: ScriptedUpstream
  let gateway: Awaited<ReturnType<typeof startGateway>>
  beforeAll(async () => {
    upstream = await startScriptedUpstream()
    const service = { ...lane.service, baseUrl: upstream.url, apiKey: 'key-of-the-upstream' }
    gateway = await startGateway({ backends: { service }, models: { [name]: `service/${lane.model}` } })
  })
  afterAll(async () => {
    await gateway.gateway.close()
    upstream.close()
  })

  const ask = async (stream: boolean) => {
    const answer = await fetch(`${gateway.url}${lane.path(stream)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...(lane.api === 'gemini' ? {} : { model: name, stream }), ...lane.question }),
    })
    return answer.text()
  }

  it.each(rows.map((row) => [`${row.service} ${row.id} (${row.form})`, row] as const))(
    '%s',
    async (_, row) => {
      if (row.chunks) {
        const events = lane.first(row.chunks)
        upstream.answer = { headers: eventStream, body: events.map(frame).join('') }
        const received = datas(await ask(true))
        expect(received).toEqual(events.map((event, at) => lane.expected(event, received[at])))
      } else {
        const sent = JSON.stringify(row.body)
        upstream.answer = { body: sent }
        const received = await ask(false)
        expect(received).toBe(lane.expected(sent, received))
      }
    },
  )
}

/** Some recordings hold the whole loop of an agent, and one has its start twice. */
function firstMessage(chunks: readonly string[]): string[] {
  const types = chunks.map((chunk): string => JSON.parse(chunk).type)
  const end = types.indexOf('message_stop')
  const start = types.indexOf('message_start')
  return chunks.filter((_, at) => at <= end && (types[at] !== 'message_start' || at === start))
}

const frame = (chunk: string) => `event: ${JSON.parse(chunk).type}\ndata: ${chunk}\n\n`

const datas = (text: string) =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))

function renamed(chunk: string): string {
  const { type, message, model } = JSON.parse(chunk)
  if (type === 'message') return chunk.replace(`"model":${JSON.stringify(model)}`, `"model":"${name}"`)
  if (type !== 'message_start') return chunk
  return chunk.replace(JSON.stringify(message.model), JSON.stringify(name))
}

function renamedVersion(sent: string): string {
  const { modelVersion } = JSON.parse(sent)
  return sent.replace(`"modelVersion":${JSON.stringify(modelVersion)}`, `"modelVersion":"${name}"`)
}

/** The id is the gateway's own, and the same in all events. */
function renamedResponse(sent: string, received: string | undefined): string {
  const event = JSON.parse(sent)
  const response = event.object === 'response' ? event : event.response
  if (!response || received === undefined) return sent
  const got = JSON.parse(received)
  const { id } = got.response ?? got
  expect(id).toMatch(/^resp_/)
  expect(id).not.toBe(response.id)
  return withMembers(sent, response, { id, model: name, previous_response_id: null })
}

/** Replaces members in the text, which must hold them once in this spelling. */
function withMembers(text: string, response: Json, members: Json): string {
  let out = text
  for (const [member, value] of Object.entries(members)) {
    if (response[member] === undefined) continue
    const [before, after] = [response[member], value].map((one) => `"${member}":${JSON.stringify(one)}`)
    if (!out.includes(before as string)) throw new Error(`other spelling of ${member}`)
    out = out.replace(before as string, after as string)
  }
  return out
}
