// The backends that every door is tested with: how to script each, and the requests it received.

import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import { toCursorStep } from '../cursor-backend.ts'
import type { Bench, ClaudeName } from '../harness.ts'
import {
  blockStop,
  callDelta,
  chatAnswer,
  chunk,
  done,
  json,
  messageEnd,
  messageStart,
  toolUse,
} from '../wire-cases/frames.ts'
import {
  type ReceivedResult,
  receivedByClaude,
  receivedByCursor,
  receivedByGemini,
  receivedByOpenAI,
  receivedByText,
} from './door-results.ts'

export interface DoorBackend {
  model: string
  play(bench: Bench, ...rounds: readonly (readonly Step[])[]): void
  /** How many of the rounds were not asked for. */
  unplayed(bench: Bench): number
  /** Whether a request has come. */
  asked(bench: Bench): boolean
  /** Resolves when the upstream has seen the cancellation. */
  aborted(bench: Bench): Promise<unknown>
  /** The results of the last request, in the order of their calls. */
  received(bench: Bench): ReceivedResult[]
  endless: readonly Step[]
  /** A stream up to the middle of a call. */
  halfCall: readonly Step[]
  /** What such a stream goes on with where the limit has cut the call off. */
  cutOff?: readonly Step[]
  /** A refusal in words of their own kind, in either form. */
  refusal?: { streamed: readonly Step[]; whole: readonly Step[] }
  /** Says why its answers end, beyond "done" and "calls". */
  givesReasons: boolean
  /** Its reasoning carries a proof, and so reaches everybody. */
  signs: boolean
  /** Its calls end the answer, so a later break of the stream does not affect that answer. */
  callsEnd: boolean
}

type HttpKind = Partial<DoorBackend> & Pick<DoorBackend, 'received' | 'halfCall'>

const httpBackend = (
  name: ClaudeName | 'gemini' | 'openai' | 'text',
  model: string,
  more: HttpKind,
): DoorBackend => ({
  model: `${name}/${model}`,
  play: (bench, ...rounds) => bench[name].play(...rounds),
  unplayed: (bench) => bench[name].queued,
  asked: (bench) => bench[name].requests.length > 0,
  aborted: async (bench) => bench[name].requests.at(-1)?.waitForAbort(),
  endless: [{ forever: { everyMs: 5 } }],
  givesReasons: true,
  signs: false,
  callsEnd: false,
  ...more,
})

const claude = (name: ClaudeName) =>
  httpBackend(name, 'claude-demo', {
    received: (bench) => receivedByClaude(bench[name]),
    halfCall: [messageStart, toolUse(0, 'toolu_1', 'read'), json(0, '{"pa')],
    cutOff: [blockStop(0), ...messageEnd('max_tokens')],
    signs: true,
  })

const openai = httpBackend('openai', 'gpt-demo', {
  received: receivedByOpenAI,
  halfCall: [
    chunk({ role: 'assistant' }),
    callDelta({ index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"pa' } }),
  ],
  cutOff: [chunk({}, 'length'), done],
  refusal: {
    streamed: [
      chunk({ role: 'assistant' }),
      chunk({ refusal: 'I will ' }),
      chunk({ refusal: 'not.' }),
      chunk({}, 'stop'),
      done,
    ],
    whole: [chatAnswer({ role: 'assistant', content: null, refusal: 'I will not.' }, 'stop')],
  },
})

export const geminiBackend = httpBackend('gemini', 'gemini-3.8-flash', {
  received: receivedByGemini,
  halfCall: [{ raw: 'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"pa' }],
})

const text = httpBackend('text', 'text-demo', {
  received: receivedByText,
  halfCall: [{ say: '<tool_call>\n{"name": "read", "argu' }],
  cutOff: [{ end: 'length' }],
})

const cursor: DoorBackend = {
  model: 'cursor/composer-2',
  // One run: what follows the calls of a round waits for their results.
  play: (bench, ...rounds) =>
    bench.cursor.play(
      rounds.flatMap((steps, at): CursorStep[] => [
        ...(at === 0 ? [] : [{ await: 'results' as const }]),
        ...steps.map(toCursorStep),
      ]),
    ),
  unplayed: (bench) => bench.cursor.queued,
  asked: (bench) => bench.cursor.runs.length > 0,
  aborted: async (bench) => bench.cursor.runs.at(-1)?.waitForClose(),
  received: receivedByCursor,
  endless: [{ say: 'on and on' }, { heartbeats: { everyMs: 5, count: 'forever' } } as unknown as Step],
  halfCall: [
    {
      serverMessage: {
        interactionUpdate: { partialToolCall: { callId: 'tool_1', argsTextDelta: '{"pa' } },
      },
    } as unknown as Step,
  ],
  givesReasons: false,
  signs: false,
  callsEnd: true,
}

export const doorBackends: readonly DoorBackend[] = [claude('anthropic'), openai, text, geminiBackend, cursor]

/** For a bench with `clouds`. */
export const cloudBackends: readonly DoorBackend[] = [claude('bedrock'), claude('vertex')]
