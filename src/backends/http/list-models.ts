// Model list in the form `{ data: [ { id, … } ] }`, which both dialects share. Together sends the bare list.

import { isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import { pageText } from '../../protocols/errors/page-text.ts'
import { type Answer, askJson, type Question } from './ask-json.ts'

type Listing = Omit<Question, 'body'>

export async function listModels(listing: Listing): Promise<Record<string, unknown>[]> {
  const { client, backend, path, headers, signal, toError } = listing
  const answer = await askJson({ client, backend, path, headers, signal, toError })
  const { status, text, json } = answer
  const data = isObject(json) ? json.data : json
  if (Array.isArray(data)) return data.filter((entry) => isObject(entry) && typeof entry.id === 'string')
  const asked = `${client.base}${path.split('?')[0]}`
  throw new GatewayError(
    'upstream-protocol',
    `${backend}: no model list at ${asked} (HTTP ${status}, ${formOf(answer)}); ${adviceFor(asked)}.`,
    { upstream: { status, excerpt: text } },
  )
}

function formOf({ text, json }: Answer): string {
  if (text.trim() === '') return 'an empty answer'
  if (pageText(text) !== undefined) return 'a web page'
  return json === undefined ? 'an answer that is not JSON' : 'other JSON'
}

const adviceFor = (asked: string) =>
  /\/v\d/.test(new URL(asked).pathname)
    ? 'correct "baseUrl"'
    : 'correct "baseUrl", which usually ends in /v1 for this kind'
