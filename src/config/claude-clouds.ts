// The kind `anthropic` on clouds: `"provider": "bedrock"` and `"vertex"`.

import { z } from 'zod'
import { geographies } from '../protocols/claude-clouds/model-ids.ts'
import { baseUrl, headerText, headerValue } from './values.ts'

const region = (examples: string) =>
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{1,30}$/, 'must be the name of a region')
    .describe(`The region, e.g. ${examples}.`)

const modelIds = z.array(headerValue).min(1, 'must name at least one model')

/** Bedrock's address in a region, by AWS partition. */
function bedrockUrl(region: string): string {
  const domain = region.startsWith('cn-')
    ? 'amazonaws.com.cn'
    : region.startsWith('eusc-')
      ? 'amazonaws.eu'
      : 'amazonaws.com'
  return `https://bedrock-runtime.${region}.${domain}`
}

/** Vertex's address of a region, of a group of regions, or of all. */
function vertexUrl(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com'
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com`
  return `https://${region}-aiplatform.googleapis.com`
}

export const bedrockKeys = {
  provider: z.literal('bedrock'),
  region: region('us-east-1'),
  baseUrl: baseUrl
    .optional()
    .describe('/model/… is appended. Default: https://bedrock-runtime.REGION.amazonaws.com.'),
  apiKey: headerText
    .optional()
    .describe('A Bedrock API key. Default: AWS_BEARER_TOKEN_BEDROCK, unless keys or a profile are set.'),
  accessKeyId: headerValue.optional().describe('An access key, instead of profile and environment.'),
  secretAccessKey: headerValue.optional().describe('The secret of that access key.'),
  sessionToken: headerValue.optional().describe('The session token, if that access key is temporary.'),
  profile: headerText.optional().describe('A profile of ~/.aws/config (SSO, roles, processes).'),
  inferenceProfile: z
    .enum([...geographies, 'none'])
    .optional()
    .describe(
      'What goes before plain names such as claude-sonnet-5-5. Default: the geography of the region.',
    ),
  models: modelIds.optional().describe('The models to list. Default: those that Bedrock lists.'),
}

export const vertexKeys = {
  provider: z.literal('vertex'),
  region: region('us-east5, global, us, eu'),
  project: z
    .string()
    .regex(/^[a-z][a-z0-9:.-]{1,100}$/, 'must be the id of a project')
    .describe('The id of the Google Cloud project.'),
  baseUrl: baseUrl
    .optional()
    .describe('/v1/projects/… is appended. Default: https://REGION-aiplatform.googleapis.com.'),
  keyFile: z
    .string()
    .min(1)
    .optional()
    .describe('A key file (JSON) of a service account. Default: the application default credentials.'),
  accessToken: headerText.optional().describe('A fixed access token, used until it expires.'),
  models: modelIds.describe('The models to list: Vertex has no list of them.'),
}

interface BedrockKeys {
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  sessionToken?: string | undefined
}

export const hasWholeKey = ({ accessKeyId, secretAccessKey, sessionToken }: BedrockKeys) =>
  (accessKeyId === undefined) === (secretAccessKey === undefined) &&
  (sessionToken === undefined || accessKeyId !== undefined)

export const atBedrock = <Keys extends { region: string; baseUrl?: string | undefined }>(keys: Keys) => ({
  ...keys,
  baseUrl: keys.baseUrl ?? bedrockUrl(keys.region),
})

export const atVertex = <Keys extends { region: string; baseUrl?: string | undefined }>(keys: Keys) => ({
  ...keys,
  baseUrl: keys.baseUrl ?? vertexUrl(keys.region),
})
