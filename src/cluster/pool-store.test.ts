import { expect, it } from 'vitest'
import { keptLog } from '../../test/cluster-parts.ts'
import { MemoryStore } from './memory-store.ts'
import { poolStore } from './pool-store.ts'
import { StoreLink } from './store-link.ts'

async function opened() {
  const store = new MemoryStore()
  const link = new StoreLink({ store, log: keptLog(), beat: async () => undefined })
  await link.start()
  return { link, pools: poolStore(link) }
}

it('the first binding stays, until it is changed from what it was', async () => {
  const { pools, link } = await opened()
  expect(await pools.bind('k', 'a', '', 60_000)).toBe('a')
  expect(await pools.bind('k', 'b', '', 60_000)).toBe('a')
  expect(await pools.bind('k', 'b', 'a', 60_000)).toBe('b')
  expect(await pools.look([], ['k', '', 'other'])).toEqual({ accounts: [], bindings: ['b', '', ''] })
  link.close()
})

it('has what was told last of an account', async () => {
  const { pools, link } = await opened()
  for (const record of ['one', 'two']) pools.tell('box@a:1', record, 60_000)
  expect(await pools.look(['box@a:1', 'box@b:1'], [])).toEqual({ accounts: ['two', ''], bindings: [] })
  link.close()
})

it('says nothing while the store is down', async () => {
  const { pools, link } = await opened()
  link.close()
  expect([await pools.look(['x'], ['k']), await pools.bind('k', 'a', '', 1)]).toEqual([undefined, undefined])
})
