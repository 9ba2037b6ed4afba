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
  it('writes upstream excerpts at level debug only', () => {
    expect(logged('info')).not.toContain('conversation')
    expect(logged('info')).toContain('"status":500')
    expect(logged('debug')).toContain('a piece of the conversation')
  })

  it('writes one JSON line per record from its level upwards, without secrets', () => {
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

describe('fields', () => {
  const fields = {
    text: 'a "quoted" line\n',
    half: '\ud83d',
    long: 'x'.repeat(1_001),
    secret: 'the canary-1 sings',
    nested: {
      secret: ['canary-1', { deeper: 'canary-1' }],
      excerpt: 'said',
      long: 'x'.repeat(1_001),
      none: undefined,
    },
    list: [undefined, () => 1, Number.NaN, 'canary-1', null],
    excerpt: 'said',
    count: 3,
    negative: -0,
    large: 1e300,
    notANumber: Number.NaN,
    endless: Number.POSITIVE_INFINITY,
    yes: true,
    nothing: null,
    missing: undefined,
    called: () => 1,
    symbol: Symbol('s'),
    date: new Date(0),
    own: { toJSON: () => 'canary-1' },
    silent: { toJSON: () => undefined },
    error: new Error('canary-1'),
    map: new Map([['a', 1]]),
    'a "name"\n': 1,
    ['__proto__']: { a: 'canary-1' },
    message: 'instead',
  }
  const scrubber = new Scrubber()
  scrubber.add('canary-1')

  it.each(['info', 'debug'] as const)('are written as JSON.stringify writes them, at level %s', (level) => {
    const lines: string[] = []
    createLog({ level, scrubber, write: (line) => lines.push(line) }).info('words', fields)
    const [line = ''] = lines
    const { time } = JSON.parse(line)
    const clean = (key: string, value: unknown) => {
      if (key === 'excerpt' && level !== 'debug') return undefined
      if (typeof value !== 'string') return value
      const text = scrubber.scrub(value)
      return text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text
    }
    const head = { time, level: 'info', message: 'words' }
    expect(line).toBe(`${JSON.stringify({ ...head, ...fields }, clean)}\n`)
    expect(line).not.toContain('canary')
  })
})

describe('a line with a length limit', () => {
  const longestLine = 4_096
  const logged = (fields: Record<string, unknown>) => {
    const lines: string[] = []
    const always = { worker: 2 }
    const write = (line: string) => lines.push(line)
    createLog({ level: 'info', scrubber: new Scrubber(), write, always, longestLine }).info('words', fields)
    const [line = ''] = lines
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(longestLine)
    return JSON.parse(line) as Record<string, unknown>
  }

  it('stays unchanged if it is short', () => {
    expect(logged({ a: 'x'.repeat(1_000) })).toMatchObject({
      message: 'words',
      worker: 2,
      a: 'x'.repeat(1_000),
    })
  })

  it('has its texts cut by bytes, not by characters', () => {
    const { a, worker } = logged({ a: '\u20ac'.repeat(900), b: '\u20ac'.repeat(900) })
    expect([(a as string).length, worker]).toEqual([201, 2])
  })

  it('keeps only its message as the last resort', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, 'x'.repeat(100)]))
    expect(logged(many)).toMatchObject({ level: 'info', message: 'words', worker: 2, cut: true })
  })
})

describe('errorFields', () => {
  it('accepts any thrown value', () => {
    const circular = new Error('a')
    circular.cause = circular
    for (const thrown of [Object.create(null), Symbol('x'), undefined, null, 1n, circular, new Proxy({}, {})])
      expect(JSON.stringify(errorFields(thrown))).toContain('"error":')
    expect(errorFields('words')).toEqual({ error: 'words' })
  })
})
