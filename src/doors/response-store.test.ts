import { describe, expect, it } from 'vitest'
import { Notes } from '../core/notes.ts'
import { fromResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import { wholeResponse } from '../protocols/openai-responses/response-out.ts'
import { type CallerResponses, ResponseStore } from './response-store.ts'

function answer(earlier: CallerResponses, id: string, body: Record<string, unknown>): void {
  const request = fromResponsesRequest({ model: 'm', ...body }, new Notes(), earlier)
  const { model, names, includeProofs, echo } = request
  const parts = [
    { type: 'reasoning' as const, text: 'hm', signature: 's' },
    { type: 'text' as const, text: `answer ${id}`, refusal: false },
  ]
  const turn = { id, model, parts, reason: 'stop' as const, usage: undefined }
  earlier.keep(request, wholeResponse(turn, { id, createdAt: 1, model, names, includeProofs, echo }))
}

const limits = { maxBytes: 1_000_000, ttlMs: 1_000, now: () => 0 }
const texts = (earlier: CallerResponses, id: string) => JSON.stringify(earlier.conversation(id))

describe('ResponseStore', () => {
  it('keeps a conversation over several answers, proofs included', () => {
    const mine = new ResponseStore(limits).of('me')
    answer(mine, 'A', { input: 'one' })
    answer(mine, 'B', { input: 'two', previous_response_id: 'resp_A' })
    expect(mine.conversation('resp_B')?.map(({ type, id }) => id ?? type)).toEqual([
      'message',
      'rs_A_0',
      'msg_A_1',
      'message',
      'rs_B_0',
      'msg_B_1',
    ])
    expect(mine.conversation('resp_B')?.[1]).toHaveProperty('encrypted_content')
    expect(mine.response('resp_B')?.output).not.toHaveProperty([0, 'encrypted_content'])
  })

  it("is each caller's own", () => {
    const store = new ResponseStore(limits)
    answer(store.of('me'), 'A', { input: 'one' })
    const other = store.of('you')
    expect([other.response('resp_A'), other.conversation('resp_A')]).toEqual([undefined, undefined])
    expect(store.delete('resp_A', 'you')).toBe(false)
    expect(texts(store.of('me'), 'resp_A')).toContain('answer A')
  })

  it('keeps nothing with store: false, and forgets what is deleted', () => {
    const store = new ResponseStore(limits)
    const mine = store.of('me')
    answer(mine, 'A', { input: 'one', store: false })
    expect(mine.response('resp_A')).toBeUndefined()
    answer(mine, 'B', { input: 'one' })
    expect([store.delete('resp_B', 'me'), store.delete('resp_B', 'me')]).toEqual([true, false])
  })

  it('is bounded in size and time', () => {
    let now = 0
    const mine = new ResponseStore({ maxBytes: 20_000, ttlMs: 1_000, now: () => now }).of('me')
    for (const id of ['A', 'B', 'C']) answer(mine, id, { input: 'x'.repeat(3_000) })
    expect(['A', 'B', 'C'].map((id) => mine.response(`resp_${id}`) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    now = 2_000
    expect(mine.response('resp_C')).toBeUndefined()
  })

  it('counts what a conversation takes, also when its beginning has left meanwhile', () => {
    const mine = new ResponseStore({ ...limits, maxBytes: 100_000 }).of('me')
    const ids = Array.from({ length: 20 }, (_, at) => `${at}`)
    for (const id of ids) {
      answer(mine, `A${id}`, { input: 'x'.repeat(20_000) })
      const gone = {
        ...mine,
        keep: (...all: Parameters<typeof mine.keep>) => {
          void mine.delete(`resp_A${id}`)
          mine.keep(...all)
        },
      }
      answer(gone, `B${id}`, { input: 'y', previous_response_id: `resp_A${id}` })
    }
    const kept = ids.filter((id) => mine.response(`resp_B${id}`))
    expect(kept.length).toBe(2)
  })

  it('keeps text, not objects: those may take ten times as much', () => {
    const mine = new ResponseStore(limits).of('me')
    const more = { deep: [{}] }
    answer(mine, 'A', { input: [{ role: 'user', content: 'one', more }] })
    expect(mine.conversation('resp_A')?.[0]?.more).toEqual(more)
    expect(mine.conversation('resp_A')?.[0]?.more).not.toBe(more)
  })
})
