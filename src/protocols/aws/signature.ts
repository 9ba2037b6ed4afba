// Signature Version 4, by which AWS authenticates requests. Own code: the scheme is small, AWS publishes test vectors for it, and the
// SDK's package takes 8 MB. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

import { createHash, createHmac } from 'node:crypto'

export interface AwsKeys {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary credentials. */
  sessionToken?: string | undefined
}

interface RequestToSign {
  method: string
  host: string
  /** As it goes over the wire: percent-encoded, with the query. */
  path: string
  body: string | Uint8Array
}

interface SignatureScope {
  region: string
  service: string
  date: Date
}

const algorithm = 'AWS4-HMAC-SHA256'

/** The headers that sign the request. Others are not signed, so a proxy may change them. */
export function signatureHeaders(
  request: RequestToSign,
  keys: AwsKeys,
  scope: SignatureScope,
): Record<string, string> {
  const time = scope.date.toISOString().replace(/[:-]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const place = `${day}/${scope.region}/${scope.service}/aws4_request`
  const added: Record<string, string> = { 'x-amz-date': time }
  if (keys.sessionToken !== undefined) added['x-amz-security-token'] = keys.sessionToken
  const headers = { host: request.host, ...added }
  const canonical = canonicalRequest(request, headers)
  const text = [algorithm, time, place, sha256(canonical)].join('\n')
  const key = [scope.region, scope.service, 'aws4_request'].reduce(
    hmac,
    hmac(`AWS4${keys.secretAccessKey}`, day),
  )
  const credential = `Credential=${keys.accessKeyId}/${place}`
  const signature = hmac(key, text).toString('hex')
  return {
    ...added,
    authorization: `${algorithm} ${credential}, SignedHeaders=${namesOf(headers)}, Signature=${signature}`,
  }
}

function canonicalRequest({ method, path, body }: RequestToSign, headers: Record<string, string>): string {
  const [place = '', query = ''] = path.split('?', 2)
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value.trim()}\n`)
  return [
    method,
    // The path is encoded once more than on the wire: `%3A` becomes `%253A`.
    place.split('/').map(encoded).join('/'),
    query.split('&').filter(Boolean).sort().join('&'),
    lines.join(''),
    namesOf(headers),
    sha256(body),
  ].join('\n')
}

const namesOf = (headers: Record<string, string>) => Object.keys(headers).join(';')

/** `encodeURIComponent` leaves five characters that AWS encodes. */
const encoded = (segment: string) =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')

const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()
