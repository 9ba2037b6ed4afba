// Services that take the model in their path: no name of a model leaves the place that the configuration gives.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import {
  expectNothingStray,
  hostLine,
  type RawUpstream,
  rawRequest,
  startUpstream,
} from '../end-to-end/wire.ts'
import { claudeAt, startGateway, upstreamKey } from '../harness.ts'
import { steeringNames, steeringPaths } from './cases/addresses.ts'
import { askDoor, bodyFor, type ThreatDoor, threatDoors } from './doors.ts'

expectNothingStray()

/** An unknown name may be looked for in the lists, whose addresses hold no name. */
const listings = new Set([
  'GET /inside/v1beta/models?pageSize=1000',
  'GET /inside/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED',
  'GET /inside/foundation-models?byProvider=anthropic',
])

const names = steeringNames.map((name) => ({ name, shown: JSON.stringify(name.slice(0, 60)) }))

/** The targets as sent: a parsed address has its `..` resolved. */
let targets: string[] = []
let upstream: RawUpstream
let url: string
let close: () => Promise<void>
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    if (!listings.has(`${request.method} ${request.url}`))
      targets.push(`${request.headers.host} ${request.method} ${request.url}`)
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"error":{"message":"no such model"}}')
  })
  const baseUrl = `${upstream.url}/inside`
  const started = await startGateway({
    backends: {
      gemini: { kind: 'gemini', baseUrl, apiKey: upstreamKey },
      bedrock: claudeAt('bedrock', baseUrl),
      vertex: claudeAt('vertex', baseUrl),
    },
  })
  url = started.url
  close = async () => {
    await started.gateway.close()
    await upstream.close()
  }
})
beforeEach(() => {
  targets = []
})
afterAll(() => close())

const claudeFolder = '/v1/projects/my-project/locations/us-east5/publishers/anthropic/models'
const places = {
  gemini: /^\/v1beta\/([^?#:]+):(?:generateContent|streamGenerateContent\?alt=sse|countTokens)$/,
  bedrock: /^\/model\/([^/?#]+)\/(?:invoke|invoke-with-response-stream|count-tokens)$/,
  vertex: new RegExp(`^${claudeFolder}/([^/?#:]+):(?:rawPredict|streamRawPredict)$`),
}
type Kind = keyof typeof places
const kinds = Object.keys(places) as Kind[]

/** A server may decode before it looks for the segments. */
const segmentsOf = (path: string) => [path, decodeURIComponent(path)].flatMap((one) => one.split(/[/\\]/))

function expectInside(kind: Kind): void {
  const start = `${new URL(upstream.url).host} POST /inside`
  for (const target of targets) {
    expect(target).toMatch(/^[\x21-\x7e]+ POST [\x21-\x7e]+$/)
    expect(target.slice(0, start.length)).toBe(start)
    const rest = target.slice(start.length)
    expect(rest).toMatch(places[kind])
    const [, model = ''] = places[kind].exec(rest) ?? []
    expect(segmentsOf(model).filter((part) => part === '' || part === '.' || part === '..')).toEqual([])
  }
  targets = []
}

const canName = ({ isAllInPath }: ThreatDoor, name: string) => !isAllInPath || !/\p{Surrogate}/u.test(name)

it.each(kinds)('%s: an ordinary name is a path of one segment', async (kind) => {
  for (const door of threatDoors)
    for (const stream of [false, true]) {
      await askDoor(url, door, { model: `${kind}/claude-x`, stream })
      expect(targets).toHaveLength(1)
      expectInside(kind)
    }
})

it.each(spread(names, 16))('the name $shown stays inside', async ({ name, shown }) => {
  for (const kind of kinds)
    for (const [at, door] of threatDoors.entries()) {
      if (!canName(door, name)) continue
      const { status } = await askDoor(url, door, { model: `${kind}/${name}`, stream: at % 2 === 0 })
      expect([kind, door.name, shown, status]).toEqual([kind, door.name, shown, expect.toSatisfy(isRefusal)])
      expectInside(kind)
    }
})

it.each(spread(names, 8))('the name $shown stays inside where tokens are counted', async ({ name }) => {
  for (const kind of kinds) {
    const body = JSON.stringify({ model: `${kind}/${name}`, messages: [{ role: 'user', content: 'x' }] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/messages/count_tokens`, { method: 'POST', headers, body })
    expect(answer.status).toBeLessThan(500)
    if (kind === 'vertex')
      targets = targets.filter((one) => !one.endsWith(`${claudeFolder}/count-tokens:rawPredict`))
    expectInside(kind)
  }
})

it.each(steeringPaths)('the path %s stays inside', async (path) => {
  const gemini = threatDoors.find(({ isAllInPath }) => isAllInPath) as ThreatDoor
  const body = JSON.stringify(bodyFor(gemini, { model: '' }))
  for (const kind of kinds) {
    const lines = [hostLine(url), 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const sent = { method: 'POST', path: path.replace('KIND', kind), lines, body }
    const { status } = await rawRequest(url, sent)
    // Tokens that the service does not count are estimated.
    if (!path.endsWith(':countTokens')) expect(status).toSatisfy(isRefusal)
    expect(status).toBeLessThan(500)
    expectInside(kind)
  }
})

const isRefusal = (status: number) => status >= 400 && status < 500
