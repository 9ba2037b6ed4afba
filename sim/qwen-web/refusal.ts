// Refusals of the service: JSON under status 200 for nearly everything.

import { randomUUID } from 'node:crypto'
import type { Reply } from '../server.ts'
import type { Limit, Path, Wording } from '../shape.ts'

interface RefusalDetails {
  readonly status?: number
  /** Hours until the quota renews. */
  readonly num?: number
  /** False if a client can cause it without a mistake. */
  readonly isViolation?: boolean
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly details: RefusalDetails

  constructor(code: string, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

export function toReply({ code, message, details }: Refusal): Reply {
  const { status = 200, num } = details
  const data = { code, details: message, ...(num !== undefined && { num }) }
  return { status, body: { success: false, request_id: randomUUID(), data } }
}

export function succeed(data: unknown): Reply {
  return { status: 200, body: { success: true, request_id: randomUUID(), data } }
}

export function page(status: number, html: string): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html }
}

export const WORDING: Wording = {
  missing: (path) => bad(path, 'is missing'),
  unknown: () => undefined,
  wrongType: (path, wanted) => bad(path, `must be of type ${wanted}`),
  notOneOf: (path, allowed) => bad(path, `must be one of ${allowed.map(String).join(', ')}`),
  unknownTag: (path, tagKey, tags) => bad([...path, tagKey], `must be one of ${tags.join(', ')}`),
  mismatch: (path, pattern) => bad(path, `must match ${pattern.source}`),
  length: (path, what, limit) => bad(path, `is a ${what} of the wrong length (${inWords(limit)})`),
  range: (path, what, limit) => bad(path, `is a ${what} out of range (${inWords(limit)})`),
  variantPath: (path) => path,
}

function bad(path: Path, problem: string): Refusal {
  return new Refusal('Bad_Request', `${path.join('.') || 'body'} ${problem}`)
}

function inWords(limit: Limit): string {
  return 'least' in limit ? `at least ${limit.least}` : `at most ${limit.most}`
}
