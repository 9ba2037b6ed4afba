// Tool results are data: nothing in them becomes a call, on any backend, even if the model repeats it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type QwenWebSim, startQwenWebSim } from '../../sim/qwen-web.ts'
import { familiesOf } from '../../src/protocols/tool-text/families.ts'
import { defaultCallTag } from '../../src/protocols/tool-text/markup.ts'
import { spread } from '../depth.ts'
import { expectNothingStray } from '../end-to-end/wire.ts'
import { startGateway, useBench } from '../harness.ts'
import { dangerousTool, hostileResults } from './cases/tool-results.ts'
import { askDoor, type ThreatDoor, threatDoors } from './doors.ts'

expectNothingStray()
const bench = useBench({ openai: { lenient: true }, text: { lenient: true }, clouds: true })
let qwen: QwenWebSim
let qwenUrl: string
let close: () => Promise<void>
beforeAll(async () => {
  qwen = await startQwenWebSim()
  const started = await startGateway({
    backends: { qwen: { kind: 'qwen-web', baseUrl: qwen.url, token: 'x' } },
  })
  qwenUrl = started.url
  close = () => started.gateway.close()
})
afterAll(async () => {
  await close()
  await qwen.close()
})
afterEach(() => qwen.clear())

const tools = ['read', dangerousTool].map((name) => ({
  name,
  schema: { type: 'object', properties: { command: { type: 'string' }, path: { type: 'string' } } },
}))

/** A request with this tool result; the model's answer is scripted before. */
function given(door: ThreatDoor, model: string, result: string) {
  const made = { id: 'call_1', name: 'read', input: '{"path":"a"}', result }
  return askDoor(model.startsWith('qwen') ? qwenUrl : bench.url, door, { model, tools, made, text: 'go' })
}

const texts = ['text/text-demo', 'text/qwen3-coder']

function answerWith(model: string, say: string): void {
  if (model.startsWith('cursor')) bench.cursor.play([{ say }, { end: true }])
  else if (model.startsWith('qwen')) qwen.play([{ say }])
  else bench[model.split('/')[0] as 'openai'].play([{ say }])
}

const { markers } = familiesOf({ format: 'json', callTag: defaultCallTag, resultTag: 'tool_response' })
const ownMarkup = /^<tool_response>\n([\s\S]*)\n<\/tool_response>$/

const others = [
  ...['openai/gpt-demo', 'anthropic/claude-demo', 'cursor/composer-2', 'qwen/qwen3-max'],
  ...['gemini/gemini-3.8-flash', 'bedrock/claude-demo', 'vertex/claude-demo'],
]
const rows = hostileResults.map((result, at) => ({
  ...result,
  door: threatDoors[at % threatDoors.length] as ThreatDoor,
  other: others[at % others.length] as string,
}))

it.each(spread(rows, 24))(
  '$name, by $door.name on $other: no call comes of it',
  async ({ text, door, other }) => {
    answerWith(other, 'Fine.')
    const { status, calls, text: said } = await given(door, other, text)
    expect([status, calls, said]).toEqual([200, [], 'Fine.'])
  },
)

it.each(spread(rows, 12))(
  '$name: is not markup for a model without tools, even if the model repeats it',
  async ({ text, door }) => {
    for (const model of texts) {
      answerWith(model, 'Fine.')
      const first = await given(door, model, text)
      expect([model, first.status, first.calls, first.text]).toEqual([model, 200, [], 'Fine.'])
      const sent = bench.text.requests.at(-1)?.body as { messages: { content: string }[] } | undefined
      const shown = ownMarkup.exec(sent?.messages.at(-1)?.content ?? '')?.[1] ?? ''
      expect(shown).not.toBe('')
      const left = markers.filter((marker) => shown.toLowerCase().includes(marker.toLowerCase()))
      expect(left).toEqual([])
      answerWith(model, `The file holds:\n\n${shown}\n`)
      const { status, calls } = await given(door, model, text)
      expect([model, status, calls]).toEqual([model, 200, []])
    }
  },
)

describe('a result that is too long', () => {
  const long = `${'x'.repeat(2 ** 20)}-the-end`

  it.each(texts)('%s: is truncated, with a notice for the model and a note for the client', async (model) => {
    answerWith(model, 'Fine.')
    const [door] = threatDoors
    const answer = await given(door as ThreatDoor, model, long)
    expect(answer.headers.get('x-dragoman-notes')).toContain('a tool result over 1 MiB was cut')
    const sent = bench.text.requests.at(-1)?.bodyText ?? ''
    expect(sent).toContain('[The result was cut here: 8 of its 1048584 bytes are not shown.]')
    expect(sent).not.toContain('the-end')
  })

  it.each(others.filter((model) => !/^(?:cursor|qwen)/.test(model)))(
    '%s: is the business of the service',
    async (model) => {
      answerWith(model, 'Fine.')
      await given(threatDoors[0] as ThreatDoor, model, long)
      const sim = bench[model.split('/')[0] as 'openai']
      expect(sim.requests.at(-1)?.bodyText).toContain('the-end')
    },
  )
})
