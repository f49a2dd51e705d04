-- What reads the derived tables. SECURITY DEFINER, so that their indexes serve; the Team and the layers come
-- from the transaction's claims and from nowhere else: no argument can widen them.

-- The best chunks for a query: a vector leg and a keyword leg, fused. Ids and numbers only; the caller joins
-- the text under row-level security.
--
-- Weights: BM25 (Robertson & Zaragoza 2009); the chunk's side of it lies in chunk_keyword.weights, the query's
-- side, idf = ln(1 + (n - df + 0.5) / (df + 0.5)), is made here from the sampled document frequencies.
-- Fusion: the sum of each leg's z-scores over its best 50, which beat reciprocal rank fusion on every mix of
-- good and bad legs. Chunks that hold a rare identifier of the query stand in a tier before the rest.
create function memory.search_candidates(
  p_embedding halfvec,        -- unit length, or null: keywords alone
  p_model text,               -- only vectors of this model are compared
  p_dims int[],               -- dimensions of the query's terms, and ...
  p_factors real[],           -- ... the factor of each, before idf
  p_keys int[],               -- candidate keys
  p_identifier_keys int[],    -- those among them that stand for identifiers
  p_limit int
) returns table (place int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  leg constant int := 50;             -- hits of each leg that are fused
  posting_cap constant int := 2000;   -- estimated postings read by the keyword leg
  scored_cap constant int := 4000;    -- chunks scored by it, whatever the estimate
  rare_df constant int := 20;         -- an identifier in more chunks than this names nothing
  exact_scan constant int := 5000;    -- chunks of a Team up to which every vector is compared in full
  rerank constant int := 300;         -- best by sign bits, compared in full, above that
  v_team constant uuid := memory.claimed_team();
  v_team_layer constant boolean := memory.reads_team_layer();
  v_clients constant uuid[] := memory.readable_clients();
  v_chunks float8;
  v_scale float8;
  v_query sparsevec;
  v_keys int[];
  v_rare int[];
  v_loading boolean;
begin
  if v_team is null then
    return;
  end if;
  select greatest(t.chunks, 1), greatest(t.chunks, 1)::float8 / greatest(t.sampled, 1)
    into v_chunks, v_scale from keyword_team t where t.team_id = v_team;
  v_chunks := coalesce(v_chunks, 1);
  v_scale := coalesce(v_scale, 1);
  -- Chunks of a source that is still being written are left out. Not by a function: it would run for each row.
  v_loading := exists (select from source s where s.team_id = v_team and s.state = 'loading');

  select ('{' || string_agg(w.dim || ':' || w.weight, ',' order by w.dim) || '}/536870912')::sparsevec
    into v_query
    from (
      select q.dim, (q.factor * ln(1 + (v_chunks - d.df + 0.5) / (d.df + 0.5)))::real as weight
        from unnest(p_dims, p_factors) as q (dim, factor)
        left join keyword_df k on k.team_id = v_team and k.space = 'd' and k.term = q.dim
        cross join lateral (select least(coalesce(k.df * v_scale, 0.5), v_chunks) as df) d
    ) w
   where w.weight > 0;

  with estimated as (
    select q.key, coalesce(k.df * v_scale, 0.5) as df
      from unnest(p_keys) as q (key)
      left join keyword_df k on k.team_id = v_team and k.space = 'k' and k.term = q.key
  ), running as (
    select e.key, e.df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from estimated e
  )
  select array_agg(r.key) filter (where r.postings <= posting_cap or r.place = 1),
         coalesce(array_agg(r.key) filter (where r.df <= rare_df and r.key = any (p_identifier_keys)), '{}')
    into v_keys, v_rare
    from running r;

  return query
  with keyword_scored as (
    select k.chunk_id, -(k.weights <#> v_query) as points, k.keys && v_rare as names_it
      -- The fence keeps the planner from ANDing the GIN bitmap with one of the primary key: 0.7 ms, not 8.
      from (select c.team_id, c.client_id, c.chunk_id, c.weights, c.keys from chunk_keyword c
             where c.keys && v_keys offset 0) k
     where v_query is not null and v_keys is not null
       and k.team_id = v_team
       and ((k.client_id is null and v_team_layer) or k.client_id = any (v_clients))
       and not (v_loading and exists (
         select from chunk c join source l on l.team_id = c.team_id and l.id = c.source_id
          where c.team_id = v_team and c.id = k.chunk_id and l.state = 'loading'))
     limit scored_cap
  ), keyword_leg as (
    select k.chunk_id, k.points, k.names_it, row_number() over (order by k.points desc, k.chunk_id) as rank
      from keyword_scored k where k.points > 0 order by k.points desc, k.chunk_id limit leg
  ), semantic_scored as (
    (select e.chunk_id, -(e.embedding <#> p_embedding) as points
       from chunk_embedding e
      where v_chunks <= exact_scan and p_embedding is not null
        and e.team_id = v_team and e.model = p_model
        and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
        and not (v_loading and exists (
          select from chunk c join source l on l.team_id = c.team_id and l.id = c.source_id
           where c.team_id = v_team and c.id = e.chunk_id and l.state = 'loading'))
      order by e.embedding <#> p_embedding, e.chunk_id limit leg)
    union all
    (select e.chunk_id, -(e.embedding <#> p_embedding)
       -- Ids alone, so that the index of signs answers and the rows, which are large, are left alone.
       from (select n.chunk_id
               from chunk_embedding n
              where v_chunks > exact_scan and p_embedding is not null
                and n.team_id = v_team and n.model = p_model
                and ((n.client_id is null and v_team_layer) or n.client_id = any (v_clients))
                and not (v_loading and exists (
                  select from chunk c join source l on l.team_id = c.team_id and l.id = c.source_id
                   where c.team_id = v_team and c.id = n.chunk_id and l.state = 'loading'))
              order by n.signs <~> binary_quantize(p_embedding)::bit(1024), n.chunk_id limit rerank) b
       join chunk_embedding e on e.team_id = v_team and e.chunk_id = b.chunk_id and e.model = p_model
      order by e.embedding <#> p_embedding, e.chunk_id limit leg)
  ), semantic_leg as (
    select s.chunk_id, s.points, row_number() over (order by s.points desc, s.chunk_id) as rank
      from semantic_scored s
  ), keyword_norm as (
    -- Fewer hits than the leg holds count as zeros beside them: a lone weak hit must not stand out.
    select sum(k.points) / leg as mean, coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / leg - (sum(k.points) / leg) ^ 2, 0)), 0), 1) as deviation,
           case when count(*) < leg then 0 else min(k.points) end as lowest
      from keyword_leg k
  ), semantic_norm as (
    select avg(s.points) as mean, coalesce(nullif(stddev_pop(s.points), 0), 1) as deviation,
           min(s.points) as lowest
      from semantic_leg s
  ), fused as (
    select coalesce(k.chunk_id, s.chunk_id) as chunk_id, s.rank as s_rank, k.rank as k_rank,
           coalesce(k.names_it, false) as names_it,
           coalesce((coalesce(k.points, kn.lowest) - kn.mean) / kn.deviation, 0) +
           case when s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.chunk_id and e.model = p_model) then 0
                else coalesce((coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as total
      from keyword_leg k full join semantic_leg s on s.chunk_id = k.chunk_id
      cross join keyword_norm kn cross join semantic_norm sn
  )
  select (row_number() over (order by f.names_it desc, f.total desc, f.chunk_id))::int, f.chunk_id,
         f.total::float8, f.s_rank::int, f.k_rank::int
    from fused f order by 1 limit p_limit;
end $$;

-- How many chunks the Team has, and a sample of them in an order that is the same at each call.
create function memory.sample_chunks(p_limit int) returns table (total int, chunk_ids uuid[])
language sql stable security definer set search_path = memory, public, pg_temp
begin atomic
  select (select count(*)::int from memory.chunk_keyword k where k.team_id = memory.claimed_team()),
         coalesce((select array_agg(s.chunk_id) from (
            select k.chunk_id from memory.chunk_keyword k where k.team_id = memory.claimed_team()
             order by uuid_hash(k.chunk_id), k.chunk_id limit p_limit) s), '{}');
end;

-- In how many of the given chunks each term occurs: 'd' a dimension of the weights, 'k' a key.
create function memory.count_terms(p_chunks uuid[]) returns table (space text, term int, df int)
language sql stable security definer set search_path = memory, public, pg_temp
begin atomic
  select 'd', split_part(entry, ':', 1)::int, count(*)::int
    from memory.chunk_keyword k,
         string_to_table(substr(split_part(k.weights::text, '}', 1), 2), ',') as entry
   where k.team_id = memory.claimed_team() and k.chunk_id = any (p_chunks) and entry <> ''
   group by 2
  union all
  select 'k', key, count(*)::int
    from memory.chunk_keyword k, unnest(k.keys) as key
   where k.team_id = memory.claimed_team() and k.chunk_id = any (p_chunks)
   group by 2;
end;

-- Replaces the Team's document frequencies by those of a new sample.
create function memory.replace_term_counts(
  p_spaces text[], p_terms int[], p_dfs int[], p_chunks int, p_sampled int
) returns void language plpgsql security definer set search_path = memory, public, pg_temp
as $$
begin
  delete from keyword_df d where d.team_id = memory.claimed_team();
  insert into keyword_df (team_id, space, term, df)
    select memory.claimed_team(), s::"char", t, d from unnest(p_spaces, p_terms, p_dfs) as n (s, t, d);
  insert into keyword_team (team_id, chunks, sampled, counted_at)
    values (memory.claimed_team(), p_chunks, greatest(p_sampled, 1), now())
    on conflict (team_id) do update set chunks = excluded.chunks, sampled = excluded.sampled, counted_at = now();
end $$;

-- How far the Team's chunks have moved since they were counted, without counting them again: the sample is
-- worth renewing when one in five is new or gone.
create function memory.term_counts_are_stale() returns boolean
language sql stable security definer set search_path = memory, public, pg_temp
begin atomic
  select abs((select count(*) from memory.chunk_keyword k where k.team_id = memory.claimed_team()) - t.chunks)
         >= greatest(t.chunks, 1) * 0.2
    from memory.keyword_team t where t.team_id = memory.claimed_team();
end;

revoke execute on all functions in schema memory from public;
grant execute on all functions in schema memory to memory_service;
