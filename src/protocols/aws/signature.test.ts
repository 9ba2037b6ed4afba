// AWS's published test vectors (aws-sig-v4-test-suite), and the SDK's own signer as a second witness.

import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, it } from 'vitest'
import { signatureHeaders } from './signature.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const scope = { region: 'us-east-1', service: 'service', date: new Date('2015-08-30T12:36:00Z') }
const host = 'example.amazonaws.com'

describe("AWS's vectors", () => {
  it.each([
    ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
  ])('%s', (_, method, path, signature) => {
    const headers = signatureHeaders({ method, host, path, body: '' }, keys, scope)
    expect(headers).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    })
  })
})

describe("the SDK's signer agrees", () => {
  type Data = string | ArrayBuffer | ArrayBufferView
  const bytesOf = (data: Data) =>
    typeof data === 'string'
      ? data
      : ArrayBuffer.isView(data)
        ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
        : Buffer.from(data)

  class Sha256 {
    readonly #hash
    constructor(secret?: Data) {
      this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
    }
    update(data: Data) {
      this.#hash.update(bytesOf(data))
    }
    async digest() {
      return new Uint8Array(this.#hash.digest())
    }
    reset() {
      // A hash is used once.
    }
  }
  const signer = (sessionToken?: string) =>
    new SignatureV4({
      credentials: { ...keys, ...(sessionToken === undefined ? {} : { sessionToken }) },
      region: 'eu-west-1',
      service: 'bedrock',
      sha256: Sha256,
      applyChecksum: false,
    })

  it.each([
    ['a model id with a colon', '/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke', undefined],
    [
      'an ARN, and a session',
      `/model/${encodeURIComponent('arn:aws:bedrock:eu-west-1:1:inference-profile/x')}/invoke`,
      'token',
    ],
    ['characters that URLs leave', "/model/it's(a)*!~/invoke", undefined],
  ])('%s', async (_, path, sessionToken) => {
    const date = new Date('2026-11-18T12:00:00Z')
    const body = '{"text":"Grüße"}'
    const own = signatureHeaders(
      { method: 'POST', host, path, body },
      { ...keys, sessionToken },
      { region: 'eu-west-1', service: 'bedrock', date },
    )
    const request = { method: 'POST', protocol: 'https:', hostname: host, path, headers: { host }, body }
    const { headers } = await signer(sessionToken).sign(request, { signingDate: date })
    expect(own.authorization).toBe(headers.authorization)
  })
})
