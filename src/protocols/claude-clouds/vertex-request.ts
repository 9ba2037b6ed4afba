// POST /v1/messages → rawPredict of Google's Vertex AI: the model is in the path, the version in the body; betas stay a header.

import type { Fields } from '../../base/json.ts'
import {
  noteStrict,
  refuseFetchedMedia,
  searchesTools,
  withOneEffort,
  without,
  withoutFormat,
  withoutToolMembers,
} from './adapt-body.ts'
import { toolSearchBeta } from './betas.ts'
import { type CloudRequest, type MessagesRequest, splitBetas } from './cloud-request.ts'
import { vertexModelId } from './model-ids.ts'

const vertexVersion = 'vertex-2023-10-16'

export interface VertexPlace {
  project: string
  region: string
}

export function toRawPredict(request: MessagesRequest, place: VertexPlace): CloudRequest {
  const action = request.stream ? 'streamRawPredict' : 'rawPredict'
  const { body, headers } = vertexBody(request)
  // An `@` is a legal character of a path, and in Google's own examples it is not encoded.
  const id = encodeURIComponent(vertexModelId(request.model)).replaceAll('%40', '@')
  return { path: `${modelsPath(place)}/${id}:${action}`, headers, body: without(body, ['model']) }
}

/** Here the model is in the body. */
export function toVertexCount(request: MessagesRequest, place: VertexPlace): CloudRequest {
  const { body, headers } = vertexBody(request)
  const model = vertexModelId(request.model)
  return { path: `${modelsPath(place)}/count-tokens:rawPredict`, headers, body: { ...body, model } }
}

const modelsPath = ({ project, region }: VertexPlace) =>
  `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}/publishers/anthropic/models`

/** Of Anthropic's own service: its prices, places and machines. Vertex refuses a request with any of them. */
const foreign: ReadonlySet<string> = new Set([
  'container', 'diagnostics', 'inference_geo', 'service_tier', 'speed',
]) // biome-ignore format: a list to be read as one

function vertexBody({ body: given, headers, note }: MessagesRequest): Omit<CloudRequest, 'path'> {
  refuseFetchedMedia(given, 'Vertex')
  const leftOut = Object.keys(given).filter((name) => foreign.has(name))
  if (leftOut.length > 0) note(`not sent to Vertex, which does not know it: ${leftOut.join(', ')}`)
  const { betas, others } = splitBetas(headers, (name) => name === 'anthropic-version')
  const all = new Set(searchesTools(given.tools) ? [...betas, toolSearchBeta] : betas)
  if (all.size > 0) others['anthropic-beta'] = [...all].join(',')
  noteStrict(given.tools, 'Vertex', note)
  const { messages, output_config: output } = withOneEffort(given, note)
  const changed: Fields = {
    messages,
    tools: withoutToolMembers(given.tools, ['strict']),
    output_config: withoutFormat(output),
  }
  const body: Fields = {}
  for (const [name, value] of Object.entries({ ...given, ...changed, anthropic_version: vertexVersion }))
    if (value !== undefined && name !== 'output_format' && !foreign.has(name)) body[name] = value
  return { headers: others, body }
}
