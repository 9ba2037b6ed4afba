import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLines } from './stderr-lines.ts'

function gathering() {
  const writes: string[] = []
  return { writes, lines: createLines((text) => writes.push(text)) }
}

describe('lines', () => {
  it('of a moment are written together, in their order', async () => {
    const { writes, lines } = gathering()
    lines.add('a\n')
    lines.add('b\n')
    expect(writes).toEqual([])
    await sleep(30)
    lines.add('c\n')
    await sleep(30)
    expect(writes).toEqual(['a\nb\n', 'c\n'])
  })

  it('are written at once when that is asked for, and not again', async () => {
    const { writes, lines } = gathering()
    lines.add('a\n')
    lines.flush()
    expect(writes).toEqual(['a\n'])
    await sleep(30)
    expect(writes).toEqual(['a\n'])
  })

  it('are not written together beyond what a pipe takes at once', () => {
    const { writes, lines } = gathering()
    const long = `${'x'.repeat(2_000)}\n`
    for (let count = 0; count < 5; count++) lines.add(long)
    lines.flush()
    expect(writes.join('')).toBe(long.repeat(5))
    expect(writes.map(({ length }) => length)).toEqual([4_002, 4_002, 2_001])
  })
})
