import { describe, expect, it } from 'vitest'
import { type Chat, Chats } from './chats.ts'

function create(limits: { max?: number; ttlMs?: number } = {}) {
  const clock = { now: 1_000 }
  const gone: string[] = []
  const chats = new Chats({ onGone: ({ id }) => gone.push(id), now: () => clock.now, ...limits })
  /** A conversation that was answered in its own chat. */
  const answered = (key: string): Chat => {
    const chat = chats.begin(`chat of ${key}`)
    chats.keep(key, { chat, responseId: `answer of ${key}` })
    chats.release(chat)
    return chat
  }
  return { chats, clock, gone, answered }
}

describe('Chats', () => {
  it('gives a chat to one request at a time', () => {
    const { chats, answered } = create()
    const chat = answered('a')
    const tip = chats.claim('a')
    expect(tip).toEqual({ chat, responseId: 'answer of a' })
    expect(chats.claim('a')).toBeUndefined()
    chats.release(chat)
    expect(chats.claim('a')).toEqual(tip)
  })

  it('gives no chat to a conversation with reminders that the chat has not received', () => {
    const { chats, answered } = create()
    const chat = answered('a')
    chats.keep('a', { chat, responseId: 'answer of a' }, ['x', 'y'])
    expect(chats.claim('a', ['z'])).toBeUndefined()
    expect(chats.claim('a', ['x'])?.chat).toBe(chat)
    chats.release(chat)
    expect(chats.claim('a')?.chat).toBe(chat)
  })

  it('drops a postponed chat later', () => {
    const { chats, clock, gone } = create({ ttlMs: 100 })
    const chat = chats.begin('x')
    chats.putOff(chat)
    chats.release(chat)
    expect(gone).toEqual([])
    clock.now += 100
    chats.claim(undefined)
    expect(gone).toEqual(['x'])
  })

  it('knows no other keys', () => {
    const { chats } = create()
    expect(chats.claim('a')).toBeUndefined()
    expect(chats.claim(undefined)).toBeUndefined()
  })

  it('keeps every answer of a chat, and gives the chat to one of them', () => {
    const { chats, answered } = create()
    const chat = answered('a')
    chats.keep('b', { chat, responseId: 'second' })
    expect(chats.claim('b')?.responseId).toBe('second')
    expect(chats.claim('a')).toBeUndefined()
    chats.release(chat)
    expect(chats.claim('a')?.responseId).toBe('answer of a')
  })

  it('drops a chat without a kept answer', () => {
    const { chats, gone } = create()
    chats.release(chats.begin('x'))
    expect(gone).toEqual(['x'])
    expect(chats.size).toBe(0)
  })

  it('forgets an answer, and drops a chat with all of its answers', () => {
    const { chats, gone, answered } = create()
    const chat = answered('a')
    chats.keep('b', { chat, responseId: 'second' })
    chats.forget('a')
    expect(chats.claim('a')).toBeUndefined()
    chats.drop(chat)
    chats.drop(chat)
    expect(chats.claim('b')).toBeUndefined()
    chats.keep('c', { chat, responseId: 'third' })
    expect(chats.claim('c')).toBeUndefined()
    expect(gone).toEqual(['chat of a'])
  })

  it('drops the least recently used chat if there are too many, but none in use', () => {
    const { chats, gone, answered } = create({ max: 2 })
    answered('a')
    answered('b')
    const used = chats.claim('a')
    answered('c')
    expect(gone).toEqual(['chat of b'])
    answered('d')
    expect(gone).toEqual(['chat of b', 'chat of c'])
    expect(used?.chat.gone).toBe(false)
  })

  it('drops expired chats', () => {
    const { chats, clock, gone, answered } = create({ ttlMs: 100 })
    answered('a')
    clock.now += 60
    const chat = chats.claim('a')?.chat as Chat
    chats.release(chat)
    clock.now += 60
    expect(chats.claim('a')).toBeDefined()
    chats.release(chat)
    clock.now += 100
    expect(chats.claim('a')).toBeUndefined()
    expect(gone).toEqual(['chat of a'])
  })

  it('drops all chats at the end', () => {
    const { chats, gone, answered } = create()
    answered('a')
    answered('b')
    chats.dropAll()
    expect(gone).toEqual(['chat of a', 'chat of b'])
  })
})
