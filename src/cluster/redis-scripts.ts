// Every compare-and-set is a script of one key, so that it does not matter on which node of a Redis Cluster a key is.

/** Says whether the record was still there. */
const announce = `
local had = redis.call('exists', KEYS[1])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return had`

/** Mine (of whatever epoch) or nobody's: written. The answer is who has it then. */
const claim = `
local now = redis.call('get', KEYS[1])
if now and string.sub(now, 1, #ARGV[2]) ~= ARGV[2] then return now end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`

/** Still as it was seen, or nobody's by now: written. The answer is who has it then. */
const takeOver = `
local now = redis.call('get', KEYS[1])
if now and now ~= ARGV[1] then return now end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return ARGV[2]`

const release = `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`

/** A Redis that was started empty counts on from the highest that the asking instance knows. */
const nextEpoch = `
local next = redis.call('incr', KEYS[1])
if next > tonumber(ARGV[1]) then return next end
redis.call('set', KEYS[1], ARGV[1])
return redis.call('incr', KEYS[1])`

export const scripts = { announce, claim, takeOver, release, nextEpoch }
