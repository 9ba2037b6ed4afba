// Gateways that are set up on their web page: the requests that the page sends.
import { setTimeout as sleep } from 'node:timers/promises'

/** Repeats the first request until the page answers: its port is open long before. */
export async function openDashboard(url, patience = 60) {
  let cookie = ''
  const send = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] || cookie
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: HTTP ${answer.status}: ${text.slice(0, 300)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  for (const until = Date.now() + patience * 1_000; ; await sleep(500)) {
    const isReady = await send('GET', '/api/auth/status').then(
      () => true,
      (error) => /HTTP 4\d\d/.test(error.message),
    )
    if (isReady) return send
    if (Date.now() > until) throw new Error('its page does not answer')
  }
}

/** One upstream of the given kind under the prefix `up`, with a key. */
export async function addUpstream(send, kind, upstream) {
  const type =
    kind === 'openai' ? { type: 'openai-compatible', apiType: 'chat' } : { type: 'anthropic-compatible' }
  const { node } = await send('POST', '/api/provider-nodes', {
    name: 'up',
    prefix: 'up',
    baseUrl: `${upstream}/v1`,
    ...type,
  })
  await send('POST', '/api/providers', { provider: node.id, name: 'up', apiKey: 'bench' })
}
