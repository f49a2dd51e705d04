-- Search anew: filters within the legs, as many postings as the scope needs, fewer vectors sorted, and every step
-- explained. As before the Team and the layers come from the transaction's claims: no argument can widen them. Where
-- ways to scan are off, the planner, most of all without statistics, would read all Teams' rows in their order once a
-- limit promised that it need not read far.

-- Rows of some 3 kB are kept as they are: unpacking weights took three quarters of the time of scoring them.
-- What is stored already stays packed until it is written again.
alter table memory.chunk_keyword set (toast_tuple_target = 8160);

-- Chunks by time, and with their sources, for the filters of a search: from the index alone.
create index chunk_created on memory.chunk (team_id, created_at) include (id, source_id, client_id);

drop function memory.search_candidates(halfvec, text, int[], real[], int[], int[], int);

-- The chunks within the claims that pass the filters of a search; each filter may be null. No nested loops: without
-- statistics they read all of the Team's chunks for each of its sources.
create function memory.filtered_chunks(
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz
) returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
begin
  return (
    select coalesce(array_agg(c.id), '{}')
      from source s
      join chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.team_id = v_team and s.state = 'active'
       and (p_kinds is null or s.kind = any (p_kinds))
       and (p_sources is null or s.id = any (p_sources))
       and c.team_id = v_team
       and (p_sources is null or c.source_id = any (p_sources))
       and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
       -- Times are shown in milliseconds: what is shown as the bound itself lies neither after nor before it.
       and (p_after is null or c.created_at >= p_after + interval '1 millisecond')
       and (p_before is null or c.created_at < p_before));
end $$;

-- The query's side of BM25 (Robertson & Zaragoza 2009): idf = ln(1 + (n - df + 0.5) / (df + 0.5)) of each term, from
-- the sampled document frequencies, times the factor of the term. The chunk's side lies in chunk_keyword.weights.
-- `whole` is the sum of all, each as long as its term is in words: what a text has that holds the whole query. `chunks`
-- are those that the Team was last counted with, or 1.
--
-- This function, the next two and the last keep their plans, which are the same whatever the values: to make them anew
-- took longer than to run them. The vector leg is planned for its values. What is known of tables that were just filled
-- is wrong, so ways that would then look good are off: to read all of the Team's rows once for each that is looked up.
-- And `is true` keeps a condition out of the choice of the index, where another one would serve it too and look as good.
create function memory.weigh_terms(
  p_dims int[], p_factors real[], p_lengths real[], p_explain boolean,
  out weights sparsevec, out whole float8, out chunks float8, out detail jsonb
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_scale float8;
begin
  select greatest(t.chunks, 1), greatest(t.chunks, 1)::float8 / greatest(t.sampled, 1)
    into chunks, v_scale from keyword_team t where t.team_id = v_team;
  chunks := coalesce(chunks, 1);
  v_scale := coalesce(v_scale, 1);
  select ('{' || string_agg(w.dim || ':' || w.weight, ',' order by w.dim) filter (where w.weight > 0)
          || '}/536870912')::sparsevec,
         coalesce(sum(w.weight * w.length) filter (where w.weight > 0), 0),
         case when p_explain then coalesce(jsonb_agg(
           jsonb_build_object('dim', w.dim, 'documents', w.df, 'weight', w.weight)), '[]') end
    into weights, whole, detail
    from (
      select q.dim, q.length, d.df, (q.factor * ln(1 + (chunks - d.df + 0.5) / (d.df + 0.5)))::real as weight
        from unnest(p_dims, p_factors, p_lengths) as q (dim, factor, length)
        left join (select k.term, k.df from keyword_df k
                    where k.team_id = v_team and k.space = 'd' and k.term = any (p_dims) offset 0) k on k.term = q.dim
        cross join lateral (select least(coalesce(k.df * v_scale, 0.5), chunks) as df) d
    ) w;
end $$;

-- Which keys are read for at most p_cap estimated postings, the rarest first and that one always, and how many postings
-- it would be with the next key; and which of the identifiers' keys are rare.
create function memory.rarest_keys(
  p_keys int[], p_identifier_keys int[], p_cap float8, out keys int[], out postings float8, out next_postings float8, out rare int[]
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  rare_df constant int := 20;           -- an identifier in more chunks than this names nothing
  v_team constant uuid := claimed_team();
  v_scale float8;
begin
  select greatest(t.chunks, 1)::float8 / greatest(t.sampled, 1)
    into v_scale from keyword_team t where t.team_id = v_team;
  v_scale := coalesce(v_scale, 1);
  with estimated as (
    select q.key, coalesce(k.df * v_scale, 0.5) as df
      from unnest(p_keys) as q (key)
      left join (select k.term, k.df from keyword_df k
                  where k.team_id = v_team and k.space = 'k' and k.term = any (p_keys) offset 0) k on k.term = q.key
  ), running as (
    select e.key, e.df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from estimated e
  )
  select coalesce(array_agg(r.key) filter (where r.postings <= p_cap or r.place = 1), '{}'),
         max(r.postings) filter (where r.postings <= p_cap or r.place = 1),
         min(r.postings) filter (where r.postings > p_cap and r.place > 1),
         coalesce(array_agg(r.key) filter (where r.df <= rare_df and r.key = any (p_identifier_keys)), '{}')
    into keys, postings, next_postings, rare
    from running r;
end $$;

-- The best chunks by keyword, best first, with what was read to find them. Sets of chunks are hashed as long as they fit
-- work_mem, and searched through for each row where not: there must be room for a Team's.
create function memory.keyword_leg(
  p_query sparsevec,          -- by weigh_terms, or null
  p_keys int[],               -- candidate keys
  p_identifier_keys int[],    -- those among them that stand for identifiers
  p_allowed uuid[],           -- where a filter is set: the chunks that pass it
  p_hidden uuid[],            -- chunks that no one sees yet, or null
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
  small constant int := 1000;           -- filtered chunks that are scored one by one
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_one_by_one constant boolean := coalesce(cardinality(p_allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_read record;
  v_rarest int[];                       -- of the first pass: what holds one of them is scored first
begin
  chunk_ids := '{}'; points := '{}'; names_it := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  -- Keys are read from the rarest on. A scope that is a small part of the Team finds few of its own chunks among
  -- those postings: then it reads on, by the next key at least, to where it should have posting_cap of its own. Not
  -- where a code was found.
  for v_pass in 1 .. 3 loop
    -- Few chunks that pass a filter are scored one by one, and then any key will do.
    v_read := rarest_keys(p_keys, p_identifier_keys, case when v_one_by_one then 'infinity' else v_cap end);
    exit when p_query is null or cardinality(v_read.keys) = cardinality(keys_read);
    keys_read := v_read.keys;
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
         from unnest(p_allowed) a (id) join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
        where v_one_by_one and (c.keys && keys_read) is true)
    ), compared as materialized (
      select k.chunk_id, -(k.weights <#> p_query) as points, cardinality(rare_keys) > 0 and k.keys && rare_keys as names_it
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
    exit when scored >= p_leg or true = any (names_it);
    v_cap := least(read_cap, greatest(v_read.next_postings,
                     case when scored > 0 then posting_cap * v_read.postings / scored end));
  end loop;
end $$;

-- The chunks nearest to a vector, nearest first. Few vectors are compared in full; of many the signs are, which an
-- index holds, and then the best of those in full.
create function memory.semantic_leg(
  p_embedding halfvec,        -- unit length
  p_model text,               -- only vectors of this model are compared
  p_allowed uuid[],           -- where a filter is set: the chunks that pass it
  p_hidden uuid[],            -- chunks that no one sees yet, or null
  p_leg int,
  p_team_chunks float8,       -- of the whole Team, about
  p_explain boolean,
  out chunk_ids uuid[], out points float8[], out detail jsonb
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  exact_scan constant int := 1000;      -- vectors up to which all are compared in full
  rerank constant int := 200;           -- best by signs, compared in full, above that
  large constant int := 10000;          -- chunks of a Team from which on ...
  sounding constant int := 3000;        -- ... some vectors' signs tell what is too far away to be sorted
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_rows int;
  v_signs bit(1024);
  v_near float8;
begin
  -- Counted no farther than it matters.
  select count(*) into v_rows from (
    select from chunk_embedding e
     where p_allowed is null and e.team_id = v_team and e.model = p_model
       and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
     limit exact_scan + 1) n;
  v_rows := coalesce(cardinality(p_allowed), v_rows);

  if v_rows > exact_scan then
    v_signs := binary_quantize(p_embedding)::bit(1024);
  end if;
  -- What is farther away than all the best of some is not among the best of all: so it is not sorted.
  if v_signs is not null and p_team_chunks > large then
    select max(d.distance) into v_near from (
      select n.signs <~> v_signs as distance from (
        select e.signs from chunk_embedding e
         where e.team_id = v_team and e.model = p_model
           and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
           and (p_allowed is null or e.chunk_id in (select unnest(p_allowed)))
           and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))
         limit sounding) n
       order by 1 limit rerank) d;
  end if;

  with looked_at as (
    select a.id from unnest(p_allowed) a (id) where v_signs is null
    union all
    -- Ids alone, so that the index of signs answers and the rows, which are large, are left alone. Layer by layer, so
    -- that it is the index that tells them apart: to look at each row's was a sixth of the time. Behind the fence few
    -- are left to be looked up in the sets.
    (select n.chunk_id from (
       select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
        where v_signs is not null and v_team_layer
          and e.team_id = v_team and e.model = p_model and e.client_id is null
          and (v_near is null or e.signs <~> v_signs <= v_near)
       union all
       select e.chunk_id, e.signs <~> v_signs from chunk_embedding e
        where v_signs is not null
          and e.team_id = v_team and e.model = p_model and e.client_id = any (v_clients)
          and (v_near is null or e.signs <~> v_signs <= v_near)
       offset 0) n
      where (p_allowed is null or n.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or n.chunk_id not in (select unnest(p_hidden)))
      order by n.distance, n.chunk_id limit rerank)
  ), compared as (
    select e.chunk_id, -(e.embedding <#> p_embedding) as points
      from chunk_embedding e
     where v_signs is null and p_allowed is null and e.team_id = v_team and e.model = p_model
       and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
       and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))
    union all
    select l.id, (select -(e.embedding <#> p_embedding) from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = l.id and (e.model = p_model) is true)
      from looked_at l
  ), nearest as (
    -- Chunks that pass a filter may have no vector.
    select c.chunk_id, c.points from compared c
     where c.points is not null order by c.points desc, c.chunk_id limit p_leg
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into chunk_ids, points
    from nearest n;

  if p_explain then
    detail := jsonb_build_object(
      'path', case when v_signs is null then 'exact' else 'quantised' end,
      'candidates', (select count(*) from chunk_embedding e
                    where e.team_id = v_team and e.model = p_model
                      and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
                      and (p_allowed is null or e.chunk_id in (select unnest(p_allowed)))
                      and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))),
      'hits', cardinality(chunk_ids));
  end if;
end $$;

-- The best chunks for a query: both legs, fused. Ids and numbers only; the caller joins the text under row-level
-- security.
--
-- Fusion: the sum of each leg's z-scores over its best 50, which beat reciprocal rank fusion on every mix of good and
-- bad legs. The keyword leg counts double: it errs less than a vector leg that errs at the same questions. But its
-- deviation is at least a share of `whole`, a larger one where it has few hits: else chance matches of a query in
-- another language, all of them poor, would outvote good vectors. Chunks that hold a rare identifier of the query
-- stand in a tier before the rest. (Figures: `npm run bench:retrieval`.)
--
-- With p_explain a row of place 0 tells in `detail` what was done, and each hit has a `detail` of its own.
create function memory.search_candidates(
  p_embedding halfvec,        -- unit length, or null: keywords alone
  p_model text,
  p_min_similarity float8,    -- cosine below which the vector leg finds nothing, or null
  p_dims int[],               -- dimensions of the query's terms, and ...
  p_factors real[],           -- ... the factor of each, before idf, and ...
  p_lengths real[],           -- ... how long it is, in words
  p_keys int[],
  p_identifier_keys int[],
  p_kinds text[],             -- filters, each of them or null
  p_sources uuid[],
  p_after timestamptz,
  p_before timestamptz,
  p_limit int,
  p_explain boolean
) returns table (
  place int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int, detail jsonb
)
language plpgsql stable security definer rows 50
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  leg constant int := 50;               -- hits of each leg that are fused
  keyword_weight constant float8 := 2;  -- what a z-score of the keyword leg counts
  least_share constant float8 := 0.05;  -- of the whole query that is its least deviation, ...
  short_share constant float8 := 0.1;   -- ... and as much more, in proportion, where hits are missing
  rounding constant float8 := 0.0005;   -- of a cosine of halfvecs: a vector is not quite like itself
  v_team constant uuid := claimed_team();
  v_weights record;
  v_allowed uuid[];
  v_hidden uuid[];
  v_keyword record;
  v_semantic record;
  v_clock timestamptz[] := array[clock_timestamp()];
begin
  if v_team is null then
    return;
  end if;
  v_weights := weigh_terms(p_dims, p_factors, p_lengths, p_explain);
  v_clock := v_clock || clock_timestamp();

  -- What a filter lets through, and else what is still being written: as sets, in which to look up once they are
  -- hashed. A function, or a join, would run for every chunk of the Team.
  if p_kinds is not null or p_sources is not null or p_after is not null or p_before is not null then
    v_allowed := filtered_chunks(p_kinds, p_sources, p_after, p_before);
  else
    select array_agg(c.id) into v_hidden
      from source s join chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.team_id = v_team and s.state = 'loading';
  end if;
  v_clock := v_clock || clock_timestamp();

  v_keyword := keyword_leg(v_weights.weights, p_keys, p_identifier_keys, v_allowed, v_hidden, leg);
  v_clock := v_clock || clock_timestamp();
  if p_embedding is null then
    select '{}'::uuid[] as chunk_ids, '{}'::float8[] as points, null::jsonb as detail into v_semantic;
  else
    v_semantic := semantic_leg(p_embedding, p_model, v_allowed, v_hidden, leg, v_weights.chunks, p_explain);
  end if;
  v_clock := v_clock || clock_timestamp();

  return query
  with by_keyword as (
    select k.chunk_id, k.points, k.names_it, k.rank
      from unnest(v_keyword.chunk_ids, v_keyword.points, v_keyword.names_it)
             with ordinality k (chunk_id, points, names_it, rank)
  ), nearest as (
    select s.chunk_id, s.points, s.rank
      from unnest(v_semantic.chunk_ids, v_semantic.points) with ordinality s (chunk_id, points, rank)
  ), by_meaning as (
    select n.chunk_id, n.points, n.rank from nearest n
     where p_min_similarity is null or n.points + rounding >= p_min_similarity
  ), keyword_norm as (
    -- Fewer hits than the leg holds count as zeros beside them: a lone weak hit must not stand out.
    select sum(k.points) / leg as mean, greatest(coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / leg - (sum(k.points) / leg) ^ 2, 0)), 0), 1),
             v_weights.whole * (least_share + short_share * (1 - count(*)::float8 / leg))) as deviation,
           case when count(*) < leg then 0 else min(k.points) end as lowest
      from by_keyword k
  ), semantic_norm as (
    -- Of all the nearest, also those below p_min_similarity: what a hit is worth shows beside the others only.
    select avg(n.points) as mean, coalesce(nullif(stddev_pop(n.points), 0), 1) as deviation,
           min(n.points) as lowest
      from nearest n
  ), scored as (
    select coalesce(k.chunk_id, s.chunk_id) as id, s.rank as s_rank, k.rank as k_rank,
           coalesce(k.names_it, false) as names_it,
           coalesce(keyword_weight * (coalesce(k.points, kn.lowest) - kn.mean) / kn.deviation, 0) as k_z,
           case when s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.chunk_id and (e.model = p_model) is true) then 0
                else coalesce((coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as s_z
      from by_keyword k full join by_meaning s on s.chunk_id = k.chunk_id
      cross join keyword_norm kn cross join semantic_norm sn
  )
  select (row_number() over (order by f.names_it desc, f.k_z + f.s_z desc, f.id))::int, f.id,
         (f.k_z + f.s_z)::float8, f.s_rank::int, f.k_rank::int,
         case when p_explain then jsonb_build_object(
           'similarity', (select -(e.embedding <#> p_embedding) from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = f.id and (e.model = p_model) is true),
           'semanticZ', f.s_z, 'keywordZ', f.k_z, 'identifier', f.names_it) end
    from scored f order by 1 limit p_limit;
  v_clock := v_clock || clock_timestamp();

  if p_explain then
    return query
    select 0, null::uuid, null::float8, null::int, null::int, jsonb_build_object(
      'weights', v_weights.detail, 'filtered', cardinality(v_allowed),
      'keyword', jsonb_build_object('keysRead', v_keyword.keys_read, 'rareKeys', v_keyword.rare_keys,
        'scored', v_keyword.scored, 'hits', cardinality(v_keyword.chunk_ids)),
      'semantic', v_semantic.detail,
      'milliseconds', (
        select jsonb_object_agg(n.stage, round(1000 * extract(epoch from v_clock[n.nth + 1] - v_clock[n.nth]), 3))
          from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
      'counted', (select jsonb_build_object('chunks', t.chunks, 'sampled', t.sampled, 'at', t.counted_at)
                    from keyword_team t where t.team_id = v_team and t.chunks > 0));
  end if;
end $$;

-- What is stored of the given chunks of the Team, in the binary form of its types: counted by who asks. To take weights
-- apart here, as text, took the database ten times as long as all the rest of counting.
drop function memory.count_terms(uuid[]);
create function memory.stored_terms(p_chunks uuid[]) returns table (weights bytea, keys bytea)
language sql stable security definer set search_path = memory, public, pg_temp
as $$
  select sparsevec_send(k.weights), array_send(k.keys)
    from chunk_keyword k
   where k.team_id = claimed_team() and k.chunk_id = any (p_chunks)
$$;

-- Replaces the Team's document frequencies by those of a new sample. The Team's row first: who replaces them at the
-- same time waits there, and then sees what it has to delete.
create or replace function memory.replace_term_counts(
  p_spaces text[], p_terms int[], p_dfs int[], p_chunks int, p_sampled int
) returns void language plpgsql security definer set search_path = memory, public, pg_temp
as $$
begin
  insert into keyword_team (team_id, chunks, sampled, counted_at)
    values (claimed_team(), p_chunks, greatest(p_sampled, 1), now())
    on conflict (team_id) do update set chunks = excluded.chunks, sampled = excluded.sampled, counted_at = now();
  delete from keyword_df d where d.team_id = claimed_team();
  insert into keyword_df (team_id, space, term, df)
    -- In the order of the key, for neighbours in the index are written together.
    select claimed_team(), s::"char", t, d from unnest(p_spaces, p_terms, p_dfs) as n (s, t, d) order by 2, 3;
end $$;

-- What is stored of the given chunks within the claims for the given dimensions: what a keyword score is made of.
create function memory.matched_weights(p_chunks uuid[], p_dims int[])
returns table (chunk_id uuid, dim int, weight real)
language sql stable security definer set search_path = memory, public, pg_temp
begin atomic
  select k.chunk_id, split_part(entry, ':', 1)::int, split_part(entry, ':', 2)::real
    from memory.chunk_keyword k,
         string_to_table(substr(split_part(k.weights::text, '}', 1), 2), ',') as entry
   where k.team_id = memory.claimed_team() and k.chunk_id = any (p_chunks)
     and ((k.client_id is null and memory.reads_team_layer()) or k.client_id = any (memory.readable_clients()))
     and entry <> '' and split_part(entry, ':', 1)::int = any (p_dims);
end;

revoke execute on function
  memory.filtered_chunks(text[], uuid[], timestamptz, timestamptz),
  memory.weigh_terms(int[], real[], real[], boolean),
  memory.rarest_keys(int[], int[], float8),
  memory.keyword_leg(sparsevec, int[], int[], uuid[], uuid[], int),
  memory.semantic_leg(halfvec, text, uuid[], uuid[], int, float8, boolean),
  memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], text[], uuid[],
    timestamptz, timestamptz, int, boolean),
  memory.stored_terms(uuid[]),
  memory.matched_weights(uuid[], int[]) from public;
grant execute on function
  memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], text[], uuid[],
    timestamptz, timestamptz, int, boolean),
  memory.stored_terms(uuid[]),
  memory.matched_weights(uuid[], int[]) to memory_service;
