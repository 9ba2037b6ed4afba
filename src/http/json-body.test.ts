import { describe, expect, it } from 'vitest'
import type { BodyRules } from './body.ts'
import { readJsonBody } from './json-body.ts'

const read = (bytes: Uint8Array) =>
  readJsonBody(
    {
      header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
      readBody: ({ take }: BodyRules) => {
        take(bytes)
        return Promise.resolve(bytes.length)
      },
    } as unknown as Parameters<typeof readJsonBody>[0],
    { bytes: 1_000, values: 1_000 },
  )

describe('consecutive bodies', () => {
  it.each([
    ['half a character', [0x22, 0xe2, 0x82]],
    ['half a byte order mark', [0xef, 0xbb]],
    ['what UTF-8 never has', [0xff]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('%s in one does not affect the next', async (_what, broken) => {
    await expect(read(Uint8Array.from(broken))).rejects.toMatchObject({
      message: expect.stringContaining('UTF-8'),
    })
    for (const text of ['{"a":"é🙂"}', '\ufeff{"a":1}', '{}'])
      expect((await read(new TextEncoder().encode(text))).text).toBe(text.replace('\ufeff', ''))
  })
})

describe('the bounds of a body', () => {
  const announced = (text: string, length = Buffer.byteLength(text)) =>
    readJsonBody(
      {
        header: (name: string) =>
          ({ 'content-type': 'application/json', 'content-length': String(length) })[name],
        readBody: ({ take }: BodyRules) => {
          take(Buffer.from(text))
          return Promise.resolve(Buffer.byteLength(text))
        },
      } as unknown as Parameters<typeof readJsonBody>[0],
      { bytes: 100_000, values: 1_000 },
    )
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const list = (count: number) => `[${Array(count).fill('[]').join(',')}]`

  it.each([
    ['nested too deep', nested(65), '64 levels'],
    ['nested too deep, and cut', '['.repeat(65), '64 levels'],
    ['nested too deep in a value that another replaces', `{"a":${nested(64)},"a":1}`, '64 levels'],
    ['too many values', list(600), 'more than 1000 values'],
  ])('%s', async (_what, text, words) => {
    for (const length of [Buffer.byteLength(text), 10, 90_000])
      await expect(announced(text, length)).rejects.toMatchObject({ message: expect.stringContaining(words) })
  })

  it('are kept by what is just within them', async () => {
    expect((await announced(nested(64))).text).toBe(nested(64))
    expect((await announced(list(499))).text).toBe(list(499))
  })
})
