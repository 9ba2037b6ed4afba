// Claude on Amazon Bedrock: InvokeModel, signed or with a Bedrock API key.

import { createHash } from 'node:crypto'
import { isObject } from '../../base/json.ts'
import type { Model } from '../../core/backend.ts'
import type { AwsKeySource } from '../../credentials/aws-keys.ts'
import { signatureHeaders } from '../../protocols/aws/signature.ts'
import {
  cannotCount,
  fromBedrockError,
  isExpiredToken,
} from '../../protocols/claude-clouds/bedrock-errors.ts'
import {
  readBedrockCount,
  toBedrockCount,
  toInvokeModel,
} from '../../protocols/claude-clouds/bedrock-request.ts'
import { BedrockStream, eventStreamType } from '../../protocols/claude-clouds/bedrock-stream.ts'
import { sortBedrockBetas } from '../../protocols/claude-clouds/betas.ts'
import type { Geography } from '../../protocols/claude-clouds/model-ids.ts'
import type { UpstreamClient, UpstreamRequest } from '../../upstream/client.ts'
import { errorType } from '../../upstream/retry-after.ts'
import type { Platform } from '../anthropic/platform.ts'
import { askJson } from '../http/ask-json.ts'
import type { Authority } from './authorised-client.ts'
import { cloudFacts, modelOf } from './cloud-models.ts'

interface BedrockOptions {
  name: string
  region: string
  profile: Geography | 'none'
  /** The models to list; without them, the control plane is asked. */
  models?: readonly string[] | undefined
  /** A client of the control plane. */
  control: UpstreamClient
}

export function bedrockPlatform(options: BedrockOptions): Platform {
  const { name, region, profile, control } = options
  return {
    account: createHash('sha256').update(`${name}\nbedrock ${region}`).digest('base64url'),
    headers: () => ({}),
    facts: cloudFacts,
    bindsBlocks: false,
    tellsClient: false,
    runsWebTools: false,
    sortBetas: sortBedrockBetas,
    toMessages(request) {
      const { path, headers, body } = toInvokeModel(request, { profile })
      const accept = request.stream ? eventStreamType : 'application/json'
      return { path, body, headers: { ...headers, accept } }
    },
    toCount: toBedrockCount,
    readCount: readBedrockCount,
    cannotCount,
    toError: fromBedrockError,
    models: (signal) =>
      options.models ? Promise.resolve(options.models.map((id) => modelOf(id))) : listModels(options, signal),
    close: () => control.close(),
  }
}

/** The event stream becomes Anthropic's own. */
export const bedrockDecoder =
  (backend: string): NonNullable<UpstreamRequest['decode']> =>
  (headers) => {
    if (!String(headers['content-type'] ?? '').includes(eventStreamType)) return undefined
    const stream = new BedrockStream(backend)
    return {
      contentType: 'text/event-stream',
      push: (bytes) => stream.push(bytes),
      end: () => stream.end(),
    }
  }

export const bearerAuthority =
  (token: string): Authority =>
  async () => ({ headers: { authorization: `Bearer ${token}` }, isStale: () => false })

export const signingAuthority =
  (source: AwsKeySource, region: string, now = Date.now): Authority =>
  async (request) => {
    const keys = await source.get()
    return {
      headers: signatureHeaders(request, keys, { region, service: 'bedrock', date: new Date(now()) }),
      isStale: ({ status, headers }) =>
        status === 403 && isExpiredToken(errorType(headers)) && source.reject(keys),
    }
  }

/** Inference profiles, and models that need none. */
async function listModels({ control, name }: BedrockOptions, signal: AbortSignal): Promise<Model[]> {
  const ask = async (path: string): Promise<Record<string, unknown>> => {
    const question = { client: control, backend: name, path, headers: {}, signal, toError: fromBedrockError }
    const { json } = await askJson(question)
    return isObject(json) ? json : {}
  }
  const [profiles, models] = await Promise.all([
    ask('/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED'),
    ask('/foundation-models?byProvider=anthropic'),
  ])
  return [
    ...entriesOf(profiles.inferenceProfileSummaries).flatMap((entry) =>
      entry.status === 'ACTIVE' ? claudeModel(entry.inferenceProfileId, entry.inferenceProfileName) : [],
    ),
    ...entriesOf(models.modelSummaries).flatMap((entry) =>
      isOnDemand(entry) ? claudeModel(entry.modelId, entry.modelName) : [],
    ),
  ]
}

const entriesOf = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(isObject) : []

const isOnDemand = ({ inferenceTypesSupported: types, modelLifecycle: life }: Record<string, unknown>) =>
  Array.isArray(types) && types.includes('ON_DEMAND') && (!isObject(life) || life.status === 'ACTIVE')

const claudeModel = (id: unknown, displayName: unknown): Model[] =>
  typeof id === 'string' && id.includes('anthropic.claude-')
    ? [modelOf(id, typeof displayName === 'string' ? displayName : undefined)]
    : []
