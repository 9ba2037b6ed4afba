// Very many calls and reasoning details: each element is visited a constant number of times. Visits are counted, not timed.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readChunks } from '../../../test/contract/reader.ts'
import { ChatReader } from './read.ts'

const count = 400

/** The number of elements that array searches visit during `work`. */
function visits(work: () => void): number {
  let seen = 0
  const { find, findLast, concat, indexOf } = Array.prototype
  const counting = (test: (...all: unknown[]) => unknown) =>
    function (this: unknown, ...all: unknown[]) {
      seen++
      return test.apply(this, all)
    }
  vi.spyOn(Array.prototype, 'find').mockImplementation(function (this: unknown[], test) {
    return find.call(this, counting(test as never) as never)
  })
  vi.spyOn(Array.prototype, 'findLast').mockImplementation(function (this: unknown[], test) {
    return findLast.call(this, counting(test as never) as never)
  })
  vi.spyOn(Array.prototype, 'concat').mockImplementation(function (this: unknown[], ...others) {
    seen += this.length
    return concat.apply(this, others)
  })
  vi.spyOn(Array.prototype, 'indexOf').mockImplementation(function (this: unknown[], wanted, from) {
    const at = indexOf.call(this, wanted, from)
    seen += at < 0 ? this.length : at
    return at
  })
  work()
  vi.restoreAllMocks()
  return seen
}

const frame = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const reader = () =>
  new ChatReader({
    turnId: 'turn_1',
    model: 'm',
    backend: 'box',
    wholeArguments: true,
    note: () => undefined,
  })

const many = <T>(make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))

const named = (at: number) => ({ function: { name: 'read', arguments: `{"path":"file-${at}.txt"}` } })

afterEach(() => void vi.restoreAllMocks())

describe('very many', () => {
  it.each<[string, (at: number) => object]>([
    ['calls with an index', (at) => ({ index: at, id: `call_${at}`, ...named(at) })],
    ['calls with an id alone', (at) => ({ id: `call_${at}`, ...named(at) })],
    ['calls without either', named],
  ])('%s', (_how, toolCall) => {
    const bytes = Buffer.from(
      [
        frame({ role: 'assistant' }),
        ...many((at) => frame({ tool_calls: [toolCall(at)] })),
        frame({}, 'tool_calls'),
      ].join(''),
    )
    let ends: string[] = []
    const seen = visits(() => {
      ends = readChunks(reader(), [bytes]).flatMap((event) =>
        event.type === 'tool-call-end' ? [event.input] : [],
      )
    })
    expect(ends).toEqual(many((at) => named(at).function.arguments))
    expect(seen).toBeLessThan(count * 10)
  })

  it('details of reasoning', () => {
    const details = many((at) => ({ type: 'reasoning.text', text: `${at}` }))
    const bytes = Buffer.from(
      [
        ...details.map((detail) => frame({ reasoning: 'x', reasoning_details: [detail] })),
        frame({ content: 'y' }, 'stop'),
      ].join(''),
    )
    const used = reader()
    const seen = visits(() => void readChunks(used, [bytes]))
    expect(used.kept?.message.reasoning_details).toEqual(details)
    expect(seen).toBeLessThan(count * 10)
  })
})
