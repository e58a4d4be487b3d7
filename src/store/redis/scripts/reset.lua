-- Forgets the counter: it is full again. What is no counter was refused before this.

if stored then redis.call('DEL', KEYS[1]) end
counter = algorithms[limit.letter](limit, nil)
return answer(0, 0, 0, -1)
