// Anthropic's own API, with an API key. Also compatible servers, and clouds that have this API under another address.

import { createHash } from 'node:crypto'
import { sortBetas } from '../../protocols/anthropic-messages/betas.ts'
import { readCount, toCountRequest } from '../../protocols/anthropic-messages/count-tokens.ts'
import { fromAnthropicError } from '../../protocols/anthropic-messages/errors.ts'
import { searchesTools } from '../../protocols/anthropic-messages/service-search.ts'
import type { Platform } from './platform.ts'

/** Who searches deferred tools, if a Messages client leaves it to its service. */
type ToolSearchBy = 'auto' | 'service' | 'gateway'

interface AnthropicOptions {
  name: string
  apiKey: string
  host: string
  /** Default: auto. */
  toolSearch?: ToolSearchBy | undefined
}

export function anthropicPlatform({ name, apiKey, host, toolSearch = 'auto' }: AnthropicOptions): Platform {
  return {
    account: createHash('sha256').update(`${name}\n${apiKey}`).digest('base64url'),
    headers: (version) => ({ 'x-api-key': apiKey, 'anthropic-version': version }),
    bindsBlocks: true,
    searchesTools: (model) => (toolSearch === 'auto' ? searchesTools(host, model) : toolSearch === 'service'),
    sortBetas,
    toMessages: ({ body, headers }) => ({ path: '/v1/messages', body, headers }),
    toCount: ({ body, headers }) => ({
      path: '/v1/messages/count_tokens',
      body: toCountRequest(body),
      headers,
    }),
    readCount,
    toError: fromAnthropicError,
  }
}
