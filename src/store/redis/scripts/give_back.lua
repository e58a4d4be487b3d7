-- Puts tokens back that were not used.
--
-- ARGV[8] tokens   ARGV[9] when they were debited; empty: unknown

if counter.credit(tonumber(ARGV[8]), tonumber(ARGV[9])) or carried_over then save() end
return answer(0, 0, 0, -1)
