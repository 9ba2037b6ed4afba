import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Tape } from '../tapes/tape.ts'
import { Shelf } from './shelf.ts'

const begin = (shelf: Shelf, name: string) => shelf.begin({ turnId: `turn_${name}`, asked: false }) as Tape

const write = (tape: Tape, characters: number) =>
  tape.add({ side: 'client', do: 'write', text: 'x'.repeat(characters) })

function end(tape: Tape): void {
  tape.add({ side: 'client', do: 'end' })
  tape.add({ side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 })
}

const idsOf = (shelf: Shelf) => shelf.all().map(({ tape }) => tape.turn)

afterEach(() => vi.useRealTimers())

describe('Shelf', () => {
  it('keeps so many turns of a second, counts the others, and always keeps one that was sent again', () => {
    vi.useFakeTimers({ now: 1_000_000 })
    let skipped = 0
    const shelf = new Shelf({ turns: 300, bytes: 1_000_000_000 }, () => skipped++)
    const turns = (count: number) => Array.from({ length: count }, (_, at) => begin(shelf, `${at}`))
    expect(turns(350).filter(Boolean).length).toBe(300)
    expect(skipped).toBe(50)
    expect(shelf.begin({ turnId: 'again', asked: false, isResent: true })).toBeDefined()
    vi.setSystemTime(1_001_000)
    expect(turns(250).every(Boolean)).toBe(true)
    vi.setSystemTime(1_000_500)
    expect(turns(1).every(Boolean)).toBe(true)
    const small = new Shelf({ turns: 1, bytes: 1_000_000_000 })
    expect(Array.from({ length: 250 }, () => begin(small, 'a')).filter(Boolean).length).toBe(200)
  })

  it('keeps the newest, oldest first', () => {
    const shelf = new Shelf({ turns: 2, bytes: 1_000_000 })
    for (const name of ['a', 'b', 'c']) end(begin(shelf, name))
    expect(idsOf(shelf)).toEqual(['turn_b', 'turn_c'])
    expect(shelf.get('turn_a')).toBeUndefined()
    expect(shelf.get('turn_c')?.tape.isOver).toBe(true)
  })

  it('never drops running turns, and makes room once they are over', () => {
    const shelf = new Shelf({ turns: 1, bytes: 1_000_000 })
    const running = ['a', 'b', 'c'].map((name) => begin(shelf, name))
    expect(idsOf(shelf)).toEqual(['turn_a', 'turn_b', 'turn_c'])
    for (const tape of running) end(tape)
    expect(idsOf(shelf)).toEqual(['turn_c'])
  })

  it('is bounded in bytes: the oldest finished turns go', () => {
    const shelf = new Shelf({ turns: 100, bytes: 10_000, tapeBytes: 10_000 })
    const first = begin(shelf, 'first')
    write(first, 4_000)
    for (const name of ['a', 'b', 'c', 'd']) {
      const tape = begin(shelf, name)
      write(tape, 3_000)
      end(tape)
      expect(shelf.bytes).toBeLessThanOrEqual(10_000)
    }
    expect(idsOf(shelf)).toEqual(['turn_first', 'turn_d'])
  })

  it('cuts a tape that is too long, but keeps its end', () => {
    const shelf = new Shelf({ turns: 5, bytes: 1_000_000, tapeBytes: 1_000 })
    const tape = begin(shelf, 'a')
    for (let nth = 0; nth < 20; nth++) write(tape, 100)
    end(tape)
    expect(tape.head.cut).toBe(true)
    expect(tape.frames.at(-1)).toMatchObject({ do: 'finish' })
    expect(shelf.bytes).toBe(tape.bytes)
  })

  it('gives one tape a third of all bytes', () => {
    const shelf = new Shelf({ turns: 5, bytes: 3_000 })
    const tape = begin(shelf, 'a')
    write(tape, 800)
    expect(tape.isCut).toBe(false)
    write(tape, 100)
    expect(tape.isCut).toBe(true)
  })

  it('counts and bounds the timeline too', () => {
    const shelf = new Shelf({ turns: 5, bytes: 1_000_000, tapeBytes: 50_000 })
    const tape = begin(shelf, 'a')
    for (let block = 0; block < 10_000; block++) {
      tape.see([{ type: 'text-start', block }])
      tape.onTextDelta('word', { before: '', after: '' }, 'word', performance.now())
      tape.see([{ type: 'text-end', block }])
    }
    end(tape)
    // Each counts as a frame with a full preview.
    expect(tape.segments.length * (120 + 200)).toBeLessThanOrEqual(50_000)
    expect([tape.isCut, tape.isOver]).toEqual([true, true])
    expect(shelf.bytes).toBeGreaterThan(tape.segments.length * 100)
  })

  it('reports changes and drops until the listener is removed', () => {
    const shelf = new Shelf({ turns: 1, bytes: 1_000_000 })
    const told: string[] = []
    const stop = shelf.onChange(({ turn }) => told.push(`changed ${turn}`))
    shelf.onDrop((turn) => told.push(`dropped ${turn}`))
    const tape = begin(shelf, 'a')
    write(tape, 1)
    stop()
    end(tape)
    end(begin(shelf, 'b'))
    expect(told).toEqual(['changed turn_a', 'dropped turn_a'])
  })

  it('does not count frames of a turn that was dropped', () => {
    const shelf = new Shelf({ turns: 1, bytes: 1_000_000 })
    const tape = begin(shelf, 'a')
    end(tape)
    begin(shelf, 'b')
    write(tape, 1_000)
    expect(shelf.bytes).toBe(0)
  })
})
