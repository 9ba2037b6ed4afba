// Follows the live streams of other processes, for one page.

import { isObject } from '../base/json.ts'
import type { LiveMessage } from './api.ts'
import type { Scope } from './login.ts'
import type { MergedFeed } from './merged-turns.ts'
import { type Peer, type Peers, shownName } from './peers.ts'

type Changes = Exclude<LiveMessage, { type: 'bye' }>

interface Following {
  peers: Peers
  scope: Scope
  feed: MergedFeed
  send(message: Changes): void
  /** Resolves when the page has caught up. */
  drained(): Promise<void> | undefined
}

/** Processes come and go. */
const lookMs = 3_000

/** Returns a function that ends it. */
export function followPeers({ peers, scope, feed, send, drained }: Following): () => void {
  const stop = new AbortController()
  const open = new Set<string>()
  /** Names of processes that do not answer. */
  const missing = new Map<string, string>()

  async function follow(peer: Peer): Promise<void> {
    open.add(peer.instance)
    let wasHeard = false
    try {
      for await (const message of peers.follow(peer, scope, stop.signal)) {
        if (!isChanges(message)) break
        wasHeard = true
        missing.delete(peer.instance)
        tell(feed.take(peer.instance, message))
        await drained()
      }
    } catch {
      // Told below.
    }
    open.delete(peer.instance)
    if (stop.signal.aborted) return
    missing.set(peer.instance, shownName(peer, scope))
    if (wasHeard) tell(feed.lose(peer.instance))
  }

  let told = ''
  function tell(message: Changes): void {
    told = [...missing.values()].join()
    send({ ...message, missing: [...missing.values()] })
  }

  async function look(): Promise<void> {
    const list = await peers.list().catch(() => [])
    if (stop.signal.aborted) return
    for (const instance of missing.keys())
      if (!list.some((peer) => peer.instance === instance)) missing.delete(instance)
    for (const peer of list) if (!open.has(peer.instance)) void follow(peer)
    if ([...missing.values()].join() !== told) tell(feed.nothing())
  }

  void look()
  const timer = setInterval(() => void look(), lookMs)
  return () => {
    clearInterval(timer)
    stop.abort()
  }
}

/** Another version may send what this one does not know. */
const isChanges = (message: unknown): message is Changes =>
  isObject(message) &&
  (message.type === 'all' || (message.type === 'changed' && Array.isArray(message.gone))) &&
  Array.isArray(message.turns) &&
  message.turns.every(
    (turn) => isObject(turn) && typeof turn.id === 'string' && typeof turn.startedAt === 'number',
  ) &&
  Array.isArray(message.sessions)
