import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withProgress } from './progress.ts'

const terminal = process.stderr.isTTY
let written = ''

beforeEach(() => {
  written = ''
  vi.useFakeTimers()
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += text
    return true
  })
})
afterEach(() => {
  process.stderr.isTTY = terminal
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Waits this long for work, and says what was written meanwhile and in the end. */
async function told(isTTY: boolean, milliseconds: number, fails = false): Promise<[string, string]> {
  process.stderr.isTTY = isTTY
  written = ''
  let end: () => void = () => undefined
  const work = new Promise<void>((resolve, reject) => {
    end = () => (fails ? reject(new Error('no')) : resolve())
  })
  const done = withProgress('asking', work).catch(() => undefined)
  vi.advanceTimersByTime(milliseconds)
  const meanwhile = written
  written = ''
  end()
  await done
  vi.advanceTimersByTime(9_000)
  return [meanwhile, written]
}

it('is told of what takes more than a second, and goes away', async () => {
  expect(await told(true, 2_500)).toEqual(['\r\x1b[Kasking … 1 s\r\x1b[Kasking … 2 s', '\r\x1b[K'])
  expect(await told(true, 1_500, true)).toEqual(['\r\x1b[Kasking … 1 s', '\r\x1b[K'])
})

it('is not told of what is quick, nor where there is no terminal', async () => {
  expect(await told(true, 900)).toEqual(['', ''])
  expect(await told(false, 5_000)).toEqual(['', ''])
})
