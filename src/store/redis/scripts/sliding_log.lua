-- Sliding window log: see src/limiter/sliding_log.cc.
--
-- Value: "l last_tick identity base" and for each entry, oldest first, " tick tokens", the ticks counted from
-- base. The entries stay text: they are cut off at the front and appended at the end, not taken apart and put
-- together again.

local function read_log(value)
  local last, id, base, entries = match(value, '^l (%d+) (%d+ %d+ %d+) (%d+)([%d ]+)$')
  last, base = number(last, 0), number(base, 0)
  if last and base then return id, {last = last, base = base, entries = entries} end
end

local function log(of, state)
  local capacity, window, granule = of.capacity, of.period, of.granule
  local function granulated(tick) return ceil_div(tick, granule) * granule end

  local newest, used = now, 0
  local base, entries = 0, ''
  local last_tick, last_tokens, last_at = -1, 0, 1  -- of the last entry: tick, tokens, where its text begins
  if state then
    newest, base = max(now, state.last), state.base
    local oldest, first_at = newest - window, nil
    for at, tick, tokens in gmatch(state.entries, '() (%d+) (%d+)') do
      last_tick, last_at = base + tick, at
      if last_tick > oldest then
        first_at = first_at or at
        last_tokens = tonumber(tokens)
        used = used + last_tokens
      end
    end
    if first_at then
      entries = sub(state.entries, first_at)
      last_at = last_at - first_at + 1
    end
  end
  local stamp = max(granulated(newest), last_tick)

  local function append(tick, tokens)
    if entries == '' then
      base = tick
    elseif tick == last_tick then
      entries = sub(entries, 1, last_at - 1)
      tokens = tokens + last_tokens
    end
    last_tick, last_tokens, last_at = tick, tokens, #entries + 1
    entries = entries .. format(' %.0f %.0f', tick - base, tokens)
  end

  return {
    available = function() return max(0, capacity - used) end,
    fits = function(cost) return cost <= capacity and used <= capacity - cost end,
    -- Not simply when the oldest entry leaves: as many must leave as the cost needs.
    fits_at = function(cost)
      local excess = used - (capacity - cost)
      for tick, tokens in gmatch(entries, '(%d+) (%d+)') do
        excess = excess - tokens
        if excess <= 0 then return base + tick + window end
      end
    end,
    full_at = function() return used > 0 and last_tick + window end,
    consumed = function() return used end,
    debit = function(cost)
      used = used + cost
      append(stamp, cost)
    end,
    rebook = function(tokens)
      tokens = min(tokens, MAX - used)
      used = used + tokens
      append(stamp, tokens)
      return true
    end,
    -- From the entry of `debited_at` only, if that is known; else from the oldest.
    credit = function(tokens, debited_at)
      if tokens == 0 or used == 0 then return false end
      local wanted = debited_at and granulated(debited_at)
      local kept, left = {}, tokens
      local offset
      for tick, text in gmatch(entries, '(%d+) (%d+)') do
        local freed = 0
        if not wanted or base + tick == wanted then freed = min(left, tonumber(text)) end
        left, used = left - freed, used - freed
        if tonumber(text) > freed then
          offset = tonumber(tick)
          kept[#kept + 1] = format(' %.0f %.0f', offset, text - freed)
        end
      end
      if offset then last_tick = base + offset end
      entries = table.concat(kept)
      return true
    end,
    hold = function(held)
      used = held
      append(granulated(now), held)
    end,
    -- The entries that count, in the granules of another limit with the same window.
    carried = function(to)
      if used == 0 then return nil end
      local moved, first, current, sum = {}, nil, nil, 0
      for tick, tokens in gmatch(entries, '(%d+) (%d+)') do
        local granule_end = ceil_div(base + tick, to.granule) * to.granule
        if granule_end ~= current then
          if current then moved[#moved + 1] = format(' %.0f %.0f', current - first, sum) end
          first = first or granule_end
          current, sum = granule_end, 0
        end
        sum = sum + tokens
      end
      moved[#moved + 1] = format(' %.0f %.0f', current - first, sum)
      return {last = newest, base = first, entries = table.concat(moved)}
    end,
    text = function() return format('l %.0f %s %.0f%s', newest, of.id, base, entries) end
  }
end
