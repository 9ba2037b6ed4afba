// Backend configurations → backends. Adding a kind means a row here, one in config/schema.ts, and its file.

import { createAnthropicBackend } from './backends/anthropic.ts'
import { createOpenAIBackend } from './backends/openai.ts'
import type { BackendConfig, Config } from './config/schema.ts'
import type { Backend } from './core/backend.ts'
import { createUpstreamClient } from './upstream/client.ts'

/** What the environment says about connections, for every backend. */
export interface ConnectDefaults {
  environmentProxy?: boolean
  extraCaFile?: string | undefined
}

export function createBackends(config: Config, defaults: ConnectDefaults): Map<string, Backend> {
  return new Map(
    Object.entries(config.backends).map(([name, backend]) => [
      name,
      createBackend(name, backend, config, defaults),
    ]),
  )
}

function createBackend(
  name: string,
  backend: BackendConfig,
  config: Config,
  defaults: ConnectDefaults,
): Backend {
  // Node itself trusts NODE_EXTRA_CA_CERTS only as long as no `ca` of our own replaces its list.
  const caFiles =
    backend.connect?.ca === undefined ? [] : [backend.connect.ca, defaults.extraCaFile ?? []].flat()
  const client = createUpstreamClient(backend.baseUrl, {
    name,
    proxy: backend.connect?.proxy,
    environmentProxy: defaults.environmentProxy,
    caFiles,
  })
  const shared = {
    name,
    client,
    headers: backend.headers ?? {},
    firstByteMs: backend.firstByteMs,
    progressMs: config.sessions.progressMs,
  }
  switch (backend.kind) {
    case 'anthropic':
      return createAnthropicBackend({ ...shared, apiKey: backend.apiKey, promptCache: backend.promptCache })
    case 'openai':
      return createOpenAIBackend({ ...shared, apiKey: backend.apiKey })
  }
}
