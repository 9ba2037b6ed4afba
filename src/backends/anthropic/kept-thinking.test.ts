import { describe, expect, it } from 'vitest'
import type { CollectedPart, CollectedTurn } from '../../core/collect.ts'
import type { ReturnedTurn } from '../../protocols/anthropic-messages/blocks-out.ts'
import { KeptThinking } from './kept-thinking.ts'

const owner = { caller: 'me', model: 'm' }
const turnOf = (...parts: CollectedPart[]): CollectedTurn => ({
  id: 'i',
  model: 'm',
  parts,
  reason: 'stop',
  usage: undefined,
})
const thought = (text: string): CollectedPart => ({ type: 'reasoning', text, signature: `signed ${text}` })
const words: CollectedPart = { type: 'text', text: 'yes ', refusal: false }
const call = { type: 'tool-call' as const, callId: 'c', name: 'read', input: '{"a":1}' }
const placeOf = (conversation: string) => ({
  conversation: () => conversation,
  prefix: () => `prefix of ${conversation}`,
  previous: () => 'before',
})
const said = (conversation: string, more: Partial<ReturnedTurn> = {}): ReturnedTurn => ({
  calls: [],
  text: 'yes',
  conversation: () => conversation,
  ...more,
})
const asked = (conversation: string) => ({ position: placeOf(conversation), unsigned: false, unasked: false })

describe('a turn without calls', () => {
  it('is found by the conversation before it and its text together', () => {
    const kept = new KeptThinking()
    kept.keep(owner, turnOf(thought('a'), words), asked('one'))
    expect(kept.recall(owner, said('one'))).toMatchObject({
      blocks: [{ type: 'thinking', thinking: 'a', signature: 'signed a' }, { type: 'text' }],
      prefix: 'prefix of one',
      previous: 'before',
    })
    expect(kept.recall(owner, said('two'))).toBeUndefined()
    expect(kept.recall(owner, said('one', { text: 'no' }))).toBeUndefined()
    expect(kept.recall({ ...owner, caller: 'you' }, said('one'))).toBeUndefined()
    expect(kept.recall({ ...owner, model: 'n' }, said('one'))).toBeUndefined()
  })

  it('is not found if two turns have the same key', () => {
    const kept = new KeptThinking()
    kept.keep(owner, turnOf(thought('a'), words), asked('one'))
    kept.keep(owner, turnOf(thought('a'), words), asked('one'))
    expect(kept.recall(owner, said('one'))).toBeDefined()
    kept.keep(owner, turnOf(thought('b'), words), asked('one'))
    expect(kept.recall(owner, said('one'))).toBeUndefined()
    kept.keep(owner, turnOf(thought('b'), words), asked('one'))
    expect(kept.recall(owner, said('one'))).toBeUndefined()
  })

  it('costs no digest as long as none is kept', () => {
    const kept = new KeptThinking()
    kept.keep(owner, turnOf(thought('a'), call), asked('one'))
    const turn = said('one', {
      conversation: () => {
        throw new Error('asked for')
      },
    })
    expect(kept.recall(owner, turn)).toBeUndefined()
    expect(kept.recall(owner, { ...turn, calls: [call] })).toBeDefined()
  })
})

it('thinking without a proof is kept on request', () => {
  const kept = new KeptThinking()
  const turn = turnOf({ type: 'reasoning', text: 'hm' }, call)
  kept.keep(owner, turn, asked('one'))
  expect(kept.recall(owner, said('one', { calls: [call] }))).toBeUndefined()
  kept.keep(owner, turn, { position: undefined, unsigned: true, unasked: true })
  expect(kept.recall(owner, said('one', { calls: [call] }))).toMatchObject({
    unasked: true,
    blocks: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', id: 'c' },
    ],
  })
})
