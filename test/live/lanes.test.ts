// Recorded answers of live services by the lane of their own dialect: the same bytes but for the model's name. Needs CASES_DIR.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { eventStream, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'
import { isSpliced, type Recording, readRecordings } from './recordings.ts'

const folder = process.env.CASES_DIR
const name = 'name-of-the-client'

if (folder === undefined)
  it.skip('set CASES_DIR to the folder of live.jsonl.gz, and its answers are played', () => undefined)
else {
  const rows = readRecordings(folder).filter(
    (row) => row.api === 'messages' && row.form !== 'error' && !isSpliced(row),
  )
  describe('answers of Anthropic by Messages', () => play(rows))
}

function play(rows: readonly Recording[]): void {
  let upstream: ScriptedUpstream
  let gateway: Awaited<ReturnType<typeof startGateway>>
  beforeAll(async () => {
    upstream = await startScriptedUpstream()
    const service = { kind: 'anthropic', baseUrl: upstream.url, apiKey: 'key-of-the-upstream' }
    gateway = await startGateway({ backends: { service }, models: { [name]: 'service/claude-opus-5-5' } })
  })
  afterAll(async () => {
    await gateway.gateway.close()
    upstream.close()
  })

  const ask = async (stream: boolean) => {
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: name,
        max_tokens: 9,
        stream,
        messages: [{ role: 'user', content: 'go' }],
      }),
    })
    return answer.text()
  }

  it.each(rows.map((row) => [`${row.service} ${row.id} (${row.form})`, row] as const))(
    '%s',
    async (_, row) => {
      if (row.chunks) {
        const message = firstMessage(row.chunks)
        upstream.answer = { headers: eventStream, body: message.map(frame).join('') }
        expect(datas(await ask(true))).toEqual(message.map(renamed))
      } else {
        upstream.answer = { body: JSON.stringify(row.body) }
        expect(await ask(false)).toBe(JSON.stringify({ ...row.body, model: name }))
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
  const { type, message } = JSON.parse(chunk)
  if (type !== 'message_start') return chunk
  return chunk.replace(JSON.stringify(message.model), JSON.stringify(name))
}
