// A client's next request continues the parked run, reopens it on another stream, continues the stored conversation, or starts
// from the history it sends. In every case nothing is lost and nothing is done twice.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CursorStep, CursorTurn } from '../../sim/cursor.ts'
import {
  type Answer,
  answerOf,
  askCursor,
  type CursorBench,
  followUp,
  resultsText,
  startCursorBench,
  stream,
  transports,
  useCursorBench,
} from '../cursor-bench.ts'
import { isNightly, spread } from '../depth.ts'
import { type Body, quickRetries, readTool, user, writeTool } from '../harness.ts'

const read = (path: string): CursorStep => ({ exec: { read: { path } } })
const mcp = (path: string): CursorStep => ({ exec: { mcp: { name: 'read', args: { path } } } })
const results: CursorStep = { await: 'results' }
const checkpoint: CursorStep = { checkpoint: true }
const end: CursorStep = { end: true }
const resumed = (...steps: CursorStep[]): CursorTurn => ({ when: { action: 'resume' }, steps })

/** The user's next message after an answer. */
const say = (body: Body, answer: Pick<Answer, 'text'>, words: string): Body => ({
  ...body,
  messages: [...(body.messages as object[]), { role: 'assistant', content: answer.text }, user(words)],
})

const withWords = (body: Body, ...words: Body[]): Body => ({
  ...body,
  messages: [...(body.messages as object[]), ...words],
})

const many = isNightly ? 200 : 20

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    // Heartbeats are tested elsewhere: here, hundreds of conversations may keep a loaded machine from sending them in time.
    const sim = { execPatienceMs: 60_000, kvPatienceMs: 60_000, clientHeartbeatPatienceMs: 60_000 }
    const bench = useCursorBench({ transport, sim, gateway: { retryPolicy: quickRetries } })

    it('results may come in any order, and a missing one is an error for the model', async () => {
      bench.sim.play([mcp('a'), mcp('b'), mcp('c'), results, { say: 'ok' }, end])
      const body = askCursor('read all')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['of A', 'of B', 'of C'])
      const [said, calling, a, , c] = next.messages as Body[]
      next.messages = [said, calling, c, a]
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'ok', session: 'live' })
      const given = [...(bench.sim.runs[0]?.execResults.values() ?? [])].flat().slice(-3)
      expect(given.map(({ message }) => message.value)).toMatchObject([
        { result: { case: 'success', value: { content: [{ content: { value: { text: 'of A' } } }] } } },
        { result: { case: 'error' } },
        { result: { case: 'success', value: { content: [{ content: { value: { text: 'of C' } } }] } } },
      ])
    })

    const addWords = async ({ url, sim }: Pick<CursorBench, 'url' | 'sim'>) => {
      sim.play([mcp('a'), read('b'), results, { say: 'noted' }, end])
      const body = askCursor('read both')
      const first = await answerOf(url, body, 'streamed')
      const next = withWords(followUp(body, first, ['A', 'B']), user('and hurry'), {
        role: 'system',
        content: 'be polite',
      })
      const second = await answerOf(url, next, 'streamed')
      expect(second).toMatchObject({ text: 'noted', session: 'live' })
      expect(sim.violations).toEqual([])
      return {
        notes: second.notes,
        results: resultsText(sim.runs.at(-1)),
        injected: sim.runs.at(-1)?.injections.join() ?? '',
      }
    }

    it('sends words that the user adds to the results to the live run', async () => {
      const { notes, results: given, injected } = await addWords(bench)
      expect(notes).toContain('was sent to the run directly')
      expect(injected).toContain('and hurry')
      expect(injected).toContain('be polite')
      expect(given).not.toContain('and hurry')
      expect(bench.sim.runs).toHaveLength(1)
    })

    it.each(spread(['rejected', 'silent'] as const, 1))(
      'adds words of the user to a result that only the model reads where injection is %s',
      async (injection) => {
        const other = await startCursorBench({ transport, sim: { ...sim, injection } })
        for (const _ of [1, 2]) {
          const { notes, results: given, injected } = await addWords(other)
          expect(notes).toContain('was added to one of them')
          expect(given).toContain('and hurry')
          expect(given).toContain('be polite')
          // A service that sent nothing is not retried.
          if (injection === 'rejected') expect(injected).toContain('and hurry')
        }
        expect(other.sim.runs.map(({ injections }) => injections.length)).toEqual([
          1,
          injection === 'silent' ? 0 : 1,
        ])
        await other.close()
      },
    )

    it('beside a file that may be written back, or with an image, it goes to a new run, whole', async () => {
      const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
      for (const [step, words] of [
        [read('a'), user('and hurry')],
        [mcp('a'), user([{ type: 'text', text: 'and hurry' }, image])],
      ] as const) {
        bench.sim.clear()
        bench.sim.play([step, results, end], [{ say: 'afresh' }, end])
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, 'streamed')
        const second = await answerOf(bench.url, withWords(followUp(body, first, ['A']), words), 'streamed')
        expect(second).toMatchObject({ text: 'afresh', session: 'fresh' })
        expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
        const action = bench.sim.runs[1]?.request.action?.action
        expect(action?.case === 'userMessageAction' && action.value.userMessage?.text).toBe('and hurry')
      }
    })

    it('a break in the middle of the text is an error; a retry is a new run, because the service has the result', async () => {
      bench.sim.play(
        [read('a'), checkpoint, results, { say: 'half of ' }, { wait: 50 }, { fault: 'reset' }],
        [{ say: 'all of it' }, end],
      )
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A'])
      const second = await stream(bench.url, next)
      expect(second.text).toBe('half of ')
      expect(second.error?.message).toBeDefined()
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({
        text: 'all of it',
        session: 'fresh',
      })
      expect(bench.sim.runs).toHaveLength(2)
      expect(new Set(bench.sim.deliveries.values())).toEqual(new Set([1]))
    })

    it('text before a checkpoint is not repeated, and text after it is not lost', async () => {
      bench.sim.play(
        [read('a'), checkpoint, results, { say: 'one, ' }, checkpoint, { wait: 50 }, { fault: 'reset' }],
        resumed({ say: 'two' }, end),
      )
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'one, two', finish: 'stop', error: undefined })
    })

    it('a first answer also continues after a break, if no text would be repeated', async () => {
      bench.sim.play([checkpoint, { fault: 'reset' }], resumed({ say: 'hello' }, end))
      expect(await answerOf(bench.url, askCursor('hi'), 'streamed')).toMatchObject({ text: 'hello' })
      expect(bench.sim.runs).toHaveLength(2)
    })

    it('text that arrived before the request, and is in the checkpoint, is sent to the client', async () => {
      bench.sim.play(
        [read('a'), checkpoint, results, { say: 'one ' }, checkpoint, { wait: 400 }, { fault: 'reset' }],
        resumed({ say: 'two' }, end),
      )
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      await fetch(`${bench.url}/v1/tool_results`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tool_call_id: first.calls[0]?.id, content: 'A' }),
      })
      await sleep(150)
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'one two', finish: 'stop', calls: [] })
    })

    it.each([
      { code: 'internal', message: 'Blob not found' },
      { code: 'invalid_argument', message: 'conversation_state' },
    ])(
      'a state that the service refuses ($code) is not retried: a new run receives the history',
      async (error) => {
        const refused = { error }
        bench.sim.play([{ say: 'Hello.' }, end])
        const body = askCursor('hi')
        const first = await answerOf(bench.url, body, 'streamed')
        await sleep(50)
        bench.sim.play([refused], [{ say: 'told' }, end])
        const second = await answerOf(bench.url, say(body, first, 'and now?'), 'streamed')
        expect(second).toMatchObject({ text: 'told', session: 'fresh' })
        const [one, two, three] = bench.sim.runs.map(({ request }) => request.conversationId)
        expect(two).toBe(one)
        expect(three).not.toBe(one)
      },
    )

    it('the same results may go to two models at once, and again after their answers', async () => {
      bench.sim.play([read('a'), { wait: 150 }, { fault: 'reset' }])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      await bench.sim.runs[0]?.waitForClose()
      const next = followUp(body, first, ['A'])
      const slow: CursorStep[] = [{ say: 'ok' }, { wait: 200 }, { end: 'turn-only' }]
      bench.sim.play(slow, slow, slow)
      const both = await Promise.all([
        answerOf(bench.url, next, 'streamed'),
        sleep(50).then(() => answerOf(bench.url, { ...next, model: 'cursor/default' }, 'streamed')),
      ])
      expect(both).toMatchObject([{ text: 'ok' }, { text: 'ok' }])
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'ok', status: 200 })
    })

    it('a request that was answered by its run is not still being answered', async () => {
      bench.sim.play([read('a'), results, { say: 'live' }, { end: 'turn-only' }], [{ say: 'again' }, end])
      const body = askCursor('read it')
      const next = followUp(body, await answerOf(bench.url, body, 'streamed'), ['A'])
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'live', session: 'live' })
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'again', session: 'fresh' })
    })

    it.runIf(isNightly)('a service that keeps breaking off is replaced by a new run', async () => {
      bench.sim.play(
        [read('a'), results, checkpoint, { fault: 'reset' }],
        resumed({ fault: 'reset' }),
        resumed({ fault: 'reset' }),
        resumed({ fault: 'reset' }),
        [{ say: 'afresh' }, end],
      )
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'afresh', session: 'fresh' })
    })

    it('calls that were complete when the stream broke are made; their results begin a new run', async () => {
      bench.sim.play([{ say: 'see' }, mcp('a'), { fault: 'reset' }], [{ say: 'afresh' }, end])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      expect(first).toMatchObject({ finish: 'tool_calls', calls: [{ name: 'read' }] })
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'afresh', session: 'fresh' })
    })

    it('the next message begins where the service left the conversation, and sends no history', async () => {
      bench.sim.play(
        [read('a'), results, { say: 'It says A.' }, end],
        [{ say: 'As I said.' }, end],
        [{ say: 'So.' }, end],
      )
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A'])
      const second = await answerOf(bench.url, next, 'streamed')
      const third = await answerOf(bench.url, say(next, second, 'really?'), 'streamed')
      expect(third).toMatchObject({ text: 'As I said.', session: 'resumed' })
      const [one, two] = bench.sim.runs
      expect(two?.request.conversationId).toBe(one?.request.conversationId)
      expect(two?.request.runId).not.toBe(one?.request.runId)
      expect(two?.request.conversationState?.turns).toHaveLength(1)
      // Once more from the same point: a fork is a separate conversation.
      const fork = await answerOf(bench.url, say(next, second, 'are you sure?'), 'streamed')
      expect(fork).toMatchObject({ text: 'So.', session: 'resumed' })
      expect(bench.sim.runs[2]?.request.conversationId).not.toBe(one?.request.conversationId)
    })

    it('of the ends of a conversation the last two are remembered', async () => {
      const bodies: Body[] = [askCursor('one')]
      for (const words of ['two', 'three', 'four']) {
        const body = bodies.at(-1) as Body
        bodies.push(say(body, await answerOf(bench.url, body, 'streamed'), words))
      }
      const again = async (at: number) => (await answerOf(bench.url, bodies[at] as Body, 'streamed')).session
      expect([await again(2), await again(1)]).toEqual(['resumed', 'fresh'])
    })

    it('a conversation that tells another story begins anew', async () => {
      bench.sim.play([{ say: 'Hello.' }, end], [{ say: 'Oh.' }, end])
      const body = askCursor('hi')
      await answerOf(bench.url, body, 'streamed')
      const second = await answerOf(bench.url, say(body, { text: 'Good evening.' }, 'what?'), 'streamed')
      expect(second).toMatchObject({ text: 'Oh.', session: 'fresh' })
    })

    it(`${many} conversations that say the same, their results in any order, never meet`, async () => {
      const names = Array.from({ length: many }, (_, index) => `result ${index}`)
      bench.sim.play(
        ...names.map((): CursorStep[] => [mcp('a'), results, mcp('b'), results, { say: 'done' }, end]),
      )
      const body = askCursor('read it')
      const open = await Promise.all(
        names.map(async (name) => ({ name, first: await answerOf(bench.url, body, 'streamed') })),
      )
      const seed = 7
      const shuffled = open
        .map((one, at) => ({ one, order: (at * 7919 + seed) % 211 }))
        .sort((a, b) => a.order - b.order)
      const answers = await Promise.all(
        shuffled.map(async ({ one: { name, first } }) => {
          const next = followUp(body, first, [`${name}, one`])
          const second = await answerOf(bench.url, next, 'streamed')
          const third = await answerOf(bench.url, followUp(next, second, [`${name}, two`]), 'streamed')
          return [second.session, third.session, third.text]
        }),
      )
      expect(new Set(answers.map(String))).toEqual(new Set(['live,live,done']))
      expect(bench.sim.runs).toHaveLength(many)
      const pairs = bench.sim.runs.map((run) => {
        const texts = resultsText(run).match(/result \d+, (?:one|two)/g)
        return texts?.map((text) => text.split(',')[0]) ?? []
      })
      for (const pair of pairs) expect([pair.length, new Set(pair).size]).toEqual([2, 1])
      expect(new Set(pairs.map(([name]) => name)).size).toBe(many)
    })

    it('a follow-up that withdraws tools is answered in text, and the run continues', async () => {
      const body = askCursor('Read README.md, then write hi to b.txt', { tools: [readTool, writeTool] })
      const changes: Body[] = [{ tool_choice: 'none' }, { tools: undefined }, { tools: [readTool] }]
      for (const change of changes) {
        const first = await answerOf(bench.url, body, 'streamed')
        expect(first.calls).toMatchObject([{ name: 'read' }])
        const second = await answerOf(bench.url, { ...followUp(body, first, ['A']), ...change }, 'streamed')
        expect(second).toMatchObject({ session: 'live', finish: 'stop', calls: [] })
        expect(second.text).toMatch(/no tool|refused/i)
      }
    })

    it('a run that ends without text has a note', async () => {
      bench.sim.play([end])
      const answer = await answerOf(bench.url, askCursor('hi'), 'streamed')
      expect(answer).toMatchObject({ text: '', finish: 'stop' })
      expect(answer.notes).toContain('without a word')
    })

    it('reminders that a client puts in and takes out again make no other conversation', async () => {
      bench.sim.play([{ say: 'Hello.' }, end], [{ say: 'As I said.' }, end])
      const reminder = { type: 'text', text: '<system-reminder>\nIt is Sunday.\n</system-reminder>' }
      const words = (text: string) => ({ type: 'text', text })
      const body = askCursor('', { messages: [user([words('good day'), reminder])] })
      const first = await answerOf(bench.url, body, 'streamed')
      const messages = [
        user([words('good day')]),
        { role: 'assistant', content: first.text },
        user([words('really?'), reminder]),
      ]
      expect(await answerOf(bench.url, { ...body, messages }, 'streamed')).toMatchObject({
        session: 'resumed',
      })
    })

    it('the log says why an answer is afresh', async () => {
      bench.sim.play([read('a'), results, end], [{ say: 'afresh' }, end])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A'])
      await answerOf(
        bench.url,
        { ...next, messages: [user('x'), ...(next.messages as object[]).slice(1)] },
        'streamed',
      )
      const line = bench.logs
        .map((text) => JSON.parse(text))
        .findLast(({ msg, message }) => (msg ?? message) === 'turn')
      expect(line).toMatchObject({
        session: 'fresh',
        sessionWhy: expect.stringContaining('messages before its calls'),
      })
    })

    it('an agent that calls twenty tools has one run', async () => {
      const rounds = Array.from({ length: 20 }, (_, index): CursorStep[] => [
        read(`f${index}`),
        results,
        checkpoint,
      ])
      bench.sim.play([...rounds.flat(), { say: 'done' }, end])
      let body = askCursor('go')
      let answer = await answerOf(bench.url, body, 'streamed')
      for (let round = 0; round < 20; round++) {
        body = followUp(body, answer, [`content ${round}`])
        answer = await answerOf(bench.url, body, 'streamed')
        expect(answer.session).toBe('live')
      }
      expect(answer).toMatchObject({ text: 'done', finish: 'stop' })
      expect(bench.sim.runs).toHaveLength(1)
    })
  })
}
