import { expect, it } from 'vitest'
import { BlobStore } from './blobs.ts'

const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024)

it('a long history takes no room from what the server leaves', () => {
  const blobs = new BlobStore()
  const own = blobs.add(megabytes(70))
  expect(blobs.set(Buffer.from('one'), megabytes(60))).toBe(true)
  expect(blobs.set(Buffer.from('two'), megabytes(5))).toBe(false)
  expect(blobs.set(Buffer.from('one'), megabytes(1))).toBe(true)
  expect(blobs.set(Buffer.from('two'), megabytes(5))).toBe(true)
  expect(blobs.set(own, megabytes(70))).toBe(true)
  expect(blobs.get(own)?.length).toBe(70 * 1024 * 1024)
})
