// The rate limits that services tell in the headers of every answer. What a service does not tell stays unknown.

import type { AnswerHeaders } from '../backend.ts'
import type { ServiceError } from '../errors.ts'
import type { LimitWindow } from './account.ts'

type Form = ServiceError['form']

/** https://platform.claude.com/docs/en/api/rate-limits and https://platform.openai.com/docs/guides/rate-limits */
const rows: Readonly<Record<Form, { names: readonly string[]; header(name: string, part: string): string }>> =
  {
    anthropic: {
      names: ['requests', 'tokens', 'input-tokens', 'output-tokens'],
      header: (name, part) => `anthropic-ratelimit-${name}-${part}`,
    },
    // It tells its limits in refusals alone.
    gemini: { names: [], header: () => '' },
    openai: {
      names: ['requests', 'tokens'],
      header: (name, part) => `x-ratelimit-${part}-${name}`,
    },
  }

export function limitWindows(form: Form, headers: AnswerHeaders, now: number): LimitWindow[] {
  const { names, header } = rows[form]
  return names.flatMap((name) => {
    const read = (part: string) => headers[header(name, part)]
    const limit = count(read('limit'))
    const remaining = count(read('remaining'))
    const reset = timeOf(read('reset'), now)
    if (limit === undefined || remaining === undefined || reset === undefined) return []
    return [{ name, limit, remaining: Math.min(remaining, limit), reset }]
  })
}

function count(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) return undefined
  return Number(value)
}

const longestMs = 31 * 24 * 60 * 60 * 1000
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** An RFC 3339 time, or a duration such as `6m0s`, `1h2m`, `20ms` and `1.5s`. */
function timeOf(value: string | string[] | undefined, now: number): number | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const date = /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(date)) return date - now <= longestMs ? date : undefined
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d))+$/.test(value)) return undefined
  let ms = 0
  for (const [, number, unit] of value.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)/g))
    ms += Number(number) * (units[unit ?? ''] ?? 0)
  return ms <= longestMs ? now + ms : undefined
}
