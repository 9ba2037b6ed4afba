// Claude on Bedrock and Vertex through the whole gateway. The simulators recompute every signature and know every token.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BedrockSimOptions, startBedrockSim } from '../../sim/bedrock.ts'
import { type MetadataSim, startMetadataSim } from '../../sim/clouds/metadata.ts'
import type { AwsAccount } from '../../sim/clouds/signature.ts'
import type { Sim } from '../../sim/server.ts'
import { startVertexSim, type VertexSimOptions } from '../../sim/vertex.ts'
import { tapeFiles } from '../../src/tapes/folder.ts'
import { readTapeFile } from '../../src/tapes/read.ts'
import { atTestEnd } from '../at-end.ts'
import { startGateway } from '../harness.ts'
import { expectEqual } from '../tapes/equal.ts'

type Changeable<Options> = { -readonly [Key in keyof Options]: Options[Key] }

const keys = { accessKeyId: 'AKIACANARY000001', secretAccessKey: 'canary/aws+secret/0123456789abcdef' }
const role: AwsAccount = {
  accessKeyId: 'ASIACANARY000002',
  secretAccessKey: 'canary/role+secret/0123456789abcdef',
  sessionToken: 'canary-role-session-token-0123456789',
}
const tokens = ['ya29.canary-fixed-0123456789', 'ya29.canary-machine-0123456789']
const bearer = 'ABSKcanary-bedrock-key-0123456789'

const aws: Changeable<BedrockSimOptions> = {
  signers: [keys, role],
  apiKey: bearer,
  onDemand: ['claude-haiku-4-5'],
}
const google: Changeable<VertexSimOptions> = { tokens }
const sims = {} as { bedrock: Sim; vertex: Sim }
let metadata: MetadataSim
const answers: string[] = []
const tapes = mkdtempSync(join(tmpdir(), 'dragoman-clouds-'))
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  for (const name of [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_PROFILE',
    'GOOGLE_APPLICATION_CREDENTIALS',
  ])
    vi.stubEnv(name, undefined)
  metadata = await startMetadataSim({
    role: () => role,
    token: () => ({ token: tokens[1] as string, expiresInSeconds: 3_600 }),
  })
  vi.stubEnv('HOME', '/nonexistent')
  vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', metadata.url)
  vi.stubEnv('GCE_METADATA_HOST', metadata.host)
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present')
  sims.bedrock = await startBedrockSim(aws)
  sims.vertex = await startVertexSim(google)
  const bedrock = { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', baseUrl: sims.bedrock.url }
  const vertex = {
    ...{ kind: 'anthropic', provider: 'vertex', region: 'us-east5', project: 'my-project' },
    ...{ baseUrl: sims.vertex.url, models: ['claude-sonnet-5-5'] },
  }
  gateway = await startGateway(
    {
      backends: {
        keys: { ...bedrock, ...keys },
        role: bedrock,
        bearer: { ...bedrock, apiKey: bearer, models: ['claude-sonnet-5-5'] },
        elsewhere: { ...bedrock, ...keys, region: 'eu-west-1', inferenceProfile: 'us' },
        wrong: { ...bedrock, ...keys, secretAccessKey: 'canary/wrong+secret/0123456789abcdef' },
        bare: { ...bedrock, ...keys, inferenceProfile: 'none' },
        fixed: { ...vertex, accessToken: tokens[0] },
        machine: vertex,
        refused: { ...vertex, accessToken: 'ya29.canary-refused-0123456789' },
        stranger: { ...vertex, accessToken: tokens[0], project: 'not-mine' },
        far: { ...vertex, accessToken: tokens[0], region: 'europe-west1' },
      },
      tapes: { record: 'all' },
    },
    {
      tapeFolder: tapes,
      retryPolicy: { retries: 1, baseDelayMs: 1, longestWaitMs: 1_000, longestWaitBesideOthersMs: 0 },
    },
  )
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await gateway.gateway.close()
  await Promise.all([sims.bedrock.close(), sims.vertex.close(), metadata.close()])
  rmSync(tapes, { recursive: true, force: true })
})

beforeEach(() => {
  aws.clockAheadMs = 0
  aws.signers = [keys, role]
  google.tokens = tokens
})

/** Nothing that the gateway logs or answers has a credential. */
afterEach(() => {
  expect([...gateway.logs, ...answers].join('\n')).not.toMatch(/canary/i)
  sims.bedrock.clear()
  sims.vertex.clear()
})

async function send(path: string, body: object | undefined, headers: Record<string, string> = {}) {
  const response = await fetch(gateway.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  answers.push(text, [...response.headers].flat().join(' '))
  return { status: response.status, text, headers: response.headers }
}

const messages = [{ role: 'user', content: 'hello' }]
const ask = (model: string, more: object = {}, headers: Record<string, string> = {}) =>
  send('/v1/messages', { model, max_tokens: 100, messages, ...more }, headers)
const lastOf = ({ requests }: Sim) => requests.at(-1) as Sim['requests'][number]
const sonnet = 'claude-sonnet-5-5'

describe.each([
  ['keys', 'bedrock'],
  ['role', 'bedrock'],
  ['bearer', 'bedrock'],
  ['fixed', 'vertex'],
  ['machine', 'vertex'],
] as const)('%s', (backend, cloud) => {
  it("gives Anthropic's own events to a Messages client, and chunks to a Chat client", async () => {
    sims[cloud].play([{ say: 'one', pieces: 1 }], [{ say: 'two' }], [{ say: 'three', pieces: 1 }])
    const streamed = await ask(`${backend}/${sonnet}`, { stream: true })
    expect(streamed.text).toContain('event: message_start\n')
    expect(streamed.text).toContain('"text":"one"')
    expect(streamed.text.endsWith('data: {"type":"message_stop"}\n\n')).toBe(true)
    expect((await ask(`${backend}/${sonnet}`)).text).toContain('"text":"two"')
    const chat = await send('/v1/chat/completions', { model: `${backend}/${sonnet}`, messages, stream: true })
    expect(chat.text).toContain('"content":"three"')
  })
})

it('sends the request in the form of the cloud, with the bytes of the client', async () => {
  const body = {
    stream: true,
    metadata: { user_id: 'someone' },
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
  }
  const betas = { 'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07,oauth-2025-04-20' }
  const about = { ...betas, 'user-agent': 'agent/1.0', 'x-claude-code-request-class': 'main' }
  const { headers } = await ask(`keys/${sonnet}`, body, about)
  expect(headers.get('x-dragoman-notes')).toContain('claude-code-20250219')
  const invoked = lastOf(sims.bedrock)
  expect(invoked.path).toBe('/model/us.anthropic.claude-sonnet-5-5/invoke-with-response-stream')
  expect(invoked.bodyText).toBe(
    `{"max_tokens":100,"messages":${JSON.stringify(messages)},"system":${JSON.stringify(body.system)},"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["context-1m-2025-08-07"]}`,
  )
  expect(Object.keys(invoked.headers).filter((name) => name.startsWith('anthropic'))).toEqual([])
  await ask(`fixed/${sonnet}`, { stream: true }, about)
  const predicted = lastOf(sims.vertex)
  for (const sent of [invoked, predicted])
    expect(JSON.stringify(sent.headers)).not.toMatch(/agent\/1\.0|request-class/)
  expect(predicted.path).toMatch(
    /\/locations\/us-east5\/publishers\/anthropic\/models\/claude-sonnet-5-5:streamRawPredict$/,
  )
  expect(predicted.headers['anthropic-beta']).toBe('context-1m-2025-08-07')
  expect(predicted.body).toEqual({
    max_tokens: 100,
    messages,
    stream: true,
    anthropic_version: 'vertex-2023-10-16',
  })
})

it('counts tokens by the cloud, and estimates where it cannot', async () => {
  for (const model of [`keys/${sonnet}`, `keys/us.anthropic.${sonnet}`, `fixed/${sonnet}`]) {
    const { text } = await send('/v1/messages/count_tokens', { model, messages })
    expect(JSON.parse(text).input_tokens, model).toBeGreaterThan(0)
  }
  expect(lastOf(sims.bedrock).path).toBe('/model/anthropic.claude-sonnet-5-5/count-tokens')
  const unknown = await send('/v1/messages/count_tokens', { model: 'keys/arn:aws:bedrock:x', messages })
  expect([unknown.status, unknown.headers.get('x-dragoman-notes')]).toEqual([
    200,
    expect.stringContaining('estimate'),
  ])
})

it('lists profiles and models of Bedrock, and the configured ones', async () => {
  const { text } = await send('/v1/models', undefined)
  const ids = JSON.parse(text).data.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(
    expect.arrayContaining([
      `keys/us.anthropic.${sonnet}`,
      'keys/anthropic.claude-haiku-4-5',
      `bearer/${sonnet}`,
      `fixed/${sonnet}`,
    ]),
  )
})

describe('a clear error', () => {
  const sixMinutes = 6 * 60_000

  it.each([
    [
      'a clock that is late',
      'keys',
      () => {
        aws.clockAheadMs = sixMinutes
      },
      502,
      'set it right',
    ],
    [
      'a clock that is early',
      'keys',
      () => {
        aws.clockAheadMs = -sixMinutes
      },
      502,
      'set it right',
    ],
    ['another region', 'elsewhere', () => undefined, 502, 'its \\"region\\" is not the region'],
    ['a wrong secret', 'wrong', () => undefined, 502, 'correct the access key'],
    [
      'an unknown key',
      'keys',
      () => {
        aws.signers = []
      },
      502,
      'correct the access key',
    ],
    [
      'an expired role',
      'role',
      () => {
        aws.signers = [{ ...role, expiresAt: 1 }]
      },
      502,
      'its temporary credentials have expired',
    ],
    ['a model that needs a profile', 'bare', () => undefined, 400, 'set \\"inferenceProfile\\"'],
    ['a refused token', 'refused', () => undefined, 502, 'gcloud auth application-default login'],
    [
      'a token that has expired',
      'machine',
      () => {
        google.tokens = []
      },
      502,
      'gcloud auth',
    ],
    ['a project of someone else', 'stranger', () => undefined, 502, 'Vertex AI User'],
    ['a region without the model', 'far', () => undefined, 404, 'served in its \\"region\\"?'],
  ])('%s', async (_, backend, prepare, status, words) => {
    prepare()
    for (const stream of [false, true]) {
      const answer = await ask(`${backend}/${sonnet}`, { stream })
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)])
    }
  })

  it('a throttled service is asked again, and then says so', async () => {
    aws.throttled = 4
    const limited = await ask(`keys/${sonnet}`)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2'])
    expect(limited.text).toContain('Too many requests')
    aws.throttled = 0
    google.throttled = 1
    expect((await ask(`fixed/${sonnet}`)).status).toBe(200)
    expect(sims.vertex.requests).toHaveLength(2)
  })

  it('an exception inside the stream', async () => {
    const error = { type: 'rate_limit_error', message: 'slow down' }
    sims.bedrock.play([{ say: 'so far', pieces: 1 }, { frame: { type: 'error', error } }])
    const { text } = await ask(`keys/${sonnet}`, { stream: true })
    expect(text).toContain('"text":"so far"')
    expect(text).toMatch(/event: error\ndata: [^\n]*"rate_limit_error"[^\n]*slow down/)
  })
})

it('a service that quotes a credential of run time does not make it known', async () => {
  const quoting = (secret: string) => [{ status: 400, body: { message: `what is ${secret}?` } }]
  sims.bedrock.play(quoting(role.sessionToken as string))
  sims.vertex.play(quoting(tokens[1] as string))
  for (const backend of ['role', 'machine'])
    expect((await ask(`${backend}/${sonnet}`)).text).toContain('what is [')
})

it('a credential that the service calls expired is renewed, and the request sent once more', async () => {
  expect((await ask(`machine/${sonnet}`)).status).toBe(200)
  const before = metadata.asked.length
  const stale = vi.spyOn(google, 'tokens', 'get').mockReturnValueOnce([]).mockReturnValue(tokens)
  atTestEnd(() => stale.mockRestore())
  expect((await ask(`machine/${sonnet}`)).status).toBe(200)
  expect(metadata.asked.length - before).toBe(1)
})

it('its tapes have no credential, and replay without an account', async () => {
  sims.bedrock.play([{ call: { name: 'read', arguments: { path: 'a' }, id: 'toolu_1' } }])
  sims.vertex.play([{ say: 'x' }])
  const tools = [{ name: 'read', input_schema: { type: 'object', properties: { path: { type: 'string' } } } }]
  const [first, second] = [await ask(`keys/${sonnet}`, { stream: true, tools }), await ask(`fixed/${sonnet}`)]
  const turns = [first, second].map(({ headers }) => headers.get('x-dragoman-turn'))
  // Tapes are complete when the gateway has stopped.
  await gateway.gateway.close()
  const files = tapeFiles(tapes)
  expect(files.map((file) => readFileSync(file, 'utf8')).join('\n')).not.toMatch(/canary/i)
  const all = files.flatMap((file) => readTapeFile(file).tapes)
  const own = all.filter(({ turn }) => turns.includes(turn))
  expect(own).toHaveLength(2)
  // The events of Bedrock are on the tape as text, where secrets are found and people can read them.
  expect(JSON.stringify(own)).toContain('event: content_block_start')
  await expectEqual(own)
})
