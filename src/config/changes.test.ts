import { describe, expect, it } from 'vitest'
import { changedSettings, restartProblems } from './changes.ts'
import { configSchema } from './schema.ts'

const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
const keys = (...names: string[]) => ({ keys: names.map((name) => ({ name, key: `${name}-0123456789` })) })
const config = (more: object = {}) => configSchema.parse({ auth: keys('laptop'), backends: { box }, ...more })

/** Every section and every setting of `sessions`; a new one must be tried here. */
const rows: readonly (readonly [more: object, changed: string[], restart: boolean])[] = [
  [{ $schema: './schema.json' }, [], false],
  [{ allow: { hosts: ['box.lan'] } }, ['allow.hosts'], false],
  [{ auth: keys('laptop', 'phone') }, ['auth.keys'], false],
  [{ auth: undefined }, ['auth'], false],
  [{ auth: 'none' }, ['auth'], true],
  [
    { backends: { box: { ...box, firstByteMs: 1_000 }, other: box } },
    ['backends.box', 'backends.other'],
    false,
  ],
  [{ calls: { check: 'off' } }, ['calls.check'], false],
  [{ clients: { opencode: { toolArguments: 'streamed' } } }, ['clients.opencode'], false],
  [{ deferTools: 'off' }, ['deferTools'], false],
  [{ exec: { enabled: true } }, ['exec.enabled'], true],
  [{ inspector: { enabled: true } }, ['inspector.enabled'], true],
  [{ lacks: { images: { describedBy: 'box/m' } } }, ['lacks.images'], false],
  [{ limits: { bodyBytes: 2_000 } }, ['limits.bodyBytes'], false],
  [{ listen: { port: 1, host: '::1' } }, ['listen.host', 'listen.port'], true],
  [{ ollama: { enabled: true, port: 1 } }, ['ollama.enabled', 'ollama.port'], true],
  [{ log: { format: 'json' } }, ['log.format'], true],
  [{ log: { level: 'debug' } }, ['log.level'], false],
  [{ models: { fast: 'box/m' } }, ['models.fast'], false],
  [{ prices: 'off' }, ['prices'], false],
  [{ prices: { 'box/m': { input: 1, output: 2 } } }, ['prices.box/m'], false],
  [{ reload: 'signal' }, ['reload'], false],
  [{ responses: { webSocket: false } }, ['responses.webSocket'], false],
  [{ sessions: { idleMs: 1_000 } }, ['sessions.idleMs'], true],
  [{ sessions: { keep: 'disk' } }, ['sessions.keep'], true],
  [{ sessions: { max: 1 } }, ['sessions.max'], true],
  [{ sessions: { peerSecret: 'x'.repeat(32) } }, ['sessions.peerSecret'], true],
  [{ sessions: { peerUrl: 'http://10.0.0.1:1' } }, ['sessions.peerUrl'], true],
  [{ sessions: { progressMs: 1_000 } }, ['sessions.progressMs'], false],
  [{ sessions: { redis: 'redis://127.0.0.1:6379' } }, ['sessions.redis'], true],
  [{ sessions: { reuse: false } }, ['sessions.reuse'], true],
  [{ tapes: { record: 'all' } }, ['tapes.record'], true],
  [{ telemetry: { traces: true } }, ['telemetry.traces'], true],
  [{ toolArguments: 'streamed' }, ['toolArguments'], false],
  [{ workers: 2 }, ['workers'], true],
]

it.each(rows)('%j', (more, changed, restart) => {
  const [before, after] = [config(), config(more)]
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const) {
    expect(changedSettings(one, other)).toEqual(changed)
    expect(restartProblems(one, other).length > 0).toBe(restart)
    for (const problem of restartProblems(one, other)) expect(problem).toContain('needs a restart')
  }
})

describe('the rows', () => {
  it('cover every section', () => {
    const tried = new Set(rows.flatMap(([more]) => Object.keys(more)))
    expect([...tried].sort()).toEqual(Object.keys(configSchema.shape).sort())
  })

  it('cover every setting of sessions', () => {
    const tried = rows.flatMap(([more]) => Object.keys((more as { sessions?: object }).sessions ?? {}))
    expect(tried.sort()).toEqual(
      Object.keys(config().sessions).concat('peerSecret', 'peerUrl', 'redis').sort(),
    )
  })
})

it('names no value', () => {
  const problems = restartProblems(
    config(),
    config({ sessions: { peerSecret: 'canary'.repeat(8) }, workers: 3 }),
  )
  expect(problems).toEqual([
    'sessions.peerSecret: a change needs a restart',
    'workers: a change needs a restart',
  ])
})
