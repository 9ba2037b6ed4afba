// Each compare-and-set is a script on one key, so keys may be on any node of a Redis Cluster. directory-store.ts defines their
// meaning; memory-store.ts is the counterpart without Redis.

import { highestEpoch, longestOwner, mostEnlisted, type ScriptName } from './directory-store.ts'

/** Returns whether the record still existed. */
const announce = `
local had = redis.call('exists', KEYS[1])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return had`

/** Any value that is no owner counts as none, whatever its type. */
const readOwner = `
local now = redis.pcall('getrange', KEYS[1], 0, ${longestOwner})
if type(now) == 'table' then
  if not string.find(now.err, 'WRONGTYPE', 1, true) then return now end
  now = ''
end
if #now > ${longestOwner} then now = '' end`

const owner = `${readOwner}
return now`

/** Writes if the owner is this instance (any epoch) or none. Returns the owner afterwards. */
const claim = `${readOwner}
if now ~= '' and string.sub(now, 1, #ARGV[2]) ~= ARGV[2] then return now end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`

/** Writes if the owner is still as seen, or none. Returns the owner afterwards. */
const takeOver = `${readOwner}
if now ~= '' and now ~= ARGV[2] then return now end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`

const release = `${readOwner}
if now == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`

/** An empty Redis, or one with a foreign value, continues from the highest epoch that the calling instance knows. */
const nextEpoch = `
local next = redis.pcall('incr', KEYS[1])
if type(next) == 'number' and next > tonumber(ARGV[1]) and next <= ${highestEpoch} then return next end
redis.call('set', KEYS[1], ARGV[1])
return redis.call('incr', KEYS[1])`

/** A sorted set of names by the time when they expire. A value of another type is replaced. */
const enlist = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('type', KEYS[1]).ok ~= 'zset' then redis.call('del', KEYS[1]) end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
redis.call('pexpire', KEYS[1], 3600000)
return table.concat(redis.call('zrange', KEYS[1], 0, ${mostEnlisted - 1}), ',')`

export const scripts = { announce, owner, claim, takeOver, release, nextEpoch, enlist } satisfies Record<
  ScriptName,
  string
>
