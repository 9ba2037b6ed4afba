// Model list in the form `{ data: [ { id, … } ] }`, which both dialects share. Together sends the bare list.

import { isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import { askJson, type Question } from './ask-json.ts'

type Listing = Omit<Question, 'body'>

export async function listModels(listing: Listing): Promise<Record<string, unknown>[]> {
  const { client, backend, path, headers, signal, toError } = listing
  const { status, text, json } = await askJson({ client, backend, path, headers, signal, toError })
  const data = isObject(json) ? json.data : json
  if (Array.isArray(data)) return data.filter((entry) => isObject(entry) && typeof entry.id === 'string')
  throw new GatewayError(
    'upstream-protocol',
    `${backend}: no model list at ${client.origin}${path.split('?')[0]} (HTTP ${status}).`,
    {
      upstream: { status, excerpt: text },
    },
  )
}
