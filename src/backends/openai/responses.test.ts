import {
  type OpenAISimOptions,
  RESPONSES_QUIRKS,
  type ResponsesQuirk,
  startOpenAISim,
} from '../../../sim/openai.ts'
import { describeBackend } from '../../../test/contract/backend.ts'
import { spread } from '../../../test/depth.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createOpenAIBackend } from './backend.ts'

const start = (options: OpenAISimOptions) => async (progressMs: number) => {
  const sim = await startOpenAISim({ apiKey: 'test-key', ...options })
  const client = createUpstreamClient(`${sim.url}/v1`)
  const backend = createOpenAIBackend({
    name: 'box',
    client,
    apiKey: 'test-key',
    api: 'responses',
    headers: {},
    progressMs,
    firstByteMs: 20_000,
  })
  return { backend, sim }
}

const badFrame = { raw: 'data: {"type":\n\n' }
const model = 'gpt-5.6-sol'
describeBackend({ name: 'responses', model, start: start({}), badFrame })

/** Answers that no client could use: an error is correct, and read.test.ts says which. */
const hopeless: readonly ResponsesQuirk[] = ['error-then-failed', 'failed-alone', 'flat-error', 'no-end']

const atOnce = { test: 'arguments as they come', reason: 'the server sends them at once' }
const faults = {
  test: 'every fault after some text is an error behind that text',
  reason: 'the server sends no text before its end',
}
const skips: Partial<Record<ResponsesQuirk, { test: string; reason: string }[]>> = {
  'no-deltas': [atOnce],
  'done-only': [atOnce],
  'items-at-end': [atOnce, faults],
  'no-usage': ['text, streamed', 'text, whole'].map((test) => ({ test, reason: 'there is no usage' })),
}

for (const quirk of spread(Object.keys(RESPONSES_QUIRKS) as ResponsesQuirk[], 4)) {
  if (hopeless.includes(quirk)) continue
  const skip = skips[quirk] ?? []
  describeBackend({
    name: `responses with ${quirk}`,
    model,
    start: start({ quirks: [quirk] }),
    badFrame,
    skip,
  })
}
