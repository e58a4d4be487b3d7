-- First part of every script that counts: checks the lineage, reads the clock and the limit.
--
-- KEYS[1]  the counter: one string, see stored.lua
-- KEYS[2]  the meta hash of its shard, see attach.lua
-- ARGV[1]  generation   ARGV[2]  run: the lineage that the caller attached to
-- ARGV[3]  the caller's time in microseconds; empty: this server's clock counts
-- ARGV[4]  the limit's letter: b token bucket, f fixed window, c fixed window of the calendar, l sliding log,
--          w sliding counter
-- ARGV[5]  the limit's identity, see limit_of: it is also kept in the value, for carrying over
-- ARGV[6]  the limit's capacity
-- ARGV[7]  letter c only: boundaries of civil windows that follow each other, in seconds, as "a b c d"
-- ARGV[8…] what the operation needs
--
-- Answers nine integers: status (0 done, 1 other lineage, 2 now is outside the civil windows sent, 3
-- the history is being repaired, see members.lua), tokens
-- granted for needs, tokens granted as extra, remaining, retry after (-1: never, -2: endless), reset after
-- (-2: endless), window ends after (-1: no window), now, seq; times in microseconds.
--
-- The same arithmetic as src/limiter: each number is an integer of at most 2^53 - 1, products and sums
-- included, which doubles hold exactly.

local format, match, gmatch, sub = string.format, string.match, string.gmatch, string.sub
local min, max = math.min, math.max

local MAX = 9007199254740991
-- A moment that never comes, and the latest now that is told apart from later ones.
local FOREVER = MAX
local LATEST = MAX - 2 * 3660 * 86400 * 1000000

-- Of a >= 0 and b > 0.
local function floor_div(a, b)
  return (a - a % b) / b
end

local function ceil_div(a, b)
  local rest = a % b
  if rest == 0 then return a / b end
  return (a - rest) / b + 1
end

local function begin_of_tick(tick, tick_us)
  if tick > floor_div(FOREVER, tick_us) then return FOREVER end
  return tick * tick_us
end

-- pcall, here and for GET: a key of another type is answered with Redis' own error, by its own name.
local meta = redis.pcall('HMGET', KEYS[2], 'gen', 'run', 'seq', 'repaired')
if meta.err then return meta end
if meta[1] ~= ARGV[1] or meta[2] ~= ARGV[2] then return {1, 0, 0, 0, 0, 0, -1, 0, 0} end
local seq = tonumber(meta[3]) or 0

local client_time = tonumber(ARGV[3])
local clock = client_time
if not clock then
  local time = redis.call('TIME')
  clock = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
-- What is computed with; durations are counted from `clock`.
local now = min(clock, LATEST)

-- A number that was read from a value. Nothing: nobody of us wrote it.
local function number(text, least)
  local n = tonumber(text)
  if n and n >= least and n <= MAX then return n end
end

-- The numbers of a limit by its identity, all but the capacity:
--   b  "count period" or "count period capacity tick"   the latter two if they are not: count, 1
--   f  "period"
--   c  unit and mark of the zone's name, like "d1a2b3c4d"
--   l  "count period granule"
--   w  "count period tick"
-- Nothing: it is none.
local function limit_of(letter, id)
  local limit = {letter = letter, id = id}
  if letter == 'c' then return limit end
  if letter == 'f' then
    limit.period = number(id, 1)
    return limit.period and limit
  end
  local count, period, third, fourth = match(id, '^(%d+) (%d+) ?(%d*) ?(%d*)$')
  count, period = number(count, 0), number(period, 1)
  if not count or not period then return nil end
  limit.period = period
  if letter == 'l' then
    limit.granule = number(third, 1)
    return limit.granule and limit
  end
  local tick_us = number(letter == 'w' and third or fourth, 1) or 1
  limit.tick_us = tick_us
  if letter == 'w' then
    limit.window = floor_div(period, tick_us)
    return limit.window > 0 and limit
  end
  -- count / period in lowest terms, as in Limit::make.
  local common, rest = count, period
  while rest ~= 0 do common, rest = rest, common % rest end
  limit.units_per_token = floor_div(period / common, tick_us)
  limit.units_per_tick = count / common
  return limit.units_per_token > 0 and limit
end

local limit = limit_of(ARGV[4], ARGV[5])
limit.capacity = tonumber(ARGV[6])
