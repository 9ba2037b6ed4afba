import { expect, it } from 'vitest'
import { afterTest, startHttp1 } from '../../../test/raw-peer.ts'
import { fromChatError } from '../../protocols/openai-chat/errors.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { listModels } from './list-models.ts'

const signal = new AbortController().signal

/** The words of the failure, with `HOST` for the server; and the URL that was asked. */
async function failureAt(prefix: string, body: string): Promise<{ message: string; asked: string }> {
  let asked = ''
  const peer = await startHttp1((request, response) => {
    asked = String(request.url)
    response.end(body)
  })
  const client = afterTest(createUpstreamClient(`${peer.url}${prefix}`), (it) => it.close())
  const listing = { client, backend: 'box', path: '/models', headers: {}, signal, toError: fromChatError }
  const { message } = await listModels(listing).then(
    () => expect.unreachable(),
    (error: Error) => error,
  )
  return { message: message.replace(peer.url, 'HOST'), asked }
}

it.each([
  ['/v1', '<!doctype html><p>Hi', 'a web page', 'correct "baseUrl"'],
  ['', '<html>', 'a web page', 'correct "baseUrl", which usually ends in /v1 for this kind'],
  ['/v1/', 'hello', 'an answer that is not JSON', 'correct "baseUrl"'],
  ['/v1', '{"ok":true}', 'other JSON', 'correct "baseUrl"'],
  ['/v1', '', 'an empty answer', 'correct "baseUrl"'],
])('at base path "%s", the answer %s names the URL that was asked', async (prefix, body, form, advice) => {
  const { message, asked } = await failureAt(prefix, body)
  expect(message).toBe(`box: no model list at HOST${asked} (HTTP 200, ${form}); ${advice}.`)
})

it('a redirect is named as such', async () => {
  const peer = await startHttp1((_request, response) => void response.writeHead(302).end())
  const client = afterTest(createUpstreamClient(peer.url), (it) => it.close())
  const listing = { client, backend: 'box', path: '/models', headers: {}, signal, toError: fromChatError }
  await expect(listModels(listing)).rejects.toMatchObject({
    code: 'upstream-protocol',
    retryable: false,
    message: 'box: the upstream redirects (HTTP 302), which is never followed; correct "baseUrl".',
  })
})
