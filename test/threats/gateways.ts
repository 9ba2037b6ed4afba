// The gateways under attack: a single one and one of several, each with its own key.

import { afterAll, beforeAll } from 'vitest'
import { peerSecret } from '../cluster-parts.ts'
import { freePort } from '../end-to-end/wire.ts'
import { type Bench, startBench, useBench } from '../harness.ts'
import { key } from './cases/keys.ts'

const gateway = { keys: [{ name: 'laptop', key }] }

export const allowedOrigin = 'https://page.example'
const allow = { hosts: ['Gateway.Internal'], origins: [allowedOrigin] }

export const useLockedBench = (): Bench => useBench({ settings: { allow, auth: undefined }, gateway })

/** Its Redis is not there, which it says in its log; its inner routes are. */
export function useLockedPeer(): Bench {
  const bench = {} as Bench
  beforeAll(async () => {
    const redis = `redis://127.0.0.1:${await freePort()}`
    const sessions = { redis, peerSecret }
    Object.assign(bench, await startBench({ settings: { allow, sessions, auth: undefined }, gateway }))
  })
  afterAll(() => bench.close())
  return bench
}
