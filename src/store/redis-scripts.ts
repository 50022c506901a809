// Steps that must not be interrupted, as scripts: Redis runs each as a whole. Beside every shelf lies a sorted set of
// its keys, all with score 0 and so in byte order: SCAN would walk every key of the server for each listing.
// KEYS and ARGV are named at the head of each.

/** KEYS: row, index, fence counter. ARGV: key, text, life in ms or 0, fence or ''. 1 when written. */
export const WRITE = `
if ARGV[4] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[4] then return 0 end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

/** KEYS: row, index. ARGV: key. */
export const DELETE = `
redis.call('UNLINK', KEYS[1])
return redis.call('ZREM', KEYS[2], ARGV[1])`;

/** KEYS: row. ARGV: text before, text after. 1 when swapped. */
export const SWAP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`;

/** KEYS: index, rows …. ARGV: now, keys …. The number of rows that are gone or past their end; the head of a row tells. */
export const PURGE = `
local gone = 0
for i = 2, #KEYS do
  local head = redis.call('GETRANGE', KEYS[i], 0, 31)
  local expires = string.match(head, '^{"expires":(%d+)')
  if head == '' or (expires and tonumber(expires) <= tonumber(ARGV[1])) then
    redis.call('UNLINK', KEYS[i])
    redis.call('ZREM', KEYS[1], ARGV[i])
    gone = gone + 1
  end
end
return gone`;

/** KEYS: lease, fence counter. ARGV: holder, life in ms, fence of a dead holder or ''. The new fence or nil. */
export const TAKE = `
if redis.call('GET', KEYS[1]) and redis.call('GET', KEYS[2]) ~= ARGV[3] then return nil end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return fence`;

/** KEYS: lease, fence counter. ARGV: holder, life in ms, fence. 1 when extended; an expired lease nobody took is still ours. */
export const RENEW = `
local holder = redis.call('GET', KEYS[1])
if redis.call('GET', KEYS[2]) ~= ARGV[3] or (holder and holder ~= ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** KEYS: lease, fence counter. ARGV: holder, fence. */
export const RELEASE = `
if redis.call('GET', KEYS[2]) == ARGV[2] and redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;
