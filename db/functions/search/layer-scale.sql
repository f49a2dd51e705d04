-- By what the count of a layer is multiplied, because it is the count of a sample: the layer's entry in the vector of
-- scales. Declared stable, so that it is inlined: as a call it took 20 times as long.
create or replace function memory.layer_scale(p_place int, p_chunks int, p_sampled int) returns text
language sql stable
return p_place::text || ':' || (p_chunks::float8 / p_sampled)::real::text;

revoke execute on function memory.layer_scale(int, int, int) from public;
