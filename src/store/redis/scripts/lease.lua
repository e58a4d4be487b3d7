-- Debits tokens: for the needs, each request all or nothing and in order, then extra ones to hold.
--
-- ARGV[8] extra   ARGV[9], ARGV[10], …: cost and count of each need

-- A new history grants nothing until what it may have lost is rebooked, or the time for that has passed.
if meta[4] ~= ARGV[1] then
  local deadline = tonumber(redis.call('HMGET', KEYS[2], 'until')[1]) or 0
  if clock < deadline then return {3, 0, 0, 0, 0, 0, -1, clock, seq} end
  redis.call('HSET', KEYS[2], 'repaired', ARGV[1])
  redis.call('HINCRBY', KEYS[2], 'overdue', 1)
end

local available = counter.available()
local needs, waiting = 0, nil
for i = 9, #ARGV, 2 do
  local cost, count = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local served = count
  if cost > 0 then served = min(count, floor_div(available - needs, cost)) end
  needs = needs + served * cost
  if served < count and not waiting then waiting = cost end
end

-- A log admits each cost at its own moment; tokens held for later would carry the wrong one. Of the others,
-- an extra is at most an eighth of what is left.
local extra = 0
if limit.letter ~= 'l' then extra = min(tonumber(ARGV[8]), floor_div(available - needs, 8)) end

local debit = needs + extra
if debit > 0 then
  counter.debit(debit)
  save()
  seq = redis.call('HINCRBY', KEYS[2], 'seq', 1)
elseif carried_over then
  save()
end

-- The window of now, not of a state that a step back of the clock left in the future: tokens end early then.
local ends_after = -1
if limit.letter == 'f' or limit.letter == 'c' then
  local _, ends = window_at_now(limit)
  ends_after = from_now(ends)
elseif limit.letter == 'w' then
  local index = counter_at(limit, now)
  ends_after = from_now(begin_of_tick((index + 1) * limit.window, limit.tick_us))
end
return answer(needs, extra, waiting and wait_for(waiting) or 0, ends_after)
