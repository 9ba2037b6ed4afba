// One request with one JSON answer, for everything that is not a turn: model lists and token counts.

import { parseJson } from '../../base/json.ts'
import type { Signal } from '../../base/signal.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { UpstreamRefusal } from '../../protocols/errors/upstream-error.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { refusalOf } from './read-answer.ts'

export interface Question {
  client: UpstreamClient
  backend: string
  path: string
  headers: Record<string, string>
  /** Sent by POST; without a body the request is a GET. */
  body?: string | Buffer
  signal: Signal
  toError(refusal: UpstreamRefusal): GatewayError
}

export interface Answer {
  status: number
  text: string
  /** Undefined if the answer is not JSON. */
  json: unknown
}

const maxAnswerBytes = 8 * 1024 * 1024

export async function askJson(question: Question): Promise<Answer> {
  const { client, backend, path, headers, body, signal, toError } = question
  const posted = body !== undefined && {
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body,
  }
  const response = await client.request({
    method: posted ? 'POST' : 'GET',
    path,
    ...(posted || { headers: { accept: 'application/json', ...headers } }),
    signal,
  })
  const { status } = response
  const { bytes } = await response.body.readAll(maxAnswerBytes)
  const text = bytes.toString('utf8')
  const json = parseJson(text)
  if (status === 200) return { status, text, json }
  throw refusalOf(response, { backend, toError, body: json, excerpt: text })
}
