// The accounts of a pool: what holds for every state that they can be in.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cooling, type Health, healthy, type PoolSettings } from '../../src/core/pool/account.ts'
import type { Fault, FaultClass } from '../../src/core/pool/faults.ts'
import { act, isHalfOpen, learn, mergeHealth, standingOf, withClock } from '../../src/core/pool/health.ts'
import { healthRecord, readHealth } from '../../src/core/pool/health-record.ts'
import { type Candidate, type PickFacts, pick } from '../../src/core/pool/pick.ts'
import { fuzz } from './settings.ts'

const names = ['a', 'b', 'c'] as const
const models = ['m', 'n'] as const
const now = 1_000_000
const aName = fc.constantFrom(...names)
const aModel = fc.constantFrom(...models)
const aTime = fc.integer({ min: now - 50_000, max: now + 50_000 })

const aCooling: fc.Arbitrary<Cooling> = fc.record({
  status: fc.constantFrom('paused', 'no-model', 'no-rights', 'out-of-quota', 'needs-login'),
  reason: fc.constantFrom('its rate limit is reached', 'x'),
  since: aTime,
  until: fc.option(aTime, { nil: undefined }),
  isOver: fc.option(fc.constant<true>(true), { nil: undefined, freq: 2 }),
})

const aHealth: fc.Arbitrary<Health> = fc.record({
  account: fc.option(aCooling, { nil: undefined, freq: 2 }),
  models: fc.array(fc.tuple(aModel, aCooling), { maxLength: 2 }).map((entries) => new Map(entries)),
  level: fc.integer({ min: 0, max: 9 }),
  levelAt: fc.constantFrom(-1, now - 5_000, now),
  disabled: fc.option(aTime, { nil: undefined, freq: 4 }),
  clearedAt: fc.constantFrom(-1, now - 10_000),
  switchedAt: fc.constantFrom(-1, now - 20_000),
})

const aFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    kind: fc.constantFrom<FaultClass>('model', 'money', 'rate'),
    scope: fc.constantFrom('model', 'account'),
    forMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
    reason: fc.constant('r'),
  }),
  fc.constant<Fault>({ kind: 'auth', scope: 'account', reason: 'r' }),
)

const aCandidate = (name: string): fc.Arbitrary<Candidate> =>
  fc.record({
    settings: fc.record({
      name: fc.constant(name),
      priority: fc.integer({ min: 0, max: 1 }),
      weight: fc.integer({ min: 1, max: 3 }),
      maxConcurrent: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
      models: fc.option(fc.constant(['m']), { nil: undefined, freq: 4 }),
    }),
    health: aHealth,
    inFlight: fc.integer({ min: 0, max: 2 }),
    conversations: fc.integer({ min: 0, max: 3 }),
    windows: fc.array(
      fc.record({
        name: fc.constant('tokens'),
        limit: fc.constant(100),
        remaining: fc.integer({ min: 0, max: 100 }),
        reset: aTime,
      }),
      { maxLength: 1 },
    ),
    lastUsed: aTime,
    nextMove: aTime,
  })

const candidates = fc.tuple(...names.map(aCandidate))

const facts: fc.Arbitrary<PickFacts> = fc.record({
  model: aModel,
  pin: fc.option(aName, { nil: undefined, freq: 3 }),
  hard: fc.option(fc.record({ account: aName, mayMove: fc.boolean() }), { nil: undefined, freq: 2 }),
  soft: fc.option(aName, { nil: undefined }),
  parent: fc.option(aName, { nil: undefined }),
  tried: fc
    .array(fc.tuple(aName, fc.constantFrom<FaultClass>('rate', 'money', 'auth', 'service')), { maxLength: 2 })
    .map((entries) => new Map<string, FaultClass>(entries)),
  patienceMs: fc.constantFrom(0, 10_000),
  current: fc.option(aName, { nil: undefined }),
})

const settings: fc.Arbitrary<PoolSettings> = fc.record({
  policy: fc.constantFrom('stick', 'fill', 'spread'),
  affinityMs: fc.constant(3_600_000),
  failover: fc.constantFrom('auto', 'never'),
  maxWaitMs: fc.constant(10_000),
})

const healthOf = (all: readonly Candidate[], name: string) =>
  all.find((one) => one.settings.name === name)?.health ?? healthy
const serves = (all: readonly Candidate[], name: string, model: string) =>
  all.some(({ settings: one }) => one.name === name && (one.models?.includes(model) ?? true))

describe('the choice of an account', () => {
  it('is one that can be used, and that has the model', () => {
    fc.assert(
      fc.property(facts, candidates, settings, (asked, all, pool) => {
        const choice = pick(asked, all, pool, now)
        if (!('account' in choice)) return
        expect(standingOf(healthOf(all, choice.account), asked.model, now).status).toBe('ready')
        expect(serves(all, choice.account, asked.model)).toBe(true)
      }),
      fuzz,
    )
  })

  it('is never another than the pinned one', () => {
    fc.assert(
      fc.property(facts, candidates, settings, aName, (asked, all, pool, pin) => {
        fc.pre(serves(all, pin, asked.model))
        const choice = pick({ ...asked, pin }, all, pool, now)
        if ('account' in choice) expect(choice.account).toBe(pin)
        if ('waitUntil' in choice) expect(choice.for).toBe(pin)
      }),
      fuzz,
    )
  })

  it('is never another than the bound one, if what is bound cannot move', () => {
    fc.assert(
      fc.property(facts, candidates, settings, aName, (asked, all, pool, account) => {
        fc.pre(serves(all, account, asked.model))
        const bound = { ...asked, pin: undefined, hard: { account, mayMove: false } }
        const choice = pick(bound, all, pool, now)
        if ('account' in choice) expect(choice.account).toBe(account)
        if ('waitUntil' in choice) expect(choice.for).toBe(account)
      }),
      fuzz,
    )
  })

  it('leaves a bound account only if that one is lost, never for a pause', () => {
    fc.assert(
      fc.property(facts, candidates, settings, aName, (asked, all, pool, account) => {
        fc.pre(serves(all, account, asked.model))
        // It has just been lost to this very turn.
        fc.pre(!['auth', 'money'].includes(asked.tried.get(account) ?? ''))
        const choice = pick({ ...asked, pin: undefined, hard: { account, mayMove: true } }, all, pool, now)
        const { status } = standingOf(healthOf(all, account), asked.model, now)
        if ('account' in choice && (status === 'ready' || status === 'paused'))
          expect(choice.account).toBe(account)
      }),
      fuzz,
    )
  })

  it('stays with the conversation while its account works', () => {
    fc.assert(
      fc.property(facts, candidates, settings, aName, (asked, all, pool, soft) => {
        const home = all.find((one) => one.settings.name === soft) as Candidate
        fc.pre(serves(all, soft, asked.model))
        fc.pre(standingOf(home.health, asked.model, now).status === 'ready')
        fc.pre(home.inFlight < (home.settings.maxConcurrent ?? 9))
        const turn = { ...asked, pin: undefined, hard: undefined, soft, tried: new Map() }
        expect(pick(turn, all, pool, now)).toEqual({ account: soft, why: 'conversation' })
      }),
      fuzz,
    )
  })

  it('does not leave the account of a conversation without failover', () => {
    fc.assert(
      fc.property(facts, candidates, settings, aName, (asked, all, pool, soft) => {
        fc.pre(serves(all, soft, asked.model))
        const turn = { ...asked, pin: undefined, hard: undefined, soft, patienceMs: 10_000 }
        const choice = pick(turn, all, { ...pool, failover: 'never' }, now)
        if ('account' in choice) expect(choice.account).toBe(soft)
      }),
      fuzz,
    )
  })

  it('waits no longer than the turn has patience, and says who refused', () => {
    fc.assert(
      fc.property(facts, candidates, settings, (asked, all, pool) => {
        const choice = pick(asked, all, pool, now)
        if ('waitUntil' in choice) expect(choice.waitUntil - now).toBeLessThanOrEqual(asked.patienceMs)
        if ('refused' in choice)
          for (const { account } of choice.refused) expect(serves(all, account, asked.model)).toBe(true)
      }),
      fuzz,
    )
  })
})

describe('what is learned', () => {
  const outcome = fc.record({ model: aModel, startedAt: aTime })

  it('is nothing from a fault of the request or of the service', () => {
    fc.assert(
      fc.property(aHealth, outcome, (health, turn) => {
        for (const kind of ['request', 'config', 'service'] as const)
          expect(learn(health, { ...turn, fault: { kind, scope: 'none', reason: '' } }, now)).toBe(health)
      }),
      fuzz,
    )
  })

  it('makes the account, or its model alone, unusable', () => {
    fc.assert(
      fc.property(outcome, aFault, (turn, fault) => {
        const health = learn(healthy, { ...turn, fault }, now)
        const other = turn.model === 'm' ? 'n' : 'm'
        const isOut = fault.forMs !== 0
        expect(standingOf(health, turn.model, now).status !== 'ready').toBe(isOut)
        expect(standingOf(health, other, now).status !== 'ready').toBe(isOut && fault.scope === 'account')
      }),
      fuzz,
    )
  })

  it('lasts as long as the service says, and otherwise five minutes at most', () => {
    fc.assert(
      fc.property(aHealth, outcome, aFault, (health, turn, fault) => {
        fc.pre(fault.kind !== 'auth')
        const fresh = { ...health, account: undefined, models: new Map() }
        const learned = learn(fresh, { ...turn, fault }, now)
        const cooling = fault.scope === 'account' ? learned.account : learned.models.get(turn.model)
        const ms = (cooling?.until ?? Number.NaN) - now
        if (fault.forMs !== undefined) expect(ms).toBe(fault.forMs)
        else expect(ms).toBeGreaterThanOrEqual(1_000)
        expect(ms).toBeLessThanOrEqual(Math.max(fault.forMs ?? 0, 300_000))
      }),
      fuzz,
    )
  })

  it('is not forgotten for a success that began before', () => {
    fc.assert(
      fc.property(aFault, aModel, fc.nat(1_000), (fault, model, ago) => {
        const out = learn(healthy, { model, startedAt: now, fault }, now)
        const after = learn(out, { model, startedAt: now - ago }, now + 1)
        expect(standingOf(after, model, now)).toEqual(standingOf(out, model, now))
      }),
      fuzz,
    )
  })

  it('lasts no longer than it was meant to if the clock is set back', () => {
    fc.assert(
      fc.property(aHealth, aModel, fc.integer({ min: 6_000, max: 10_000_000 }), (health, model, back) => {
        const then = now - back
        const { until } = standingOf(withClock(health, then), model, then)
        const spans = [health.account, ...health.models.values()].map((one) =>
          one?.until === undefined ? 0 : one.until - one.since,
        )
        if (until !== undefined) expect(until - then).toBeLessThanOrEqual(Math.max(...spans) + 100_000)
      }),
      fuzz,
    )
  })
})

describe('what instances tell each other', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(aHealth, (health) => {
        expect(readHealth(healthRecord(health))).toEqual(health)
      }),
      fuzz,
    )
  })

  it('is no health if it is anything else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const health = readHealth(text)
        if (health) expect(readHealth(healthRecord(health))).toEqual(health)
      }),
      fuzz,
    )
  })

  it('is the same in whichever order it comes, and however often', () => {
    fc.assert(
      fc.property(aHealth, aHealth, aHealth, (one, other, third) => {
        const both = mergeHealth(one, other)
        expect(mergeHealth(other, one)).toEqual(both)
        expect(mergeHealth(both, one)).toEqual(both)
        expect(mergeHealth(both, other)).toEqual(both)
        expect(mergeHealth(both, third)).toEqual(mergeHealth(one, mergeHealth(other, third)))
      }),
      fuzz,
    )
  })

  it('is kept in the same order for more models than a record holds', () => {
    const many = (prefix: string): Health => ({
      ...healthy,
      models: new Map(
        Array.from({ length: 40 }, (_, at) => [
          `${prefix}${at}`,
          { status: 'paused', reason: 'x', since: now + at, until: now + 1_000 },
        ]),
      ),
    })
    const merged = mergeHealth(many('a'), many('b'))
    expect(mergeHealth(many('b'), many('a'))).toEqual(merged)
    expect([...merged.models.keys()].slice(-2)).toEqual(['a39', 'b39'])
    expect(merged.models.size).toBe(50)
  })

  it('does not bring back what a success has ended, and leaves the other models as they were', () => {
    fc.assert(
      fc.property(aHealth, aModel, (known, model) => {
        const before = { ...known, disabled: undefined, clearedAt: -1 }
        const at = now + 60_000
        const after = learn(before, { model, startedAt: at }, at)
        const merged = mergeHealth(after, before)
        expect(standingOf(merged, model, at).status).toBe('ready')
        expect(isHalfOpen(merged, at)).toBe(false)
        expect(merged.level).toBe(Math.floor(before.level / 2))
        const other = model === 'm' ? 'n' : 'm'
        expect(merged.models.get(other)).toEqual(before.models.get(other))
        expect(learn(merged, { model, startedAt: at + 1 }, at + 1).account).toBe(merged.account)
      }),
      fuzz,
    )
  })

  it('of an earlier version is read, too', () => {
    const cooling = { status: 'paused', reason: 'x', since: now, until: now + 1_000 }
    const record = { account: cooling, models: [['m', cooling]], level: 3, clearedAt: -1, switchedAt: -1 }
    const health = readHealth(JSON.stringify(record)) as Health
    expect([standingOf(health, undefined, now).status, health.level]).toEqual(['paused', 3])
    expect(mergeHealth(health, healthy)).toEqual(health)
  })

  it('ends with a clear, whatever was said before it', () => {
    fc.assert(
      fc.property(aHealth, aHealth, aModel, (one, other, model) => {
        const at = now + 60_000
        const cleared = act({ ...one, disabled: undefined }, 'clear', at)
        const merged = mergeHealth(cleared, { ...other, disabled: undefined })
        expect(standingOf(merged, model, at).status).toBe('ready')
      }),
      fuzz,
    )
  })
})
