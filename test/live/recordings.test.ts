// Recorded answers of live services, played as upstreams, at every door. Needs CASES_DIR.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { encodeChunk } from '../../sim/clouds/event-stream.ts'
import { clouds } from '../faults/upstreams.ts'
import { startGateway } from '../harness.ts'
import { doors } from './doors.ts'
import {
  firstResponse,
  isSpliced,
  isUnreadable,
  type Recording,
  readRecordings,
  saidBy,
} from './recordings.ts'
import { unexpectedRepairs, unseenRepairs } from './service-notes.ts'

const folder = process.env.CASES_DIR
/** Those that speak an API. Clouds serve Claude in its own form, Bedrock in frames of AWS. */
const backends: Record<string, readonly string[]> = {
  chat: ['openai'],
  gemini: ['gemini'],
  messages: ['anthropic', 'bedrock', 'vertex'],
  responses: ['responses'],
}

if (folder === undefined)
  it.skip('set CASES_DIR to the folder of live.jsonl.gz, and its answers are played', () => undefined)
else {
  const rows = readRecordings(folder)
  const playable = rows.filter(({ api }) => backends[api] !== undefined)
  const others = rows.filter((row) => !playable.includes(row)).map(({ api }) => api)
  it.each([...new Set(others)].map((api) => [others.filter((one) => one === api).length, api]))(
    '%i answers of %s are not played: no backend speaks it',
    () => undefined,
  )
  describe('answers of live services', () => play(playable))
}

function play(rows: readonly Recording[]): void {
  let playing: Recording
  let upstream: Server
  let gateway: Awaited<ReturnType<typeof startGateway>>
  beforeAll(async () => {
    upstream = createServer((request, response) => {
      request.resume()
      const { chunks, body, api } = playing
      const isBedrock = request.url?.startsWith('/model/') === true
      const streamType = isBedrock ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
      response.writeHead(isRefusal(playing) ? refusedStatus(playing) : 200, {
        'content-type': chunks ? streamType : 'application/json',
      })
      if (!chunks) response.end(JSON.stringify(body))
      else response.end(isBedrock ? Buffer.concat(chunks.map(encodeChunk)) : frames(chunks, api))
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    gateway = await startGateway({
      backends: {
        openai: { kind: 'openai', baseUrl: `${url}/v1`, apiKey: 'key-of-the-upstream' },
        anthropic: { kind: 'anthropic', baseUrl: url, apiKey: 'key-of-the-upstream' },
        gemini: { kind: 'gemini', baseUrl: url, apiKey: 'key-of-the-upstream' },
        ...clouds(url, url),
        responses: {
          kind: 'openai',
          baseUrl: `${url}/v1`,
          apiKey: 'key-of-the-upstream',
          api: 'responses',
        },
      },
    })
  })
  afterAll(async () => {
    await gateway.gateway.close()
    upstream.close()
  })

  const titled = rows.flatMap((row) =>
    (backends[row.api] ?? []).map(
      (backend) => [`${row.service} ${row.id} (${backend}, ${row.form})`, row, backend] as const,
    ),
  )
  const isBroken = (row: Recording) => isRefusal(row) || isSpliced(row) || isUnreadable(row)
  describe.each(Object.entries(doors))('by %s', (name, door) => {
    // Responses to Responses, and Gemini to Gemini, are lanes: lanes.test.ts compares the bytes.
    const isForwarded = (row: Recording) =>
      (name === 'Responses' || name === 'Gemini') &&
      row.api === name.toLowerCase() &&
      row.form !== 'error' &&
      !isBroken(row)
    it.each(titled.filter(([, row]) => !isForwarded(row)))('%s', async (_title, row, backend) => {
      playing = row
      const stream = row.form === 'stream'
      const expected = isBroken(row) ? undefined : saidBy(row)
      const names = [...new Set(expected?.calls.map(({ name }) => name))]
      gateway.logs.length = 0
      const model = `${backend}/${row.service}-model`
      const answer = await fetch(`${gateway.url}${door.path(model, stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...(name === 'Gemini' ? {} : { model, ...(stream || name === 'Ollama' ? { stream } : {}) }),
          ...door.body(names),
        }),
      })
      if (!expected) return expectError(answer, row)
      expect(answer.status).toBe(200)
      const isFiltered = name === 'Ollama' && expected.finish === 'content-filter'
      const finish = isFiltered ? 'stop' : expected.finish
      expect(await door.hear(answer, stream)).toEqual({ ...expected, finish, problems: [] })
      const isOwn = name.toLowerCase() === row.api
      const notes = await vi.waitFor(() => notesOf(gateway.logs))
      expect(unexpectedRepairs(row.api, row.service, isOwn, notes)).toEqual([])
    })
  })

  it('leave all notes of the table', () => expect(unseenRepairs()).toEqual([]))
}

/** The line of a turn is written after its answer. */
function notesOf(logs: readonly string[]): string[] {
  const line = logs.map((one) => JSON.parse(one)).find(({ message }) => message === 'turn')
  if (!line) throw new Error('no turn in the log')
  return line.notes ?? []
}

/** Google's body has the status. */
const refusedStatus = ({ body, api }: Recording): number => (api === 'gemini' ? body.error.code : 400)

const isRefusal = ({ form, body }: Recording) => form === 'error' && body.error !== undefined

/** With the service's own words, and without a call that nobody made. */
async function expectError(answer: Response, row: Recording): Promise<void> {
  const text = await answer.text()
  expect(text).toContain('"error"')
  expect(text).not.toContain('"tool_calls"')
  if (!isRefusal(row)) return
  expect(answer.status).toBe(row.body.error.code === 'insufficient_quota' ? 402 : refusedStatus(row))
  expect(text).toContain(JSON.stringify(row.body.error.message).slice(1, -1))
}

const frames = (chunks: readonly string[], api: string): string =>
  (api === 'responses' ? (firstResponse(chunks) ?? chunks) : chunks)
    .map((chunk) => {
      const event = api === 'messages' ? `event: ${JSON.parse(chunk).type}\n` : ''
      return `${event}data: ${chunk}\n\n`
    })
    .concat(api === 'chat' && chunks.at(-1) !== '[DONE]' ? ['data: [DONE]\n\n'] : [])
    .join('')
