// The request of a turn, ready to be sent again: with the client's own bytes, or with another model.

import { isObject, parseJson } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { Frame } from '../tapes/frame.ts'

export interface ResentRequest {
  path: string
  headers: Record<string, string>
  body: string
}

type ClientRequest = Extract<Frame, { side: 'client'; do: 'request' }>

/** Of the client's connection, or of its own programs: they mean nothing here. */
const leftOut = new Set(['authorization', 'x-api-key', 'x-dragoman-record', 'x-session-id'])

/** Of the gateway's memory, where nothing is removed. Only kept requests can be sent again. */
export function resentRequest(frames: readonly Frame[], model: string | undefined): ResentRequest {
  refuseTooLarge(frames)
  const request = frames.find(
    (frame): frame is ClientRequest & Frame => frame.side === 'client' && frame.do === 'request',
  )
  if (!request)
    throw new GatewayError(
      'conflict',
      'The request of this turn is not kept: it was longer than the inspector keeps. Raise "inspector.bytes", or send it again from the client.',
    )
  const json = parseJson(request.body)
  if (!isObject(json))
    throw new GatewayError(
      'conflict',
      'The request of this turn is no JSON object: mend it in the client, and send it from there.',
    )
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => !leftOut.has(name) && value !== '[removed]',
  )
  return {
    headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
    ...(model === undefined ? { path: request.path, body: request.body } : withModel(request, json, model)),
  }
}

function refuseTooLarge(frames: readonly Frame[]): void {
  const isTooLarge = frames.some(
    (frame) => frame.side === 'gateway' && frame.do === 'finish' && frame.error?.code === 'payload-too-large',
  )
  if (isTooLarge)
    throw new GatewayError(
      'payload-too-large',
      'This request was refused for its size, and would be again: raise "limits.bodyBytes", or send less from the client.',
    )
}

/** The Gemini API has the model in the path, before a verb. */
const geminiVerb = /^:(?:g|streamG)enerateContent(?:\?alt=sse)?$/

function withModel(
  { path, body }: ClientRequest,
  json: Record<string, unknown>,
  model: string,
): Pick<ResentRequest, 'path' | 'body'> {
  const verb = path.slice(path.lastIndexOf(':'))
  if (!geminiVerb.test(verb)) return { path, body: JSON.stringify({ ...json, model }) }
  const name = model.split('/').map(encodeURIComponent).join('/')
  return { path: `/v1beta/models/${name}${verb}`, body }
}
