// Where instances look up each other's sessions: what must hold on Redis must hold in a parent's memory, and the same
// tests say so of both.

import { describe } from 'vitest'
import type { DirectoryStore } from '../src/cluster/directory-store.ts'
import { MemoryStore } from '../src/cluster/memory-store.ts'
import { describeWithRedis, startRedis } from './redis.ts'

export interface SessionPlace {
  /** For `startInstance`. */
  at: string | DirectoryStore
  get(key: string): Promise<string>
  set(key: string, value: string): Promise<unknown>
  delete(key: string): Promise<unknown>
  stop(): Promise<void>
}

export type StartPlace = () => Promise<SessionPlace>

async function inRedis(): Promise<SessionPlace> {
  const redis = await startRedis()
  return {
    at: redis.url,
    get: (key) => redis.command('GET', key),
    set: (key, value) => redis.command('SET', key, value),
    delete: (key) => redis.command('DEL', key),
    stop: () => redis.stop(),
  }
}

const anHour = String(60 * 60_000)

async function inMemory(): Promise<SessionPlace> {
  const store = new MemoryStore()
  return {
    at: store,
    get: (key) => store.read(key, 4_096),
    set: (key, value) => store.run('announce', key, value, anHour),
    delete: (key) => store.delete(key),
    stop: async () => undefined,
  }
}

export function describeInEveryPlace(name: string, tests: (start: StartPlace) => void): void {
  describeWithRedis(`${name}, found in Redis`, () => tests(inRedis))
  describe(`${name}, found in the memory of a parent`, () => tests(inMemory))
}
