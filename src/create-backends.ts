// Backend configurations → backends. Adding a kind means a row here, one in config/schema.ts, and its file.

import { join } from 'node:path'
import { createAnthropicBackend } from './backends/anthropic.ts'
import { conversationFolder } from './backends/cursor/conversation-folder.ts'
import type { ConversationFolder } from './backends/cursor/conversations.ts'
import { createCursorBackend } from './backends/cursor.ts'
import { createOpenAIBackend } from './backends/openai.ts'
import { createQwenWebBackend } from './backends/qwen-web.ts'
import { withToolText } from './backends/with-tool-text.ts'
import { readEnvironment } from './config/environment.ts'
import type { BackendConfig, Config } from './config/schema.ts'
import { defaultToolText } from './config/tool-text.ts'
import type { Backend } from './core/backend.ts'
import { authRequestOver } from './credentials/auth-http.ts'
import {
  type CredentialWords,
  type CursorCredentials,
  createCursorCredentials,
} from './credentials/cursor.ts'
import { cursorEnvironment } from './credentials/cursor-settings.ts'
import { createLoginStore } from './credentials/store.ts'
import { createUpstreamClient, type UpstreamClient } from './upstream/client.ts'
import type { Http2PoolOptions } from './upstream/http2-pool.ts'

/** What the environment says about connections and credentials, for every backend. */
export interface BackendDefaults {
  environmentProxy?: boolean
  extraCaFile?: string | undefined
  /** How soon an HTTP/2 peer that says nothing more is given up. */
  pings?: Pick<Http2PoolOptions, 'pingIntervalMs' | 'pingTimeoutMs'>
  /** Where logins are kept. */
  dataFolder?: string | undefined
  /** Where conversations are kept, if they are. */
  stateFolder?: string | undefined
  variable?(name: string): string | undefined
  /** For a program that has its own ways to log in. */
  credentialWords?: CredentialWords | undefined
}

export interface BackendServices {
  /** Tokens that come up on the way must not reach the log. */
  registerSecret(value: string): void
  warn(message: string): void
}

export function createBackends(
  config: Config,
  defaults: BackendDefaults,
  services: BackendServices,
): Map<string, Backend> {
  return new Map(
    Object.entries(config.backends).map(([name, backend]) => [
      name,
      createBackend({ name, backend, config, defaults, services }),
    ]),
  )
}

interface Creation {
  name: string
  backend: BackendConfig
  config: Config
  defaults: BackendDefaults
  services: BackendServices
}

function createBackend(creation: Creation): Backend {
  const { name, backend, config, defaults } = creation
  // Node itself trusts NODE_EXTRA_CA_CERTS only as long as no `ca` of our own replaces its list.
  const caFiles =
    backend.connect?.ca === undefined ? [] : [backend.connect.ca, defaults.extraCaFile ?? []].flat()
  const connect = {
    name,
    proxy: backend.connect?.proxy,
    environmentProxy: defaults.environmentProxy,
    caFiles,
    ...defaults.pings,
  }
  const client = createUpstreamClient(backend.baseUrl, connect)
  const shared = { name, client, headers: backend.headers ?? {}, progressMs: config.sessions.progressMs }
  switch (backend.kind) {
    case 'anthropic':
      return createAnthropicBackend({ ...backend, ...shared })
    case 'openai': {
      const openai = createOpenAIBackend({ ...backend, ...shared, apiKey: backend.apiKey })
      return backend.tools === 'text' ? withToolText(openai, backend.toolText ?? defaultToolText) : openai
    }
    case 'qwen-web':
      // The system text stays apart until it is folded: it must not be what is left out of a long conversation.
      return createQwenWebBackend({
        ...backend,
        ...shared,
        toolText: { ...backend.toolText, systemRole: true },
      })
    case 'cursor':
      return createCursorBackend({
        ...backend,
        ...shared,
        connect,
        credentials: cursorCredentials(backend, creation, client),
        sessions: config.sessions,
        conversations: config.sessions.keep === 'disk' ? keptConversations(creation) : undefined,
      })
  }
}

function keptConversations({ name, defaults, services }: Creation): ConversationFolder {
  const stateFolder = defaults.stateFolder ?? readEnvironment().stateFolder
  return conversationFolder({ folder: join(stateFolder, 'conversations', name), warn: services.warn })
}

function cursorCredentials(
  { baseUrl, apiKey, accessToken, headers }: Extract<BackendConfig, { kind: 'cursor' }>,
  { name, defaults, services }: Creation,
  client: UpstreamClient,
): CursorCredentials {
  return createCursorCredentials({
    backend: name,
    baseUrl,
    apiKey,
    accessToken,
    environment: defaults.variable ? cursorEnvironment({ variable: defaults.variable }) : undefined,
    request: authRequestOver(client, headers),
    words: defaults.credentialWords,
    store: createLoginStore(defaults.dataFolder ?? readEnvironment().dataFolder),
    ...services,
  })
}
