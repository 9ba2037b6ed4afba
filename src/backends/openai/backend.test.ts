import { type OpenAISimOptions, QUIRKS, type Quirk, startOpenAISim } from '../../../sim/openai.ts'
import { describeBackend } from '../../../test/contract/backend.ts'
import { spread } from '../../../test/depth.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createOpenAIBackend } from './backend.ts'

const start = (options: OpenAISimOptions) => async (progressMs: number) => {
  const sim = await startOpenAISim({ apiKey: 'test-key', ...options })
  const client = createUpstreamClient(`${sim.url}/v1`)
  return {
    backend: createOpenAIBackend({
      name: 'box',
      client,
      apiKey: 'test-key',
      headers: {},
      progressMs,
      firstByteMs: 20_000,
    }),
    sim,
  }
}

const badFrame = { raw: 'data: {"choices":\n\n' }
const noReasoning = ['reasoning, streamed', 'reasoning, whole'].map((test) => ({
  test,
  reason: 'OpenAI does not show its reasoning',
}))

describeBackend({ name: 'openai', model: 'gpt-4o', start: start({}), badFrame, skip: noReasoning })

/** Answers that no client could use: an error is correct, and wire-cases/answer-calls.test.ts and answers.test.ts say which. */
const hopeless: readonly Quirk[] = ['error-in-200', 'tool-calls-without-calls', 'concatenated-arguments']

const allCalls = [
  'one tool call, streamed',
  'one tool call, whole',
  'parallel tool calls, streamed',
  'parallel tool calls, whole',
]

/** Tests that a quirk makes impossible. */
const unknowable: Partial<Record<Quirk, { tests: string[]; reason: string }>> = {
  'no-id': { tests: allCalls, reason: 'ids are ours when the server sends none' },
  'legacy-call': { tests: allCalls, reason: 'a function_call has no id, and a whole answer only one' },
  'careless-calls': {
    tests: ['one tool call, streamed', 'one tool call, whole'],
    reason: 'the check of calls puts names right: test/malformed-calls',
  },
  'not-streamed': {
    tests: ['arguments as they come', 'every fault after some text is an error behind that text'],
    reason: 'the server does not stream',
  },
  'message-in-stream': { tests: ['arguments as they come'], reason: 'the server does not stream' },
  'whole-calls': { tests: ['arguments as they come'], reason: 'the server sends them at once' },
  'object-arguments': { tests: ['arguments as they come'], reason: 'the server sends them parsed' },
}

const shown: readonly Quirk[] = ['reasoning', 'reasoning_content', 'content-parts', 'details-fragments']

for (const quirk of spread(Object.keys(QUIRKS) as Quirk[], 2)) {
  if (hopeless.includes(quirk)) continue
  const shows = shown.includes(quirk)
  const { tests = [], reason = '' } = unknowable[quirk] ?? {}
  const skip = [...(shows ? [] : noReasoning), ...tests.map((test) => ({ test, reason }))]
  describeBackend({
    name: `openai with ${quirk}`,
    model: 'gpt-4o',
    start: start({ quirks: [quirk], lenient: true }),
    badFrame,
    skip,
  })
}
