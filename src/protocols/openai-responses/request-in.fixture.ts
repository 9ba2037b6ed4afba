// Reads Responses requests for the tests of this folder.

import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import { withoutForeignParts } from '../requests/opaque-parts.ts'
import type { EarlierResponses } from './references-in.ts'
import { fromResponsesRequest } from './request-in.ts'

export const nothing: EarlierResponses = { conversation: () => undefined, itemsOf: () => undefined }

export type Body = Record<string, unknown>

export function read(body: Body, earlier = nothing) {
  const notes = new Notes()
  const request = fromResponsesRequest({ model: 'm', input: 'hi', ...body }, notes, earlier)
  return { ...request, notes: notes.all }
}

/** The same, as a service of another dialect gets it. */
export function readForOthers(body: Body, earlier = nothing) {
  const notes = new Notes()
  const { turn } = fromResponsesRequest({ model: 'm', input: 'hi', ...body }, notes, earlier)
  return { turn: withoutForeignParts(turn, [], (text) => notes.add(text)), notes: notes.all }
}

/** The refusal by the door, or of a service of another dialect. */
export function refused(body: Body, earlier = nothing): GatewayError {
  try {
    readForOthers(body, earlier)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('was not refused')
}

export const text = (value: string) => ({ type: 'text', text: value })
export const hi = { role: 'user', content: [text('hi')] }
export const fn = (name: string, more: Body = {}) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
  ...more,
})
export const called = (callId: string, name: string, input = '{}') => ({
  type: 'tool-call',
  callId,
  name,
  input,
})
export const png = 'data:image/png;base64,iVBORw0='
