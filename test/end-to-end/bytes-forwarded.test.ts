// Requests to a service of the client's own dialect are forwarded byte for byte.

import { describe, expect, it } from 'vitest'
import { useBench } from '../harness.ts'

const bench = useBench()

/** What JSON.parse and JSON.stringify would not give back: numbers, escapes, blanks, order, names that look like indexes. */
const oddities = String.raw`"description":"\u0072ead \/ é \ud83d\ude00 😀", "b":1.0,"a":12345678901234567890, "10":1e400,"9":-0.0,"e":1E-2`
const oddSchema = `{ "type":"object","properties" : {"path":{"type":"string",${oddities}}},\n\t"required":["path"] }`

async function forwarded(path: string, sim: 'anthropic' | 'openai', text: string): Promise<string> {
  const answer = await fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  const said = await answer.text()
  expect([answer.status, answer.status === 200 ? '' : said]).toEqual([200, ''])
  return bench[sim].requests.at(-1)?.bodyText ?? ''
}

const toBackend = (text: string) => text.replace(/"(anthropic|openai)\/([^"]+)"/, '"$2"')

describe('Messages to Anthropic', () => {
  const messages = (stream: string) => String.raw`{
  "messages": [
    {"role":"user","content":[{"type":"text","text":"caf\u00e9 \"go\"\n"}]},
    {"content":[{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a","n":12345678901234567890,"x":1.0}}],"role":"assistant"},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"},{"type":"text","text":"<system-reminder>…</system-reminder>"}]}
  ],
  "model" : "anthropic/any-model", "max_tokens":4000${stream},
  "temperature": 1.0,
  "tools": [{"name":"read","input_schema":${oddSchema}}] }`

  it.each([
    ['streamed', ', "stream":true'],
    ['whole', ''],
    ['whole, and saying so', ',"stream" :false'],
  ])('%s: all but the model', async (_, stream) => {
    const text = messages(stream)
    expect(await forwarded('/v1/messages?beta=true', 'anthropic', text)).toBe(toBackend(text))
  })

  it('token counts: the same, without the fields that a count refuses', async () => {
    const [limit, temperature] = [' "max_tokens":4000,', '\n  "temperature": 1.0,']
    const text = messages('')
    const asked = toBackend(text).replace(limit, '').replace(temperature, '')
    for (const given of [text, text.replace(limit, '')])
      expect(await forwarded('/v1/messages/count_tokens', 'anthropic', given)).toBe(asked)
  })

  it('a field that is null is cut out', async () => {
    const text = messages('').replace('"max_tokens":4000', '"max_tokens":4000, "top_k":null')
    const kept = toBackend(text).replace(', "top_k":null', '')
    expect(await forwarded('/v1/messages', 'anthropic', text)).toBe(kept)
  })
})

describe('Chat to an OpenAI-compatible service', () => {
  const chat = (stream: string) => String.raw`{
  "logit_bias" : {"9":1.0,"10":-1.50E0}, "messages": [
    {"role":"system","content":"caf\u00e9"},
    {"role":"user","content":[{"type":"text","text":"go\/on"}],"name":"me"},
    {"content":null,"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"arguments":"{ \"path\":1.0 }","name":"read"}}]},
    {"role":"tool","tool_call_id":"call_1","content":"ok"}
  ],
  "temperature": 1.0, "model" : "openai/gpt-demo"${stream},
  "tools": [{"function":{"parameters":${oddSchema},"name":"read"}, "type":"function"}] }`

  it.each([
    ['streamed, usage asked for', ', "stream":true,"stream_options" : {"include_usage":true}'],
    ['whole', ''],
    ['whole, and saying so', ', "stream": false'],
  ])('%s: all but the model', async (_, stream) => {
    const text = chat(stream)
    expect(await forwarded('/v1/chat/completions', 'openai', text)).toBe(toBackend(text))
  })

  it('streamed, usage not asked for: that is put in', async () => {
    const text = chat(', "stream":true')
    const added = toBackend(text).replace(/ }$/, ',"stream_options":{"include_usage":true} }')
    expect(await forwarded('/v1/chat/completions', 'openai', text)).toBe(added)
  })

  it('a repaired history does not change the tools', async () => {
    const text = chat('').replace(/,\n\s*{"role":"tool".*/, '')
    const sent = await forwarded('/v1/chat/completions', 'openai', text)
    expect(sent).toContain('"logit_bias" : {"9":1.0,"10":-1.50E0}, "messages": [{"role":"system"')
    expect(sent).toContain('No result was recorded')
    expect(sent).toMatch(/}],\n {2}"temperature": 1\.0, "model"/)
    expect(sent.slice(sent.indexOf('"tools"'))).toBe(text.slice(text.indexOf('"tools"')))
  })
})
