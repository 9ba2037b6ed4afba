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
  earlier.keep(
    request,
    wholeResponse(turn, { id, createdAt: 1, now: () => 2, model, names, includeProofs, echo }),
  )
}

const limits = { maxBytes: 1_000_000, ttlMs: 1_000, now: () => 0 }
const texts = (earlier: CallerResponses, id: string) => JSON.stringify(earlier.conversation(id))

/** As the client sends it back. */
const sent = (items: ReturnType<CallerResponses['conversation']>) => structuredClone([...(items ?? [])])

const me = { key: 'me' }
const you = { key: 'you' }

describe('ResponseStore', () => {
  it('keeps a conversation over several answers, proofs included', () => {
    const mine = new ResponseStore(limits).of(me)
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

  it('shows each caller only its own responses', () => {
    const store = new ResponseStore(limits)
    answer(store.of(me), 'A', { input: 'one' })
    const other = store.of(you)
    expect([other.response('resp_A'), other.conversation('resp_A')]).toEqual([undefined, undefined])
    expect(store.delete('resp_A', you)).toBe(false)
    expect(texts(store.of(me), 'resp_A')).toContain('answer A')
  })

  it('stores nothing with store: false, and drops deleted responses', () => {
    const store = new ResponseStore(limits)
    const mine = store.of(me)
    answer(mine, 'A', { input: 'one', store: false })
    expect(mine.response('resp_A')).toBeUndefined()
    answer(mine, 'B', { input: 'one' })
    expect([store.delete('resp_B', me), store.delete('resp_B', me)]).toEqual([true, false])
  })

  it('is bounded in size and time', () => {
    let now = 0
    const mine = new ResponseStore({ maxBytes: 20_000, ttlMs: 1_000, now: () => now }).of(me)
    for (const id of ['A', 'B', 'C']) answer(mine, id, { input: 'x'.repeat(3_000) })
    expect(['A', 'B', 'C'].map((id) => mine.response(`resp_${id}`) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    now = 2_000
    expect(mine.response('resp_C')).toBeUndefined()
  })

  it('counts the size of a conversation, also after its beginning was dropped', () => {
    const mine = new ResponseStore({ ...limits, maxBytes: 100_000 }).of(me)
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

  describe('a long conversation is kept once, not once for each of its answers', () => {
    const input = 'x'.repeat(1_000)
    const user = { type: 'message', role: 'user', content: input }
    /** How a client refers to the turn before. */
    const manners: Record<string, (before: string, mine: CallerResponses) => Record<string, unknown>> = {
      previous_response_id: (before) => ({ input, previous_response_id: before }),
      'all items, sent again': (before, mine) => ({ input: [...sent(mine.conversation(before)), user] }),
      'references to items': (before, mine) => {
        const items = sent(mine.conversation(before))
        return {
          input: [...items.map((item) => (item.id ? { type: 'item_reference', id: item.id } : item)), user],
        }
      },
    }

    it.each(Object.keys(manners))('%s', (manner) => {
      const store = new ResponseStore(limits)
      const mine = store.of(me)
      const bytes: number[] = []
      answer(mine, '0', { input: [user] })
      for (let at = 1; at <= 40; at++) {
        answer(mine, `${at}`, manners[manner]?.(`resp_${at - 1}`, mine) ?? {})
        bytes.push(store.bytes)
      }
      const [first = 0, second = 0, last = 0] = [bytes[0], bytes[1], bytes.at(-1)]
      // The names of the ids grow by a digit.
      expect((last - first) / 39).toBeLessThan((second - first) * 1.05)
      expect(mine.conversation('resp_40')).toHaveLength(41 * 3)
      expect(texts(mine, 'resp_40')).toContain('answer 0')
    })
  })

  it('continues a conversation that differs from the stored one', () => {
    const mine = new ResponseStore(limits).of(me)
    answer(mine, 'A', { input: 'one' })
    const [asked, ...said] = sent(mine.conversation('resp_A'))
    answer(mine, 'B', { input: [{ ...asked, content: 'other' }, ...said, { role: 'user', content: 'two' }] })
    answer(mine, 'C', { input: [...said, { role: 'user', content: 'three' }] })
    expect(mine.conversation('resp_B')?.map(({ content }) => content)).toContain('other')
    expect(mine.conversation('resp_C')).toHaveLength(5)
    expect(texts(mine, 'resp_C')).not.toContain('one')
  })

  it('a deleted response is gone, except for those that continue it', async () => {
    const store = new ResponseStore(limits)
    const mine = store.of(me)
    answer(mine, 'A', { input: 'one' })
    answer(mine, 'B', { input: 'two', previous_response_id: 'resp_A' })
    expect(await mine.delete('resp_A')).toBe(true)
    expect([mine.response('resp_A'), mine.conversation('resp_A'), mine.itemsOf('resp_A')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await mine.delete('resp_A')).toBe(false)
    expect(texts(mine, 'resp_B')).toContain('answer A')
    answer(mine, 'C', { input: 'three', previous_response_id: 'resp_B' })
    expect([await mine.delete('resp_B'), await mine.delete('resp_C')]).toEqual([true, true])
    expect(store.bytes).toBe(0)
  })

  it('a conversation is renewed as a whole: its beginning does not expire before its end', () => {
    let now = 0
    const mine = new ResponseStore({ ...limits, now: () => now }).of(me)
    answer(mine, 'A', { input: 'one' })
    answer(mine, 'B', { input: 'two', previous_response_id: 'resp_A' })
    for (now = 600; now < 3_000; now += 600) expect(mine.response('resp_B')).toBeDefined()
    expect(texts(mine, 'resp_B')).toContain('answer A')
  })

  it('stores text: objects may take ten times the memory', () => {
    const mine = new ResponseStore(limits).of(me)
    const more = { deep: [{}] }
    answer(mine, 'A', { input: [{ role: 'user', content: 'one', more }] })
    expect(mine.conversation('resp_A')?.[0]?.more).toEqual(more)
    expect(mine.conversation('resp_A')?.[0]?.more).not.toBe(more)
  })
})
