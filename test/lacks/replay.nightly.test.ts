// Turns in which the gateway stood in for a model replay from the tape: nobody is asked again.

import { expect, it } from 'vitest'
import { startSearchSim } from '../../sim/search.ts'
import { png } from '../claude-code/requests.ts'
import { user } from '../harness.ts'
import { unseenNotes } from '../inspector/unseen-notes.ts'
import { expectEqual } from '../tapes/equal.ts'
import { asked, recorded } from '../tapes/recorded.ts'
import { hits, says, searches } from './search-bench.ts'

it('images that another model described', async () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
  const tapes = await recorded(
    async (bench) => {
      bench.anthropic.play([{ say: 'A red door.' }, { end: 'stop' }])
      await asked(bench, '/v1/chat/completions', { model: 'openai/blind', messages: [user([image])] })
    },
    {
      settings: { lacks: { images: { describedBy: 'anthropic/claude-haiku-4-5', models: ['openai/*'] } } },
      openai: { lenient: true },
    },
  )
  expect(tapes.map(({ head }) => head.replay)).toEqual(['yes'])
  await expectEqual(tapes)
})

it.each(['found', 'failed'])('a web search that %s', async (how) => {
  const search = await startSearchSim('searxng')
  search.finds(hits)
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const tapes = await recorded(
    async (bench) => {
      if (how === 'failed') search.fail({ status: 500, body: '' })
      bench.openai.play(searches('x'), says('In 2026.'))
      const body = { model: 'openai/gpt-4o', max_tokens: 100, messages: [user('When?')], tools, stream: true }
      await asked(bench, '/v1/messages', body)
    },
    { settings: { lacks: { search: { service: 'searxng', baseUrl: search.url } } } },
  )
  await search.close()
  expect(search.requests).toHaveLength(1)
  expect(tapes.map(({ head }) => head.replay)).toEqual(['yes'])
  await expectEqual(tapes)
  expect(await unseenNotes(tapes[0]?.frames ?? [])).toEqual([])
})
