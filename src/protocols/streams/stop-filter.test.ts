import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../../test/check-turn.ts'
import { inBatches, turns } from '../../../test/contract/turns.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { StopFilter } from './stop-filter.ts'

function turnOf(write: (blocks: BlockWriter) => void): TurnEvent[] {
  const blocks = new BlockWriter()
  blocks.push({ type: 'turn-start', id: 'x', model: 'm' })
  write(blocks)
  blocks.close()
  blocks.push({ type: 'turn-end', reason: blocks.calls > 0 ? 'tool-calls' : 'stop' })
  return blocks.take()
}
const texts = (...pieces: string[]) =>
  turnOf((blocks) => {
    for (const piece of pieces) blocks.text(piece)
  })
const textOf = (events: readonly TurnEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
const allText = (events: readonly TurnEvent[]) => textOf(events)

function filtered(stops: string[], events: readonly TurnEvent[]) {
  const filter = new StopFilter(stops)
  const given = events.flatMap((event) => filter.push([event]))
  expect(checkTurn(given)).toEqual([])
  return { given, text: textOf(given), cut: filter.cut }
}

describe('StopFilter', () => {
  it.each([
    ['in one piece', ['END'], ['so far END and more'], 'so far '],
    ['across pieces', ['END'], ['so far E', 'N', 'D and more'], 'so far '],
    ['at the beginning', ['END'], ['EN', 'D'], ''],
    ['the first of several', ['later', 'END'], ['a END b later'], 'a '],
    ['the one that begins first', ['bcd', 'ab'], ['xabcd'], 'x'],
    ['after what could have been one', ['aab'], ['a', 'a', 'a', 'b', 'c'], 'a'],
    ['in emoji', ['🙂'], ['a\ud83d', '\ude42b'], 'a'],
  ])('cuts %s', (_name, stops, pieces, expected) => {
    const { text, cut, given } = filtered(stops, texts(...pieces))
    expect(text).toBe(expected)
    expect(cut).toBe(true)
    expect(given.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' })
  })

  it.each([
    ['nothing to stop at', [], ['a', 'b']],
    ['an empty sequence', [''], ['a', 'b']],
    ['a beginning that comes to nothing', ['END'], ['the E', 'N', 'd']],
    ['a beginning at the end', ['END'], ['the EN']],
  ])('%s leaves the text as it is', (_name, stops, pieces) => {
    const { text, cut } = filtered(stops, texts(...pieces))
    expect(text).toBe(pieces.join(''))
    expect(cut).toBe(false)
  })

  it('searches only text, and keeps calls before the cut', () => {
    const events = turnOf((blocks) => {
      blocks.reasoning('END')
      blocks.startCall('c', 'read')
      blocks.endCall('{"path":"END"}')
      blocks.text('x END')
      blocks.startCall('d', 'read')
      blocks.endCall('{}')
    })
    const { given } = filtered(['END'], events)
    expect(given.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(given.filter((event) => event.type === 'tool-call-end')).toHaveLength(1)
  })

  it('emits held text before an error', () => {
    const filter = new StopFilter(['END'])
    const error = new GatewayError('upstream-protocol', 'x')
    const given = filter.push([...texts('so E').slice(0, 3), { type: 'turn-error', error }])
    expect(textOf(given)).toBe('so E')
    expect(given.at(-1)?.type).toBe('turn-error')
  })

  it('gives valid turns, cut at the first match or not at all, for any chunking', () => {
    const stops = fc.array(fc.constantFrom('a', 'data', '\n', 'ab', '[DONE]', 'zz'), { maxLength: 3 })
    fc.assert(
      fc.property(turns, stops, fc.array(fc.nat(6)), (events, sequences, sizes) => {
        const filter = new StopFilter(sequences)
        const given = inBatches(events, sizes).flatMap((batch) => filter.push(batch))
        expect(checkTurn(given)).toEqual([])
        expect(allText(events).startsWith(textOf(given))).toBe(true)
        if (!filter.cut) expect(textOf(given)).toBe(allText(events))
      }),
      fuzz,
    )
  })
})
