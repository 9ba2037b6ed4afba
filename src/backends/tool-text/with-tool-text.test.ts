import { expect } from 'vitest'
import { startTextSim, type TextSimOptions } from '../../../sim/text-chat.ts'
import { describeBackend } from '../../../test/contract/backend.ts'
import { spread } from '../../../test/depth.ts'
import type { ToolTextSettings } from '../../protocols/tool-text/markup.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { createOpenAIBackend } from '../openai/backend.ts'
import { withToolText } from './with-tool-text.ts'

const usual: ToolTextSettings = {
  format: 'json',
  formats: {},
  tag: 'tool_call',
  secondTry: true,
  systemRole: true,
}

const start = (settings: Partial<ToolTextSettings>, sim: TextSimOptions) => async (progressMs: number) => {
  const server = await startTextSim({ apiKey: 'test-key', ...sim })
  const openai = createOpenAIBackend({
    name: 'box',
    client: createUpstreamClient(`${server.url}/v1`),
    apiKey: 'test-key',
    headers: {},
    progressMs,
    firstByteMs: 20_000,
  })
  return { backend: withToolText(openai, { ...usual, ...settings }), sim: server }
}

const badFrame = { raw: 'data: {"choices":\n\n' }
const skip = [
  { test: 'arguments as they come', reason: 'a call in text is known when it is complete' },
  ...['reasoning, streamed', 'reasoning, whole'].map((test) => ({
    test,
    reason: 'this server does not show its reasoning',
  })),
]

const ways: [string, Partial<ToolTextSettings>, TextSimOptions][] = [
  ['JSON', {}, {}],
  ['XML', { format: 'xml' }, {}],
  ['JSON in a tag of its own', { tag: 'use_tool' }, {}],
  ['XML without a system role', { format: 'xml', systemRole: false }, { systemRole: false }],
]
for (const [name, settings, sim] of spread(ways, 2)) {
  describeBackend({
    name: `openai with tools as text, ${name}`,
    model: 'text-demo',
    start: start(settings, sim),
    callId: () => expect.stringMatching(/^call_1_\d$/),
    badFrame,
    skip,
  })
}
