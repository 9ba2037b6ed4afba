// Creates the backend of Claude on a cloud, with its credentials. A module of its own because loading it takes time, which only
// configurations with such a backend should spend.

import type { BackendConfig } from '../config/schema.ts'
import type { Backend } from '../core/backend.ts'
import { createAwsKeys } from '../credentials/aws-keys.ts'
import { createGoogleToken } from '../credentials/google-token.ts'
import { geographyOf } from '../protocols/claude-clouds/model-ids.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/client.ts'
import { createAnthropicBackend } from './anthropic/backend.ts'
import type { Platform } from './anthropic/platform.ts'
import { type Authority, authorisedClient } from './claude-clouds/authorised-client.ts'
import {
  bearerAuthority,
  bedrockDecoder,
  bedrockPlatform,
  signingAuthority,
} from './claude-clouds/bedrock.ts'
import { googleAuthority, vertexPlatform } from './claude-clouds/vertex.ts'
import type { Creation, SharedOptions } from './create-backends.ts'

type CloudConfig = Extract<BackendConfig, { provider: 'bedrock' | 'vertex' }>
type BedrockConfig = Extract<CloudConfig, { provider: 'bedrock' }>
type VertexConfig = Extract<CloudConfig, { provider: 'vertex' }>

interface Reached {
  client: UpstreamClient
  platform: Platform
}

export async function createCloudBackend(
  backend: CloudConfig,
  creation: Creation,
  shared: SharedOptions,
): Promise<Backend> {
  const { promptCache, firstByteMs } = backend
  const reach = backend.provider === 'bedrock' ? reachBedrock : reachVertex
  const reached = await reach(backend as BedrockConfig & VertexConfig, creation, shared).catch(
    async (error: unknown) => {
      await shared.client.close()
      throw error
    },
  )
  const { isShared } = creation.services
  return createAnthropicBackend({ ...shared, promptCache, firstByteMs, isShared, ...reached })
}

async function reachBedrock(
  backend: BedrockConfig,
  creation: Creation,
  { name, client, connect }: SharedOptions,
): Promise<Reached> {
  const { region, baseUrl, models, inferenceProfile = geographyOf(region) } = backend
  const authority = await bedrockAuthority(backend, creation)
  const controlUrl = controlPlaneOf(baseUrl)
  const control = authorisedClient(createUpstreamClient(controlUrl, connect), controlUrl, authority)
  return {
    client: authorisedClient(client, baseUrl, authority, bedrockDecoder(name)),
    platform: bedrockPlatform({ name, region, profile: inferenceProfile, models, control }),
  }
}

/** Models are listed at another host. An address of your own is expected to serve both. */
const controlPlaneOf = (baseUrl: string) => baseUrl.replace('//bedrock-runtime.', '//bedrock.')

/** Any credential will do for a recorded service. */
const played = 'replayed'

async function bedrockAuthority(
  backend: BedrockConfig,
  { name, defaults, services }: Creation,
): Promise<Authority> {
  const { region, profile, accessKeyId } = backend
  if (defaults.played) return bearerAuthority(played)
  const variable = defaults.variable ?? (() => undefined)
  const isOpen = profile === undefined && accessKeyId === undefined
  const bearer = backend.apiKey ?? (isOpen ? variable('AWS_BEARER_TOKEN_BEDROCK') : undefined)
  if (bearer) {
    services.registerSecret(bearer)
    return bearerAuthority(bearer)
  }
  const keepSecret = services.registerSecret
  const keys = await createAwsKeys({ ...backend, backend: name, variable, keepSecret })
  return signingAuthority(keys, region)
}

async function reachVertex(
  backend: VertexConfig,
  { name, defaults, services }: Creation,
  { client }: SharedOptions,
): Promise<Reached> {
  const { baseUrl, project, region, models, keyFile, accessToken } = backend
  const source = await createGoogleToken({
    backend: name,
    project,
    keyFile,
    accessToken: defaults.played ? played : accessToken,
    keepSecret: services.registerSecret,
  })
  return {
    client: authorisedClient(client, baseUrl, googleAuthority(source)),
    platform: vertexPlatform({ name, project, region, models }),
  }
}
