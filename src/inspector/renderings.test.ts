import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Sink } from '../core/sink.ts'
import { Renderings, writeSlowly } from './renderings.ts'

describe('Renderings', () => {
  it('renders one text at a time, yields to the event loop in between, and shares equal requests', async () => {
    const renderings = new Renderings()
    let made = 0
    let turns = 0
    let counting = true
    const count = async () => {
      for (; counting; turns++) await nextTurn()
    }
    const counted = count()
    const texts = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        renderings.render(at < 20 ? 'same' : `other ${at}`, () => {
          made++
          return `text ${at}`
        }),
      ),
    )
    counting = false
    await counted
    expect(made).toBe(21)
    expect(texts[19]).toBe('text 0')
    expect(texts[39]).toBe('text 39')
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  it('keeps the newest finished text for a moment, and no other', async () => {
    const renderings = new Renderings()
    let made = 0
    const ask = (key: string) => renderings.render(key, () => `${key} ${++made}`)
    expect([await ask('a'), await ask('a')]).toEqual(['a 1', 'a 1'])
    expect(await ask('b')).toBe('b 2')
    expect(await ask('a')).toBe('a 3')
  })

  it('continues after a failure, and does not keep it', async () => {
    const renderings = new Renderings()
    const fail = () => {
      throw new Error('broken')
    }
    await expect(renderings.render('a', fail)).rejects.toThrow('broken')
    expect(await renderings.render('a', () => 'whole')).toBe('whole')
  })
})

describe('writeSlowly', () => {
  it('waits for its reader, and never splits a character', async () => {
    const pieces: string[] = []
    let behind = false
    const sink = {
      gone: false,
      get isBehind() {
        return behind
      },
      write(piece: string) {
        expect(behind).toBe(false)
        pieces.push(Buffer.from(piece).toString())
        behind = true
        return false
      },
      drained: async () => {
        await nextTurn()
        behind = false
      },
      end: () => pieces.push('end'),
    } as unknown as Sink
    const text = `a${'🙂'.repeat(100_000)}`
    await writeSlowly(sink, text)
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toBe(`${text}end`)
  })
})
