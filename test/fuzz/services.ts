// Services that take a request in a form of their own: how a turn is written for each, by the code of its backend, and what its
// strict simulator says of that, without a server.

import fc from 'fast-check'
import { BedrockDialect } from '../../sim/bedrock.ts'
import { checkContents } from '../../sim/gemini/check-contents.ts'
import { checkSettings } from '../../sim/gemini/check-settings.ts'
import { findModel } from '../../sim/gemini/models.ts'
import { parseMessage } from '../../sim/gemini/proto.ts'
import { type GeminiRequest, requestMessage } from '../../sim/gemini/request.ts'
import { RequestRecord } from '../../sim/recording.ts'
import { VertexDialect } from '../../sim/vertex.ts'
import type { Platform } from '../../src/backends/anthropic/platform.ts'
import { AnthropicRequests } from '../../src/backends/anthropic/requests.ts'
import { bedrockPlatform } from '../../src/backends/claude-clouds/bedrock.ts'
import { vertexPlatform } from '../../src/backends/claude-clouds/vertex.ts'
import { nameRules } from '../../src/backends/gemini/backend.ts'
import { KeptSignatures } from '../../src/backends/gemini/kept-signatures.ts'
import { GeminiTurnRequest } from '../../src/backends/gemini/turn-request.ts'
import type { TurnContext } from '../../src/core/backend.ts'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { dialect as messagesDialect } from '../../src/protocols/anthropic-messages/dialect.ts'
import type { CloudRequest } from '../../src/protocols/claude-clouds/cloud-request.ts'
import { dialect as geminiDialect } from '../../src/protocols/gemini/dialect.ts'
import { withFittingNames } from '../../src/protocols/openai-chat/fitting-names.ts'
import { withoutForeignParts } from '../../src/protocols/requests/opaque-parts.ts'
import type { UpstreamClient } from '../../src/upstream/client.ts'
import { claudeNames, typed } from './accepted.ts'

type Body = Record<string, unknown>

interface Service {
  service: string
  models: fc.Arbitrary<string>
  model: string
  /** False if the turn is refused with a typed error on the way. Throws if the service would refuse it. */
  accepts(turn: TurnRequest, model: string): boolean
  /** The body alone, for turns that the service may refuse. Undefined: the turn is refused on the way. */
  bodyOf(turn: TurnRequest, model: string): Body | undefined
}

const note = () => undefined
const contextOf = (): TurnContext => ({
  ...{ turnId: 'turn_1', caller: { key: 'laptop' }, signal: new AbortController().signal },
  ...{ notes: new Notes(), wholeArguments: true },
})

function toGemini(turn: TurnRequest, model: string) {
  return typed(() => {
    const known = withoutForeignParts({ ...turn, model }, [geminiDialect], note)
    const { request } = withFittingNames(known, note, nameRules)
    const memory = { kept: new KeptSignatures(), refusesIds: false }
    const options = { source: 'box', mayForward: false }
    return new GeminiTurnRequest(request, contextOf(), memory, options)
  })
}

const gemini: Service = {
  service: 'Gemini',
  model: 'gemini-3.8-flash',
  models: fc.constantFrom('gemini-3.8-flash', 'gemini-3.1-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'),
  bodyOf: (turn, model) => toGemini(turn, model)?.body,
  accepts(turn, name) {
    const sent = toGemini(turn, name)
    if (!sent) return false
    const wire: unknown = JSON.parse(sent.text().toString())
    const body = parseMessage(wire, requestMessage({ hasIds: true })) as GeminiRequest
    const model = findModel(name)
    checkContents(body.contents, model)
    checkSettings(body, model)
    return true
  },
}

interface Cloud {
  service: string
  platform: Platform
  createDialect(): Pick<BedrockDialect, 'receive'>
  headers: Record<string, string>
}

function toCloud({ platform }: Cloud, turn: TurnRequest, model: string): CloudRequest | undefined {
  const requests = new AnthropicRequests({ name: 'box', platform, headers: {}, promptCache: 'auto' })
  return typed(() => {
    const known = withoutForeignParts({ ...turn, model }, [messagesDialect], note)
    const { body, headers } = requests.write(known, contextOf(), note)
    return platform.toMessages({ model, stream: known.stream, body, headers, note })
  })
}

const cloud = (one: Cloud): Service => ({
  service: one.service,
  model: 'claude-sonnet-4-5',
  models: fc.constantFrom(...claudeNames),
  bodyOf: (turn, model) => toCloud(one, turn, model)?.body,
  accepts(turn, model) {
    const sent = toCloud(one, turn, model)
    if (!sent) return false
    const bodyText = JSON.stringify(sent.body)
    const answer = one.createDialect().receive(
      new RequestRecord({
        ...{ method: 'POST', path: sent.path, query: new URLSearchParams(), startedAt: 0 },
        headers: { ...sent.headers, ...one.headers },
        ...{ bodyText, bodyBytes: Buffer.byteLength(bodyText) },
      }),
    )
    if ('renderer' in answer) return true
    throw new Error(`${one.service} refuses it: ${JSON.stringify(answer.body)}\n${bodyText}`)
  },
})

const bedrock = cloud({
  service: 'Bedrock',
  platform: bedrockPlatform({
    ...{ name: 'box', region: 'us-east-1', profile: 'us' as const },
    control: {} as UpstreamClient,
  }),
  createDialect: () => new BedrockDialect({}),
  headers: {},
})

const vertex = cloud({
  service: 'Vertex',
  platform: vertexPlatform({ name: 'box', models: [], project: 'my-project', region: 'us-east5' }),
  createDialect: () => new VertexDialect({}),
  headers: { authorization: 'Bearer x' },
})

export const services: readonly Service[] = [gemini, bedrock, vertex]
