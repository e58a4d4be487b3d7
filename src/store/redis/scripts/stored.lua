-- Between the algorithms and the operations: `counter` is the key's counter under the limit asked for.
--
-- The value is text: the algorithm's letter, the numbers of its state, and the identity of the limit that
-- they were computed with. No value: full.

local algorithms = {b = bucket, f = fixed, c = fixed, l = log, w = sliding_counter}
local readers = {b = read_bucket, f = read_fixed, c = read_civil, l = read_log, w = read_counter}

-- Whether states of both mean the same once their units are matched. (Of fixed windows, whose identity is
-- their window: never, for then there is nothing to carry over.)
local function same_window(a, b)
  if a.letter ~= b.letter then return false end
  return a.letter == 'b' or ((a.letter == 'l' or a.letter == 'w') and a.period == b.period)
end

-- As limiter::carry_over: a counter under `limit` that has consumed what `state` has under `from`.
local function carry_over(from, state)
  local old = algorithms[from.letter](from, state)
  if same_window(from, limit) then
    local carried, instead = old.carried(limit)
    if not instead then return algorithms[limit.letter](limit, carried) end
  end
  local counter = algorithms[limit.letter](limit, nil)
  local held = old.consumed()
  if held > 0 then counter.hold(held) end
  return counter
end

local counter
local carried_over = false

local stored = redis.pcall('GET', KEYS[1])
if not stored then
  counter = algorithms[limit.letter](limit, nil)
else
  if type(stored) == 'table' then return stored end
  local letter = sub(stored, 1, 1)
  local read = readers[letter]
  local id, state
  if read then id, state = read(stored) end
  if id and letter == limit.letter and id == limit.id then
    counter = algorithms[letter](limit, state)
  else
    local from = id and limit_of(letter, id)
    if not from then
      return redis.error_reply('SLUICEFOREIGN the value at this key is not a counter of Sluice')
    end
    counter = carry_over(from, state)
    carried_over = true
  end
end

-- A key lives exactly as long as its state differs from full.
local function save()
  local full = counter.full_at()
  if not full then
    redis.call('DEL', KEYS[1])
  elseif full >= FOREVER then
    redis.call('SET', KEYS[1], counter.text())
  elseif client_time then
    -- The caller's clock and this server's need not agree: only how long it lives is certain.
    redis.call('SET', KEYS[1], counter.text(), 'PX', format('%.0f', ceil_div(max(1, full - clock), 1000)))
  else
    redis.call('SET', KEYS[1], counter.text(), 'PXAT', format('%.0f', ceil_div(full, 1000)))
  end
end

local function from_now(moment)
  if moment >= FOREVER then return -2 end
  return max(0, moment - clock)
end

-- How long a request of `cost` has to wait.
local function wait_for(cost)
  if cost > limit.capacity then return -1 end
  if counter.fits(cost) then return 0 end
  return from_now(counter.fits_at(cost))
end

local function answer(needs, extra, retry_after, ends_after)
  local full = counter.full_at()
  local reset_after = full and from_now(full) or 0
  return {0, needs, extra, counter.available(), retry_after, reset_after, ends_after, clock, seq}
end
