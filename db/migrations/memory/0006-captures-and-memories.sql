-- From a session's capture to durable memory: captures are staged, lent out in batches, and made into memories,
-- which are reviewed, published as sources, changed and archived.

-- A summarised block of a session. Never searchable.
create table memory.capture (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  state text not null default 'staged' check (state in ('staged', 'claimed', 'completed')),
  session_id text not null,
  sequence bigint,
  summary text not null,
  started_at timestamptz,
  ended_at timestamptz,
  metadata jsonb not null default '{}',
  -- The batch that it is lent to, or was completed with.
  batch_id uuid,
  leased_until timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  check ((state = 'staged') = (batch_id is null)),
  check ((state = 'claimed') = (leased_until is not null))
);
-- One of a session and sequence from one author in each layer, however many requests race.
create unique index capture_sequence on memory.capture (team_id, created_by, session_id, sequence, client_id)
  nulls not distinct where sequence is not null;
create index capture_open on memory.capture (team_id, id) where state <> 'completed';
create index capture_own on memory.capture (team_id, created_by, id) where state <> 'completed';
create index capture_count on memory.capture (team_id, state, client_id, leased_until);
create index capture_batch on memory.capture (team_id, batch_id) where batch_id is not null;
create index capture_lease on memory.capture (leased_until) where state = 'claimed';

create table memory.consolidation_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  capture_ids uuid[] not null,
  expires_at timestamptz not null,
  -- Of the complete that was accepted: the same again gets the same results, another is a conflict.
  request_hash bytea,
  results jsonb,
  -- The layers that it wrote to, null for the Team layer: its results are shown to who may still write there.
  layers uuid[],
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  check ((request_hash is null) = (results is null) and (results is null) = (layers is null))
);
create index consolidation_batch_end on memory.consolidation_batch (expires_at);

create table memory.memory_item (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  state text not null check (state in ('review', 'published', 'discarded', 'archived')),
  title text not null,
  content text not null,
  metadata jsonb not null default '{}',
  version int not null default 1,
  source_id uuid,
  capture_ids uuid[] not null,
  -- The memory that this one took the place of, and the one that took the place of this.
  supersedes uuid,
  superseded_by uuid,
  -- Terms of the whole content, to tell memories that say the same: as in chunk_keyword.
  keys int[] not null,
  weights sparsevec(536870912) not null,
  -- The vector that came with an item, until it is decided on.
  embedding halfvec(1024),
  embedding_model text,
  created_by uuid not null,
  decided_by uuid,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (team_id, source_id) references memory.source (team_id, id),
  -- What was ever published has a source, and nothing else has.
  check ((state in ('published', 'archived')) = (source_id is not null)),
  check ((embedding is null) = (embedding_model is null)),
  check (embedding is null or state = 'review')
);
create unique index memory_item_source on memory.memory_item (team_id, source_id) where source_id is not null;
create index memory_item_state on memory.memory_item (team_id, state, id desc);
create index memory_item_layer on memory.memory_item (team_id, state, client_id);
-- Of all states: the planner thinks nothing of a condition on keys, and would rather go by the state.
create index memory_item_keys on memory.memory_item using gin (keys) with (gin_pending_list_limit = 512);

alter table memory.capture enable row level security;
alter table memory.consolidation_batch enable row level security;
alter table memory.memory_item enable row level security;
do $$
declare name text;
begin
  foreach name in array array['capture', 'memory_item'] loop
    execute format('create policy reads on memory.%I for select to memory_service using (
      team_id = (select memory.claimed_team())
      and ((client_id is null and (select memory.reads_team_layer()))
        or client_id = any ((select memory.readable_clients())::uuid[])))', name);
    execute format('create policy writes on memory.%I to memory_service using (
      team_id = (select memory.claimed_team())
      and ((client_id is null and (select memory.writes_team_layer()))
        or client_id = any ((select memory.writable_clients())::uuid[])))', name);
  end loop;
end $$;
create policy own on memory.consolidation_batch to memory_service using (
  team_id = (select memory.claimed_team()) and user_id = (select memory.claimed_user()));
grant select, insert, update on memory.capture, memory.consolidation_batch, memory.memory_item to memory_service;

-- Stages captures again whose lease ran out, of all Teams, at most p_limit.
create function memory.release_captures(p_limit int) returns int
language sql volatile security definer set search_path = memory, pg_temp
begin atomic
  with lapsed as (
    select c.team_id, c.id from memory.capture c
     where c.state = 'claimed' and c.leased_until <= now()
     order by c.leased_until limit p_limit for update skip locked
  ), released as (
    update memory.capture c set state = 'staged', batch_id = null, leased_until = null
      from lapsed l where c.team_id = l.team_id and c.id = l.id returning 1
  )
  select count(*)::int from released;
end;

-- Stages the captures again that a completed batch of the claimed user still holds: also where it writes no more.
create function memory.return_captures(p_batch uuid) returns void
language sql volatile security definer set search_path = memory, pg_temp
begin atomic
  update memory.capture c set state = 'staged', batch_id = null, leased_until = null
    from memory.consolidation_batch b
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.team_id = b.team_id and c.batch_id = b.id and c.state = 'claimed';
end;

-- Removes batches a month after their end: until then a repeated complete finds its answer.
create function memory.prune_consolidation_batches() returns int
language sql volatile security definer set search_path = memory, pg_temp
begin atomic
  with gone as (
    delete from memory.consolidation_batch where expires_at < now() - interval '30 days' returning 1
  )
  select count(*)::int from gone;
end;

-- The published memories of one layer that say most of what a text says, nearest first. Ids and numbers only.
--
-- By meaning, the cosine with the nearest chunk, where both have a vector of the model. Else by words: the share of
-- the text's terms that the memory has too, each by its weight times its idf (as in search_candidates), from 0 to 1.
create function memory.similar_memories(
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
  v_chunks float8;
  v_scale float8;
  v_query sparsevec;
  v_whole float8;
  v_keys int[];
begin
  if v_team is null or not ((p_client is null and memory.reads_team_layer())
                            or coalesce(p_client = any (memory.readable_clients()), false)) then
    return;
  end if;
  select greatest(t.chunks, 1), greatest(t.chunks, 1)::float8 / greatest(t.sampled, 1)
    into v_chunks, v_scale from keyword_team t where t.team_id = v_team;
  v_chunks := coalesce(v_chunks, 1);
  v_scale := coalesce(v_scale, 1);

  select ('{' || string_agg(w.dim || ':' || w.idf, ',' order by w.dim) || '}/536870912')::sparsevec,
         sum(w.idf * w.weight)
    into v_query, v_whole
    from (
      select q.dim, q.weight, ln(1 + (v_chunks - d.df + 0.5) / (d.df + 0.5))::real as idf
        from unnest(p_dims, p_weights) as q (dim, weight)
        left join keyword_df k on k.team_id = v_team and k.space = 'd' and k.term = q.dim
        cross join lateral (select least(coalesce(k.df * v_scale, 0.5), v_chunks) as df) d
    ) w
   where w.idf > 0;

  with estimated as (
    select q.key, coalesce(k.df * v_scale, 0.5) as df
      from unnest(p_keys) as q (key)
      left join keyword_df k on k.team_id = v_team and k.space = 'k' and k.term = q.key
  ), running as (
    select e.key, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
           row_number() over (order by e.df, e.key) as place
      from estimated e
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
    select k.id, -(k.weights <#> v_query) / v_whole as points
      -- The fence, as in search_candidates, has the index of keys answer alone.
      from (select m.team_id, m.client_id, m.id, m.state, m.weights from memory_item m
             where m.keys && v_keys offset 0) k
     where v_query is not null and v_whole > 0
       and k.team_id = v_team and k.client_id is not distinct from p_client and k.state = 'published'
       and not exists (select from by_meaning n where n.id = k.id)
     limit scored_cap
  )
  select a.id, least(a.points, 1)::float8, a.how from (
    select n.id, n.points, 'meaning' as how from by_meaning n where n.points >= least_meaning
    union all
    select w.id, w.points, 'words' from by_words w where w.points >= case when v_chunks < few_chunks then least_words_of_few else least_words end
  ) a order by 2 desc, 1 desc limit p_limit;
end $$;

revoke execute on function memory.release_captures(int), memory.return_captures(uuid),
  memory.prune_consolidation_batches(),
  memory.similar_memories(uuid, halfvec, text, int[], real[], int[], int) from public;
grant execute on function memory.release_captures(int), memory.return_captures(uuid),
  memory.prune_consolidation_batches(),
  memory.similar_memories(uuid, halfvec, text, int[], real[], int[], int) to memory_service;
