// T16 and T17: event streams of real servers, usage, and timely delivery.

import { doorNames } from '../../clients/answer.ts'
import { type Case, scriptedCases } from '../case.ts'
import { holds, noUsage, noViolation, same, succeeded, usageOnce } from '../judge.ts'
import { counters, everyone } from '../noticed.ts'
import * as anthropic from '../upstream/anthropic.ts'
import * as openai from '../upstream/openai.ts'
import { eventStream, type Play, type Played } from '../upstream/played.ts'
import { says, turn } from '../upstream/turn.ts'
import { github, tools } from './tools.ts'

const both = ['openai', 'anthropic'] as const
const text = 'Grüße, 世界 🙂 – "done"'

/** The same stream with each piece rewritten. */
const rewritten =
  (play: Play, rewrite: (piece: string) => string): Play =>
  (request) => {
    const played: Played = play(request)
    if (!request.stream) return played
    return { ...played, pieces: played.pieces.map((piece) => rewrite(String(piece))) }
  }

const saidWhole = (answer: Parameters<typeof succeeded>[0]) => {
  succeeded(answer)
  same('the text', answer.text, text)
  noViolation(answer, 'frame')
}

const framing = scriptedCases('streams', [
  {
    id: 'T16',
    title: "the upstream's comments, pings and empty events are dropped",
    why: 'SDKs crash on data that is not JSON',
    noticedBy: ['AI SDK', 'openai SDK', 'Anthropic SDK'],
    link: github('theopenco/llmgateway/pull/2334'),
    upstreams: both,
    forms: ['stream'],
    play: rewritten(says(text), (piece) => `: OPENROUTER PROCESSING\n\n${piece}: ping\n\ndata:\n\n`),
    judge: (answer) => {
      saidWhole(answer)
      holds(!answer.reply.text.includes('PROCESSING'), "none of the upstream's comments", 'some')
    },
  },
  {
    id: 'T16b',
    title: 'lines that end in CRLF, and data without a space after the colon',
    why: 'the answer is empty',
    noticedBy: everyone,
    upstreams: both,
    forms: ['stream'],
    play: rewritten(says(text), (piece) => piece.replaceAll('data: ', 'data:').replaceAll('\n', '\r\n')),
    judge: saidWhole,
  },
  {
    id: 'T16c',
    title: 'a stream split at any byte, even inside a character',
    why: 'umlauts and emoji become garbage, or the stream fails',
    noticedBy: everyone,
    upstreams: both,
    forms: ['stream'],
    play: turn([{ text }], 'stop', { bytesPerWrite: 13 }),
    judge: saidWhole,
  },
  {
    id: 'T16d',
    title: 'id and retry fields of the upstream are not forwarded',
    why: 'old SDKs crash on the next comment',
    noticedBy: ['openai SDK (Python)'],
    link: github('mckinsey/agents-at-scale-ark/pull/2567'),
    upstreams: both,
    forms: ['stream'],
    play: rewritten(says(text), (piece) => piece.replace(/^/, 'id: 7\nretry: 1000\n')),
    judge: saidWhole,
  },
  {
    id: 'T16e',
    title: 'JSON in several data lines is one event',
    why: 'the answer is empty, or the stream fails',
    noticedBy: everyone,
    upstreams: both,
    forms: ['stream'],
    play: rewritten(says(text), (piece) => piece.replace(/^data: \{/m, 'data: {\ndata: ')),
    judge: saidWhole,
  },
])

const inTwo = turn([{ text: 'first ' }, { piece: 'hold' }, { text: 'second' }], 'stop', { cuts: 1 })

const live = (
  [
    {
      id: 'U1',
      title: 'deltas reach the client while the upstream still writes',
      why: 'the user sees nothing for minutes, then everything at once',
      noticedBy: everyone,
      play: inTwo,
      run: async ({ ask, expected }) => {
        let early = false
        const answer = await ask(
          {},
          {
            onText: (soFar) => {
              if (soFar.includes('first') && !soFar.includes('second')) early = true
              if (early) expected.release()
              return false
            },
          },
        )
        succeeded(answer)
        same('the text', answer.text, 'first second')
        holds(early, 'the first delta before the upstream continues', 'nothing until the upstream had ended')
      },
    },
    {
      id: 'U2',
      title: 'a client that disconnects ends the request to the upstream',
      why: 'the user pays for tokens that are never read',
      noticedBy: everyone,
      play: inTwo,
      run: async ({ ask, expected }) => {
        const answer = await ask({}, { onText: (soFar) => soFar.includes('first') })
        holds(answer.reply.text.includes('first'), 'a delta before the client disconnects', answer.reply.text)
        const left = await expected.left(4_000)
        expected.release()
        holds(left, 'the gateway disconnects too', 'it kept reading for 4 s')
      },
    },
  ] satisfies Pick<Case, 'id' | 'title' | 'why' | 'noticedBy' | 'play' | 'run'>[]
).map(
  (given): Case => ({
    group: 'streams',
    needs: 'scripted' as const,
    doors: doorNames,
    forms: ['stream'] as const,
    upstreams: both,
    ...given,
  }),
)

const inChoice = { index: 0, delta: {}, finish_reason: 'stop', usage: openai.counted }

const usage = scriptedCases('usage', [
  {
    id: 'T17',
    title: 'usage reaches only clients that requested it',
    why: 'choices[0] of the usage chunk: IndexError',
    noticedBy: ['openai SDK (Python)'],
    link: github('Arthur-Ficial/apfel/issues/100'),
    upstreams: both,
    doors: ['chat'],
    forms: ['stream'],
    play: (request) =>
      request.kind === 'openai'
        ? openai.chunks([openai.chunk({ content: 'hi' })], 'stop', true)
        : says('hi')(request),
    judge: (answer) => {
      succeeded(answer)
      noUsage(answer)
    },
  },
  {
    id: 'T17b',
    title: 'requested usage arrives once, after the end, on tool turns too',
    why: 'clients count no tokens, or count them twice',
    noticedBy: counters,
    link: github('Portkey-AI/gateway/pull/1629'),
    upstreams: both,
    ask: { usage: true, tools },
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: (answer) => {
      succeeded(answer)
      usageOnce(answer)
      noViolation(answer, 'usage')
      same('the tokens', [answer.usage?.input, answer.usage?.output], [31, 17])
    },
  },
  ...(
    [
      ['T17c', 'in every chunk', (piece: string) => withUsage(piece)],
      [
        'T17d',
        'inside the choice',
        (piece: string) =>
          piece.includes('"stop"')
            ? openai.data({
                id: 'x',
                object: 'chat.completion.chunk',
                created: 1,
                model: 'm',
                choices: [inChoice],
              })
            : piece,
      ],
    ] as const
  ).map(([id, how, rewrite]) => ({
    id,
    title: `usage sent ${how} is counted once`,
    why: 'clients count no tokens, or count them many times',
    noticedBy: counters,
    link: github('ROCm/ATOM/pull/1711'),
    upstreams: ['openai' as const],
    forms: ['stream' as const],
    ask: { usage: true },
    play: (() =>
      eventStream(
        [openai.role, openai.chunk({ content: 'hi' }), openai.chunk({}, 'stop')]
          .map(rewrite)
          .concat(openai.done),
      )) as Play,
    judge: (answer: Parameters<typeof succeeded>[0]) => {
      succeeded(answer)
      usageOnce(answer)
      same('the tokens', [answer.usage?.input, answer.usage?.output], [31, 17])
    },
  })),
  {
    id: 'T17e',
    title: 'a usage chunk without choices is accepted',
    why: 'the gateway crashes on choices[0]',
    noticedBy: everyone,
    link: github('headroomlabs-ai/headroom/pull/2026'),
    upstreams: ['openai'],
    forms: ['stream'],
    ask: { usage: true },
    play: () =>
      eventStream([
        openai.role,
        openai.chunk({ content: 'hi' }),
        openai.chunk({}, 'stop'),
        openai.data({ id: 'x', usage: openai.counted }),
        openai.done,
      ]),
    judge: (answer) => {
      succeeded(answer)
      same('the tokens', [answer.usage?.input, answer.usage?.output], [31, 17])
    },
  },
  {
    id: 'T17f',
    title: 'cached tokens count as prompt tokens and are reported separately',
    why: 'clients show costs and context far too low',
    noticedBy: counters,
    upstreams: ['anthropic'],
    ask: { usage: true },
    play: ({ stream }) => {
      const cached = { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 100 }
      const said = says('hi')({ kind: 'anthropic', stream, body: {} })
      return stream
        ? { ...said, pieces: [anthropic.messageStart(cached), ...said.pieces.slice(1)] }
        : anthropic.message([{ type: 'text', text: 'hi' }], 'end_turn', cached)
    },
    judge: (answer) => {
      succeeded(answer)
      same('prompt and cached tokens', [answer.usage?.input, answer.usage?.cached], [130, 100])
    },
  },
])

function withUsage(piece: string): string {
  const value = JSON.parse(piece.slice('data: '.length)) as Record<string, unknown>
  return openai.data({ ...value, usage: openai.counted })
}

export const streamCases: readonly Case[] = [...framing, ...live, ...usage]
