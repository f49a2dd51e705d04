-- Every record of a Team has a layer_id that is never null: the id of the Team for the Team layer, or that of a client.
-- It takes the place of client_id, which was null for the Team layer. Each table is written once, with its indexes. That
-- needs as much free space as the tables have, and about a minute for 100,000 passages.

-- The layers of a Team. Triggers add them with the Team and with each client: see db/functions/identity/add-layer.sql.
create table identity.layer (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  primary key (team_id, id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade
);
alter table identity.layer enable row level security;
insert into identity.layer (company_id, team_id, id)
  select t.company_id, t.id, t.id from identity.team t
  union all select c.company_id, c.team_id, c.id from identity.client c;

-- Graphs of vectors would take hours to be written again. The job graphs.build makes them after the start.
do $$
declare
  graph text;
begin
  for graph in select indexname from pg_indexes
                where schemaname = 'memory' and tablename = 'chunk_embedding' and indexdef like '% USING hnsw %' loop
    execute format('drop index memory.%I', graph);
  end loop;
end $$;

-- Triggers that read or write client_id, so that migrations after this one can change rows. They are in db/functions.
do $$
declare
  former record;
begin
  for former in select t.tgname, t.tgrelid::regclass as on_table from pg_trigger t
                 where t.tgfoid::regproc::text in ('memory.tally_sources', 'memory.tally_states', 'memory.tally_pending',
                         'memory.fold_layers', 'memory.record_version') loop
    execute format('drop trigger if exists %I on %s', former.tgname, former.on_table);
  end loop;
end $$;

drop index memory.capture_sequence;
drop index memory.source_content;
drop index memory.source_external_id;
alter table memory.source drop constraint source_team_id_client_id_fkey;
alter table memory.import drop constraint import_team_id_client_id_fkey;
alter table memory.keyword_layer drop constraint keyword_layer_team_id_client_id_key;

do $$
declare
  policy record;
  name text;
begin
  for policy in select p.policyname, p.tablename from pg_policies p
                 where p.schemaname = 'memory' and concat(p.qual, p.with_check) like '%client_id%' loop
    execute format('drop policy %I on memory.%I', policy.policyname, policy.tablename);
  end loop;
  foreach name in array array['source', 'chunk', 'chunk_keyword', 'chunk_embedding', 'embedding_pending', 'source_sketch',
      'kept_source', 'import', 'import_payload', 'capture', 'memory_item', 'memory_version', 'keyword_layer',
      'layer_tally'] loop
    execute format('alter table memory.%I alter column client_id type uuid using coalesce(client_id, team_id),
                      alter column client_id set not null', name);
    execute format('alter table memory.%I rename column client_id to layer_id', name);
  end loop;
end $$;

-- Files had both columns.
drop index memory.workspace_version_content;
alter table memory.workspace_version alter column layer_id drop expression;
alter table memory.workspace_version drop column client_id;
create index workspace_version_content on memory.workspace_version (company_id, sha256, team_id, layer_id)
  where sha256 is not null;

update memory.keyword_team set layers = array_replace(layers, null, team_id) where array_position(layers, null) is not null;
update memory.consolidation_batch set layers = array_replace(layers, null, team_id)
 where array_position(layers, null) is not null;

alter table memory.source add foreign key (team_id, layer_id) references identity.layer (team_id, id);
alter table memory.import add foreign key (team_id, layer_id) references identity.layer (team_id, id);
alter table memory.keyword_layer add primary key (team_id, layer_id);
create unique index source_content on memory.source (team_id, layer_id, content_hash)
  where state = 'active' and external_id is null and same_as is null and kind not in ('memory', 'file');
create unique index source_external_id on memory.source (team_id, layer_id, external_id)
  where state = 'active' and external_id is not null;
create unique index capture_sequence on memory.capture (team_id, created_by, session_id, sequence, layer_id)
  where sequence is not null;

do $$
declare
  name text;
begin
  foreach name in array array['source', 'chunk', 'embedding_pending', 'import', 'capture', 'memory_item', 'memory_version',
      'workspace_version'] loop
    execute format('create policy reads on memory.%I for select to memory_service
      using (team_id = (select memory.claimed_team()) and layer_id = any ((select memory.readable_layers())::uuid[]))', name);
  end loop;
  foreach name in array array['source', 'chunk', 'embedding_pending', 'import', 'import_payload', 'capture',
      'memory_item', 'memory_version', 'source_sketch'] loop
    execute format('create policy writes on memory.%I to memory_service
      using (team_id = (select memory.claimed_team()) and layer_id = any ((select memory.writable_layers())::uuid[]))', name);
  end loop;
  foreach name in array array['chunk_keyword', 'chunk_embedding'] loop
    execute format('create policy writes on memory.%I for insert to memory_service with check
      (team_id = (select memory.claimed_team()) and layer_id = any ((select memory.writable_layers())::uuid[]))', name);
  end loop;
end $$;
create policy writes on memory.workspace_version to memory_service using (
  team_id = (select memory.claimed_team()) and company_id = (select memory.claimed_company())
  and layer_id = any ((select memory.writable_layers())::uuid[]));
create policy settles on memory.feedback for update to memory_service using (
  team_id = (select memory.claimed_team())
  and exists (select from memory.source s
               where s.team_id = feedback.team_id and s.id = feedback.source_id
                 and (feedback.created_by = (select memory.claimed_user())
                   or s.layer_id = any ((select memory.writable_layers())::uuid[]))));
-- An event keeps its layer as it is shown: the kind of the layer, and the client.
create policy reads on memory.audit_event for select to memory_service using (
  company_id = (select memory.claimed_company())
  and ((select memory.claimed_team()) is null
    or (team_id = (select memory.claimed_team())
      and (layer is null or coalesce(client_id, team_id) = any ((select memory.readable_layers())::uuid[])))));

-- Jobs that wait for a worker.
do $$
begin
  if to_regclass('pgboss.job') is not null then
    update pgboss.job
       set data = data - 'clientId' || jsonb_build_object('layerId', coalesce(data ->> 'clientId', data ->> 'teamId'))
     where data ? 'clientId' and state <> 'completed';
  end if;
end $$;

-- Functions that have other arguments, names of arguments or results now. They are in db/functions.
drop function if exists memory.lock_held_captures(uuid);
drop function if exists memory.layers_without_vectors();
drop function if exists memory.due_layers();
drop function if exists memory.move_memory(uuid, uuid);
drop function if exists memory.move_source(uuid, uuid);
drop function if exists memory.sketch_source(uuid, uuid, int[], bytea, int);
drop function if exists memory.add_guesses(public.sparsevec, record, boolean, uuid[], int[], int[], int[], int[], float8,
  record, int);
drop function if exists memory.guessed_chunks(boolean, uuid[], int[], int[], int[], int[], float8, record);
drop function if exists memory.keyword_candidates(boolean, uuid[], public.sparsevec, int[], float8[], float8[], int[],
  float8, record, int);
drop function if exists memory.readable_counts(boolean, uuid[]);
drop function if exists memory.score_by_key_and_layer(boolean, uuid[], public.sparsevec, int[], int[], uuid[], uuid[],
  uuid[], int, int);
drop function if exists memory.score_by_key(boolean, uuid[], public.sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int);
drop function if exists memory.score_one_by_one(boolean, uuid[], public.sparsevec, int[], uuid[], uuid[], int, int);
drop function if exists memory.score_pass(boolean, uuid[], public.sparsevec, int[], int[], uuid[], record, float8, float8,
  boolean, int, int);
drop function if exists memory.weigh_query(boolean, uuid[], int[], real[], real[], int[], boolean);
drop function if exists memory.graph_serves(boolean, uuid[], text);
drop function if exists memory.nearest_by_graph(boolean, uuid[], public.halfvec, text, record, int);
drop function if exists memory.nearest_by_signs(boolean, uuid[], public.halfvec, text, record, int, float8);
drop function if exists memory.nearest_in_full(boolean, uuid[], public.halfvec, text, record, int);
drop function if exists memory.similar_memories(uuid, uuid, public.halfvec, text, int[], real[], int[], int, uuid);
drop function if exists memory.count_pending(uuid[], uuid[]);
drop function if exists memory.fold_layer(uuid, uuid);
drop function if exists memory.end_layer_counts(uuid, int, int, int, int, int[], bytea, bytea, int, int);
drop function if exists memory.lock_layer_counts(uuid, int);
drop function if exists memory.sample_changes(uuid, int);
drop function if exists memory.stale_layers();
drop function if exists memory.file_sources(int);
drop function if exists memory.queue_files(uuid, text[], int);
