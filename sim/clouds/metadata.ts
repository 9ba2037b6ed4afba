// Metadata services of clouds, from which the libraries of AWS and Google get the credentials of a machine.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AwsAccount } from './signature.ts'

export interface MetadataSim {
  readonly url: string
  readonly host: string
  /** The paths that were asked for. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

export interface MetadataOptions {
  /** The role's credentials at this moment. */
  readonly role?: () => AwsAccount
  /** The service account's token at this moment. */
  readonly token?: () => { token: string; expiresInSeconds: number }
  /** Takes the request, and never answers. */
  readonly hangs?: boolean
}

export async function startMetadataSim(options: MetadataOptions): Promise<MetadataSim> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    asked.push(url)
    if (options.hangs) return
    const answer = answerOf(url, options)
    response.setHeader('metadata-flavor', 'Google')
    if (answer === undefined) return void response.writeHead(404).end()
    const isText = typeof answer === 'string'
    response.setHeader('content-type', isText ? 'text/plain' : 'application/json')
    response.end(isText ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const ROLE_PATH = '/latest/meta-data/iam/security-credentials/'

function answerOf(url: string, { role, token }: MetadataOptions): string | object | undefined {
  const [path = ''] = url.split('?')
  if (role && path === '/latest/api/token') return 'session-of-the-metadata-service'
  if (role && path === ROLE_PATH) return 'the-role'
  if (role && path === `${ROLE_PATH}the-role`) return roleAnswer(role())
  if (!token) return undefined
  if (path.endsWith('/service-accounts/default/token')) {
    const { token: issued, expiresInSeconds } = token()
    return { access_token: issued, expires_in: expiresInSeconds, token_type: 'Bearer' }
  }
  return path.startsWith('/computeMetadata/') ? 'my-project' : undefined
}

const roleAnswer = ({
  accessKeyId,
  secretAccessKey,
  sessionToken,
  expiresAt = Date.now() + 3_600_000,
}: AwsAccount) => ({
  Code: 'Success',
  Type: 'AWS-HMAC',
  AccessKeyId: accessKeyId,
  SecretAccessKey: secretAccessKey,
  Token: sessionToken,
  Expiration: new Date(expiresAt).toISOString(),
})
