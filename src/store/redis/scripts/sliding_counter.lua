-- Sliding window counter: see src/limiter/sliding_counter.cc.
--
-- Value: "w index current previous identity".

local function read_counter(value)
  local index, current, previous, id = match(value, '^w (%d+) (%d+) (%d+) ([%d ]+)$')
  index, current, previous = number(index, 0), number(current, 0), number(previous, 0)
  if index and current and previous then
    return id, {index = index, current = current, previous = previous}
  end
end

local function counter_at(of, moment_us)
  local tick = floor_div(moment_us, of.tick_us)
  return floor_div(tick, of.window), tick % of.window
end

local function sliding_counter(of, state)
  local capacity, window = of.capacity, of.window
  local current, previous = 0, 0
  local index, elapsed = counter_at(of, now)
  if state then
    if index < state.index then
      -- The clock stepped back over the edge: we stay at the beginning of the newest window seen.
      index, elapsed, current, previous = state.index, 0, state.current, state.previous
    elseif index == state.index then
      current, previous = state.current, state.previous
    elseif index == state.index + 1 then
      previous = state.current
    end
  end

  -- What of the previous window still counts, rounded up.
  local function overlap() return ceil_div(previous * (window - elapsed), window) end
  -- `ticks` after the beginning of the current window.
  local function moment(ticks) return begin_of_tick(index * window + ticks, of.tick_us) end

  return {
    available = function() return max(0, capacity - current - overlap()) end,
    fits = function(cost)
      if cost > capacity or current > capacity - cost then return false end
      return previous * (window - elapsed) <= (capacity - cost - current) * window
    end,
    fits_at = function(cost)
      local room = capacity - cost
      if current <= room then return moment(window - floor_div((room - current) * window, previous)) end
      return moment(window + window - floor_div(room * window, current))
    end,
    full_at = function()
      if current > 0 then return moment(2 * window) end
      return previous > 0 and moment(window)
    end,
    consumed = function() return current + overlap() end,
    debit = function(cost) current = current + cost end,
    -- As in a fixed window, but for the previous one, which counts.
    rebook = function(tokens, debited_at)
      local debited_in = debited_at and counter_at(of, debited_at) or index
      local most = floor_div(MAX, window)
      if debited_in < index - 1 then return false end
      if debited_in == index - 1 then
        previous = min(most, previous + tokens)
        return true
      end
      if debited_in > index then
        previous = debited_in == index + 1 and current or 0
        index, elapsed, current = debited_in, 0, 0
      end
      current = min(most, current + tokens)
      return true
    end,
    -- To the window of `debited_at` only, if that is known; else to the newer one first.
    credit = function(tokens, debited_at)
      local to_current = min(tokens, current)
      local to_previous = min(tokens - to_current, previous)
      if debited_at then
        local debited_in = counter_at(of, debited_at)
        if debited_in ~= index then to_current = 0 end
        to_previous = debited_in == index - 1 and min(tokens, previous) or 0
      end
      current, previous = current - to_current, previous - to_previous
      return to_current + to_previous > 0
    end,
    hold = function(held) current = min(held, floor_div(MAX, window)) end,
    -- Under another limit with the same window; nothing: its ticks are too fine for such counts, and what is
    -- consumed is to be held instead.
    carried = function(to)
      if max(current, previous) > floor_div(MAX, to.window) then return nil, 'hold' end
      if current == 0 and previous == 0 then return nil end
      return {index = index, current = current, previous = previous}
    end,
    text = function() return format('w %.0f %.0f %.0f %s', index, current, previous, of.id) end
  }
end
