-- Token bucket: see src/limiter/token_bucket.cc, whose comments say why.
--
-- Value: "b missing at_tick identity".

-- ceil(a * b / c), at most MAX, for b and c below 2^49 (units of a token: at most 3,660 days).
local function scaled_up(a, b, c)
  local whole = floor_div(a, c)
  if whole > floor_div(MAX, b) then return MAX end
  -- What is left of a is multiplied bit by bit of b, highest first, and divided as it grows: rest stays below
  -- 3c, and the quotient below b.
  local part = a - whole * c
  local quotient, rest, bit, bits = 0, 0, 281474976710656, b
  while bit >= 1 do
    quotient, rest = 2 * quotient, 2 * rest
    if bits >= bit then
      bits = bits - bit
      rest = rest + part
    end
    while rest >= c do
      rest = rest - c
      quotient = quotient + 1
    end
    bit = bit / 2
  end
  return min(MAX, whole * b + quotient + (rest > 0 and 1 or 0))
end

local function read_bucket(value)
  local missing, at_tick, id = match(value, '^b (%d+) (%d+) ([%d ]+)$')
  missing, at_tick = number(missing, 1), number(at_tick, 0)
  if missing and at_tick then return id, {missing = missing, at_tick = at_tick} end
end

local function bucket(of, state)
  local tick_us, capacity = of.tick_us, of.capacity
  local per_token, per_tick = of.units_per_token, of.units_per_tick
  local missing, tick, next_tick = 0, floor_div(now, tick_us), ceil_div(now, tick_us)

  local function ticks_to_refill(units)
    if units == 0 then return 0 end
    if per_tick == 0 then return FOREVER end
    return ceil_div(units, per_tick)
  end

  local function moment_without(units)
    local ticks = ticks_to_refill(units)
    if ticks > FOREVER - tick then return FOREVER end
    return begin_of_tick(tick + ticks, tick_us)
  end

  if state then
    -- A clock that stepped back refills nothing until it has caught up.
    tick = max(tick, state.at_tick)
    next_tick = max(next_tick, tick)
    local elapsed = tick - state.at_tick
    -- Compared before it is multiplied: after a long idle time the product would not fit.
    if elapsed < ticks_to_refill(state.missing) then missing = state.missing - elapsed * per_tick end
  end

  local function debit(cost)
    if missing < per_tick then tick = next_tick end
    missing = missing + cost * per_token
  end

  return {
    available = function() return floor_div(max(0, capacity * per_token - missing), per_token) end,
    fits = function(cost) return cost <= capacity and missing <= (capacity - cost) * per_token end,
    fits_at = function(cost) return moment_without(missing - (capacity - cost) * per_token) end,
    full_at = function() return missing > 0 and moment_without(missing) end,
    consumed = function() return ceil_div(missing, per_token) end,
    debit = debit,
    -- No further than empty: no history lacked more. What many members add up in doubt is not owed.
    rebook = function(tokens)
      debit(min(tokens, max(0, floor_div(capacity * per_token - missing, per_token))))
      return true
    end,
    -- Says whether it changed anything.
    credit = function(tokens)
      local consumed = ceil_div(missing, per_token)
      local back = min(tokens, consumed)
      if back == 0 then return false end
      missing = back == consumed and 0 or missing - back * per_token
      return true
    end,
    -- Consumption of another algorithm, as taken now.
    hold = function(held)
      missing = min(held, floor_div(MAX, per_token)) * per_token
      tick = next_tick
    end,
    -- The state under another bucket's limit.
    carried = function(to)
      if missing == 0 then return nil end
      local from_us = max(now, begin_of_tick(tick, tick_us))
      return {
        missing = scaled_up(missing, to.units_per_token, per_token),
        at_tick = ceil_div(from_us, to.tick_us)
      }
    end,
    text = function() return format('b %.0f %.0f %s', missing, tick, of.id) end
  }
end
