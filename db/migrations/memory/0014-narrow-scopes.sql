-- A scope of few chunks in a large Team finds by words what it holds, however common they are elsewhere, and a larger
-- one finds something. Of a word that stands in very many chunks those that were stored first are read: of a client
-- that came late that was nothing.

create index chunk_keyword_layer on memory.chunk_keyword (team_id, client_id);

-- Whether the claims let no more than p_most chunks be read. Counted no farther: an index scan stops there, where a
-- bitmap would first gather all. keyword_leg turns index scans off, which reaches what it calls: here they are on.
create function memory.scope_holds_at_most(p_most int)
returns boolean
language sql stable security definer
set search_path = memory, public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_indexscan = on
set enable_indexonlyscan = on
as $$
  select count(*) <= p_most
    from ((select from chunk_keyword c
            where c.team_id = (select claimed_team()) and c.client_id is null and (select reads_team_layer())
            limit p_most + 1)
          union all
          (select from chunk_keyword c
            where c.team_id = (select claimed_team()) and c.client_id = any ((select readable_clients())::uuid[])
            limit p_most + 1)) c
$$;

-- As before, but for scopes and filters that leave few chunks of many.
create or replace function memory.keyword_leg(
  p_query sparsevec,          -- by weigh_terms, or null
  p_keys int[],               -- candidate keys
  p_identifier_keys int[],    -- those among them that stand for identifiers
  p_allowed uuid[],           -- where a filter is set, and not known by what it refuses: the chunks that pass it
  p_hidden uuid[],            -- chunks that are not to be found: still being written, or refused by a filter; or null
  p_leg int,
  out chunk_ids uuid[], out points float8[], out names_it boolean[],
  out scored int, out keys_read int[], out rare_keys int[]
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
set work_mem = '64MB'
as $$
declare
  posting_cap constant int := 2000;     -- estimated postings within the scope that are read
  read_cap constant int := 10000;       -- postings of the Team that are read for them
  scored_cap constant int := 4000;      -- chunks scored, whatever the estimate
  small constant int := 1000;           -- filtered chunks that are scored without a look at postings
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_one_by_one boolean := coalesce(cardinality(p_allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_read record;
  v_rarest int[];                       -- of the first pass: what holds one of them is scored first
begin
  chunk_ids := '{}'; points := '{}'; names_it := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  -- Keys are read from the rarest on, of common ones what was stored first. A scope that is a small part of the Team
  -- finds few of its own chunks among those postings. If it holds few, each is scored then. If not, it reads on, by the
  -- next key if that is not too common, to where it should have posting_cap of its own; and where even that came to
  -- nothing, as many of its own chunks are scored as may be. Not where a code was found.
  for v_pass in 1 .. 4 loop
    v_read := rarest_keys(p_keys, p_identifier_keys, v_cap);
    if not v_one_by_one and (v_pass > 3 or cardinality(v_read.keys) = cardinality(keys_read)) then
      exit when scored > 0;
      v_one_by_one := true;
    end if;
    -- Without postings any key will do.
    keys_read := case when v_one_by_one then p_keys else v_read.keys end;
    v_rarest := coalesce(v_rarest, keys_read);
    rare_keys := v_read.rare;
    with candidate as (
      -- The fence keeps the planner from ANDing the GIN bitmap with one of the primary key: 0.7 ms, not 8.
      (select c.team_id, c.client_id, c.chunk_id, c.weights, c.keys from chunk_keyword c
        where not v_one_by_one and c.keys && v_rarest offset 0
        -- Of a word that stands nearly everywhere it is chance which chunks are read and scored: fewer are.
        limit case when v_pass = 1 and v_read.postings > scored_cap then scored_cap else read_cap end)
      union all
      (select c.team_id, c.client_id, c.chunk_id, c.weights, c.keys from chunk_keyword c
        where not v_one_by_one and v_pass > 1 and c.keys && keys_read and not c.keys && v_rarest
       offset 0 limit read_cap)
      union all
      (select c.team_id, c.client_id, c.chunk_id, c.weights, c.keys
         from (select id from unnest(p_allowed) a (id) limit scored_cap) a
         join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
        where v_one_by_one and (c.keys && keys_read) is true)
      union all
      (select c.* from (select c.team_id, c.client_id, c.chunk_id, c.weights, c.keys from chunk_keyword c
                         where v_one_by_one and p_allowed is null and v_team_layer
                           and c.team_id = v_team and c.client_id is null
                           and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
                         limit scored_cap) c
        where c.keys && keys_read)
      union all
      (select c.* from (select c.team_id, c.client_id, c.chunk_id, c.weights, c.keys from chunk_keyword c
                         where v_one_by_one and p_allowed is null
                           and c.team_id = v_team and c.client_id = any (v_clients)
                           and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
                         limit scored_cap) c
        where c.keys && keys_read)
    ), compared as materialized (
      select k.chunk_id, -(k.weights <#> p_query) as points,
             cardinality(rare_keys) > 0 and k.keys && rare_keys as names_it
        from candidate k
       where k.team_id = v_team
         and ((k.client_id is null and v_team_layer) or k.client_id = any (v_clients))
         and (v_one_by_one or p_allowed is null or k.chunk_id in (select unnest(p_allowed)))
         and (p_hidden is null or k.chunk_id not in (select unnest(p_hidden)))
       limit case when not v_one_by_one and v_read.postings > scored_cap then posting_cap else scored_cap end
    ), hits as (
      select s.chunk_id, s.points, s.names_it from compared s
       where s.points > 0 order by s.points desc, s.chunk_id limit p_leg
    )
    select (select count(*) from compared),
           coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
           coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}'),
           coalesce(array_agg(h.names_it order by h.points desc, h.chunk_id), '{}')
      into scored, chunk_ids, points, names_it
      from hits h;
    exit when v_one_by_one or scored >= p_leg or true = any (names_it);
    -- Where all was read that there is, nothing else holds a word. The estimate may be older than a large import.
    exit when cardinality(keys_read) = cardinality(p_keys) and v_read.postings <= scored_cap
          and not exists (select from chunk_keyword c where c.keys && keys_read offset read_cap);
    if v_pass = 1 then
      v_one_by_one := case when p_allowed is null then scope_holds_at_most(scored_cap)
                           else cardinality(p_allowed) <= scored_cap end;
    end if;
    v_cap := least(read_cap, greatest(v_read.next_postings,
                     case when scored > 0 then posting_cap * v_read.postings / scored end));
  end loop;
end $$;

revoke execute on function memory.scope_holds_at_most(int) from public;
