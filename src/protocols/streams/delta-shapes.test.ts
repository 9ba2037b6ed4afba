import { describe, expect, it } from 'vitest'
import { DeltaShapes } from './delta-shapes.ts'

const learned = (data: string, value: unknown, name = 'text') => {
  const shapes = new DeltaShapes<'delta'>()
  shapes.learn('delta', data, name, value)
  return shapes
}

const textIn = (shapes: DeltaShapes<'delta'>, data: string) =>
  shapes.find(data) === undefined ? undefined : shapes.text

describe('the shape of an event', () => {
  it.each([
    ['a string', '"b"', 'b'],
    ['an empty string', '""', ''],
    ['escapes', String.raw`"\"\\\/\b\f\n\r\té🙂"`, '"\\/\b\f\n\r\té🙂'],
    ['half a character', String.raw`"\ud83d"`, '\ud83d'],
    ['half a character, not escaped', '"\ud83d"', '\ud83d'],
    ['line ends of other systems', '"\u0085\u2028\u007f"', '\u0085\u2028\u007f'],
    ['text that looks like the end of the event', String.raw`"\"}}"`, '"}}'],
  ])('is found with %s in it', (_what, written, value) => {
    const shapes = learned('{"delta":{"text":"a"}}', 'a')
    expect(textIn(shapes, `{"delta":{"text":${written}}}`)).toBe(value)
  })

  it.each([
    ['a number', '{"delta":{"text":1}}'],
    ['another member', '{"delta":{"text":"b","x":"c"}}'],
    ['blanks', '{"delta":{"text": "b"}}'],
    ['blanks after it', '{"delta":{"text":"b" }}'],
    ['another beginning', '{"Delta":{"text":"b"}}'],
    ['another end', '{"delta":{"text":"b"}} '],
    ['an open string', '{"delta":{"text":"}}'],
    ['two strings', '{"delta":{"text":"b""c"}}'],
    ['an unknown escape', String.raw`{"delta":{"text":"\x"}}`],
    ['an escape that is cut', String.raw`{"delta":{"text":"\u12"}}`],
    ['a quote that is escaped at the end', String.raw`{"delta":{"text":"b\"}}`],
    ['a control character', '{"delta":{"text":"\u0001"}}'],
    ['a line end', '{"delta":{"text":"\n"}}'],
    ['nothing', ''],
    ['less than its beginning', '{"delta":'],
    ['its beginning and its end, which share a quote', '{"delta":{"text":"}}'],
  ])('is not found with %s', (_what, data) => {
    expect(textIn(learned('{"delta":{"text":"a"}}', 'a'), data)).toBeUndefined()
  })

  it.each([
    ['no string', '{"text":1}', 1],
    ['an escape in the string', String.raw`{"text":"a\n"}`, 'a\n'],
    ['an escape elsewhere', String.raw`{"text":"a","x":"\n"}`, 'a'],
    ['its name twice', '{"x":{"text":"a"},"y":{"text":"a"}}', 'a'],
    ['its name twice, once with a blank after it', '{"x":{"text":"a"},"y":{"text" :"a"}}', 'a'],
    ['its name twice, the blank before', '{"x":{"text" :"a"},"y":{"text":"a"}}', 'a'],
    ['its name as another value', '{"x":"text","text":"a"}', 'a'],
    ['its name as its own value', '{"text":"text"}', 'text'],
    ['another value under that name', '{"text":"b"}', 'a'],
    ['a longer value under that name', '{"text":"ab"}', 'a'],
    ['no such name', '{"context":"a"}', 'a'],
  ])('is not learned from %s', (_what, data, value) => {
    const shapes = new DeltaShapes<'delta'>()
    expect(shapes.learn('delta', data, 'text', value)).toBe(false)
    expect(shapes.find(data)).toBeUndefined()
  })

  it('is the newest of its kind, beside other kinds', () => {
    const shapes = new DeltaShapes<'a' | 'b'>()
    for (const n of [1, 2]) shapes.learn('a', `{"n":${n},"text":"x"}`, 'text', 'x')
    shapes.learn('b', '{"thought":"x"}', 'thought', 'x')
    expect(shapes.find('{"n":1,"text":"y"}')).toBeUndefined()
    expect(shapes.find('{"n":2,"text":"y"}')).toBe('a')
    expect(shapes.find('{"thought":"y"}')).toBe('b')
  })

  it('is no longer learned if each event has another one', () => {
    const shapes = new DeltaShapes<'delta'>()
    const learn = (n: number) => shapes.learn('delta', `{"n":${n},"text":"x"}`, 'text', 'x')
    const learnings = Array.from({ length: 20 }, (_, n) => learn(n))
    expect(learnings.filter(Boolean)).toHaveLength(9)
    expect(shapes.isLearning).toBe(false)
  })

  it('is learned again as long as it matches events', () => {
    const shapes = new DeltaShapes<'delta'>()
    for (let n = 0; n < 50; n++) {
      shapes.learn('delta', `{"n":${n},"text":"x"}`, 'text', 'x')
      expect(shapes.find(`{"n":${n},"text":"y"}`)).toBe('delta')
    }
  })
})
