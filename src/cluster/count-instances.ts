// Checks the configured Redis for `doctor`.

import { instanceKeys } from './directory.ts'
import { openRedis, redisTrouble } from './redis-link.ts'

const commandMs = 2_000

/** The number of announced instances; throws the reason if Redis cannot be used. */
export async function countInstances(url: string): Promise<number> {
  const redis = await openRedis(url, commandMs)
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason = error
  })
  try {
    await redis.connect()
    const found = new Set<string>()
    let cursor = '0'
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', instanceKeys, 'COUNT', 1_000)
      for (const key of keys) found.add(key)
      cursor = next
    } while (cursor !== '0')
    return found.size
  } catch (error) {
    throw new Error(redisTrouble(reason ?? error), { cause: reason ?? error })
  } finally {
    redis.disconnect()
  }
}
