// A model that fetches pages reaches no address inside: in any spelling, by any name, after any redirect.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { type Bench, startBench } from '../harness.ts'
import { type PageServer, startPageServer } from '../lacks/page-server.ts'
import { says } from '../lacks/search-bench.ts'
import { fetchedInside, metadataAnswers, metadataHosts } from './cases/addresses.ts'

let bench: Bench
let web: PageServer
beforeAll(async () => {
  web = await startPageServer()
  bench = await startBench({ settings: { lacks: { fetch: {} } }, gateway: { pages: web.connect } })
})
afterAll(async () => {
  await bench.close()
  await web.close()
})

/** The code of the error, or what was fetched. */
async function fetched(url: string): Promise<string> {
  bench.openai.clear()
  web.opened.length = 0
  bench.openai.play(
    [{ call: { name: 'web_fetch', arguments: { url } } }, { end: 'tool_calls' }],
    says('Done.'),
  )
  const answer = await fetch(`${bench.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: 'openai/gpt-4o', max_tokens: 100, messages: [{ role: 'user', content: url }] },
      tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
    }),
  })
  const { content } = (await answer.json()) as { content: { content: { error_code?: string } }[] }
  return content[1]?.content.error_code ?? JSON.stringify(content[1])
}

const refusals = ['url_not_allowed', 'invalid_tool_input']

it('in any spelling', async () => {
  for (const host of spread([...metadataHosts, ...fetchedInside], 8)) {
    const code = await fetched(`http://${host}/latest/meta-data`)
    expect([host, refusals.includes(code), web.opened]).toEqual([host, true, []])
  }
})

it('by any name', async () => {
  const inside = fetchedInside.map((host) => host.replace(/^\[|\]$/g, ''))
  for (const address of spread([...metadataAnswers, ...inside], 5)) {
    web.names.set('rebound.example', [address])
    expect([address, await fetched('http://rebound.example/'), web.opened]).toEqual([
      address,
      'url_not_allowed',
      [],
    ])
  }
})

it('after a redirect', async () => {
  for (const host of spread([...metadataHosts.slice(0, 8), ...fetchedInside], 5)) {
    web.pages.set('page.example/', { location: `http://${host}/` })
    const code = await fetched('http://page.example/')
    expect([host, refusals.includes(code), web.opened]).toEqual([host, true, [web.opened[0]]])
  }
})
