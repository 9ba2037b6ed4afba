import { describe, expect, it } from 'vitest'
import type { SessionsView, TurnSummary } from './api.ts'
import { MergedFeed, mergeTurns, ownPart } from './merged-turns.ts'

const turn = (id: string, startedAt: number, isFirst: boolean, opening = 'o'): TurnSummary => ({
  ...{
    id,
    startedAt,
    conversation: id,
    thread: { opening, isFirst },
    title: id,
    door: '',
    key: '',
    model: '',
  },
  ...{
    stream: true,
    tries: 1,
    running: false,
    milliseconds: 1,
    calls: [],
    notes: 0,
    frames: 0,
    bytes: 0,
    cut: false,
  },
})
const parked = (waiting: number): SessionsView => ({
  ...{ backend: 'cursor', answering: 0, waiting, waitingBytes: 10, sessions: [] },
})
const all = (turns: TurnSummary[], waiting = 0) => ({
  ...{ type: 'all' as const, version: 'v', turns, sessions: [parked(waiting)] },
  ...{ may: { resend: true as const, change: true }, turnedAway: [] },
})
const conversations = (turns: readonly TurnSummary[]) =>
  Object.fromEntries(turns.map(({ id, conversation }) => [id, conversation]))

describe('turns of several processes', () => {
  it('are one list, the newest first, and one conversation if they belong to one', () => {
    const merged = mergeTurns([
      [turn('c', 3, false), turn('a', 1, true)],
      [turn('d', 4, true), turn('b', 2, false)],
    ])
    expect(merged.map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a'])
    expect(conversations(merged)).toEqual({ a: 'a', b: 'a', c: 'a', d: 'd' })
  })

  it('are told to a page as those of one, also if the first of a conversation comes to light later', () => {
    const feed = new MergedFeed()
    expect(feed.take(ownPart, all([turn('b', 2, false)], 1))).toMatchObject({ type: 'all' })
    const told = feed.take('peer', all([turn('a', 1, true), turn('x', 1, true, 'other')], 2))
    expect(told).toMatchObject({ type: 'changed', gone: [], sessions: [{ waiting: 3, waitingBytes: 20 }] })
    expect(conversations(told.turns)).toEqual({ a: 'a', b: 'a', x: 'x' })
    const later = feed.take(ownPart, {
      type: 'changed',
      turns: [turn('c', 3, false)],
      gone: ['b'],
      sessions: [parked(0)],
    })
    expect(conversations(later.turns)).toEqual({ c: 'a' })
    expect(later.sessions).toMatchObject([{ waiting: 2 }])
  })

  it('go with the process that kept them', () => {
    const feed = new MergedFeed()
    feed.take(ownPart, all([turn('b', 2, true)], 1))
    feed.take('peer', all([turn('a', 1, true, 'other')], 2))
    expect(feed.lose('peer')).toMatchObject({ gone: ['a'], turns: [], sessions: [{ waiting: 1 }] })
    // A restarted process has other turns.
    expect(feed.take('peer', all([turn('z', 5, true, 'new')]))).toMatchObject({ turns: [{ id: 'z' }] })
  })
})
