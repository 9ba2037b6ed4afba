import { describe, expect, it } from 'vitest'
import { TerminalLines } from './terminal-lines.ts'

const time = '2026-11-18T09:12:03.000Z'
const lineOf = (record: Record<string, unknown>, lines = new TerminalLines()) =>
  lines.line(JSON.stringify({ time, level: 'info', ...record }))?.slice('00:00:00  '.length)

const turn = {
  message: 'turn',
  door: 'openai-chat',
  model: 'box/m',
  outcome: 'tool-calls',
  calls: 1,
  inputTokens: 21,
  outputTokens: 14,
  milliseconds: 312,
}

describe('a line at the terminal', () => {
  it('says what became of a turn', () => {
    const target = { backend: 'box', upstreamModel: 'm' }
    expect(lineOf({ ...turn, ...target })).toBe(
      'openai-chat  box/m  tool-calls, 1 call, 21→14 tokens, 312 ms\n',
    )
    const alias = { ...turn, ...target, client: 'codex', model: 'fast', outcome: 'stop', calls: 0 }
    expect(lineOf(alias)).toBe('codex  fast → box/m  stop, 21→14 tokens, 312 ms\n')
  })

  it('says why a turn was refused or failed, and what to do', () => {
    const error = { code: 'not-found', error: 'The model "m" does not exist here.' }
    expect(lineOf({ ...turn, level: 'warn', ...error })).toBe(
      'openai-chat  box/m  refused: not-found: The model "m" does not exist here. → Check the model’s name: GET /v1/models lists the models.\n',
    )
    const failed = {
      ...turn,
      backend: 'box',
      upstreamModel: 'm',
      code: 'rate-limited',
      error: 'box: slow down',
    }
    expect(lineOf(failed)).toContain('box/m  failed: rate-limited: box: slow down → Wait')
  })

  it('is one line, whatever it quotes', () => {
    const hostile = {
      ...turn,
      model: 'a\nb\u001b[31m\u202e',
      code: 'not-found',
      error: `x\r${'y'.repeat(9_999)}`,
    }
    const said = lineOf(hostile) ?? ''
    expect(said).toMatch(/^[^\p{Cc}\p{Cf}]+\n$/u)
    expect(said.length).toBeLessThan(500)
  })

  it('is said once a minute of strangers, for each code', () => {
    const lines = new TerminalLines()
    const refused = (seconds: number, code = 'unauthenticated') =>
      lines.line(
        JSON.stringify({
          time: new Date(Date.parse(time) + 1_000 * seconds).toISOString(),
          ...{ level: 'warn', message: 'request refused', method: 'POST', path: '/v1/messages', code },
          error: 'This key is not known here.',
        }),
      )
    const said = [refused(0), refused(1), refused(2), refused(3, 'forbidden'), refused(60)]
    expect(said.map((line) => line === undefined)).toEqual([false, true, true, false, false])
    expect(said[0]).toContain('POST /v1/messages  turned away: unauthenticated: This key is not known here.')
    expect(said.at(-1)).toContain('(and 2 more before)')
  })

  it('is not said of what is only informative', () => {
    expect(lineOf({ message: 'a breaker closed' })).toBeUndefined()
    expect(lineOf({ level: 'warn', message: 'a breaker opened', backend: 'box' })).toBe(
      'warn: a breaker opened, box\n',
    )
  })

  it('ends with the notes of the turn, a few of them', () => {
    const target = { backend: 'box', upstreamModel: 'm' }
    const notes = ['"top_k" was left out', 'x'.repeat(999), 'three', 'four', 'five']
    const said = lineOf({ ...turn, ...target, notes }) ?? ''
    expect(said).toContain(', 312 ms  ("top_k" was left out; xxx')
    expect(said).toContain('…; three; and 2 more)\n')
    expect(said.length).toBeLessThan(400)
  })

  it('is said of everything where the log is read', () => {
    const lines = new TerminalLines({ informs: true })
    expect(lineOf({ message: 'stopping', reason: 'SIGTERM' }, lines)).toBe('info: stopping  reason SIGTERM\n')
    const taken = { message: 'the configuration was taken over', changed: ['backends.a'], worker: 2 }
    const said = lines.line(JSON.stringify({ time, level: 'info', ...taken }))
    expect(said).toMatch(
      /^\d\d:\d\d:\d\d \[2\] {2}info: the configuration was taken over {2}changed \["backends.a"\]\n$/,
    )
  })

  it('has colours, and none of what it quotes', () => {
    const lines = new TerminalLines({ isColoured: true })
    const failed = { ...turn, model: 'a\u001b[5m', code: 'not-found', error: 'no' }
    const said = lines.line(JSON.stringify({ time, level: 'warn', ...failed })) ?? ''
    expect(said).toContain('\u001b[31mrefused: \u001b[39m')
    expect(said).toContain('\u001b[36ma\\u{1b}[5m\u001b[39m')
  })
})
