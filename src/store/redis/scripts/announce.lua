-- Tells the shard that the member is alive and has rebooked what the present history had lost of its debits;
-- or that it leaves.
--
-- ARGV[3]  generation   ARGV[4]  run: the lineage that the caller attached to
-- ARGV[5]  1 if it leaves, else 0
--
-- Answers {status, as common.lua has it: 0 or 1; now, as attach has it; ids of members alive}.

if meta.gen ~= ARGV[3] or meta.run ~= ARGV[4] then return {1, 0, ''} end

local gone = {}
for id, member in pairs(members) do
  if id ~= self and member.heard < seconds - GONE then gone[#gone + 1] = id end
end
for _, id in ipairs(gone) do forget(id) end
if ARGV[5] == '1' then
  if members[self] then forget(self) end
else
  remember(self, tonumber(meta.gen), seconds)
end
repaired()
return {0, server_clock, alive()}
