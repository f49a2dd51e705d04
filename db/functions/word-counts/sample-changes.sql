-- Compares the sample of a layer with the chunks that were counted. The sample has at most p_limit chunks: the first in
-- the order of the hash of their ids, which does not depend on their age or text. Chunks with the same hash count as
-- one here.
create or replace function memory.sample_changes(
  p_layer uuid, p_limit int,
  out sample uuid[],          -- the chunks of the sample, with ...
  out hashes int[],           -- ... the hash of each
  out added uuid[],           -- those of them that were not counted
  out dropped uuid[],         -- chunks that were counted and are no longer in the sample
  out deleted int,            -- how many chunks were counted and are deleted
  out counted int,            -- how many were counted, with those that are gone; null: count all again
  out gone int,               -- how many of them were gone at the last count
  out renewed int,            -- chunks whose terms were made again since they were counted
  out version int             -- of the counts; null without counts
)
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
-- The index has the order. Where the planner expects few chunks in a layer, it would read all of them and sort.
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_members int[];
  v_left int[];               -- the hashes of members that are not in the sample
begin
  select array_agg(s.chunk_id), array_agg(s.hash) into sample, hashes from (
    select k.chunk_id, uuid_hash(k.chunk_id) as hash from chunk_keyword k
     where k.team_id = v_team and k.layer_id = p_layer
     order by uuid_hash(k.chunk_id) limit p_limit) s;
  sample := coalesce(sample, '{}'); hashes := coalesce(hashes, '{}');
  select l.members, l.sampled, l.gone, l.renewed, l.version
    into v_members, counted, gone, renewed, version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  added := array(select s.id from unnest(sample, hashes) s (id, hash)
                  where s.hash not in (select unnest(coalesce(v_members, '{}'))));
  v_left := array(select m.hash from unnest(v_members) m (hash) where m.hash not in (select unnest(hashes)));
  -- Each is looked up in the order of the index: a join could compare all with all.
  dropped := array(
    select k.chunk_id from unnest(v_left) m (hash)
     cross join lateral (
       select k.chunk_id, uuid_hash(k.chunk_id) as hash from chunk_keyword k
        where k.team_id = v_team and k.layer_id = p_layer and uuid_hash(k.chunk_id) >= m.hash
        order by uuid_hash(k.chunk_id) limit 1) k
     where k.hash = m.hash);
  deleted := cardinality(v_left) - cardinality(dropped);
end $$;

revoke execute on function memory.sample_changes(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.sample_changes(uuid, int) to memory_worker;
