import { describe, expect, it } from 'vitest'
import { GatewayError } from '../core/errors.ts'
import { createLog, errorFields, type LogLevel } from './log.ts'
import { Scrubber } from './scrub.ts'

function logged(level: LogLevel): string {
  const lines: string[] = []
  const scrubber = new Scrubber()
  scrubber.add('canary-"quoted"')
  const log = createLog({ level, scrubber, write: (line) => lines.push(line) })
  const upstream = { status: 500, excerpt: 'a piece of the conversation' }
  log.warn(
    'failed',
    errorFields(new GatewayError('upstream-protocol', 'with canary-"quoted" inside', { upstream })),
  )
  log.info('fine')
  return lines.join('')
}

describe('createLog', () => {
  it('keeps what an upstream said for debugging', () => {
    expect(logged('info')).not.toContain('conversation')
    expect(logged('info')).toContain('"status":500')
    expect(logged('debug')).toContain('a piece of the conversation')
  })

  it('writes a line of JSON each, from its level upwards, without secrets', () => {
    expect(
      logged('warn')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).message),
    ).toEqual(['failed'])
    expect(logged('info')).not.toContain('canary')
    expect(logged('silent')).toBe('')
  })
})

describe('errorFields', () => {
  it('takes whatever can be thrown', () => {
    const circular = new Error('a')
    circular.cause = circular
    for (const thrown of [Object.create(null), Symbol('x'), undefined, null, 1n, circular, new Proxy({}, {})])
      expect(JSON.stringify(errorFields(thrown))).toContain('"error":')
    expect(errorFields('words')).toEqual({ error: 'words' })
  })
})
