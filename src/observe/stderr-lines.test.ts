import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLines, createLossyWriter, mostPendingBytes } from './stderr-lines.ts'

function gathering() {
  const writes: string[] = []
  return { writes, lines: createLines((text) => writes.push(text)) }
}

describe('lines', () => {
  it('that arrive together are written together, in order', async () => {
    const { writes, lines } = gathering()
    lines.add('a\n')
    lines.add('b\n')
    expect(writes).toEqual([])
    await sleep(30)
    lines.add('c\n')
    await sleep(30)
    expect(writes).toEqual(['a\nb\n', 'c\n'])
  })

  it('are written at once by a flush, and only once', async () => {
    const { writes, lines } = gathering()
    lines.add('a\n')
    lines.flush()
    expect(writes).toEqual(['a\n'])
    await sleep(30)
    expect(writes).toEqual(['a\n'])
  })

  it('are written in batches that a pipe takes atomically', () => {
    const { writes, lines } = gathering()
    const long = `${'x'.repeat(2_000)}\n`
    for (let count = 0; count < 5; count++) lines.add(long)
    lines.flush()
    expect(writes.join('')).toBe(long.repeat(5))
    expect(writes.map(({ length }) => length)).toEqual([4_002, 4_002, 2_001])
  })
})

describe('a stream that stalls or fails', () => {
  function stream() {
    const written: string[] = []
    let failure: Error | undefined
    let onError: (error: Error) => void = () => undefined
    const fake = {
      writableLength: 0,
      written,
      on: (_event: 'error', listener: (error: Error) => void) => {
        onError = listener
      },
      write(text: string, done: (error?: Error) => void) {
        if (!failure) written.push(text)
        done(failure)
        if (failure) onError(failure)
      },
      failWith(error: Error | undefined) {
        failure = error
      },
    }
    return fake
  }

  it('drops lines while it fails, retries later, and reports how many were lost', () => {
    let time = 0
    const target = stream()
    const writer = createLossyWriter(target, () => time)
    writer.write('a\n')
    target.failWith(new Error('ENOSPC'))
    writer.write('b\nc\n')
    writer.write('d\n')
    expect(writer.lost).toBe(3)
    time = 2_000
    writer.write('e\n')
    expect(writer.lost).toBe(4)
    target.failWith(undefined)
    writer.write('f\n')
    time = 4_000
    writer.write('g\n')
    writer.write('h\n')
    expect(target.written).toHaveLength(3)
    expect(target.written[0]).toBe('a\n')
    const [note, last] = (target.written[1] as string).split('\n')
    expect(JSON.parse(note as string)).toMatchObject({
      level: 'warn',
      message: 'log lines were lost',
      lines: 5,
    })
    expect(last).toBe('g')
    expect(target.written[2]).toBe('h\n')
    expect(writer.lost).toBe(5)
  })

  it('drops lines while too many bytes are pending', () => {
    const target = stream()
    const writer = createLossyWriter(target)
    target.writableLength = mostPendingBytes + 1
    writer.write('a\n')
    expect([writer.lost, target.written]).toEqual([1, []])
    target.writableLength = 0
    writer.write('b\n')
    expect(target.written[0]).toContain('"lines":1}\nb\n')
  })

  it('that throws loses only that line', () => {
    const target = stream()
    const writer = createLossyWriter({
      ...target,
      write: () => {
        throw new Error('EAGAIN')
      },
    })
    writer.write('a\n')
    expect(writer.lost).toBe(1)
  })
})
