// A gateway before two Responses services, one of which also speaks Messages.

import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startGateway } from '../harness.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'

export function useResponsesLane() {
  let upstream: ScriptedUpstream
  let other: ScriptedUpstream
  let gateway: Awaited<ReturnType<typeof startGateway>>

  beforeAll(async () => {
    upstream = await startScriptedUpstream()
    other = await startScriptedUpstream()
    const service = (baseUrl: string) => ({
      kind: 'openai',
      api: 'responses',
      baseUrl,
      apiKey: 'upstream-key',
    })
    gateway = await startGateway({
      backends: {
        sim: service(upstream.url),
        other: service(other.url),
        claude: { kind: 'anthropic', baseUrl: other.url, apiKey: 'upstream-key' },
      },
      models: {
        mine: 'sim/gpt-5.6-sol',
        theirs: 'other/gpt-5.6-sol',
        claude: 'claude/claude-opus-5-5',
        either: ['sim/gpt-5.6-sol', 'other/gpt-5.6-sol'],
        mixed: ['sim/gpt-5.6-sol', 'claude/claude-opus-5-5'],
      },
    })
  })
  afterAll(async () => {
    await gateway.gateway.close()
    upstream.close()
    other.close()
  })
  beforeEach(() => {
    upstream.asked.length = 0
    other.asked.length = 0
  })

  const send = (body: string | object, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    send,
    get upstream() {
      return upstream
    },
    get other() {
      return other
    },
    get gateway() {
      return gateway
    },
  }
}
