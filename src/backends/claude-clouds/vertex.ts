// Claude on Google's Vertex AI: rawPredict, with an access token of Google Cloud.

import { createHash } from 'node:crypto'
import type { GoogleTokenSource } from '../../credentials/google-token.ts'
import { readCount, toCountRequest } from '../../protocols/anthropic-messages/count-tokens.ts'
import { sortVertexBetas } from '../../protocols/claude-clouds/betas.ts'
import { fromVertexError } from '../../protocols/claude-clouds/vertex-errors.ts'
import {
  toRawPredict,
  toVertexCount,
  type VertexPlace,
} from '../../protocols/claude-clouds/vertex-request.ts'
import type { Platform } from '../anthropic/platform.ts'
import type { Authority } from './authorised-client.ts'
import { cloudFacts, modelOf } from './cloud-models.ts'

interface VertexOptions extends VertexPlace {
  name: string
  /** Vertex has no list of the Claude models of a project. */
  models: readonly string[]
}

export function vertexPlatform({ name, models, ...place }: VertexOptions): Platform {
  return {
    account: createHash('sha256').update(`${name}\nvertex ${place.project}`).digest('base64url'),
    headers: () => ({}),
    facts: cloudFacts,
    bindsBlocks: false,
    tellsClient: false,
    sortBetas: sortVertexBetas,
    toMessages: (request) => toRawPredict(request, place),
    toCount: (request) => toVertexCount({ ...request, body: toCountRequest(request.body) }, place),
    readCount,
    toError: fromVertexError,
    models: async () => models.map((id) => modelOf(id)),
  }
}

export const googleAuthority =
  (source: GoogleTokenSource): Authority =>
  async () => {
    const token = await source.get()
    const { quotaProject } = token
    return {
      headers: {
        authorization: `Bearer ${token.token}`,
        ...(quotaProject === undefined ? {} : { 'x-goog-user-project': quotaProject }),
      },
      isStale: ({ status }) => status === 401 && source.reject(token),
    }
  }
