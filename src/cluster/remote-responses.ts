// Responses that another instance stored and a client refers to by id. The id ends in the instance's name: no directory entry is
// needed, and local conversations need no lookup.

import type { Caller } from '../core/caller.ts'
import type { Log } from '../observe/log.ts'
import type { SessionDirectory } from './directory.ts'
import { PeerGone, type RelayClient } from './relay-client.ts'
import type { KeptTexts, RelayedResponse } from './relay-messages.ts'

const idPattern = /^resp_[A-Za-z0-9]{16}([A-Za-z0-9]{16})$/

/** The instance that created this id; undefined for a foreign id. */
const instanceOfResponse = (id: string): string | undefined => idPattern.exec(id)?.[1]

interface Places {
  directory: SessionDirectory
  relay: RelayClient
  log: Log
}

export function remoteResponses({ directory, relay, log }: Places) {
  async function ask(id: string, caller: Caller, action: RelayedResponse['action']) {
    const instance = instanceOfResponse(id)
    if (instance === undefined || instance === directory.instance) return undefined
    const url = await directory.locate(instance)
    if (url === undefined) return undefined
    try {
      return await relay.response(url, { instance, id, caller, action })
    } catch (error) {
      if (!(error instanceof PeerGone)) throw error
      log.info('another instance could not provide a stored response', { url, error: error.message })
      return undefined
    }
  }
  return {
    mark: directory.instance,
    find: (id: string, caller: Caller): Promise<KeptTexts | undefined> => ask(id, caller, 'find'),
    delete: async (id: string, caller: Caller) => (await ask(id, caller, 'delete')) !== undefined,
  }
}
