-- Part of search_candidates and similar_memories. Returns the query's side of BM25 (Robertson and Zaragoza, 2009): for
-- each term idf = ln(1 + (n - df + 0.5) / (df + 0.5)), times the factor of the term. n and df are sums over the layers
-- that the caller can read, and df is estimated from samples of these layers. The chunk's side is
-- chunk_keyword.weights. The readable layers are parameters, because parsing the ids of hundreds of clients takes as
-- long as looking up a word.
create or replace function memory.weigh_query(
  p_layers uuid[],
  p_dims int[], p_factors real[], p_lengths real[], p_keys int[], p_explain boolean
) returns memory.query_weights
language plpgsql stable
-- A query can have thousands of terms. Without statistics the planner would compare each of them with each count.
set enable_nestloop = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_counts constant memory.scope_counts := readable_counts(p_layers);
  v_weights memory.query_weights;
begin
  with counted as materialized (
    -- The df of terms that were counted, for the weights ('d') and for the keys ('k').
    select * from term_frequencies(p_dims, p_keys, v_counts)
  ), asked as (
    -- The terms and keys of the query.
    select 'd'::"char" as space, q.term, q.factor, q.length, q.place
      from unnest(p_dims, p_factors, p_lengths) with ordinality as q (term, factor, length, place)
    union all
    select 'k', q.term, null, null, q.place from unnest(p_keys) with ordinality as q (term, place)
  ), weighed as (
    -- A term that was not counted, or in one chunk only, has df 0.5.
    select q.space, q.term, q.length, f.df, f.team_df,
           (q.factor * ln(1 + (v_counts.chunks - least(f.df, v_counts.chunks) + 0.5)
             / (least(f.df, v_counts.chunks) + 0.5)))::real as weight
      from asked q left join counted c on c.space = q.space and c.term = q.term
      cross join lateral (select case when c.df > 1 then c.df else 0.5 end as df,
                                 case when c.team_df > 1 then c.team_df else 0.5 end as team_df) f
     -- A sparsevec requires ascending dimensions. Frequencies are returned in the order of p_keys.
     order by q.space, case q.space when 'd' then q.term else q.place end
  )
  select ('{' || string_agg(w.term || ':' || w.weight, ',') filter (where w.weight > 0) || '}/536870912')::sparsevec,
         coalesce(sum(w.weight * w.length) filter (where w.weight > 0), 0),
         array_agg(w.df) filter (where w.space = 'k'),
         array_agg(w.team_df) filter (where w.space = 'k' and v_counts.team_scales is not null),
         v_counts.chunks, v_counts.sampled, v_counts.counted_at,
         case when p_explain then coalesce(jsonb_agg(
           jsonb_build_object('dim', w.term, 'documents', least(w.df, v_counts.chunks), 'weight', w.weight))
             filter (where p_explain and w.space = 'd'), '[]') end
    into v_weights
    from weighed w;
  return v_weights;
end $$;

revoke execute on function memory.weigh_query(uuid[], int[], real[], real[], int[], boolean) from public, memory_service, memory_worker;

-- Part of keyword_passes and similar_memories. Selects the rarest keys: the rarest one, and the next ones while
-- their estimated postings are at most p_cap in total.
create or replace function memory.rarest_keys(
  p_keys int[],
  p_frequencies float8[],     -- the number of chunks with each key in the scope, and ...
  p_team_frequencies float8[],-- ... in all layers, or null
  p_cap float8
) returns memory.rarest_keys
language plpgsql stable
as $$
declare
  v_rarest memory.rarest_keys;
begin
  with running as (
    select e.key, e.team_df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from unnest(p_keys, p_frequencies, p_team_frequencies) as e (key, df, team_df)
  )
  select coalesce(array_agg(r.key order by r.place) filter (where r.postings <= p_cap or r.place = 1), '{}'),
         max(r.postings) filter (where r.postings <= p_cap or r.place = 1),
         min(r.postings) filter (where r.postings > p_cap and r.place > 1),
         sum(r.team_df) filter (where r.postings <= p_cap or r.place = 1)
           - max(r.postings) filter (where r.postings <= p_cap or r.place = 1)
    into v_rarest
    from running r;
  return v_rarest;
end $$;

revoke execute on function memory.rarest_keys(int[], float8[], float8[], float8) from public, memory_service, memory_worker;

-- Part of weigh_query. Returns the counts of the layers that the caller can read.
create or replace function memory.readable_counts(p_layers uuid[]) returns memory.scope_counts
language plpgsql stable
as $$
declare
  few constant int := 3000;             -- up to this many chunks outside of the scope can be read and discarded
  v_team constant uuid := claimed_team();
  v_counts memory.scope_counts;
  v_reads_all boolean;                  -- whether the caller can read every counted layer
  v_team_chunks int;
begin
  -- A Team can have hundreds of clients. For a caller that can read all layers, the sums of the Team are used, and not
  -- the row of each layer. The number of layers is compared first, because their list is stored apart from the row.
  select t.chunks, t.sampled, t.counted_at, t.dim_shift, t.key_shift,
         t.scales, t.layer_places, t.layer_scales,
         case when t.layer_count <= cardinality(p_layers) then not exists (
           select from unnest(t.layers) l (layer_id) where l.layer_id not in (select unnest(p_layers))) end
    into v_counts.chunks, v_counts.sampled, v_counts.counted_at, v_counts.dim_shift, v_counts.key_shift,
         v_counts.scales, v_counts.layer_places, v_counts.layer_scales, v_reads_all
    from keyword_team t where t.team_id = v_team and t.chunks > 0;
  if found and v_reads_all is not true then
    -- Sums up the layers that the caller can read.
    v_team_chunks := v_counts.chunks;
    v_counts.team_scales := v_counts.scales;
    v_counts.team_places := v_counts.layer_places;
    v_counts.team_layer_scales := v_counts.layer_scales;
    select sum(l.chunks), sum(l.sampled), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           array_agg(l.place order by l.place), array_agg(layer_scale(l.chunks, l.sampled) order by l.place)
      into v_counts.chunks, v_counts.sampled, v_counts.counted_at,
           v_counts.scales, v_counts.layer_places, v_counts.layer_scales
      from keyword_layer l where l.team_id = v_team and l.layer_id = any (p_layers) and l.chunks > 0;
    if v_team_chunks - coalesce(v_counts.chunks, 0) <= few then
      v_counts.team_scales := null;
      v_counts.team_places := null;
      v_counts.team_layer_scales := null;
    end if;
  end if;
  v_counts.chunks := coalesce(v_counts.chunks, 1);
  v_counts.sampled := coalesce(v_counts.sampled, 0);
  return v_counts;
end $$;

revoke execute on function memory.readable_counts(uuid[]) from public, memory_service, memory_worker;

-- Part of keyword_passes and add_guesses. Returns, for each chunk, whether it contains one of the keys.
create or replace function memory.contain_keys(p_chunks uuid[], p_keys int[]) returns boolean[]
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Without keys, nothing is read.
  if cardinality(p_keys) = 0 then
    return array_fill(false, array[cardinality(p_chunks)]);
  end if;
  return (
    select coalesce(array_agg(coalesce(c.keys && p_keys, false) order by h.rank), '{}')
      from unnest(p_chunks) with ordinality h (id, rank)
      left join chunk_keyword c on c.team_id = v_team and c.chunk_id = h.id);
end $$;

revoke execute on function memory.contain_keys(uuid[], int[]) from public, memory_service, memory_worker;

-- Returns the scale of a layer. The counts of a layer are those of a sample: multiplied by the scale, which is chunks /
-- sampled, they estimate the counts of the whole layer. Declared stable so that it is inlined: a call took 20 times as
-- long.
create or replace function memory.layer_scale(p_chunks int, p_sampled int) returns real
language sql stable
return (p_chunks::float8 / p_sampled)::real;

revoke execute on function memory.layer_scale(int, int) from public, memory_service, memory_worker;

-- Part of keyword_passes and score_pass. Returns whether the claims can read at most p_most chunks. Counts no
-- further than p_most + 1: an index scan stops there, but a bitmap scan would first read all rows. score_pass turns
-- index scans off, also for the functions that it calls, so they are turned on here.
create or replace function memory.scope_holds_at_most(p_most int)
returns boolean
language sql stable security definer
set search_path = memory, public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_indexscan = on
set enable_indexonlyscan = on
as $$
  select count(*) <= p_most
    from (select from unnest(readable_layers()) l (id)
           -- Layer by layer, as in small_scope_chunks.
           cross join lateral (select from chunk_keyword c
                                where c.team_id = (select claimed_team()) and c.layer_id between l.id and l.id offset 0) c
           limit p_most + 1) c
$$;

revoke execute on function memory.scope_holds_at_most(int) from public, memory_service, memory_worker;

-- Part of weigh_query. Returns how often a term occurs in some layers: p_count and p_place are the term's elements in a
-- row of keyword_slice, and p_vectors is the row's. The layers are given by their scales: see readable_counts. Declared
-- stable so that it is inlined.
create or replace function memory.term_count(
  p_count int2, p_place int2, p_vectors sparsevec[], p_scales sparsevec, p_places int[], p_place_scales real[]
) returns float8
language sql stable
return case
  -- In several layers.
  when p_place = 0 then -(p_vectors[p_count] <#> p_scales)
  -- In the layer with this place, or the place 1. The layer is searched in the ascending places.
  when p_places[width_bucket(coalesce(p_place, 1), p_places)] = coalesce(p_place, 1)
    then p_count * p_place_scales[width_bucket(coalesce(p_place, 1), p_places)]::float8
  else 0
end;

revoke execute on function memory.term_count(int2, int2, sparsevec[], sparsevec, int[], real[]) from public, memory_service, memory_worker;

-- Part of weigh_query. Returns in how many chunks the terms and keys of a query occur, of those that were counted.
create or replace function memory.term_frequencies(
  p_dims int[], p_keys int[],
  p_counts memory.scope_counts
) returns table (
  space "char", term int,
  df float8,                  -- in the layers that the caller can read
  team_df float8              -- of keys, in all layers; null if the layers outside have few chunks
)
language plpgsql stable rows 100
as $$
declare
  v_team constant uuid := claimed_team();
  v_dim_slices int[];
  v_key_slices int[];
begin
  -- Nothing was counted.
  if p_counts.dim_shift is null then
    return;
  end if;

  v_dim_slices := array(select distinct t >> p_counts.dim_shift from unnest(p_dims) t);
  v_key_slices := array(select distinct t >> p_counts.key_shift from unnest(p_keys) t);
  -- A term is looked for in its slice by bisection. offset 0, so that it is done once.
  return query
  select 'd'::"char", f.term, term_count(f.count, f.place, f.vectors,
           p_counts.scales, p_counts.layer_places, p_counts.layer_scales), null::float8
    from (select a.term, s.terms[w.nth] as found, s.counts[w.nth] as count, s.places[w.nth] as place, s.vectors
            from keyword_slice s join unnest(p_dims) a (term) on s.slice = a.term >> p_counts.dim_shift
            cross join lateral (select width_bucket(a.term, s.terms) as nth offset 0) w
           where s.team_id = v_team and s.space = 'd' and s.slice = any (v_dim_slices)) f
   where f.found = f.term
  union all
  select 'k', f.term,
         term_count(f.count, f.place, f.vectors,
           p_counts.scales, p_counts.layer_places, p_counts.layer_scales),
         term_count(f.count, f.place, f.vectors,
           p_counts.team_scales, p_counts.team_places, p_counts.team_layer_scales)
    from (select a.term, s.terms[w.nth] as found, s.counts[w.nth] as count, s.places[w.nth] as place, s.vectors
            from keyword_slice s join unnest(p_keys) a (term) on s.slice = a.term >> p_counts.key_shift
            cross join lateral (select width_bucket(a.term, s.terms) as nth offset 0) w
           where s.team_id = v_team and s.space = 'k' and s.slice = any (v_key_slices)) f
   where f.found = f.term;
end $$;

revoke execute on function memory.term_frequencies(int[], int[], memory.scope_counts) from public, memory_service, memory_worker;
