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
