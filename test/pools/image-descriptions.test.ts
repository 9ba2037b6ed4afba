// The accounts of a model that describes images for another one: a named one is never replaced, the others may be.

import { describe, expect, it } from 'vitest'
import { png } from '../claude-code/requests.ts'
import { user } from '../harness.ts'
import { keyOf, model, say, usePoolBench } from './pool-bench.ts'

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
const asked = { headers: { 'x-dragoman-account': 'a' }, body: { messages: [user([image])] } }
const lacking = (describedBy: string) => ({
  settings: { lacks: { images: { describedBy, models: [model] } } },
})
const describer = 'claude-haiku-4-5'

describe('a named account', () => {
  const bench = usePoolBench(lacking(`claude@c/${describer}`))
  const describing = () => bench.accounts.seen.filter((one) => one.model === describer).map(({ key }) => key)

  it('describes every image', async () => {
    expect(await say(bench.url, asked)).toMatchObject({ status: 200, account: 'a' })
    expect(describing()).toEqual([keyOf('c')])
  })

  it('is not replaced when it fails', async () => {
    bench.accounts.revoke(keyOf('c'))
    const { status, message } = await say(bench.url, asked)
    expect(status).toBe(502)
    expect(message).toContain(`claude@c/${describer}, which should describe them, failed`)
    expect(describing()).toEqual([keyOf('c')])
  })
})

describe('without a name', () => {
  const bench = usePoolBench(lacking(`claude/${describer}`))

  it('another account describes the image when one is limited', async () => {
    bench.accounts.limit(keyOf('a'), 60_000, describer)
    expect(await say(bench.url, asked)).toMatchObject({ status: 200, account: 'a' })
    const describing = bench.accounts.seen.filter((one) => one.model === describer)
    expect(describing.map(({ key, status }) => [key, status])).toEqual([
      [keyOf('a'), 429],
      [keyOf('b'), 200],
    ])
  })
})
