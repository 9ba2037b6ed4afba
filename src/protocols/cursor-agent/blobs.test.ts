import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzzShare } from '../../../test/fuzz/settings.ts'
import { BlobStore } from './blobs.ts'

const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024)

it('a long history takes no room from the server', () => {
  const blobs = new BlobStore()
  const set = (id: Uint8Array, data: Uint8Array) => blobs.set(id, data, 64 * 1024 * 1024 - blobs.serverBytes)
  const own = blobs.add(megabytes(70))
  expect(set(Buffer.from('one'), megabytes(60))).toBe(true)
  expect(set(Buffer.from('two'), megabytes(5))).toBe(false)
  expect(set(Buffer.from('one'), megabytes(1))).toBe(true)
  expect(set(Buffer.from('two'), megabytes(5))).toBe(true)
  expect(set(own, megabytes(70))).toBe(true)
  expect(blobs.get(own)?.length).toBe(70 * 1024 * 1024)
})

it('ids take room as contents do', () => {
  const blobs = new BlobStore()
  const id = (length: number, of: number) => Buffer.alloc(length, of)
  expect(blobs.set(id(1_000, 1), Buffer.alloc(0), 2_000)).toBe(true)
  expect(blobs.serverBytes).toBeGreaterThan(1_000)
  expect(blobs.set(id(1_000, 2), Buffer.alloc(0), 1_000)).toBe(false)
  expect(blobs.set(id(1_000, 1), Buffer.alloc(10), 10)).toBe(true)
})

it('packed blobs are restored unchanged, and are smaller if possible', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3_000 }), { maxLength: 10 }), (texts) => {
      const blobs = new BlobStore()
      const ids = texts.map((text, at) => {
        const data = Buffer.from(text.repeat(3))
        if (at % 2 === 0) return blobs.add(data)
        const id = Buffer.alloc(32, at)
        blobs.set(id, data)
        return id
      })
      const before = blobs.bytes
      const kept = blobs.kept(ids)
      expect(blobs.bytes).toBeLessThanOrEqual(before)
      const again = new BlobStore()
      for (const blob of kept) again.restore(blob)
      for (const store of [blobs, again])
        expect(ids.map((id) => Buffer.from(store.get(id) ?? []).toString())).toEqual(
          texts.map((text) => text.repeat(3)),
        )
      blobs.pack()
      expect(blobs.first(1 << 20).length).toBe(new Set(texts.filter((_, at) => at % 2 === 0)).size)
    }),
    fuzzShare(0.2),
  )
  const blobs = new BlobStore()
  blobs.add(Buffer.from('the same words '.repeat(1_000)))
  blobs.pack()
  expect(blobs.bytes).toBeLessThan(1_000)
})

it('a text that several blobs have is packed once, however far apart they are', () => {
  const blobs = new BlobStore()
  const text = randomBytes(40_000).toString('base64')
  const others = Array.from({ length: 20 }, () => randomBytes(3_000).toString('base64'))
  const ids = [text, ...others, `once more: ${text}`].map((each) => blobs.add(Buffer.from(each)))
  const before = blobs.bytes
  blobs.pack()
  expect(blobs.bytes).toBeLessThan(before - text.length)
  expect(Buffer.from(blobs.get(ids.at(-1) as Uint8Array) ?? []).toString()).toBe(`once more: ${text}`)
})

it('what is added, stored or asked for after packing finds all blobs', () => {
  const packed = () => {
    const blobs = new BlobStore()
    const own = blobs.add(Buffer.from('own'))
    blobs.set(Buffer.from('theirs'), Buffer.from('server'))
    blobs.pack()
    return { blobs, own }
  }
  const uses: ((blobs: BlobStore) => unknown)[] = [
    (blobs) => blobs.add(Buffer.from('more')),
    (blobs) => blobs.set(Buffer.from('another'), Buffer.from('more')),
    (blobs) => blobs.restore({ id: Buffer.from('third'), bytes: Buffer.from('more'), isDeflated: false }),
    (blobs) => blobs.has(Buffer.from('none')),
    (blobs) => blobs.first(100),
    (blobs) => blobs.kept([]),
    (blobs) => blobs.pack(),
  ]
  for (const use of uses) {
    const { blobs, own } = packed()
    use(blobs)
    expect(Buffer.from(blobs.get(own) ?? []).toString()).toBe('own')
    expect(Buffer.from(blobs.get(Buffer.from('theirs')) ?? []).toString()).toBe('server')
  }
})
