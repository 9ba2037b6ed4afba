import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ConversationEnd } from './run-options.ts'
import { seal, sealedBytes, unseal } from './sealed-end.ts'

const bytes = fc.uint8Array({ maxLength: 900 })
const blob = fc.record({ id: fc.uint8Array({ maxLength: 40 }), bytes, isDeflated: fc.boolean() })
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')
const legible = ({ conversationId, state, blobs }: ConversationEnd) => ({
  conversationId,
  state: hex(state),
  blobs: blobs.map(({ id, bytes, isDeflated }) => [hex(id), hex(bytes), isDeflated]),
})

it('is the same when it is opened again', () => {
  fc.assert(
    fc.property(fc.record({ conversationId: fc.string(), state: bytes, blobs: fc.array(blob) }), (end) => {
      expect(legible(unseal(seal(end)))).toEqual(legible(end))
    }),
  )
})

it('many small blobs take little', () => {
  const blobs = Array.from({ length: 100 }, (_, index) => ({
    id: Buffer.alloc(32, index),
    bytes: Buffer.from(JSON.stringify({ role: 'tool', content: `result ${index}` })),
    isDeflated: false,
  }))
  expect(sealedBytes(seal({ conversationId: 'c', state: new Uint8Array(100), blobs }))).toBeLessThan(3_000)
})
