// Chat requests of every shape, to every server that the simulator stands for: what goes out is taken there, at the first asking.

import fc from 'fast-check'
import { describe, it } from 'vitest'
import { checkBody } from '../../sim/openai/check-body.ts'
import { PROFILES, type ServerName } from '../../sim/openai/profiles.ts'
import { Notes } from '../../src/core/notes.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { toChatRequest } from '../../src/protocols/openai-chat/request-out.ts'
import { serverTraits } from '../../src/protocols/openai-chat/servers.ts'
import { addresses } from '../server-bench.ts'
import { patience, typed } from './accepted.ts'
import { chatRequests } from './chat-request.ts'
import { fuzzShare } from './settings.ts'

/** Beside a name that nothing is known of. */
const models: Partial<Record<ServerName, readonly string[]>> = {
  openai: ['gpt-4o', 'gpt-5', 'gpt-5.1', 'gpt-5.4', 'gpt-5.6-sol', 'gpt-6-sol', 'gpt-6-astra', 'o3', 'gpt-7'],
  azure: ['gpt-4o', 'gpt-5.6-sol'],
  openrouter: ['anthropic/claude-opus-5', 'openai/gpt-5.2', 'x-ai/grok-4.20'],
  groq: ['openai/gpt-oss-120b', 'qwen/qwen3-32b'],
  cerebras: ['gpt-oss-120b', 'zai-glm-4.7'],
  xai: ['grok-3-mini', 'grok-4.20-reasoning', 'grok-4.3', 'grok-4.7'],
  mistral: ['mistral-medium-2604', 'magistral-medium-latest'],
  deepseek: ['deepseek-v4', 'deepseek-reasoner', 'deepseek-chat'],
  moonshot: ['kimi-k3', 'kimi-k2.7-code', 'kimi-k2.5'],
  'kimi-code': ['k3', 'kimi-for-coding'],
  zai: ['glm-5.2', 'glm-4.7'],
  gemini: ['gemini-3-pro-preview', 'gemini-2.5-flash'],
}

const servers = Object.keys(PROFILES) as ServerName[]

describe('Chat requests to every server', patience, () => {
  it.each(servers)('%s', (server) => {
    const { host } = new URL(addresses[server])
    const names = fc.constantFrom('some-model', ...(models[server] ?? []))
    const property = fc.property(
      fc.tuple(chatRequests({ conforming: true }), names, fc.boolean()),
      ([asked, model, faithful]) => {
        // Formats beside tools are refused by one service, and not yet put right for it.
        const { response_format: _, ...body } = asked
        const turn = typed(() => fromChatRequest(body, new Notes()).turn)
        if (!turn) return
        const origin = faithful ? turn.origin : { ...turn.origin, dialect: 'another' }
        const options = { traits: serverTraits(host, model), recall: () => undefined, note: () => undefined }
        const sent = typed(() => toChatRequest({ ...turn, model, origin }, options))
        if (sent) checkBody(JSON.parse(JSON.stringify(sent)), PROFILES[server])
      },
    )
    fc.assert(property, fuzzShare(0.3))
  })
})
