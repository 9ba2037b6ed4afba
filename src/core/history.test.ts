import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../test/fuzz/settings.ts'
import { repairHistory } from './history.ts'
import type { AssistantPart, Message, ToolResult } from './request.ts'

const id = fc.constantFrom('a', 'b', 'c')
const result: fc.Arbitrary<ToolResult> = fc.record({
  callId: id,
  content: fc.constant([{ type: 'text' as const, text: 'x' }]),
})
const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.constant({ type: 'text' as const, text: 't' }),
  id.map((callId) => ({ type: 'tool-call' as const, callId, name: 'n', input: '{}' })),
)
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom<Message>(
    { role: 'user', content: [{ type: 'text', text: 'u' }] },
    { role: 'user', content: [] },
    { role: 'system', content: [{ type: 'text', text: 's' }] },
  ),
  fc.array(part, { maxLength: 4 }).map((content): Message => ({ role: 'assistant', content })),
  fc.array(result, { minLength: 1, maxLength: 3 }).map((results): Message => ({ role: 'tool', results })),
)

/** The invariants of request.ts. */
function problems(messages: readonly Message[]): string[] {
  return messages.flatMap((entry, at) => {
    if (entry.role === 'tool')
      return messages[at - 1]?.role === 'assistant' ? [] : ['results without an assistant before them']
    if (entry.content.length === 0) return ['an empty message']
    if (entry.role !== 'assistant') return []
    const calls = entry.content.flatMap((content) => (content.type === 'tool-call' ? [content.callId] : []))
    const next = messages[at + 1]
    const answers = next?.role === 'tool' ? next.results.map((answer) => answer.callId) : []
    if (new Set(calls).size !== calls.length) return ['call ids repeat']
    return [...calls].sort().join() === [...answers].sort().join()
      ? []
      : [`calls ${calls} have results ${answers}`]
  })
}

describe('repairHistory', () => {
  it('establishes the invariants for any history, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const notes: string[] = []
        const repaired = repairHistory(messages, (note) => notes.push(note))
        expect(problems(repaired)).toEqual([])
        const again: string[] = []
        expect(repairHistory(repaired, (note) => again.push(note))).toEqual(repaired)
        expect(again).toEqual([])
      }),
      fuzz,
    )
  })

  /** Would take minutes if each copy of an id were counted from the start. */
  it('makes the ids of very many calls distinct', () => {
    const content = Array.from({ length: 100_000 }, (_, at) => ({
      type: 'tool-call' as const,
      callId: at % 1_000 === 0 ? `a_${at}` : 'a',
      name: 'n',
      input: '{}',
    }))
    expect(problems(repairHistory([{ role: 'assistant', content }], () => undefined))).toEqual([])
  })

  it('gives each of two calls with the same id its own result, in order', () => {
    const call = (name: string) => ({ type: 'tool-call' as const, callId: 'a', name, input: '{}' })
    const result = (text: string) => ({ callId: 'a', content: [{ type: 'text' as const, text }] })
    const given: Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'u' }] },
      { role: 'assistant', content: [call('delete'), call('read')] },
      { role: 'tool', results: [result('deleted'), result('what was read')] },
    ]
    const notes = new Set<string>()
    const [, assistant, tool] = repairHistory(given, (note) => notes.add(note))
    expect([assistant, tool]).toMatchObject([
      { content: [{ callId: 'a' }, { callId: 'a_2' }] },
      { results: [result('deleted'), { ...result('what was read'), callId: 'a_2' }] },
    ])
    expect([...notes]).toEqual(['a repeated tool call id was made distinct'])
  })

  it('leaves a valid history unchanged, without a note', () => {
    const good: Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'u' }] },
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'n', input: '{}' }] },
      { role: 'tool', results: [{ callId: 'a', content: [] }] },
    ]
    expect(
      repairHistory(good, (note) => {
        throw new Error(note)
      }),
    ).toEqual(good)
  })
})
