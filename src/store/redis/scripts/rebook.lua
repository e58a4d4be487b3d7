-- Debits again what another history had debited and this one may have lost, past the limit if need be: those
-- tokens are used. A bucket and a log count them as taken now, windows in the window that they were taken in
-- unless it is closed.
--
-- ARGV[8], ARGV[9], …: tokens, and a moment in the window that they were taken in; empty: now
--
-- Answers with the tokens that it has debited as those granted for needs.

local rebooked = 0
for i = 8, #ARGV, 2 do
  local tokens = tonumber(ARGV[i])
  if counter.rebook(tokens, tonumber(ARGV[i + 1])) then rebooked = min(MAX, rebooked + tokens) end
end
if rebooked > 0 then
  save()
  seq = redis.call('HINCRBY', KEYS[2], 'seq', 1)
elseif carried_over then
  save()
end
return answer(rebooked, 0, 0, -1)
