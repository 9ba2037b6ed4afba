// What secrets look like. Their lengths are bounded from below, so that words about secrets are not taken for them.

export interface SecretPattern {
  /** "something that looks like …" */
  what: string
  pattern: RegExp
}

/** Nothing that could be a part of it stands in front; in JSON, a line break ends in a letter. */
const start = '(?:(?<![A-Za-z0-9_-])|(?<=\\\\[bfnrt])|(?<=\\\\u[0-9A-Fa-f]{4}))'
/** Words have no digits. */
const withDigit = '(?=[A-Za-z0-9._~+/-]{0,200}\\d)'

export const secretPatterns: readonly SecretPattern[] = [
  { what: 'an Anthropic key (sk-ant-…)', pattern: new RegExp(`${start}sk-ant-[A-Za-z0-9_-]{8,}`, 'g') },
  {
    what: 'an API key (sk-…)',
    pattern: new RegExp(`${start}${withDigit}sk-(?!ant-)[A-Za-z0-9_-]{20,}`, 'g'),
  },
  { what: 'a Cursor key (crsr_…)', pattern: new RegExp(`${start}crsr_[A-Za-z0-9]{16,}`, 'g') },
  { what: 'a GitHub token (gh._…)', pattern: new RegExp(`${start}gh[pousr]_[A-Za-z0-9]{20,}`, 'g') },
  { what: 'a GitHub token (github_pat_…)', pattern: new RegExp(`${start}github_pat_[A-Za-z0-9_]{20,}`, 'g') },
  { what: 'an AWS key (AKIA…)', pattern: new RegExp(`${start}A(?:KI|SI)A[A-Z0-9]{16}(?![A-Z0-9])`, 'g') },
  { what: 'a Google key (AIza…)', pattern: new RegExp(`${start}AIza[A-Za-z0-9_-]{35}`, 'g') },
  { what: 'a Slack token (xox.-…)', pattern: new RegExp(`${start}xox[abprs]-[A-Za-z0-9-]{10,}`, 'g') },
  {
    what: 'a JSON web token (eyJ…)',
    pattern: new RegExp(`${start}eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}`, 'g'),
  },
  {
    what: 'a bearer token',
    pattern: new RegExp(`(?<=${start}[Bb]earer )${withDigit}[A-Za-z0-9._~+/-]{16,}=*`, 'g'),
  },
  {
    what: 'a private key',
    pattern: /(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----)[\s\S]){16,20000}/g,
  },
]

/** Headers whose value is a secret, whatever it looks like. */
export const secretHeaders: ReadonlySet<string> = new Set([
  'api-key',
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'x-api-key',
  'x-goog-api-key',
])

/** What stands where one was. */
export const isTakenOut = (value: string) => /^(?:[A-Za-z]+ )?(?:\[removed\]|\[secret\]\**)?$/.test(value)

/** Of the same length: what counts bytes (JSON, messages, lengths in headers) stays as it is. */
export const fillerOf = (length: number) =>
  length < mark.length ? '*'.repeat(length) : mark + '*'.repeat(length - mark.length)

const mark = '[secret]'
