// A service's error body as it came, for doors of the same dialect. Clients match on its words and members, so nothing in it is
// rewritten. A body that is not in the dialect's form is translated instead.

import { isDeeper } from '../../base/depth.ts'
import { type Fields, isObject } from '../../base/json.ts'
import type { GatewayError, ServiceError } from '../../core/errors.ts'

/** Longer or deeper bodies are not errors that a client would read. */
const longestBody = 64 * 1024
const deepestBody = 32

export function serviceError(
  form: ServiceError['form'],
  body: unknown,
  status: number | undefined,
): ServiceError | undefined {
  if (!isObject(body) || !isInForm[form](body)) return undefined
  const alone = body.choices === undefined ? body : { error: body.error }
  if (isDeeper(alone, deepestBody) || JSON.stringify(alone).length > longestBody) return undefined
  return { form, body: alone, ...(isErrorStatus(status) ? { status } : {}) }
}

const isInForm: Record<ServiceError['form'], (body: Fields) => boolean> = {
  anthropic: ({ type, error }) => type === 'error' && isTold(error) && typeof error.type === 'string',
  gemini: ({ error }) => isTold(error) && typeof error.status === 'string',
  openai: ({ error }) => isTold(error) && (error.type !== undefined || error.code !== undefined),
}

const isTold = (error: unknown): error is Fields => isObject(error) && typeof error.message === 'string'

const isErrorStatus = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 600

/** The body and its inner error, if the service speaks this form. */
export function saidIn(
  form: ServiceError['form'],
  { said }: GatewayError,
): { body: Fields; error: Fields; status: number | undefined } | undefined {
  if (said?.form !== form) return undefined
  return { body: said.body, error: said.body.error as Fields, status: said.status }
}

/** An identifier; a sentence or a secret in its place is not shown. */
const identifier = /^[a-z][\w.-]{0,79}$/i

export const asCode = (value: unknown): string | undefined =>
  typeof value === 'string' && identifier.test(value) ? value : undefined
