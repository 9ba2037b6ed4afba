// Recorded answers of live services, played as upstreams, at every door. Needs CASES_DIR.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
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
const backends: Record<string, string> = { chat: 'openai', messages: 'anthropic', responses: 'responses' }

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
      response.writeHead(isRefusal(playing) ? 400 : 200, {
        'content-type': chunks ? 'text/event-stream' : 'application/json',
      })
      response.end(chunks ? frames(chunks, api) : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    gateway = await startGateway({
      backends: {
        openai: { kind: 'openai', baseUrl: `${url}/v1`, apiKey: 'key-of-the-upstream' },
        anthropic: { kind: 'anthropic', baseUrl: url, apiKey: 'key-of-the-upstream' },
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

  const titled = rows.map((row) => [`${row.service} ${row.id} (${row.api}, ${row.form})`, row] as const)
  const isBroken = (row: Recording) => isRefusal(row) || isSpliced(row) || isUnreadable(row)
  describe.each(Object.entries(doors))('by %s', (name, door) => {
    // Responses to Responses is a lane: lanes.test.ts compares the bytes.
    const isForwarded = (row: Recording) =>
      name === 'Responses' && row.api === 'responses' && row.form !== 'error' && !isBroken(row)
    it.each(titled.filter(([, row]) => !isForwarded(row)))('%s', async (_title, row) => {
      playing = row
      const stream = row.form === 'stream'
      const expected = isBroken(row) ? undefined : saidBy(row)
      const names = [...new Set(expected?.calls.map(({ name }) => name))]
      gateway.logs.length = 0
      const answer = await fetch(`${gateway.url}${door.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: `${backends[row.api]}/${row.service}-model`,
          ...door.body(names),
          ...(stream ? { stream } : {}),
        }),
      })
      if (!expected) return expectError(answer, row)
      expect(answer.status).toBe(200)
      expect(await door.hear(answer, stream)).toEqual({ ...expected, problems: [] })
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

const isRefusal = ({ form, body }: Recording) => form === 'error' && body.error !== undefined

/** With the service's own words, and without a call that nobody made. */
async function expectError(answer: Response, row: Recording): Promise<void> {
  const text = await answer.text()
  expect(text).toContain('"error"')
  expect(text).not.toContain('"tool_calls"')
  if (!isRefusal(row)) return
  expect(answer.status).toBe(row.body.error.code === 'insufficient_quota' ? 402 : 400)
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
