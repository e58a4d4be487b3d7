-- Names the history that the data of this shard has, and begins a new one if it may have lost writes.
--
-- KEYS[1] the shard's meta hash   ARGV[1] a random name for the data, should it have none
--
-- The hash: birth (that name), gen (counts histories), run (replication id and birth: it is new after a
-- promotion, a restart and a flush), seq (number of the last debit), lines ("gen run seq" for each history:
-- where it began).
--
-- Answers {gen, run, seq, now in microseconds or 0 if scripts may not read this server's clock}.

local KEPT_LINES = 32

local meta = redis.pcall('HMGET', KEYS[1], 'birth', 'gen', 'run', 'seq', 'lines')
if meta.err then return meta end
local birth, gen, seq = meta[1] or ARGV[1], tonumber(meta[2]) or 0, tonumber(meta[4]) or 0

local info = redis.pcall('INFO', 'replication')
local replication = type(info) == 'string' and string.match(info, 'master_replid:(%w+)') or 'unknown'
local run = replication .. '.' .. birth

if run ~= meta[3] then
  gen = gen + 1
  local lines = {}
  for line in string.gmatch(meta[5] or '', '[^\n]+') do lines[#lines + 1] = line end
  lines[#lines + 1] = string.format('%.0f %s %.0f', gen, run, seq)
  local kept = table.concat(lines, '\n', math.max(1, #lines - KEPT_LINES + 1))
  redis.call('HSET', KEYS[1], 'birth', birth, 'gen', string.format('%.0f', gen), 'run', run,
             'seq', string.format('%.0f', seq), 'lines', kept)
end

local time = redis.pcall('TIME')
local now = 0
if not time.err then now = tonumber(time[1]) * 1000000 + tonumber(time[2]) end
return {gen, run, seq, now}
