// Names that mean something to JavaScript, from clients and from services, at every door and on every backend: they are
// ordinary names, and change nothing.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { cloudBackends, doorBackends, geminiBackend } from '../contract/door-backends.ts'
import { isNightly, spread } from '../depth.ts'
import { expectNothingStray } from '../end-to-end/wire.ts'
import {
  ask,
  type Body,
  chat,
  chatStream,
  claudeNames,
  post,
  startGateway,
  upstreamKey,
  useBench,
  user,
} from '../harness.ts'
import { anthropicAnswer, chatAnswer, geminiAnswer, geminiChunk } from '../wire-cases/frames.ts'
import { namedPlaces, prototypes, specialNames } from './cases/names.ts'
import { refusals } from './cases/refusals.ts'
import { askDoor, bodyFor, threatDoors } from './doors.ts'

expectNothingStray()
const bench = useBench({ openai: { lenient: true }, text: { lenient: true }, clouds: isNightly })
const onClouds = spread(cloudBackends, 0)
const backends = [...doorBackends, ...onClouds]

const models = new Map<string, string>([
  ['openai', 'openai/gpt-demo'],
  ['gemini', geminiBackend.model],
])

const keysOf = () => prototypes.map((one) => Reflect.ownKeys(one).map(String).join())
let before: string[]
beforeEach(() => {
  before = keysOf()
})
afterEach(() => {
  expect(keysOf()).toEqual(before)
  expect(({} as Body).polluted).toBeUndefined()
})

describe.each(spread(specialNames, 1))('%s', (name) => {
  const schema = JSON.parse(
    `{"type":"object","properties":{"${name}":{"type":"string"}},"required":["${name}"]}`,
  )
  const input = `{"${name}":"x"}`

  it.each(threatDoors)('is a tool, an id and a property on every backend, by $name', async (door) => {
    for (const backend of backends) {
      const made = { id: name, name, input: `{"${name}":"y"}`, result: name }
      backend.play(bench, [{ call: { name, arguments: JSON.parse(input), id: name } }])
      const answer = await askDoor(bench.url, door, { model: backend.model, tools: [{ name, schema }], made })
      const { model } = backend
      expect([model, answer.status]).toEqual([model, 200])
      const [call] = answer.calls
      expect([model, call?.name, JSON.stringify(call?.input)]).toEqual([model, name, input])
    }
  })

  it.each(namedPlaces)('is harmless as $name', async ({ fields }) => {
    for (const [at, door] of threatDoors.entries()) {
      for (const { model } of [doorBackends[at % 2] ?? [], geminiBackend, onClouds].flat()) {
        const plain = JSON.stringify(bodyFor(door, { model }))
        const body = plain.replace(/\}$/, `,${fields.replaceAll('NAME', name)}}`)
        expect((await askDoor(bench.url, door, { model }, { body })).status).toBeLessThan(500)
      }
    }
  })

  it('is a choice that is not there, and a model like any other', async () => {
    for (const { model } of backends) {
      const [backend] = model.split('/')
      const chosen = { type: 'function', function: { name } }
      expect((await post(bench.url, ask(model, { tool_choice: chosen }))).status).toBe(400)
      const other = await post(bench.url, { model: `${backend}/${name}`, messages: [user('x')] })
      expect(other.status).toBeLessThan(500)
    }
    for (const model of [name, `${name}/${name}`, `${name}/gpt-demo`]) {
      expect((await post(bench.url, ask(model))).status).toBe(404)
      expect((await fetch(`${bench.url}/v1/models/${encodeURIComponent(model)}`)).status).toBe(404)
    }
  })

  it('is an id of a session, of a response and of a result that there is not', async () => {
    const headers = { 'content-type': 'application/json' }
    const result = JSON.stringify({ tool_call_id: name, content: 'x' })
    const sent = await fetch(`${bench.url}/v1/tool_results`, { method: 'POST', headers, body: result })
    expect(sent.status).toBe(404)
    expect((await fetch(`${bench.url}/v1/responses/${name}`)).status).toBe(404)
    const body = JSON.stringify({ model: 'openai/gpt-demo', input: 'x', previous_response_id: name })
    const next = await fetch(`${bench.url}/v1/responses`, { method: 'POST', headers, body })
    expect([400, 404]).toContain(next.status)
  })

  it('is an unknown header and an unknown client', async () => {
    const headers = { [name]: 'x', 'user-agent': name, 'anthropic-beta': name, 'x-dragoman-workspace': name }
    for (const [at, { model }] of backends.entries()) {
      const door = threatDoors[at % threatDoors.length] ?? threatDoors[0]
      if (door) expect((await askDoor(bench.url, door, { model }, { headers })).status).toBeLessThan(500)
    }
  })

  it('is an error type, a finish reason, a part or a role from upstream', async () => {
    for (const service of ['openai', 'gemini', ...spread(claudeNames, 1)] as const) {
      const model = models.get(service) ?? `${service}/claude-demo`
      const { early, late } = refusals[service](name, 'no')
      for (const step of early) {
        bench[service].play([step])
        expect([model, (await chat(bench.url, ask(model))).status]).toEqual([model, 400])
      }
      bench[service].play(late)
      expect([model, (await chatStream(bench.url, ask(model))).error?.message]).toEqual([
        model,
        expect.stringContaining('no'),
      ])
      const content = [{ type: name }, { type: 'text', text: 'x' }]
      const answers = {
        openai: chatAnswer({ content: 'x', role: name }, name),
        gemini: geminiAnswer([{ [name]: { polluted: 1 } }, { text: 'x' }], name),
        claude: anthropicAnswer(content, name),
      }
      bench[service].play([answers[service === 'openai' || service === 'gemini' ? service : 'claude']])
      const { json } = await chat(bench.url, ask(model))
      expect(json.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'x' } })
    }
  })
})

describe.each(spread(specialNames, 3))('%s in the pieces of a call of Gemini', (name) => {
  it.each([
    'NAME',
    'a.NAME.polluted',
    'NAME.polluted',
    'NAME.NAME.polluted',
    "a['NAME'].polluted",
    'a[0].NAME.polluted',
  ])('$.%s changes nothing beside its call', async (path) => {
    const jsonPath = `$.${path.replaceAll('NAME', name)}`
    const partialArgs = [{ jsonPath, stringValue: 'x' }]
    bench.gemini.play([
      geminiChunk([{ functionCall: { id: 'a', name, partialArgs, willContinue: true } }]),
      geminiChunk([{ functionCall: {} }], 'STOP'),
    ])
    const { status } = await chatStream(bench.url, ask(geminiBackend.model))
    expect([200, 502]).toContain(status)
  })
})

describe('the configuration', () => {
  const environment = readEnvironment({ HOME: '/nonexistent' })
  const box = () => ({ kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey })

  it.each(specialNames)('%s names nothing that was not written', async (name) => {
    const text = `{ "${name}": { "auth": "none" }, "backends": { "box": ${JSON.stringify(box())} } }`
    // A field that there is not, or none at all.
    const parsed = () => parseConfig(text, { environment }).config
    if (name === '__proto__') expect(parsed().auth).toBeUndefined()
    else expect(parsed).toThrow(name)
    const models = JSON.parse(`{ "${name}": "box/gpt-demo" }`)
    const { gateway, url } = await startGateway({ backends: { box: box() }, models })
    expect((await post(url, ask(name))).status).toBe(name === '__proto__' ? 404 : 200)
    await gateway.close()
  })

  it.each(specialNames.filter((name) => !name.startsWith('_')))('%s may be a backend', async (name) => {
    const { gateway, url } = await startGateway({ backends: { [name]: box() } })
    expect((await post(url, ask(`${name}/gpt-demo`))).status).toBe(200)
    await gateway.close()
  })
})
