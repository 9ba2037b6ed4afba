// Every compare-and-set is a script of one key, so that it does not matter on which node of a Redis Cluster a key is.
// What each of them means: directory-store.ts. Its twin without Redis: memory-store.ts.

import { highestEpoch, longestOwner, type ScriptName } from './directory-store.ts'

/** Says whether the record was still there. */
const announce = `
local had = redis.call('exists', KEYS[1])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return had`

/** Whatever is no owner counts as nothing, of whatever type it is. */
const readOwner = `
local now = redis.pcall('getrange', KEYS[1], 0, ${longestOwner})
if type(now) == 'table' then
  if not string.find(now.err, 'WRONGTYPE', 1, true) then return now end
  now = ''
end
if #now > ${longestOwner} then now = '' end`

const owner = `${readOwner}
return now`

/** Mine (of whatever epoch) or nobody's: written. The answer is who has it then. */
const claim = `${readOwner}
if now ~= '' and string.sub(now, 1, #ARGV[2]) ~= ARGV[2] then return now end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`

/** Still as it was seen, or nobody's by now: written. The answer is who has it then. */
const takeOver = `${readOwner}
if now ~= '' and now ~= ARGV[2] then return now end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`

const release = `${readOwner}
if now == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`

/** A Redis that was started empty, or holds something else, counts on from the highest that the asking instance knows. */
const nextEpoch = `
local next = redis.pcall('incr', KEYS[1])
if type(next) == 'number' and next > tonumber(ARGV[1]) and next <= ${highestEpoch} then return next end
redis.call('set', KEYS[1], ARGV[1])
return redis.call('incr', KEYS[1])`

export const scripts = { announce, owner, claim, takeOver, release, nextEpoch } satisfies Record<
  ScriptName,
  string
>
