-- How rare a word is was counted over the whole Team, so that a score told of words in layers that its reader may not
-- read. Now each layer is counted by itself, and a search sums what the layers of its claims hold. What it reads, and
-- where it stops, follows from its own layers too: nothing else can change a score, a rank or an explanation.
--
-- What was counted cannot be taken apart by layers: the worker counts every Team anew when it starts. Until then
-- all words weigh the same, as in a Team that is new.

drop function memory.term_counts_are_stale();
drop function memory.sample_chunks(int);
drop function memory.replace_term_counts(text[], int[], int[], int, int);
drop function memory.weigh_terms(int[], real[], real[], boolean);
drop function memory.rarest_keys(int[], int[], float8);
drop function memory.keyword_leg(sparsevec, int[], int[], uuid[], uuid[], int);

drop table memory.keyword_df;
-- The sums of all layers that were counted, for those who read them all: see weigh_query. end_layer_counts writes
-- them.
alter table memory.keyword_team
  drop column chunks, drop column sampled, drop column counted_at,
  add column chunks int not null default 0,
  add column sampled int not null default 0,
  add column counted_at timestamptz,
  add column scales sparsevec(16000) storage main,
  -- The clients of these layers, null for the Team layer, and how many layers there are.
  add column layers uuid[] not null default '{}',
  add column layer_count int not null default 0;

-- What was counted of each layer, a row each: in how many chunks of a sample each term occurs, of the dimensions of the
-- weights and of the keys. Terms ascend.
create table memory.keyword_layer (
  team_id uuid not null references memory.keyword_team (team_id) on delete cascade,
  client_id uuid,
  -- Where its counts stand in the vectors of keyword_df. A layer keeps its place for as long as it is counted, so that
  -- a sum over some layers does not depend on which others come and go. 16,000 have one.
  place int not null,
  chunks int not null,
  sampled int not null check (sampled > 0),
  counted_at timestamptz not null default now(),
  dims int[] not null,
  dim_counts int[] not null,
  keys int[] not null,
  key_counts int[] not null,
  unique nulls not distinct (team_id, client_id)
);
alter table memory.keyword_layer enable row level security;
create policy team on memory.keyword_layer to memory_service using (team_id = (select memory.claimed_team()));

-- The same by term, for searches: to unpack the row of each layer took them longer than all the rest of weighing. Of
-- each term a vector has its count in each layer, in the layer's place, so that its product with the scales of some
-- layers is their sum. space: 'd' a dimension of the weights, 'k' a key.
create table memory.keyword_df (
  team_id uuid not null,
  space "char" not null check (space in ('d', 'k')),
  term int not null,
  counts sparsevec(16000) storage main not null,
  primary key (team_id, space, term)
) with (fillfactor = 80);
alter table memory.keyword_df enable row level security;
create policy team on memory.keyword_df to memory_service using (team_id = (select memory.claimed_team()));

-- By layer, and by id within it: the order in which a common word is looked for.
drop index memory.chunk_keyword_layer;
create index chunk_keyword_layer on memory.chunk_keyword (team_id, client_id, chunk_id);
drop index memory.chunk_keyword_sample;
create index chunk_keyword_sample on memory.chunk_keyword (team_id, client_id, uuid_hash(chunk_id));

-- The layers of the Team whose chunks have moved so far since they were counted that the counts mislead: one in five is
-- new or gone. With how many there are now.
create function memory.stale_layers() returns table (client_id uuid, chunks int)
language sql stable security definer set search_path = memory, public, pg_temp
begin atomic
  select coalesce(n.client_id, l.client_id), coalesce(n.chunks, 0)
    from (select k.client_id, count(*)::int as chunks from memory.chunk_keyword k
           where k.team_id = memory.claimed_team() group by 1) n
    full join (select c.client_id, c.chunks from memory.keyword_layer c where c.team_id = memory.claimed_team()) l
      -- The Team layer has no client: nulls are the same here.
      on coalesce(n.client_id, '00000000-0000-0000-0000-000000000000')
       = coalesce(l.client_id, '00000000-0000-0000-0000-000000000000')
   -- One that was never counted needs a place: there are 16,000.
   where case when l.chunks is not null then abs(coalesce(n.chunks, 0) - l.chunks) >= l.chunks * 0.2
              else (select count(*) from memory.keyword_layer c where c.team_id = memory.claimed_team()) < 16000 end
   order by 1 nulls first;
end;

-- A sample of the chunks of a layer, in an order that is the same at each call.
create function memory.sample_chunks(p_client uuid, p_limit int) returns uuid[]
language plpgsql stable security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
begin
  if p_client is null then
    return (select coalesce(array_agg(s.chunk_id), '{}') from (
      select k.chunk_id from chunk_keyword k where k.team_id = claimed_team() and k.client_id is null
       order by k.client_id, uuid_hash(k.chunk_id), k.chunk_id limit p_limit) s);
  end if;
  return (select coalesce(array_agg(s.chunk_id), '{}') from (
    select k.chunk_id from chunk_keyword k where k.team_id = claimed_team() and k.client_id = p_client
     order by uuid_hash(k.chunk_id), k.chunk_id limit p_limit) s);
end $$;

-- Replaces what was counted of the terms of a layer from one to another, in either space. No more is written than has
-- changed, and all counts of one term are written together: a run that ends in between leaves counts that agree. Until
-- end_layer_counts a layer that is new counts for nothing. The Team's row first: who counts at the same time waits.
create function memory.replace_layer_counts(
  p_client uuid, p_space text, p_from int, p_to int, p_terms int[], p_counts int[]
) returns void
language plpgsql security definer
set search_path = memory, public, pg_temp
set work_mem = '64MB'
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  most_layers constant int := 16000;    -- that a vector holds
  v_team constant uuid := claimed_team();
  v_place int;
  v_old_terms int[];
  v_old_counts int[];
  v_terms int[];                        -- whose count is another now, and ...
  v_olds int[];
  v_news int[];
  v_gone int[];                         -- ... those among them that are in the layer no more
begin
  perform from keyword_team t where t.team_id = v_team for update;
  -- The Team is gone.
  if not found then
    return;
  end if;
  select l.place, case p_space when 'd' then l.dims else l.keys end,
         case p_space when 'd' then l.dim_counts else l.key_counts end
    into v_place, v_old_terms, v_old_counts
    from keyword_layer l where l.team_id = v_team and l.client_id is not distinct from p_client;
  if not found then
    -- After the others; beyond the last place in one that was left.
    select coalesce(max(l.place), 0) + 1 into v_place from keyword_layer l where l.team_id = v_team;
    if v_place > most_layers then
      select min(n) into v_place from generate_series(1, most_layers) n
       where n not in (select l.place from keyword_layer l where l.team_id = v_team);
    end if;
    -- A Team of more layers than have places: the words of the last ones weigh as if they were not counted.
    if v_place is null then
      return;
    end if;
    insert into keyword_layer (team_id, client_id, place, chunks, sampled, dims, dim_counts, keys, key_counts)
      values (v_team, p_client, v_place, 0, 1, '{}', '{}', '{}', '{}');
  end if;

  select array_agg(term order by term), array_agg(o.n order by term), array_agg(n.n order by term),
         array_agg(term) filter (where n.n is null)
    into v_terms, v_olds, v_news, v_gone
    from (select * from unnest(v_old_terms, v_old_counts) o (term, n) where o.term between p_from and p_to) o
    full join unnest(p_terms, p_counts) n (term, n) using (term)
   where o.n is distinct from n.n;
  if v_terms is null then
    return;
  end if;
  -- What stood in this layer alone.
  delete from keyword_df d
   where d.team_id = v_team and d.space = p_space::"char" and d.term = any (v_gone) and strpos(d.counts::text, ',') = 0;
  insert into keyword_df (team_id, space, term, counts)
    select v_team, p_space::"char", c.term, ('{' || case
             when k.entries is null then v_place || ':' || c.new
             when c.old is null then k.entries || ',' || v_place || ':' || c.new
             else trim(both ',' from replace(',' || k.entries || ',', ',' || v_place || ':' || c.old || ',',
                                             coalesce(',' || v_place || ':' || c.new, '') || ','))
           end || '}/16000')::sparsevec
      from unnest(v_terms, v_olds, v_news) c (term, old, new)
      -- The fence, and no nested loops: without statistics they read all of the Team's counts for each term.
      left join (select d.term, substr(split_part(d.counts::text, '}', 1), 2) as entries from keyword_df d
                  where d.team_id = v_team and d.space = p_space::"char" and d.term = any (v_terms) offset 0) k
        on k.term = c.term
     where c.new > 0 or k.entries is not null
     -- In the order of the key, for neighbours in the index are written together.
     order by c.term
    on conflict (team_id, space, term) do update set counts = excluded.counts;

  select coalesce(array_agg(a.term order by a.term), '{}'), coalesce(array_agg(a.n order by a.term), '{}')
    into v_terms, v_news
    from (select o.term, o.n from unnest(v_old_terms, v_old_counts) o (term, n) where o.term not between p_from and p_to
          union all select n.term, n.n from unnest(p_terms, p_counts) n (term, n)) a;
  if p_space = 'd' then
    update keyword_layer l set dims = v_terms, dim_counts = v_news
     where l.team_id = v_team and l.client_id is not distinct from p_client;
  else
    update keyword_layer l set keys = v_terms, key_counts = v_news
     where l.team_id = v_team and l.client_id is not distinct from p_client;
  end if;
end $$;

-- By what the count of a layer is multiplied, because it is the count of a sample: the layer's entry in the vector of
-- scales. Declared stable, so that it is inlined: as a call it took 20 times as long.
create function memory.layer_scale(p_place int, p_chunks int, p_sampled int) returns text
language sql stable
return p_place::text || ':' || (p_chunks::float8 / p_sampled)::real::text;

-- Ends the count of a layer: keeps how many chunks it has, or deletes its row where it has none, and sums up the Team.
create function memory.end_layer_counts(p_client uuid, p_chunks int, p_sampled int) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- The Team's row first: whoever counts another layer at the same time sums up after this one.
  perform from keyword_team t where t.team_id = v_team for update;
  -- Another worker may have counted the layer since, when it was not empty: then that one ends it.
  delete from keyword_layer l
   where l.team_id = v_team and l.client_id is not distinct from p_client and p_sampled = 0
     and l.dims = '{}' and l.keys = '{}';
  update keyword_layer l set chunks = p_chunks, sampled = p_sampled, counted_at = now()
   where l.team_id = v_team and l.client_id is not distinct from p_client and p_sampled > 0;
  update keyword_team t set (chunks, sampled, counted_at, scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(layer_scale(l.place, l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.client_id), '{}'), count(*)
      from keyword_layer l where l.team_id = v_team and l.chunks > 0)
   where t.team_id = v_team;
end $$;

-- Teams with chunks of which nothing was ever counted.
create function memory.uncounted_teams() returns table (company_id uuid, team_id uuid)
language plpgsql stable security definer set search_path = memory, public, pg_temp
as $$
begin
  return query
  select t.company_id, t.id from identity.team t
   where t.deleted_at is null
     and not exists (select from keyword_layer l where l.team_id = t.id and l.chunks > 0)
     and exists (select from chunk_keyword k where k.team_id = t.id);
end $$;

-- The functions from here to keyword_leg are parts of search_candidates and similar_memories. No role may call them by
-- itself. They are told which layers may be read, because to parse the ids of hundreds of clients takes as long as to
-- look up a word. And they are few: each function and each statement costs some time in every transaction.

-- The query's side of BM25 (Robertson & Zaragoza 2009): idf = ln(1 + (n - df + 0.5) / (df + 0.5)) of each term, times
-- the factor of the term. n and df are sums over the layers that may be read, df estimated from their samples. The
-- chunk's side lies in chunk_keyword.weights.
create function memory.weigh_query(
  p_team_layer boolean, p_clients uuid[],
  p_dims int[], p_factors real[], p_lengths real[], p_keys int[], p_explain boolean,
  out weights sparsevec,
  out whole float8,                     -- what a text scores that holds the whole query: weight times length in words
  -- In how many chunks each key stands, in the order of the keys. 0.5 stands for none or one: most terms stand in one
  -- chunk, and it does not say how rare they are.
  out key_frequencies float8[],
  -- The same of all layers of the Team, or null where the others hold few chunks. It chooses the way of a search, which
  -- finds the same on any.
  out team_key_frequencies float8[],
  out chunks float8,                    -- n; 1 where nothing was counted
  out sampled int,                      -- how many of the chunks were looked at
  out counted_at timestamptz,           -- when the oldest of the counts was made
  out detail jsonb                      -- with p_explain: the frequency and the weight of each term
)
language plpgsql stable
-- Thousands of terms may be asked for, and a planner without statistics compares each with each.
set enable_nestloop = off
as $$
declare
  few constant int := 3000;             -- chunks of other layers, all of which may be read to be thrown away
  v_team constant uuid := claimed_team();
  v_reads_all boolean;
  v_team_chunks int;
  v_scales sparsevec;                   -- by what the count of each layer is multiplied, in the layer's place
  v_team_scales sparsevec;
begin
  -- A Team may have hundreds of clients: who reads all layers needs no row of each. To count them comes first, for the
  -- list of them is stored apart from the row.
  select t.chunks, t.sampled, t.counted_at, t.scales,
         case when t.layer_count <= cardinality(p_clients) + p_team_layer::int then not exists (
           select from unnest(t.layers) l (client_id)
            where ((l.client_id is null and p_team_layer) or l.client_id in (select unnest(p_clients))) is not true) end
    into chunks, sampled, counted_at, v_scales, v_reads_all
    from keyword_team t where t.team_id = v_team and t.chunks > 0;
  if found and v_reads_all is not true then
    v_team_chunks := chunks;
    v_team_scales := v_scales;
    select sum(l.chunks), sum(l.sampled), min(l.counted_at),
           ('{' || string_agg(layer_scale(l.place, l.chunks, l.sampled), ',') || '}/16000')::sparsevec
      into chunks, sampled, counted_at, v_scales
      from (select k.place, k.chunks, k.sampled, k.counted_at from keyword_layer k
             where k.team_id = v_team and k.client_id is null and p_team_layer and k.chunks > 0
            union all
            select k.place, k.chunks, k.sampled, k.counted_at from keyword_layer k
             where k.team_id = v_team and k.client_id = any (p_clients) and k.chunks > 0) l;
    if v_team_chunks - coalesce(chunks, 0) <= few then
      v_team_scales := null;
    end if;
  end if;
  chunks := coalesce(chunks, 1);
  sampled := coalesce(sampled, 0);

  with counted as materialized (
    select d.space, d.term, -(d.counts <#> v_scales) as df, null::float8 as team_df from keyword_df d
     where d.team_id = v_team and d.space = 'd' and d.term = any (p_dims)
    union all
    select d.space, d.term, -(d.counts <#> v_scales), -(d.counts <#> v_team_scales) from keyword_df d
     where d.team_id = v_team and d.space = 'k' and d.term = any (p_keys)
  ), asked as (
    select 'd'::"char" as space, q.term, q.factor, q.length, q.place
      from unnest(p_dims, p_factors, p_lengths) with ordinality as q (term, factor, length, place)
    union all
    select 'k', q.term, null, null, q.place from unnest(p_keys) with ordinality as q (term, place)
  ), weighed as (
    select q.space, q.term, q.length, f.df, f.team_df,
           (q.factor * ln(1 + (chunks - least(f.df, chunks) + 0.5) / (least(f.df, chunks) + 0.5)))::real as weight
      from asked q left join counted c on c.space = q.space and c.term = q.term
      cross join lateral (select case when c.df > 1 then c.df else 0.5 end as df,
                                 case when c.team_df > 1 then c.team_df else 0.5 end as team_df) f
     -- Dimensions ascend in a sparsevec; keys come in the order of p_keys.
     order by q.space, case q.space when 'd' then q.term else q.place end
  )
  select ('{' || string_agg(w.term || ':' || w.weight, ',') filter (where w.weight > 0) || '}/536870912')::sparsevec,
         coalesce(sum(w.weight * w.length) filter (where w.weight > 0), 0),
         array_agg(w.df) filter (where w.space = 'k'),
         array_agg(w.team_df) filter (where w.space = 'k' and v_team_scales is not null),
         case when p_explain then coalesce(jsonb_agg(
           jsonb_build_object('dim', w.term, 'documents', least(w.df, chunks), 'weight', w.weight))
             filter (where p_explain and w.space = 'd'), '[]') end
    into weights, whole, key_frequencies, team_key_frequencies, detail
    from weighed w;
end $$;

-- What ends scattered_keys, keys_one_by_one and keyword_leg must be the same in each: from `compared` on.

-- What keyword_leg finds by keys, where they stand in many more chunks of the Team than of the scope: looked up by the
-- key and by the layers at once, planned for their values. In the same order, that of storage.
create function memory.scattered_keys(
  p_team_layer boolean, p_clients uuid[], p_query sparsevec, p_first int[], p_keys int[], p_seen uuid[],
  p_allowed uuid[], p_hidden uuid[], p_most int, p_leg int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    (select c.chunk_id, c.weights from chunk_keyword c
      where c.team_id = v_team and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
        and c.keys && p_first
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    (select c.chunk_id, c.weights from chunk_keyword c
      where p_keys is not null
        and c.team_id = v_team and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
        and c.keys && p_keys and c.chunk_id <> all (p_seen)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_leg
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

-- What keyword_leg finds where it looks through the chunks themselves for keys: those that pass a filter, or those of
-- the scope.
create function memory.keys_one_by_one(
  p_team_layer boolean, p_clients uuid[], p_query sparsevec, p_keys int[], p_allowed uuid[], p_hidden uuid[],
  p_most int, p_leg int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    (select c.chunk_id, c.weights
       from (select id from unnest(p_allowed) a (id) order by id limit p_most) a
       join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
      where (c.keys && p_keys) is true
        and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden))))
    union all
    (select c.chunk_id, c.weights
       from (select c.chunk_id, c.weights, c.keys from chunk_keyword c
              where p_allowed is null and p_team_layer and c.team_id = v_team and c.client_id is null
                and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
              limit p_most) c
      where c.keys && p_keys)
    union all
    (select c.chunk_id, c.weights
       from (select c.chunk_id, c.weights, c.keys from chunk_keyword c
              where p_allowed is null and c.team_id = v_team and c.client_id = any (p_clients)
                and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
              limit p_most) c
      where c.keys && p_keys)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_leg
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

-- The best chunks by keyword, best first, with what was read to find them. Sets of chunks are hashed as long as they
-- fit work_mem, and searched through for each row where not: there must be room for a Team's. What is found follows
-- from the chunks of the scope: others decide at most on the way to it.
create function memory.keyword_leg(
  p_team_layer boolean,       -- what the claims let be read, as search_candidates was asked with, and ...
  p_clients uuid[],           -- ... of which clients
  p_query sparsevec,          -- by weigh_query, or null
  p_keys int[],               -- candidate keys, and by weigh_query in how many chunks each stands ...
  p_frequencies float8[],     -- ... of the scope, and ...
  p_team_frequencies float8[],-- ... of all layers, where the others are large
  p_identifier_keys int[],    -- those among the keys that stand for identifiers
  p_chunks float8,            -- of the scope, as they were counted
  p_allowed uuid[],           -- where a filter is set, and not known by what it refuses: the chunks that pass it
  p_hidden uuid[],            -- chunks that are not to be found: still being written, or refused by a filter; or null
  p_leg int,
  out chunk_ids uuid[], out points float8[], out names_it boolean[],
  out scored int, out keys_read int[], out rare_keys int[]
)
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
set work_mem = '64MB'
as $$
declare
  -- Estimated postings within the scope that are read at first: one for each forty chunks.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same where these gave too little
  scored_cap constant int := 4000;      -- chunks scored, whatever the estimate, ...
  common_cap constant int := 1000;      -- ... and of words that stand in more than posting_cap
  rare_df constant int := 20;           -- an identifier in more chunks than this names nothing
  small constant int := 1000;           -- filtered chunks that are scored without a look at postings
  scan_cap constant int := 300;         -- chunks of a scope whose own keys are looked through sooner than planned for
  -- Postings of the Team beyond those of the scope that are read and thrown away, before the layers are looked up too:
  -- to plan that costs as much as some thousand, and to gather a layer as much as one for each eight of its chunks.
  thrown_away constant float8 := 3000 + p_chunks / 8;
  v_team constant uuid := claimed_team();
  v_one_by_one boolean := coalesce(cardinality(p_allowed) <= small, false);
  v_scattered boolean;                  -- whether they are looked up together with the layers
  v_scan boolean := false;              -- whether keys are looked for in all chunks of the scope, for these are few
  v_cap float8 := posting_cap;
  v_read record;
  v_rarest int[];                       -- of the first pass: what holds one of them is scored first
  v_most int;
begin
  chunk_ids := '{}'; points := '{}'; names_it := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  -- Keys are read from the rarest on. Where that gives little, and the scope holds few chunks, each is scored then. If
  -- not, it reads on, by the next key if that is not too common; and where even that came to nothing, as many of its
  -- own chunks are scored as may be. Not where a code was found.
  for v_pass in 1 .. 4 loop
    -- At most v_cap estimated postings, the rarest key first and that one always; and how many with the next key.
    with running as (
      select e.key, e.df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
             row_number() over (order by e.df, e.key) as place
        from unnest(p_keys, p_frequencies) as e (key, df)
    )
    select coalesce(array_agg(r.key) filter (where r.postings <= v_cap or r.place = 1), '{}') as keys,
           max(r.postings) filter (where r.postings <= v_cap or r.place = 1) as postings,
           min(r.postings) filter (where r.postings > v_cap and r.place > 1) as next_postings,
           coalesce(array_agg(r.key) filter (where r.df <= rare_df and r.key = any (p_identifier_keys)), '{}') as rare
      into v_read
      from running r;
    if not v_one_by_one and (v_pass > 3 or cardinality(v_read.keys) = cardinality(keys_read)) then
      exit when scored > 0;
      v_one_by_one := true;
    end if;
    -- Without postings any key will do.
    keys_read := case when v_one_by_one then p_keys else v_read.keys end;
    v_rarest := coalesce(v_rarest, keys_read);
    rare_keys := v_read.rare;
    -- Of words that stand in many chunks it is chance which are read and scored: fewer are.
    v_most := case when v_one_by_one or v_read.postings <= posting_cap then scored_cap else common_cap end;
    v_scattered := false;
    if p_team_frequencies is not null and not v_one_by_one then
      v_scattered := thrown_away < (select sum(e.df) - v_read.postings
        from unnest(p_keys, p_team_frequencies) e (key, df) where e.key = any (keys_read));
      v_scan := v_scan or (v_scattered and p_allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small));
    end if;
    if v_scattered and not v_scan then
      select l.chunk_ids, l.points, l.scored into chunk_ids, points, scored
        from scattered_keys(p_team_layer, p_clients, p_query, v_rarest, case when v_pass > 1 then keys_read end,
                            chunk_ids, p_allowed, p_hidden, v_most, p_leg) l;
    elsif v_one_by_one or v_scan then
      select l.chunk_ids, l.points, l.scored into chunk_ids, points, scored
        from keys_one_by_one(p_team_layer, p_clients, p_query, keys_read, p_allowed, p_hidden, v_most, p_leg) l;
    else
      with candidate as (
        -- The fences keep the planner from ANDing the GIN bitmap with one of the primary key: 0.7 ms, not 8.
        (select c.chunk_id, c.weights
           from (select c.team_id, c.client_id, c.chunk_id, c.weights from chunk_keyword c
                  where c.keys && v_rarest offset 0) c
          where c.team_id = v_team and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
            and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
            and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
          limit v_most)
        union all
        (select c.chunk_id, c.weights
           from (select c.team_id, c.client_id, c.chunk_id, c.weights from chunk_keyword c
                  where v_pass > 1 and c.keys && keys_read
                 offset 0) c
          where c.team_id = v_team and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
            and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
            and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
            and c.chunk_id <> all (chunk_ids)
          limit v_most)
      ), compared as materialized (
        select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit v_most
      ), hits as (
        select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_leg
      )
      select (select count(*) from compared),
             coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
             coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
        into scored, chunk_ids, points
        from hits h;
    end if;
    -- Of the best alone: to look at the keys of all that was scored took as long as to score them.
    names_it := array_fill(false, array[cardinality(chunk_ids)]);
    if cardinality(rare_keys) > 0 then
      select coalesce(array_agg(coalesce(c.keys && rare_keys, false) order by h.rank), '{}') into names_it
        from unnest(chunk_ids) with ordinality h (id, rank)
        left join chunk_keyword c on c.team_id = v_team and c.chunk_id = h.id;
    end if;
    exit when v_one_by_one or scored >= p_leg or true = any (names_it);
    -- Where all was read that there is, nothing else holds a word.
    exit when cardinality(keys_read) = cardinality(p_keys) and scored < v_most;
    if v_pass = 1 then
      v_one_by_one := case when p_allowed is null then scope_holds_at_most(scored_cap)
                           else cardinality(p_allowed) <= scored_cap end;
    end if;
    v_cap := least(read_cap, greatest(v_read.next_postings, 2000));
  end loop;
end $$;

-- As before, but for the counts: it reads its claims once, and weigh_query sums what was counted of their layers.
create or replace function memory.search_candidates(
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
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_weights record;
  v_allowed uuid[];
  v_hidden uuid[];
  v_keyword record;
  v_near uuid[] := '{}';                -- by meaning, nearest first
  v_similarities float8[] := '{}';
  v_near_detail jsonb;
  v_filtered constant boolean := num_nonnulls(p_kinds, p_sources, p_after, p_before) > 0;
  v_clock timestamptz[] := array[clock_timestamp()];
begin
  if v_team is null then
    return;
  end if;
  v_weights := weigh_query(v_team_layer, v_clients, p_dims, p_factors, p_lengths, p_keys, p_explain);
  v_clock := v_clock || clock_timestamp();

  -- What a filter lets through or does not, and else what is still being written: as sets, in which to look up once
  -- they are hashed. A function, or a join, would run for every chunk of the Team.
  if v_filtered then
    select f.allowed, f.refused into v_allowed, v_hidden
      from filtered_chunks(p_kinds, p_sources, p_after, p_before) f;
  else
    select array_agg(c.id) into v_hidden
      from source s join chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.team_id = v_team and s.state = 'loading';
  end if;
  v_clock := v_clock || clock_timestamp();

  v_keyword := keyword_leg(v_team_layer, v_clients, v_weights.weights, p_keys, v_weights.key_frequencies,
    v_weights.team_key_frequencies, p_identifier_keys, v_weights.chunks, v_allowed, v_hidden, leg);
  v_clock := v_clock || clock_timestamp();
  if p_embedding is not null then
    select s.chunk_ids, s.points, s.detail into v_near, v_similarities, v_near_detail
      from semantic_leg(p_embedding, p_model, v_allowed, v_hidden, leg, v_weights.chunks, p_explain) s;
  end if;
  v_clock := v_clock || clock_timestamp();

  return query
  with by_keyword as (
    select k.chunk_id, k.points, k.names_it, k.rank
      from unnest(v_keyword.chunk_ids, v_keyword.points, v_keyword.names_it)
             with ordinality k (chunk_id, points, names_it, rank)
  ), nearest as (
    select s.chunk_id, s.points, s.rank
      from unnest(v_near, v_similarities) with ordinality s (chunk_id, points, rank)
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
           case when p_embedding is null or s.chunk_id is null and not exists (
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
      'weights', v_weights.detail, 'filtered', case when v_filtered then coalesce(cardinality(v_allowed), (
        select count(*) from chunk c
         where c.team_id = v_team
           and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients)))
        - coalesce(cardinality(v_hidden), 0)) end,
      'keyword', jsonb_build_object('keysRead', v_keyword.keys_read, 'rareKeys', v_keyword.rare_keys,
        'scored', v_keyword.scored, 'hits', cardinality(v_keyword.chunk_ids)),
      'semantic', v_near_detail,
      'milliseconds', (
        select jsonb_object_agg(n.stage, round(1000 * extract(epoch from v_clock[n.nth + 1] - v_clock[n.nth]), 3))
          from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
      'counted', case when v_weights.sampled > 0 then jsonb_build_object(
        'chunks', v_weights.chunks, 'sampled', v_weights.sampled, 'at', v_weights.counted_at) end);
  end if;
end $$;

-- As before, but for the counts: as in search_candidates.
create or replace function memory.similar_memories(
  p_client uuid,              -- the layer: null for the Team layer
  p_embedding halfvec,        -- unit length, or null
  p_model text,
  p_dims int[],               -- dimensions of the text's terms, and ...
  p_weights real[],           -- ... the weight of each
  p_keys int[],               -- keys of the text
  p_limit int
) returns table (memory_id uuid, similarity float8, basis text)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
-- Where it knows nothing of the keys the planner would read every memory with its terms: a second, not 10 ms.
set enable_seqscan = off
as $$
declare
  rarest constant int := 128;           -- keys that candidates are looked up by, ...
  posting_cap constant int := 2000;     -- ... as long as they are estimated to stand in no more chunks than this
  scored_cap constant int := 4000;      -- candidates compared by words, whatever the estimate
  least_meaning constant float8 := 0.5; -- what lies below is not alike
  least_words constant float8 := 0.3;
  -- Of so few chunks no one can tell which words are common: they weigh as much as any.
  few_chunks constant int := 50;
  least_words_of_few constant float8 := 0.45;
  v_team constant uuid := memory.claimed_team();
  v_weighed record;
  v_keys int[];
begin
  if v_team is null or not ((p_client is null and memory.reads_team_layer())
                            or coalesce(p_client = any (memory.readable_clients()), false)) then
    return;
  end if;
  -- Of the idf alone: the factor of each term is 1. What it weighs in the text is its length.
  v_weighed := weigh_query(reads_team_layer(), readable_clients(), p_dims,
    array_fill(1::real, array[coalesce(cardinality(p_dims), 0)]), p_weights, p_keys, false);

  with running as (
    select e.key, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from unnest(p_keys, v_weighed.key_frequencies) as e (key, df)
  )
  select array_agg(r.key) into v_keys
    from running r where r.place = 1 or (r.postings <= posting_cap and r.place <= rarest);

  return query
  with published as (
    select m.id, m.source_id from memory_item m
     where p_embedding is not null
       and m.team_id = v_team and m.client_id is not distinct from p_client and m.state = 'published'
  ), by_meaning as (
    select p.id, max(-(e.embedding <#> p_embedding)) as points
      from published p
      join chunk c on c.team_id = v_team and c.source_id = p.source_id
      join chunk_embedding e on e.team_id = v_team and e.chunk_id = c.id and e.model = p_model
     group by p.id
  ), by_words as (
    select k.id, -(k.weights <#> v_weighed.weights) / v_weighed.whole as points
      -- The fence, as in search_candidates, has the index of keys answer alone.
      from (select m.team_id, m.client_id, m.id, m.state, m.weights from memory_item m
             where m.keys && v_keys offset 0) k
     where v_weighed.weights is not null and v_weighed.whole > 0
       and k.team_id = v_team and k.client_id is not distinct from p_client and k.state = 'published'
       and not exists (select from by_meaning n where n.id = k.id)
     limit scored_cap
  )
  select a.id, least(a.points, 1)::float8, a.how from (
    select n.id, n.points, 'meaning' as how from by_meaning n where n.points >= least_meaning
    union all
    select w.id, w.points, 'words' from by_words w
     where w.points >= case when v_weighed.chunks < few_chunks then least_words_of_few else least_words end
  ) a order by 2 desc, 1 desc limit p_limit;
end $$;

revoke execute on function
  memory.stale_layers(),
  memory.sample_chunks(uuid, int),
  memory.replace_layer_counts(uuid, text, int, int, int[], int[]),
  memory.end_layer_counts(uuid, int, int),
  memory.uncounted_teams(),
  memory.layer_scale(int, int, int),
  memory.weigh_query(boolean, uuid[], int[], real[], real[], int[], boolean),
  memory.scattered_keys(boolean, uuid[], sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int),
  memory.keys_one_by_one(boolean, uuid[], sparsevec, int[], uuid[], uuid[], int, int),
  memory.keyword_leg(boolean, uuid[], sparsevec, int[], float8[], float8[], int[], float8, uuid[], uuid[], int)
  from public;
-- To count is upkeep, and what counts are made of is no request's to read.
revoke execute on function memory.stored_terms(uuid[]) from memory_service;
grant execute on function
  memory.stale_layers(),
  memory.sample_chunks(uuid, int),
  memory.stored_terms(uuid[]),
  memory.replace_layer_counts(uuid, text, int, int, int[], int[]),
  memory.end_layer_counts(uuid, int, int),
  memory.uncounted_teams() to memory_worker;
