// Forms of secrets, and their encodings.

import { oddCanary } from './secrets.ts'

/** A kind, a text with one in it, and the part of it that must not come out. */
export const kinds: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ['Anthropic', 'sk-ant-api03-AbCdEfGhIjKlMnOp', 'AbCdEfGhIjKlMnOp'],
  ['OpenAI', 'sk-proj-1234567890abcdefghij', '1234567890abcdefghij'],
  ['Cursor', 'crsr_0123456789abcdef0123', '0123456789abcdef0123'],
  ['Dragoman', 'dgm_abcdefghij0123456789abcdefghij0123456789', 'abcdefghij0123456789abcdefghij0123456789'],
  ['GitLab', 'glpat-aBcDeFgHiJ0123456789', 'aBcDeFgHiJ0123456789'],
  ['Hugging Face', 'hf_abcdefGHIJ0123456789', 'abcdefGHIJ0123456789'],
  ['GitHub', 'ghp_0123456789abcdefghij0123', '0123456789abcdefghij0123'],
  ['GitHub OAuth', 'gho_0123456789abcdefghij0123', '0123456789abcdefghij0123'],
  ['GitHub, fine-grained', 'github_pat_0123456789abcdefghij', '0123456789abcdefghij'],
  ['Slack', 'xoxb-123456789012-abcdefgh', '123456789012-abcdefgh'],
  ['AWS', 'AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  ['Google', `AIza${'a1'.repeat(17)}b`, `${'a1'.repeat(17)}b`],
  ['Groq', 'gsk_0123456789abcdefghij', '0123456789abcdefghij'],
  ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K', 'dBjftJeZ4CVPmB92K'],
  ['a bearer token', 'Authorization: Bearer abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['BEARER', 'BEARER abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['Bearer and a tab', 'Bearer\tabcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['Bearer and blanks', 'bearer   abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['Basic', `Basic ${Buffer.from('user:open-sesame').toString('base64')}`, 'dXNlcjpvcGVuLXNlc2FtZQ'],
  ['a private key', pem(3), pemLine(1)],
  ['a cookie', 'Cookie: session=abcdefgh12345678; theme=dark', 'abcdefgh12345678'],
  ['a cookie that is set', 'set-cookie: sid=s%3Aabcdefgh12345678; Path=/', 'abcdefgh12345678'],
  ['x-api-key', 'x-api-key: abcdefgh12345678', 'abcdefgh12345678'],
  ['a JSON name', '{"api_key":"hunter22"}', 'hunter22'],
  ['a variable', 'export DB_PASSWORD=abcdefgh12345678', 'abcdefgh12345678'],
  ['a password in an address', 'postgres://me:hunter22@db/x', 'hunter22'],
  ['a key in an address', 'GET /v1/models?key=abcdefgh12345678&alt=sse', 'abcdefgh12345678'],
  ['a token in an address', 'https://host/x?a=b&token=abcdefgh12345678', 'abcdefgh12345678'],
]

export function pem(lines: number): string {
  const body = Array.from({ length: lines }, (_, at) => pemLine(at)).join('\n')
  return `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`
}

export function pemLine(at: number): string {
  return `MIIEowIBAAKCAQEA${String(at).padStart(8, '0')}`.padEnd(64, 'abcdefghijklmnopqrstuvwxyz')
}

const hex = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, '0')
const each = (text: string, write: (char: string) => string) => Array.from(text, write).join('')
const json = (text: string) => JSON.stringify(text)

export interface Writing {
  name: string
  write(text: string): string
  /** Decodes the text; text in another encoding is unchanged. */
  read(text: string): string
}

const unquoted = (text: string) => String(JSON.parse(text))
const colour = new RegExp(`${'\x1b'}\\[[\\d;]*m`, 'g')
const uncoloured = (text: string) => text.replace(colour, '')
const percentRead = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

/** Encodings from which a person or a program can recover the text. */
export const writings: readonly Writing[] = [
  { name: 'as it is', write: (text) => text, read: (text) => text },
  { name: 'behind a colour', write: (text) => `\x1b[31m${text}\x1b[0m`, read: uncoloured },
  { name: 'every letter coloured', write: (text) => each(text, (char) => `\x1b[32m${char}`), read: uncoloured },
  { name: 'behind %3D', write: (text) => `x%3D${encodeURIComponent(text)}`, read: percentRead },
  { name: 'percent-encoded, every letter', write: (text) => each(text, (char) => `%${hex(char, 2)}`), read: percentRead },
  { name: 'in JSON', write: json, read: unquoted },
  { name: 'in JSON inside of JSON', write: (text) => json(json(text)), read: (text) => unquoted(unquoted(text)) },
  { name: 'in JSON, three times', write: (text) => json(json(json(text))), read: (text) => unquoted(unquoted(unquoted(text))) },
  { name: 'in JSON behind a line break', write: (text) => json(`a\n${text}\nb`), read: unquoted },
  { name: 'in JSON, its first letter escaped', write: (text) => json('#').replace('#', `\\u${hex(text[0] as string, 4)}${json(text.slice(1)).slice(1, -1)}`), read: unquoted },
  { name: 'in JSON, every letter escaped', write: (text) => `"${each(text, (char) => `\\u${hex(char, 4)}`)}"`, read: unquoted },
  { name: 'so escaped, in JSON again', write: (text) => json(`"${each(text, (char) => `\\u${hex(char, 4)}`)}"`), read: (text) => unquoted(unquoted(text)) },
  { name: 'coloured, in JSON', write: (text) => json(`\x1b[1;31m${text}\x1b[0m`), read: (text) => uncoloured(unquoted(text)) },
  { name: 'percent-encoded, in JSON', write: (text) => json(`x%3D${encodeURIComponent(text)}`), read: (text) => percentRead(unquoted(text)) },
  { name: 'JSON, percent-encoded', write: (text) => encodeURIComponent(json(text)), read: (text) => unquoted(decodeURIComponent(text)) },
  { name: 'behind a colour as shells write it', write: (text) => `echo -e '\\033[31m${text}'`, read: (text) => text },
  { name: 'with nothing wide between', write: (text) => each(text, (char) => `${char}\u200b`), read: (text) => text.replaceAll('\u200b', '') },
] // biome-ignore format: a table

const base64 = (text: string, before: string) => Buffer.from(before + text).toString('base64')
const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString()

/** Of secrets that are known by value, also these. */
export const encodings: readonly Writing[] = [
  ...['', 'a', 'ab'].map(
    (before): Writing => ({
      name: `in base64, behind ${before.length}`,
      write: (text) => base64(`${text} end`, before),
      read: fromBase64,
    }),
  ),
  {
    name: 'in base64 for URLs',
    write: (text) => Buffer.from(`a${text}`).toString('base64url'),
    read: (text) => Buffer.from(text, 'base64url').toString(),
  },
  {
    name: 'in hex',
    write: (text) => Buffer.from(text).toString('hex'),
    read: (text) => Buffer.from(text, 'hex').toString(),
  },
]

/** Of the gateway's own: plain, hard to write in JSON and in URLs, with what looks like an escape, and beyond ASCII. */
export const known = [
  'gw-canary-aaaaaaaaaaaaaaaa-0001',
  oddCanary,
  'per%41cent-canary-0015',
  'pässwörd-canary',
] as const

/** Percent-encoded bytes. */
export const canWrite = ({ name }: Writing, text: string) =>
  !name.startsWith('percent-encoded, every') || /^[\x20-\x7e]*$/.test(text)
