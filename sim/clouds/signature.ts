// Checks Signature Version 4 as AWS does, in the simulator's own code: what was signed is recomputed from what came.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { RecordedRequest } from '../recording.ts'
import { AwsRefusal } from './aws-refusal.ts'

export interface AwsAccount {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** Milliseconds: afterwards the session token is refused. */
  readonly expiresAt?: number
}

interface Expected {
  readonly region: string
  readonly service: string
  readonly accounts: readonly AwsAccount[]
  readonly now: number
}

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

const SKEW_MS = 5 * 60_000

export function checkSignature(request: RecordedRequest, expected: Expected): void {
  const { headers } = request
  const found = FORM.exec(headers.authorization ?? '')
  if (found === null)
    throw new AwsRefusal('MissingAuthenticationTokenException', 'Missing Authentication Token')
  const [, id, day = '', region = '', service = '', names = '', signature = ''] = found
  const account = expected.accounts.find(({ accessKeyId }) => accessKeyId === id)
  if (account === undefined) {
    throw new AwsRefusal(
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    )
  }
  const time = String(headers['x-amz-date'] ?? '')
  checkClock(time, day, expected.now)
  checkScope(region, service, expected)
  checkSession(request, account, expected.now)
  const signed = names.split(';')
  if (!['host', 'x-amz-date'].every((name) => signed.includes(name)))
    throw new AwsRefusal('InvalidSignatureException', "'Host' or 'X-Amz-Date' must be a 'SignedHeader'")
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/${service}/aws4_request\n${digest(canonical(request, signed))}`
  let key: Buffer | string = `AWS4${account.secretAccessKey}`
  for (const part of [day, region, service, 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest()
  if (timingSafeEqual(Buffer.from(signature, 'hex'), key as Buffer)) return
  throw new AwsRefusal(
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
  )
}

function checkClock(time: string, day: string, now: number): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time)
  if (parts === null || !time.startsWith(day))
    throw new AwsRefusal('IncompleteSignatureException', 'Date must be in ISO-8601 basic format')
  const [, year, month, date, hour, minute, second] = parts.map(Number)
  const at = Date.UTC(Number(year), Number(month) - 1, date, hour, minute, second)
  const stamp = (ms: number) => new Date(ms).toISOString().replace(/[:-]|\.\d+/g, '')
  if (at < now - SKEW_MS) {
    throw new AwsRefusal(
      'InvalidSignatureException',
      `Signature expired: ${time} is now earlier than ${stamp(now - SKEW_MS)} (${stamp(now)} - 5 min.)`,
    )
  }
  if (at > now + SKEW_MS) {
    throw new AwsRefusal(
      'InvalidSignatureException',
      `Signature not yet current: ${time} is still later than ${stamp(now + SKEW_MS)} (${stamp(now)} + 5 min.)`,
    )
  }
}

function checkScope(region: string, service: string, expected: Expected): void {
  if (region !== expected.region)
    throw new AwsRefusal('InvalidSignatureException', 'Credential should be scoped to a valid region.')
  if (service !== expected.service) {
    throw new AwsRefusal(
      'InvalidSignatureException',
      `Credential should be scoped to correct service: '${expected.service}'.`,
    )
  }
}

function checkSession({ headers }: RecordedRequest, account: AwsAccount, now: number): void {
  if (headers['x-amz-security-token'] !== account.sessionToken) {
    throw new AwsRefusal(
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    )
  }
  if (account.expiresAt !== undefined && account.expiresAt <= now)
    throw new AwsRefusal('ExpiredTokenException', 'The security token included in the request is expired')
}

function canonical({ method, path, query, headers, bodyText }: RecordedRequest, signed: string[]): string {
  const percentEncoded = (text: string) =>
    Array.from(Buffer.from(text), (byte) =>
      /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join('')
  const pairs = [...query].map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).sort()
  return [
    method,
    path.split('/').map(percentEncoded).join('/'),
    pairs.join('&'),
    ...signed.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signed.join(';'),
    digest(bodyText),
  ].join('\n')
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
