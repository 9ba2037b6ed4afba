import { expect, it } from 'vitest'
import { CappedOutput, type StreamName } from './capped-output.ts'

function capped({ keepBytes = 10, floodBytes = 100 } = {}) {
  const shown: [StreamName, string][] = []
  let floods = 0
  const output = new CappedOutput({
    keepBytes,
    floodBytes,
    onText: (text, stream) => shown.push([stream, text]),
    onFlood: () => floods++,
  })
  return { output, shown, floods: () => floods }
}

const bytes = (text: string) => Buffer.from(text)

it('is the same text for any chunks', () => {
  const whole = bytes('a\u00e4\u20ac\u{1f642}\ufeff\xff')
  for (let cut = 0; cut <= whole.length; cut++) {
    const { output } = capped({ keepBytes: 100 })
    output.write(whole.subarray(0, cut), 'stdout')
    output.write(bytes('other'), 'stderr')
    output.write(whole.subarray(cut), 'stdout')
    expect(output.end()).toEqual({ stdout: whole.toString(), stderr: 'other' })
    expect(output.truncated).toBe(false)
  }
})

it('shows invalid UTF-8 as U+FFFD', () => {
  const { output } = capped()
  output.write(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x00, 0xe2, 0x82]), 'stdout')
  expect(output.end().stdout).toBe('a\ufffd\ufffd(\0\ufffd')
})

it('keeps the beginning of both streams together, and says so once', () => {
  const { output, shown } = capped()
  output.write(bytes('123456'), 'stdout')
  output.write(bytes('abcdef'), 'stderr')
  output.write(bytes('never'), 'stdout')
  expect(output.end()).toEqual({
    stdout: '123456',
    stderr: 'abcd\n[dragoman: the output is cut here: 10 bytes are the limit]\n',
  })
  expect(output.truncated).toBe(true)
  expect(shown.map(([stream]) => stream)).toEqual(['stdout', 'stderr', 'stderr'])
})

it('does not cut through a character', () => {
  const { output } = capped()
  output.write(bytes('123456789\u20ac'), 'stdout')
  expect(output.end().stdout).toBe('123456789\n[dragoman: the output is cut here: 10 bytes are the limit]\n')
})

it('accepts exactly the limit', () => {
  const { output } = capped()
  output.write(bytes('1234567890'), 'stdout')
  expect(output.end().stdout).toBe('1234567890')
  expect(output.truncated).toBe(false)
})

it('reports a flood once', () => {
  const { output, floods } = capped()
  output.write(bytes('x'.repeat(100)), 'stdout')
  expect(floods()).toBe(0)
  output.write(bytes('x'), 'stderr')
  output.write(bytes('x'), 'stderr')
  expect(floods()).toBe(1)
})
