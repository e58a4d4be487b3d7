-- Names the history that the data of this shard has, begins a new one if it may have lost writes, and
-- registers the member that asks.
--
-- ARGV[3]  a random name for the data, should it have none
-- ARGV[4]  1 if the member has made no debits that could be lost; else 0, and it announces when it has
--          rebooked those that were
-- ARGV[5]  how long a new history waits for its members, in microseconds
-- ARGV[6]  ids of members that the caller knows of, as "a b c": data that was emptied knows none
--
-- Answers {gen, run, seq, now or 0 if scripts may not read this server's clock, lines, 1 if the member has
-- nothing to announce, 1 if the data did not know the member, number of replicas, ids of members alive,
-- microseconds since the history began}.

local KEPT_LINES = 32

local info = redis.pcall('INFO', 'replication')
if type(info) ~= 'string' then info = '' end
local replicas = tonumber(match(info, 'connected_slaves:(%d+)')) or 0
local birth = meta.birth or ARGV[3]
local run = (match(info, 'master_replid:(%w+)') or 'unknown') .. '.' .. birth
meta.seq = meta.seq or '0'

-- Whoever was alive by the data's own record, which may be that of another clock: from here on ours counts.
local function expect_members()
  local last = 0
  for _, member in pairs(members) do
    if member.heard > last then last = member.heard end
  end
  local gone, expected = {}, {}
  for id, member in pairs(members) do
    if member.heard < last - GONE then gone[#gone + 1] = id else expected[#expected + 1] = id end
  end
  for _, id in ipairs(gone) do forget(id) end
  for id in gmatch(self .. ' ' .. ARGV[6], '%x+') do
    if not members[id] and count < MAX_MEMBERS then
      members[id] = {generation = 0}
      count = count + 1
      expected[#expected + 1] = id
    end
  end
  for _, id in ipairs(expected) do remember(id, members[id].generation, seconds) end
  return table.concat(expected, ' ')
end

local is_new = members[self] == nil
if run ~= meta.run then
  meta.birth, meta.run = birth, run
  meta.gen = format('%.0f', (tonumber(meta.gen) or 0) + 1)
  local lines = {}
  for line in gmatch(meta.lines or '', '[^\n]+') do lines[#lines + 1] = line end
  lines[#lines + 1] = meta.gen .. ' ' .. run .. ' ' .. meta.seq
  meta.lines = table.concat(lines, '\n', math.max(1, #lines - KEPT_LINES + 1))
  meta.expect, meta.repaired = expect_members(), '0'
  meta.began = format('%.0f', clock)
  redis.call('HSET', KEYS[1], 'birth', birth, 'gen', meta.gen, 'run', run, 'seq', meta.seq,
             'lines', meta.lines, 'expect', meta.expect, 'repaired', '0', 'began', meta.began,
             'until', format('%.0f', clock + tonumber(ARGV[5])))
end

local generation = tonumber(meta.gen)
local rebooked = ARGV[4] == '1' and generation or (members[self] or {generation = 0}).generation
remember(self, rebooked, seconds)
repaired()
return {generation, run, tonumber(meta.seq), server_clock, meta.lines, rebooked == generation and 1 or 0,
        is_new and 1 or 0, replicas, alive(), math.max(0, clock - (tonumber(meta.began) or clock))}
