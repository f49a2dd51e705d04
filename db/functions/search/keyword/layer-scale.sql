-- Returns the scale of a layer. The counts of a layer are those of a sample: multiplied by the scale, which is chunks /
-- sampled, they estimate the counts of the whole layer. Declared stable so that it is inlined: a call took 20 times as
-- long.
create or replace function memory.layer_scale(p_chunks int, p_sampled int) returns real
language sql stable
return (p_chunks::float8 / p_sampled)::real;

revoke execute on function memory.layer_scale(int, int) from public, memory_service, memory_worker;
