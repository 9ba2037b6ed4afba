import { expect, it } from 'vitest'
import { anthropicIds } from '../../protocols/anthropic-messages/stored-ids.ts'
import { StoredIds } from './stored-ids.ts'

const continuing = (id: string) => ({ thread: { type: 'continue', previous_message_id: id } })
const started = (id: string) => JSON.stringify({ type: 'message_start', message: { type: 'message', id } })

it('a thread passes for the key that received its message', () => {
  const ids = new StoredIds('claude', anthropicIds)
  ids.see('alice', started('msg_1'))
  expect(() => ids.check('alice', continuing('msg_1'))).not.toThrow()
})

it('a thread of another key is not found, with the code on which SDKs go on without it', () => {
  const ids = new StoredIds('claude', anthropicIds)
  ids.see('alice', started('msg_1'))
  expect(() => ids.check('bob', continuing('msg_1'))).toThrow(
    expect.objectContaining({ code: 'not-found', status: 404, serviceCode: 'thread_not_found' }),
  )
})

it('a flood of one key forgets its own ids, not those of another', () => {
  const ids = new StoredIds('claude', anthropicIds)
  ids.see('alice', started('msg_alice'))
  ids.see('bob', started('msg_bob'))
  for (let at = 0; at < 20_000; at++) ids.see('bob', started(`msg_${at}`))
  ids.see('bob', started('x'.repeat(10_000)))
  expect(() => ids.check('alice', continuing('msg_alice'))).not.toThrow()
  expect(() => ids.check('bob', continuing('msg_bob'))).toThrow()
  expect(() => ids.check('bob', continuing('msg_19999'))).not.toThrow()
})

it('text that is not JSON is no answer', () => {
  const ids = new StoredIds('claude', anthropicIds)
  for (const text of ['', '"message"', '{"message":', '[{"message":1}]', 'null "container"'])
    ids.see('bob', text)
  expect(() => ids.check('bob', { container: 'c' })).toThrow()
})
