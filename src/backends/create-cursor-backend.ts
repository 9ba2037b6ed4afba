// Creates the backend of a configured Cursor account, with its credentials and its stored conversations. A module of its own
// because loading it takes time, which only configurations with such an account should spend.

import { join } from 'node:path'
import { readEnvironment } from '../config/environment.ts'
import type { BackendConfig } from '../config/schema.ts'
import type { Backend } from '../core/backend.ts'
import { authRequestOver } from '../credentials/auth-http.ts'
import { type CursorCredentials, createCursorCredentials } from '../credentials/cursor.ts'
import { cursorEnvironment } from '../credentials/cursor-settings.ts'
import { createLoginStore } from '../credentials/store.ts'
import type { Creation, SharedOptions } from './create-backends.ts'
import { createCursorBackend } from './cursor/backend.ts'
import { conversationFolder } from './cursor/conversation-folder.ts'
import type { ConversationFolder } from './cursor/conversations.ts'

type CursorConfig = Extract<BackendConfig, { kind: 'cursor' }>

export function createConfiguredCursor(
  backend: CursorConfig,
  creation: Creation,
  shared: SharedOptions,
): Backend {
  const { sessions } = creation.config
  const { played } = creation.defaults
  return createCursorBackend({
    ...backend,
    ...shared,
    credentials: played ? playedCredentials : cursorCredentials(backend, creation, shared),
    played: played?.runs,
    sessions,
    conversations: sessions.keep === 'disk' ? keptConversations(creation) : undefined,
  })
}

/** Any token will do for a recorded run. */
const playedCredentials: CursorCredentials = {
  accessToken: async () => 'replayed',
  reject: () => undefined,
  describe: () => Promise.reject(new Error('there are no credentials in a replay')),
}

function keptConversations({ name, defaults, services }: Creation): ConversationFolder {
  const stateFolder = defaults.stateFolder ?? readEnvironment().stateFolder
  return conversationFolder({ folder: join(stateFolder, 'conversations', name), warn: services.warn })
}

function cursorCredentials(
  { baseUrl, apiKey, accessToken, headers }: CursorConfig,
  { name, account, defaults, services }: Creation,
  { client }: SharedOptions,
): CursorCredentials {
  // The variables are one credential, which cannot be that of several accounts.
  const hasVariables = defaults.variable !== undefined && account === undefined
  return createCursorCredentials({
    backend: name,
    account,
    baseUrl,
    apiKey,
    accessToken,
    environment: hasVariables
      ? cursorEnvironment({ variable: defaults.variable as NonNullable<typeof defaults.variable> })
      : undefined,
    request: authRequestOver(client, headers),
    words: defaults.credentialWords,
    store: createLoginStore(defaults.dataFolder ?? readEnvironment().dataFolder),
    ...services,
  })
}
