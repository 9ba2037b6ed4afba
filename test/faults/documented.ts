// The table of docs/errors.md, parsed: fault tests compare the program with that page.

import { readFileSync } from 'node:fs'
import type { ErrorCode } from '../../src/core/errors.ts'
import type { DoorName } from './doors.ts'

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

const rows = new Map(
  [...page.matchAll(/^\| `([a-z-]+)`[^|]*\| (\d+) \| `(\w+)` \| `(\w+)` \|/gm)].map(
    ([, name, status, type, code]): [string, { status: number; type: string; code: string | null }] => [
      name ?? '',
      { status: Number(status), type: type ?? '', code: code === 'null' || code === undefined ? null : code },
    ],
  ),
)

/** Of its types that the page lists, the one for each code; `api_error` is all else. */
const messagesTypes: Partial<Record<ErrorCode, string>> = {
  'invalid-request': 'invalid_request_error',
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  'not-found': 'not_found_error',
  conflict: 'conflict_error',
  'payload-too-large': 'request_too_large',
  'rate-limited': 'rate_limit_error',
  'upstream-unavailable': 'overloaded_error',
  timeout: 'timeout_error',
}

/** The words of Google's errors. */
const geminiWords: Partial<Record<ErrorCode, string>> = {
  'invalid-request': 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
  conflict: 'ABORTED',
  'payload-too-large': 'INVALID_ARGUMENT',
  'rate-limited': 'RESOURCE_EXHAUSTED',
  'upstream-unavailable': 'UNAVAILABLE',
  'upstream-credential': 'FAILED_PRECONDITION',
  'upstream-challenge': 'PERMISSION_DENIED',
  timeout: 'DEADLINE_EXCEEDED',
}

function geminiWord(code: ErrorCode): string {
  const word = geminiWords[code] ?? 'INTERNAL'
  if (!page.includes(`\`${word}\``)) throw new Error(`docs/errors.md does not name ${word}`)
  return word
}

export interface Documented {
  status: number
  type: string
  code: string | null | undefined
}

/** How a door shows this code; `status` where the upstream's own is passed on. */
export function documented(door: DoorName, code: ErrorCode, passedOn?: number): Documented {
  const row = rows.get(code)
  if (!row) throw new Error(`docs/errors.md has no row for ${code}`)
  const status = passedOn ?? row.status
  if (door === 'gemini') return { status, type: geminiWord(code), code: undefined }
  // A text and nothing else.
  if (door === 'ollama') return { status, type: '', code: undefined }
  if (door !== 'messages') return { ...row, status }
  const type = messagesTypes[code] ?? 'api_error'
  if (!page.includes(`\`${type}\``)) throw new Error(`docs/errors.md does not name ${type}`)
  // A service that is there and fails is not overloaded.
  return {
    status: code === 'upstream-unavailable' && status === 503 ? 529 : status,
    type: code === 'upstream-unavailable' && status === 500 ? 'api_error' : type,
    code: undefined,
  }
}
