// A Cursor backend in front of a simulator, without a gateway.

import type { JsonObject } from '@bufbuild/protobuf'
import type { CursorSim, CursorStep } from '../sim/cursor.ts'
import type { Step } from '../sim/script.ts'
import { type CursorBackendOptions, createCursorBackend } from '../src/backends/cursor/backend.ts'
import type { Backend } from '../src/core/backend.ts'
import { authRequestOver } from '../src/credentials/auth-http.ts'
import { createCursorCredentials } from '../src/credentials/cursor.ts'
import { createLoginStore } from '../src/credentials/store.ts'
import { createUpstreamClient } from '../src/upstream/client.ts'

export function cursorBackend(
  { url }: CursorSim,
  options: Pick<CursorBackendOptions, 'transport' | 'progressMs'>,
): Backend {
  const client = createUpstreamClient(url)
  return createCursorBackend({
    name: 'cursor',
    baseUrl: url,
    client,
    connect: {},
    credentials: createCursorCredentials({
      backend: 'cursor',
      baseUrl: url,
      apiKey: 'crsr_test',
      request: authRequestOver(client),
      store: createLoginStore('/nonexistent'),
    }),
    clientType: 'sdk',
    clientVersion: 'sdk-0',
    checksum: 'off',
    privacy: true,
    headers: {},
    history: 'structured',
    toolsInContext: true,
    nativeTools: 'hide',
    sessions: { reuse: true, idleMs: 60_000, max: 10 },
    ...options,
  })
}

/** A step of the other simulators' scripts, as this one plays it. */
export function toCursorStep(step: Step): CursorStep {
  if (!('call' in step)) return step as CursorStep
  const { name, arguments: args } = step.call
  return { exec: { mcp: { name, args: args as JsonObject } } }
}
