-- First part of attach and of announce: the shard's meta hash, which says what history its data has and who
-- counts in it.
--
-- KEYS[1]  the meta hash
-- ARGV[1]  id of the member that asks, in hexadecimal
-- ARGV[2]  the caller's time in microseconds: counts where scripts may not read this server's clock
--
-- The hash:
--   birth     a random name for the data
--   gen, run  the present history: its number; replication id and birth, which change with a promotion, a
--             restart and a flush
--   seq       number of the last debit
--   lines     "gen run seq" for each history: where it began
--   m:<id>    for each member "gen seconds": the history up to which it has rebooked what was lost, and when
--             it was last heard
--   expect    ids of those who were alive when the present history began: it grants nothing until they have
--             rebooked, or
--   until     this moment has passed, in microseconds
--   began     when the present history began, in microseconds
--   repaired  the number of the history for which that is done: all that a lease has to look at
--   overdue   how often it was not done in time

local format, match, gmatch = string.format, string.match, string.gmatch

-- In seconds: of those heard within it, the caller is told; those silent for longer than the other are gone.
local ALIVE, GONE = 15, 600
-- Whoever comes beyond it takes the place of who was silent for longest.
local MAX_MEMBERS = 2000

local meta, members, count = {}, {}, 0
local all = redis.pcall('HGETALL', KEYS[1])
if all.err then return all end
for i = 1, #all, 2 do
  local id = match(all[i], '^m:(%x+)$')
  if id then
    local generation, heard = match(all[i + 1], '^(%d+) (%d+)$')
    members[id] = {generation = tonumber(generation) or 0, heard = tonumber(heard) or 0}
    count = count + 1
  else
    meta[all[i]] = all[i + 1]
  end
end

local self = ARGV[1]
local time = redis.pcall('TIME')
local server_clock = 0
if not time.err then server_clock = tonumber(time[1]) * 1000000 + tonumber(time[2]) end
local clock = server_clock > 0 and server_clock or tonumber(ARGV[2])
local seconds = (clock - clock % 1000000) / 1000000

local function forget(id)
  redis.call('HDEL', KEYS[1], 'm:' .. id)
  members[id] = nil
  count = count - 1
end

local function remember(id, generation, heard)
  if not members[id] then
    if count >= MAX_MEMBERS then
      local silent
      for other, member in pairs(members) do
        if not silent or member.heard < members[silent].heard or
            (member.heard == members[silent].heard and other < silent) then
          silent = other
        end
      end
      forget(silent)
    end
    count = count + 1
  end
  members[id] = {generation = generation, heard = heard}
  redis.call('HSET', KEYS[1], 'm:' .. id, format('%.0f %.0f', generation, heard))
end

-- Marks the present history as repaired if nobody is waited for any more. Says whether it is.
local function repaired()
  if meta.repaired == meta.gen then return true end
  for id in gmatch(meta.expect or '', '%x+') do
    if members[id] and format('%.0f', members[id].generation) ~= meta.gen then return false end
  end
  meta.repaired = meta.gen
  redis.call('HSET', KEYS[1], 'repaired', meta.gen)
  return true
end

local function alive()
  local ids = {}
  for id, member in pairs(members) do
    if member.heard >= seconds - ALIVE then ids[#ids + 1] = id end
  end
  return table.concat(ids, ' ')
end
