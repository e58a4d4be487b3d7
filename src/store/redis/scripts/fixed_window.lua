-- Fixed windows, of one length or of the calendar: see src/limiter/fixed_window.cc.
--
-- Values: "f start used period", and "c start used length identity" with times in whole seconds, for that is
-- how zones change. The length of a civil window is kept because the windows that the caller sent are those
-- around now, which after a step back of the clock need not hold the one that is open.

-- Of the civil windows that were sent the one that holds the moment. Nothing: none does.
local function civil_window(moment)
  local before
  for text in gmatch(ARGV[7], '%-?%d+') do
    local boundary = tonumber(text) * 1000000
    if before and before <= moment and moment < boundary then return before, boundary end
    before = boundary
  end
end

local civil_start, civil_end
if limit.letter == 'c' then
  civil_start, civil_end = civil_window(now)
  if not civil_start then return {2, 0, 0, 0, 0, 0, -1, clock, seq} end
end

local function window_at(of, moment)
  if of.letter == 'c' then return civil_window(moment) end
  local start = moment - moment % of.period
  return start, start + of.period
end

local function window_at_now(of)
  if of.letter == 'c' then return civil_start, civil_end end
  return window_at(of, now)
end

local function read_fixed(value)
  local start, used, period = match(value, '^f (%d+) (%d+) (%d+)$')
  start, used = number(start, 0), number(used, 1)
  local length = number(period, 1)
  if start and used and length then return period, {start = start, used = used, ends = start + length} end
end

local function read_civil(value)
  local start, used, length, id = match(value, '^c (%-?%d+) (%d+) (%d+) (%l%x+)$')
  start, used, length = number(start, -MAX), number(used, 1), number(length, 1)
  if start and used and length then
    return id, {start = start * 1000000, used = used, ends = (start + length) * 1000000}
  end
end

local function fixed(of, state)
  local capacity, used = of.capacity, 0
  local start, ends
  -- A clock that stepped back over the edge does not reopen the window before: it stays in the state's one.
  if state and now < state.ends then
    start, ends, used = state.start, state.ends, state.used
  elseif of == limit then
    start, ends = window_at_now(of)
  end

  return {
    available = function() return max(0, capacity - used) end,
    fits = function(cost) return cost <= capacity and used <= capacity - cost end,
    fits_at = function() return ends end,
    full_at = function() return used > 0 and ends end,
    consumed = function() return used end,
    debit = function(cost) used = used + cost end,
    -- In a window that is closed nothing is counted any more. In one to come: the clock that was counted by
    -- was ahead of ours, and that window begins now.
    rebook = function(tokens, debited_at)
      if debited_at and debited_at < start then return false end
      if debited_at and debited_at >= ends then
        local later_start, later_ends = window_at(of, debited_at)
        if later_start then start, ends, used = later_start, later_ends, 0 end
      end
      used = used + min(tokens, MAX - used)
      return true
    end,
    credit = function(tokens, debited_at)
      if debited_at and (debited_at < start or debited_at >= ends) then return false end
      local back = min(tokens, used)
      used = used - back
      return back > 0
    end,
    hold = function(held) used = held end,
    text = function()
      if of.letter == 'f' then return format('f %.0f %.0f %s', start, used, of.id) end
      return format('c %.0f %.0f %.0f %s', start / 1000000, used, (ends - start) / 1000000, of.id)
    end
  }
end
