-- Part of replace_layer_counts. Replaces, adds or deletes the entry (place:count) of a layer in the entries of a term's
-- vector. p_entries is null for a term without a vector. p_old is null if the layer has no entry, and p_new is null to
-- delete it. Declared stable so that it is inlined.
create or replace function memory.replace_entry(p_entries text, p_place int, p_old int, p_new int) returns text
language sql stable
return case
  -- The first entry of a new vector.
  when p_entries is null then p_place || ':' || p_new
  -- A new entry.
  when p_old is null then p_entries || ',' || p_place || ':' || p_new
  -- A changed or deleted entry. The commas keep other entries from being replaced.
  else trim(both ',' from replace(',' || p_entries || ',', ',' || p_place || ':' || p_old || ',',
                                  coalesce(',' || p_place || ':' || p_new, '') || ','))
end;

revoke execute on function memory.replace_entry(text, int, int, int) from public, memory_service, memory_worker;
