import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExecReply } from './native.ts'
import { ShellOutput } from './shell-output.ts'

type Said = { stdout: string; stderr: string; events: string[] }

function heard(replies: readonly ExecReply[]): Said {
  const said: Said = { stdout: '', stderr: '', events: [] }
  for (const reply of replies) {
    const event = reply.case === 'shellStream' ? reply.value.event : undefined
    said.events.push(event?.case ?? '')
    if (event?.case === 'stdout' || event?.case === 'stderr') said[event.case] += event.value.data
  }
  return said
}

const end = (stdout: string, stderr: string): ExecReply[] => [
  { case: 'shellStream', value: { event: { case: 'start', value: {} } } },
  { case: 'shellStream', value: { event: { case: 'stdout', value: { data: stdout } } } },
  { case: 'shellStream', value: { event: { case: 'stderr', value: { data: stderr } } } },
  { case: 'shellStream', value: { event: { case: 'exit', value: { code: 0 } } } },
]

describe('output that was sent ahead', () => {
  it('and the rest of it are the whole, once, however much came ahead', () => {
    const piece = fc.record({
      stream: fc.constantFrom('stdout' as const, 'stderr' as const),
      data: fc.string({ minLength: 1 }),
      isAhead: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const output = new ShellOutput()
        const whole = { stdout: '', stderr: '' }
        const sent: ExecReply[] = []
        // What comes ahead is a beginning of each stream.
        const ahead = pieces.slice(0, pieces.findLastIndex(({ isAhead }) => isAhead) + 1)
        for (const { stream, data } of pieces) whole[stream] += data
        for (const { stream, data } of ahead) sent.push(...output.next(stream, data))
        const all = heard([...sent, ...output.rest(end(whole.stdout, whole.stderr))])
        expect(all).toMatchObject(whole)
        expect(all.events.filter((name) => name === 'start')).toHaveLength(1)
        expect(all.events.at(-1)).toBe('exit')
      }),
    )
  })

  it('a refusal has nothing to take away from', () => {
    const refusal: ExecReply = {
      case: 'shellStream',
      value: { event: { case: 'rejected', value: { reason: 'no' } } },
    }
    expect(new ShellOutput().rest([refusal])).toEqual([refusal])
  })
})
