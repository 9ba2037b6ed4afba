// Secrets are taken out by value wherever text leaves the process by a side door: logs, errors, reports.

import { GatewayError } from '../core/errors.ts'

const shortest = 6

export class Scrubber {
  readonly #secrets = new Set<string>()
  /** Those that look different inside JSON, by what they are. */
  readonly #quoted = new Map<string, RegExp>()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret.length < shortest) continue
      this.#secrets.add(secret).add(JSON.stringify(secret).slice(1, -1)).add(inUrl(secret))
      if (/["\\]/.test(secret)) this.#quoted.set(secret, quotedPattern(secret))
    }
  }

  scrub(text: string): string {
    let clean = text
    for (const secret of this.#secrets)
      if (clean.includes(secret)) clean = clean.replaceAll(secret, '[secret]')
    for (const pattern of this.#quoted.values()) clean = clean.replace(pattern, '[secret]')
    return clean
  }

  /** The error as it may be shown; itself where nothing was secret. */
  scrubError(error: GatewayError): GatewayError {
    const message = this.scrub(error.message)
    const param = error.param === undefined ? undefined : this.scrub(error.param)
    return message === error.message && param === error.param
      ? error
      : new GatewayError(error.code, message, { ...error, param, cause: error })
  }
}

/** However often it was put into JSON inside of JSON: each time doubles the backslashes, and adds one to each quote. */
function quotedPattern(secret: string): RegExp {
  const parts = secret.split(/(\\+|")/).map((part) => {
    if (part === '"') return '\\\\*"'
    return part.startsWith('\\') ? '\\\\+' : part.replace(/[\^$.*+?()[\]{}|/]/g, '\\$&')
  })
  // Of many backslashes, only from the first: to begin anew at each would take the square of their time.
  const start = /^["\\]/.test(secret) ? '(?<!\\\\)' : ''
  return new RegExp(start + parts.join(''), 'g')
}

function inUrl(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    // Half a character has no spelling there.
    return text
  }
}
