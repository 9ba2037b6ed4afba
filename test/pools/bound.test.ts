// What only one account has: a parked Cursor run, and signed thinking in a tool loop.

import { describe, expect, it } from 'vitest'
import { SimAccounts } from '../../sim/accounts.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { filler } from '../../src/protocols/gemini/call-signature.ts'
import { fillerNote } from '../../src/protocols/gemini/contents-out.ts'
import { atTestEnd } from '../at-end.ts'
import { answerOf, askCursor, cursorKey, followUp, useCursorBench } from '../cursor-bench.ts'
import { type Body, chat, readTool, startGateway, user } from '../harness.ts'
import { account, keyOf, usePoolBench } from './pool-bench.ts'

const accountOf = async (url: string, body: Body, headers?: Record<string, string>) => {
  const { status, headers: answered, json } = await chat(url, body, headers)
  return {
    status,
    account: answered.get('x-dragoman-account'),
    session: answered.get('x-dragoman-session'),
    notes: answered.get('x-dragoman-notes') ?? '',
    message: json.choices?.[0]?.message,
    error: json.error,
  }
}

const cursorAccounts = (names: readonly string[], pool?: Body): Body => ({
  apiKey: undefined,
  accounts: names.map((name) => ({ name, apiKey: cursorKey })),
  ...(pool === undefined ? {} : { pool }),
})

describe('two Cursor accounts', () => {
  const bench = useCursorBench({ backend: cursorAccounts(['work', 'home']) })

  it('a run goes on with the account that has it, whatever the conversation says of itself', async () => {
    const used = new Set<string | null>()
    for (const session of ['s1', 's2']) {
      const body = askCursor('Read README.md')
      const first = await accountOf(bench.url, body, { 'x-session-id': session })
      const calls = first.message.tool_calls.map((call: Body) => ({
        id: call.id,
        ...(call.function as { name: string; arguments: string }),
      }))
      const next = followUp(body, { calls, text: first.message.content ?? '' }, ['# Dragoman'])
      const second = await accountOf(bench.url, next, { 'x-session-id': `another ${session}` })
      expect([second.session, second.account]).toEqual(['live', first.account])
      used.add(first.account)
    }
    expect([...used].sort()).toEqual(['home', 'work'])
    expect(bench.sim.auth.exchanges).toBe(2)
  })

  it('a conversation stays with its account through a failure, without failover', async () => {
    const headers = { 'x-session-id': 'stays' }
    const first = await accountOf(bench.url, askCursor('hello'), headers)
    const details = { error: 9, title: 'Usage limit', detail: 'You have reached it.', isRetryable: false }
    bench.sim.play([{ error: { code: 'resource_exhausted', details } }])
    const failed = await accountOf(bench.url, askCursor('hello'), headers)
    expect(failed).toMatchObject({ status: 402, account: first.account })
    const refused = await answerOf(bench.url, askCursor('hello'), 'whole', headers)
    expect(refused.status).toBe(402)
    expect(refused.error?.message).toContain(`account "${first.account}": its quota is used up`)
    const other = await accountOf(bench.url, askCursor('hello'), { 'x-session-id': 'other' })
    expect(other.status).toBe(200)
    expect(other.account).not.toBe(first.account)
  })
})

describe('three Cursor accounts with failover', () => {
  const names = ['work', 'home', 'spare']
  const bench = useCursorBench({ backend: cursorAccounts(names, { failover: 'auto', maxWaitMs: 100 }) })
  const begin = async (session: string) => {
    const body = askCursor('Read README.md')
    const { message, account } = await accountOf(bench.url, body, { 'x-session-id': session })
    const calls = message.tool_calls.map((call: Body) => ({
      id: call.id,
      ...(call.function as { name: string; arguments: string }),
    }))
    return { account: account ?? '', next: followUp(body, { calls, text: '' }, ['# Dragoman']) }
  }
  const refuse = async (account: string, error: number) => {
    const details = { error, title: 'Limit', detail: 'No more.', isRetryable: false }
    bench.sim.play([{ error: { code: 'resource_exhausted', details } }])
    await chat(bench.url, askCursor('hello'), { 'x-dragoman-account': account })
  }

  it('a new run begins elsewhere if the quota of its account is gone, with a note', async () => {
    const { account, next } = await begin('s2')
    await refuse(account, 9)
    const second = await accountOf(bench.url, next, { 'x-session-id': 's2' })
    expect([second.status, second.session]).toEqual([200, 'fresh'])
    expect(second.account).not.toBe(account)
    expect(second.notes).toContain(`account "${account}" could not be used (its quota is used up`)
  })

  it('a run does not leave a limited account', async () => {
    const { account, next } = await begin('s1')
    await refuse(account, 22)
    const second = await accountOf(bench.url, next, { 'x-session-id': 's1' })
    // A refusal, or its own account if the second of the pause was over.
    expect([null, account]).toContain(second.account)
    expect(second.session).not.toBe('fresh')
  })
})

describe('signed thinking in a tool loop', () => {
  const bench = usePoolBench()
  const model = 'claude/claude-mythos-5-1'
  const begin = async (session: string) => {
    const body = { model, messages: [user('Read a.txt')], tools: [readTool], reasoning_effort: 'high' }
    const first = await accountOf(bench.url, body, { 'x-session-id': session })
    expect(first.message?.tool_calls).toHaveLength(1)
    const [call] = first.message.tool_calls
    const result = { role: 'tool', tool_call_id: call.id, content: 'what a.txt says' }
    return { first, next: { ...body, messages: [...body.messages, first.message, result] } }
  }

  it('goes back to its account, whatever the conversation says of itself', async () => {
    await begin('other')
    const { first, next } = await begin('s1')
    const second = await accountOf(bench.url, next, { 'x-session-id': 'somebody else' })
    expect([second.status, second.account, second.notes]).toEqual([200, first.account, ''])
    const sent = bench.accounts.seen.at(-1)?.body as { messages: { content: { type: string }[] }[] }
    expect(sent.messages[1]?.content.map(({ type }) => type)).toContain('thinking')
  })

  it('is left behind if the account is gone, with a note, and no other account gets it', async () => {
    const { first, next } = await begin('s1')
    bench.accounts.exhaust(keyOf(first.account ?? ''))
    const second = await accountOf(bench.url, next, { 'x-session-id': 's1' })
    expect(second.status).toBe(200)
    expect(second.account).not.toBe(first.account)
    expect(second.notes).toContain(`account "${first.account}" could not be used (its quota is used up`)
    expect(second.notes).toContain('what it had kept of this turn is lost')
    const sent = JSON.stringify(bench.accounts.seen.at(-1)?.body)
    expect(sent).not.toContain('"signature"')
  })

  it('waits for a limited account, and then fails with its time', async () => {
    const { first, next } = await begin('s1')
    bench.accounts.limit(keyOf(first.account ?? ''), 60_000)
    const second = await accountOf(bench.url, next, { 'x-session-id': 's1' })
    expect(second.status).toBe(429)
    const again = await accountOf(bench.url, next, { 'x-session-id': 's1' })
    expect(again.status).toBe(429)
    expect(again.error.message).toContain(`account "${first.account}": its rate limit is reached`)
    expect(bench.accounts.tooEarly).toEqual([])
  })
})

describe("Gemini's thought signature in a tool loop", () => {
  const start = async () => {
    const accounts = new SimAccounts()
    const sim = await startGeminiSim({ accounts })
    atTestEnd(() => sim.close())
    const names = ['a', 'b'].map((name) => account(name))
    const { gateway, url } = await startGateway({
      backends: { box: { kind: 'gemini', baseUrl: sim.url, accounts: names, pool: { maxWaitMs: 100 } } },
    })
    atTestEnd(() => gateway.close())
    const body = { model: 'box/gemini-3-pro-preview', messages: [user('Read a.txt')], tools: [readTool] }
    const first = await accountOf(url, body, { 'x-session-id': 's1' })
    const [call] = first.message.tool_calls
    // As a client that cannot carry it.
    const message = {
      ...first.message,
      tool_calls: [{ id: call.id, type: 'function', function: call.function }],
    }
    const result = { role: 'tool', tool_call_id: call.id, content: 'what a.txt says' }
    const next = { ...body, messages: [...body.messages, message, result] }
    const go = () => accountOf(url, next, { 'x-session-id': 's1' })
    const sent = () => {
      const body = accounts.seen.at(-1)?.body as { contents: { parts: Body[] }[] } | undefined
      return body?.contents
        .flatMap(({ parts }) => parts)
        .find(({ functionCall }) => functionCall !== undefined)
    }
    return { accounts, first, go, sent }
  }

  it('goes back to the account that made it', async () => {
    const { first, go, sent } = await start()
    const second = await go()
    expect([second.status, second.account, second.notes]).toEqual([200, first.account, ''])
    expect(sent()?.thoughtSignature).toEqual(expect.any(String))
    expect(sent()?.thoughtSignature).not.toBe(filler)
  })

  it('is the documented filler at another account, with a note', async () => {
    const { accounts, first, go, sent } = await start()
    accounts.revoke(keyOf(first.account ?? ''))
    const second = await go()
    expect(second.status).toBe(200)
    expect(second.account).not.toBe(first.account)
    expect(sent()?.thoughtSignature).toBe(filler)
    expect(second.notes).toContain(fillerNote)
    expect(second.notes).toContain(
      `account "${first.account}" could not be used (its key or login was refused`,
    )
  })
})
