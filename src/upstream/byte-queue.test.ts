import { describe, expect, it } from 'vitest'
import { ByteQueue } from './byte-queue.ts'

describe('ByteQueue', () => {
  it('returns all bytes in order, however they were chunked', () => {
    const queue = new ByteQueue()
    const pieces = Array.from({ length: 300 }, (_, at) => Buffer.alloc((at * 37) % 6_000, at))
    for (const piece of pieces) queue.push(piece)
    expect(queue.length).toBe(Buffer.concat(pieces).length)
    expect(queue.take().equals(Buffer.concat(pieces))).toBe(true)
    expect([queue.isEmpty, queue.length]).toEqual([true, 0])
  })

  it('returns a single chunk without a copy', () => {
    const queue = new ByteQueue()
    const piece = Buffer.from('x')
    queue.push(piece)
    expect(queue.take()).toBe(piece)
  })

  it('does not keep the network reads of small chunks', () => {
    const queue = new ByteQueue()
    queue.push(Buffer.from('first'))
    const read = Buffer.alloc(64 * 1024, 'x')
    queue.push(read.subarray(0, 10))
    queue.push(read.subarray(10, 20))
    read.fill('y')
    expect(String(queue.take())).toBe(`first${'x'.repeat(20)}`)
  })
})
