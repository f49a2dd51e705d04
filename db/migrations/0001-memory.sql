-- What a Team keeps: sources and their chunks, imports, captures, memories, workspace files, and the audit events of the
-- Company. `team_id` leads the keys of Team data.
--
-- The service connects as the owner of these tables and works as memory_service, which owns nothing. Each transaction sets
-- claims (see db/driver/database.ts). Policies read the claims in a sub-select: once for each statement, not for each row.
-- Row-level security is not forced on the owner, because the SECURITY DEFINER functions must read what the service's role
-- may not. Functions and triggers are in db/functions.

-- In public, also if the owner is called memory and would create it in the schema of that name.
create extension if not exists vector schema public;

grant usage on schema memory to memory_service, memory_worker;
grant select on memory.migration to memory_service;

-- Sources and chunks.

create table memory.source (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  kind text not null check (kind in ('ingest', 'import', 'memory')),
  -- loading: its chunks are being written batch by batch, and nobody can see it yet
  state text not null check (state in ('loading', 'active', 'archived')),
  title text not null,
  uri text,
  external_id text,
  content_hash bytea not null,
  metadata jsonb not null default '{}',
  chunk_count int not null default 0,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
-- In each layer, one active source of a text and one of an external id, however many requests race.
create unique index source_content on memory.source (team_id, client_id, content_hash)
  nulls not distinct where state = 'active' and external_id is null and kind <> 'memory';
create unique index source_external_id on memory.source (team_id, client_id, external_id)
  nulls not distinct where state = 'active' and external_id is not null;
create index source_loading on memory.source (team_id, id) where state = 'loading';

create table memory.chunk (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  source_id uuid not null,
  ordinal int not null,
  text text not null,
  headings text[] not null default '{}',
  -- The first page of the document is 1. Null if the format has no pages.
  page int constraint chunk_page check (page > 0),
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  unique (team_id, source_id, ordinal),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
);
-- The order in which backfill_pending reads the chunks of all Teams.
create index chunk_id on memory.chunk (id);
-- The filters of a search by time and by source are read from this index alone.
create index chunk_created on memory.chunk (team_id, created_at) include (id, source_id, client_id);

-- The keyword terms of a chunk. The service's role inserts them and cannot read them: under row-level security the GIN
-- index would not be used. The search functions take the scope from the claims.
create table memory.chunk_keyword (
  team_id uuid not null,
  client_id uuid,
  chunk_id uuid not null,
  keys int[] storage main not null,
  weights sparsevec(536870912) storage main not null,
  primary key (team_id, chunk_id),
  foreign key (team_id, chunk_id) references memory.chunk (team_id, id) on delete cascade
-- Rows of some 3 kB stay uncompressed: decompressing the weights took three quarters of the time of scoring them.
) with (toast_tuple_target = 8160);
-- Every search reads the entries that are not yet merged, and the writer that fills the list merges it. So it is short.
create index chunk_keyword_keys on memory.chunk_keyword using gin (keys) with (gin_pending_list_limit = 512);
-- By layer, and by id within it: the order in which a common word is looked for.
create index chunk_keyword_layer on memory.chunk_keyword (team_id, client_id, chunk_id);
-- The sample for document frequencies takes chunks in an order that is independent of their age.
create index chunk_keyword_sample on memory.chunk_keyword (team_id, client_id, uuid_hash(chunk_id));

create table memory.chunk_embedding (
  team_id uuid not null,
  client_id uuid,
  chunk_id uuid not null,
  model text not null,
  -- Of unit length. Both columns are stored plain: a scan spends its time on detoasting, not on arithmetic, and from a row
  -- of more than 2 kB every column that can be moved out is moved out.
  embedding halfvec(1024) storage plain not null,
  signs bit(1024) storage plain not null generated always as (binary_quantize(embedding)::bit(1024)) stored,
  primary key (team_id, chunk_id, model),
  foreign key (team_id, chunk_id) references memory.chunk (team_id, id) on delete cascade
);
-- Has every column that the scan of a large Team's signs reads, in a tenth of the bytes of the rows.
create index chunk_embedding_signs on memory.chunk_embedding (team_id, model, client_id)
  include (chunk_id, signs);

-- Chunks without a vector of the service's model, and who is making one.
create table memory.embedding_pending (
  team_id uuid not null,
  client_id uuid,
  chunk_id uuid not null,
  batch_id uuid,
  leased_until timestamptz,
  -- Set if the model gave no vector for a chunk, so that the chunk does not block others. Tried again after a day.
  refused_at timestamptz,
  primary key (team_id, chunk_id),
  foreign key (team_id, chunk_id) references memory.chunk (team_id, id) on delete cascade
);
create index embedding_pending_batch on memory.embedding_pending (team_id, batch_id) where batch_id is not null;
-- The pending chunks of one layer, the newest last. Jobs start with the newest, and find layers by skipping through it.
create index embedding_pending_layer on memory.embedding_pending (team_id, client_id, chunk_id);

create table memory.embedding_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  chunk_ids uuid[] not null,
  expires_at timestamptz not null,
  -- Of the complete that was accepted: the same request again gets the same answer, a different one is a conflict.
  request_hash bytea,
  embedded int,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);

-- The model of the vectors. Another model makes chunks pending again, in a job: see backfill_pending.
create table memory.deployment (
  only_row boolean primary key default true check (only_row),
  embedding_model text not null,
  adopted_at timestamptz not null default now(),
  -- When every chunk was last checked for a vector of the model.
  swept_at timestamptz,
  -- When the last vector of an earlier model was deleted.
  vectors_pruned_at timestamptz
);

-- How common each word is. Each layer is counted separately, and a search sums the layers of its claims: nothing outside
-- of its scope can change a score, a rank or an explanation.

create table memory.keyword_team (
  team_id uuid not null primary key,
  -- The sums of all counted layers, for readers of all of them: see weigh_query. end_layer_counts writes them.
  chunks int not null default 0,
  sampled int not null default 0,
  counted_at timestamptz,
  scales sparsevec(16000) storage main,
  -- The clients of these layers, null for the Team layer, and the number of layers.
  layers uuid[] not null default '{}',
  layer_count int not null default 0
);

-- The counts of one layer in one row: in how many chunks of a sample each term occurs, for the dimensions of the weights
-- and for the keys. Terms ascend.
create table memory.keyword_layer (
  team_id uuid not null references memory.keyword_team (team_id) on delete cascade,
  client_id uuid,
  -- The index of its counts in the vectors of keyword_df. A layer keeps its place as long as it is counted, so that the sum
  -- of some layers does not depend on the others. 16,000 layers have a place.
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

-- The same counts by term, for searches: decompressing the row of each layer took longer than all the rest of weighing. The
-- vector of a term has its count in each layer at the layer's place; its product with the scales of some layers is their
-- sum. space: 'd' a dimension of the weights, 'k' a key.
--
-- No foreign key: a hundred thousand rows are replaced at once, and checking it took two thirds of the time of counting.
-- They are deleted with the Team's row in keyword_team: see forget_term_counts.
create table memory.keyword_df (
  team_id uuid not null,
  space "char" not null check (space in ('d', 'k')),
  term int not null,
  counts sparsevec(16000) storage main not null,
  primary key (team_id, space, term)
) with (fillfactor = 80);

-- Imports and workers.

create table memory.import (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  state text not null check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  filename text not null,
  title text not null,
  media_type text not null,
  bytes int not null,
  sha256 bytea,
  attempts int not null default 0,
  progress_stage text check (progress_stage in ('reading', 'cutting', 'storing')),
  progress_percent smallint check (progress_percent between 0 and 100),
  error_code text,
  error_message text,
  source_id uuid,
  -- When its file was deleted. Null while it is kept.
  payload_pruned_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index import_by_state on memory.import (team_id, state, id desc);
create index import_failed on memory.import (team_id, client_id, id desc) where state = 'failed';
-- Failed imports of all Teams, in the order in which their files expire.
create index import_kept_files on memory.import (updated_at) where state = 'failed' and payload_pruned_at is null;

-- The file itself, in a table of its own so that lists of imports never read it. Deleted when the import is completed. Stored
-- in parts: the embedded database answers nothing else while one statement carries bytes, and 31 MiB took half a second.
create table memory.import_payload (
  team_id uuid not null,
  client_id uuid,
  import_id uuid not null,
  part int not null default 0 check (part >= 0),
  content bytea not null,
  primary key (team_id, import_id, part),
  foreign key (team_id, import_id) references memory.import (team_id, id) on delete cascade
);

-- The workers that run, as they report themselves. No tenant's data.
create table memory.worker (
  id uuid primary key,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  queues text[] not null,
  rss_bytes bigint not null,
  -- The state of the worker's model: {"state", "chunksPerMinute", …}. Null if the worker makes no vectors.
  embedder jsonb
);

-- How the jobs of each queue ended, as reported by all workers. No tenant's data.
create table memory.job_tally (
  queue text not null,
  outcome text not null check (outcome in ('completed', 'failed', 'lost', 'given_back')),
  jobs bigint not null,
  -- How long they took in total, and how many took no longer than each bound in shared/job-outcomes.ts and longer than the
  -- bound before it. The last number counts those beyond all bounds.
  seconds float8 not null,
  durations bigint[] not null,
  primary key (queue, outcome)
);

-- The audit and repeated requests.

-- Audit events outlive their subjects, so they have no foreign keys. They are append-only: the service's role cannot change
-- them, and triggers refuse a change by anyone else.
create table memory.audit_event (
  company_id uuid not null,
  id uuid not null,
  kind text not null,
  actor_id uuid not null,
  team_id uuid,
  client_id uuid,
  layer text check (layer in ('team', 'client')),
  subject_type text not null,
  subject_id uuid,
  detail jsonb not null default '{}',
  at timestamptz not null default now(),
  primary key (company_id, id)
);
create index audit_event_team on memory.audit_event (company_id, team_id, id desc);
create index audit_event_kind on memory.audit_event (company_id, kind, id desc);
create index audit_event_subject on memory.audit_event (company_id, subject_id, id desc);

-- One chain of hashes over the audit events of a Company. Events are plain inserts that wait for nothing; the worker seals
-- them afterwards, one after the other.
create table memory.audit_seal (
  company_id uuid not null,
  -- From 1, without a gap.
  sequence bigint not null check (sequence > 0),
  event_id uuid not null,
  -- SHA-256 over the hash of the seal before, nothing for the first, and the event: see audit_hash.
  hash bytea not null,
  sealed_at timestamptz not null default now(),
  primary key (company_id, sequence),
  unique (company_id, event_id)
);

-- Events that wait for their seal. Searching for events without a seal would take longer with every event, and an event that
-- is committed late has an older id than events that are sealed already.
create table memory.audit_unsealed (
  company_id uuid not null,
  event_id uuid not null,
  primary key (company_id, event_id)
);

-- The first answer for each Idempotency-Key, written in the transaction of its change.
create table memory.idempotency_key (
  team_id uuid not null,
  user_id uuid not null,
  route text not null,
  key_hash bytea not null,
  body_hash bytea not null,
  status int not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (team_id, user_id, route, key_hash)
);
create index idempotency_key_age on memory.idempotency_key (created_at);

-- Captures and memories: captures are staged, claimed in batches and made into memories, which are reviewed, published as
-- sources, changed and archived.

-- A summarised block of a session. No search finds it.
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
  -- The batch that has claimed or completed it.
  batch_id uuid,
  leased_until timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  check ((state = 'staged') = (batch_id is null)),
  check ((state = 'claimed') = (leased_until is not null))
);
-- In each layer, one capture of a session and sequence by one author, however many requests race.
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
  -- Of the complete that was accepted: the same request again gets the same results, a different one is a conflict.
  request_hash bytea,
  results jsonb,
  -- The layers that it wrote to, null for the Team layer. Its results are shown to callers who can still write there.
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
  -- The memory that this one replaced, and the memory that replaced this one.
  supersedes uuid,
  superseded_by uuid,
  -- The terms of the whole content, to find memories that say the same. As in chunk_keyword.
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
  -- A memory has a source if and only if it has been published.
  check ((state in ('published', 'archived')) = (source_id is not null)),
  check ((embedding is null) = (embedding_model is null)),
  check (embedding is null or state = 'review')
);
create unique index memory_item_source on memory.memory_item (team_id, source_id) where source_id is not null;
create index memory_item_state on memory.memory_item (team_id, state, id desc);
create index memory_item_layer on memory.memory_item (team_id, state, client_id);
-- Over all states: the planner does not estimate a condition on keys, and would prefer an index by state.
create index memory_item_keys on memory.memory_item using gin (keys) with (gin_pending_list_limit = 512);

-- Workspace files: each content once in a Company, and every version of every path that refers to it.

-- A content by its own SHA-256. Written before the versions that refer to it, so for some time nothing may refer to it.
create table memory.workspace_blob (
  company_id uuid not null,
  sha256 bytea not null check (length(sha256) = 32),
  bytes int not null,
  content bytea not null,
  -- When it was written, or a version of it was deleted: since then nothing may refer to it. Null once checked.
  waiting_since timestamptz default now(),
  primary key (company_id, sha256)
);
create index workspace_blob_waiting on memory.workspace_blob (waiting_since) where waiting_since is not null;

-- The revision of a Team's workspace. Every push locks its row until the push is committed, so a reader who sees a revision
-- sees everything before it.
create table memory.workspace_team (
  team_id uuid not null primary key,
  revision bigint not null
);

create table memory.workspace_version (
  team_id uuid not null,
  id uuid not null,
  -- The Company of the content.
  company_id uuid not null,
  client_id uuid,
  -- The client, or the Team for its own layer: an index can look it up, and cannot look up `is not distinct from`.
  layer_id uuid not null generated always as (coalesce(client_id, team_id)) stored,
  -- The same for all versions of a path.
  file_id uuid not null,
  -- Within the layer. C: ordered by bytes, whatever the order of the database.
  path text collate "C" not null,
  -- The path in lower case, with U+0001 for each slash: the files of a folder follow the name of the folder.
  folded text collate "C" not null,
  -- Its beginning, because an index accepts at most 2,704 bytes a row. It is a column because row-level security does not use
  -- an index over an expression: `left` is not leakproof.
  folded_start text collate "C" not null generated always as (left(folded, 500)) stored,
  version int not null check (version > 0),
  revision bigint not null,
  -- The revision that brought the next version. Null: this is the current version.
  until_revision bigint,
  -- Of a current version: the order of the manifest of a layer. The manifest of a Team is ordered by the revision itself; see
  -- the indexes.
  current_revision bigint generated always as (case when until_revision is null then revision end) stored,
  -- Null: the file is deleted.
  sha256 bytea,
  bytes int not null,
  updated_by uuid not null,
  updated_at timestamptz not null default now(),
  superseded_at timestamptz,
  primary key (team_id, id),
  unique (path, layer_id, team_id, version),
  -- A content cannot be deleted while a version refers to it.
  foreign key (company_id, sha256) references memory.workspace_blob (company_id, sha256),
  check ((until_revision is null) = (superseded_at is null)),
  check (until_revision > revision),
  check (sha256 is not null or bytes = 0)
);
-- No two indexes of this table serve the same conditions. Without statistics, as after a first sync and always in the embedded
-- database, a planner expects one row for all current versions of a layer, and would read it by any of them.
create unique index workspace_version_current on memory.workspace_version (path, layer_id, team_id)
  where until_revision is null;
-- The manifest of current versions, newest first: by layer for readers of few layers, else by Team. And of the versions that
-- were current when its first page was read.
create index workspace_version_revision on memory.workspace_version (team_id, layer_id, current_revision, id)
  where current_revision is not null;
create index workspace_version_team_revision on memory.workspace_version (team_id, revision, id)
  where current_revision is not null;
create index workspace_version_until on memory.workspace_version (team_id, until_revision)
  where until_revision is not null;
-- Has the beginning of a long path; a query compares the rest.
create index workspace_version_folded on memory.workspace_version (team_id, layer_id, folded_start)
  where until_revision is null and sha256 is not null;
-- Includes the layer, which decides who can read it: one content can have a hundred thousand versions that a caller cannot
-- read.
create index workspace_version_content on memory.workspace_version (company_id, sha256, team_id, client_id)
  where sha256 is not null;
-- The order in which pruning reads the versions of all Teams.
create index workspace_version_superseded on memory.workspace_version (id) where until_revision is not null;

-- How many sources, chunks, pending chunks, imports, captures and memories a layer has, without counting them for each
-- status. Each row is a change, and a reader sums them: so writers never wait for each other, and a sum is true at its moment.
-- Changes are folded into their sums now and then. Only triggers write here.
create table memory.layer_tally (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  client_id uuid,
  -- sources, chunks, pending, imports, captures or memories. pending counts embedding_pending, including loading sources.
  part text not null,
  -- The state, except for chunks and pending, and the kind of sources. A loading source and its chunks are not counted.
  state text,
  kind text,
  n int not null,
  primary key (team_id, id)
);
create index layer_tally_layer on memory.layer_tally (team_id, client_id);

-- Row-level security.

do $$
declare
  name text;
begin
  foreach name in array array['source', 'chunk', 'chunk_keyword', 'chunk_embedding', 'embedding_pending',
      'embedding_batch', 'keyword_team', 'keyword_layer', 'keyword_df', 'import', 'import_payload', 'audit_event',
      'audit_seal', 'audit_unsealed', 'idempotency_key', 'capture', 'consolidation_batch', 'memory_item',
      'workspace_blob', 'workspace_team', 'workspace_version', 'layer_tally'] loop
    execute format('alter table memory.%I enable row level security', name);
  end loop;
  -- Rows of a layer are read by callers who can read the layer.
  foreach name in array array['source', 'chunk', 'embedding_pending', 'import', 'capture', 'memory_item',
      'workspace_version'] loop
    execute format('create policy reads on memory.%I for select to memory_service using (
      team_id = (select memory.claimed_team())
      and ((client_id is null and (select memory.reads_team_layer()))
        or client_id = any ((select memory.readable_clients())::uuid[])))', name);
  end loop;
  -- And written by callers who can write to it.
  foreach name in array array['source', 'chunk', 'embedding_pending', 'import', 'import_payload', 'capture',
      'memory_item'] loop
    execute format('create policy writes on memory.%I to memory_service using (
      team_id = (select memory.claimed_team())
      and ((client_id is null and (select memory.writes_team_layer()))
        or client_id = any ((select memory.writable_clients())::uuid[])))', name);
  end loop;
  -- These are inserted by the service's role and read by functions only.
  foreach name in array array['chunk_keyword', 'chunk_embedding'] loop
    execute format('create policy writes on memory.%I for insert to memory_service with check (
      team_id = (select memory.claimed_team())
      and ((client_id is null and (select memory.writes_team_layer()))
        or client_id = any ((select memory.writable_clients())::uuid[])))', name);
  end loop;
  -- Rows of the caller in the Team.
  foreach name in array array['embedding_batch', 'consolidation_batch', 'idempotency_key'] loop
    execute format('create policy own on memory.%I to memory_service using (
      team_id = (select memory.claimed_team()) and user_id = (select memory.claimed_user()))', name);
  end loop;
  -- Rows of the Team without a layer.
  foreach name in array array['keyword_team', 'keyword_layer', 'keyword_df', 'workspace_team'] loop
    execute format('create policy team on memory.%I to memory_service using (
      team_id = (select memory.claimed_team()))', name);
  end loop;
end $$;

create policy writes on memory.workspace_version to memory_service using (
  team_id = (select memory.claimed_team()) and company_id = (select memory.claimed_company())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
-- A content is read by callers who can read a version of it: the policy of the versions applies within this one.
create policy reads on memory.workspace_blob for select to memory_service using (
  company_id = (select memory.claimed_company())
  and exists (select from memory.workspace_version v
               where v.company_id = workspace_blob.company_id and v.sha256 = workspace_blob.sha256
                 and v.team_id = (select memory.claimed_team())));
create policy appends on memory.audit_event for insert to memory_service with check (
  company_id = (select memory.claimed_company()) and actor_id = (select memory.claimed_user())
  and (team_id is null or (select memory.claimed_team()) is null or team_id = (select memory.claimed_team())));
-- Within a Team, an event about something in a layer is shown to readers of that layer. In the Company, outside of any Team,
-- its Owners read all events.
create policy reads on memory.audit_event for select to memory_service using (
  company_id = (select memory.claimed_company())
  and ((select memory.claimed_team()) is null
    or (team_id = (select memory.claimed_team())
      and (layer is null or (layer = 'team' and (select memory.reads_team_layer()))
        or client_id = any ((select memory.readable_clients())::uuid[])))));

-- What the roles may do. audit_seal, audit_unsealed, keyword_layer, keyword_df and layer_tally are for functions only.

grant select, insert, update, delete on memory.source, memory.chunk, memory.embedding_pending, memory.embedding_batch,
  memory.import, memory.import_payload to memory_service;
grant select, insert, update on memory.capture, memory.consolidation_batch, memory.memory_item to memory_service;
grant insert on memory.chunk_keyword, memory.chunk_embedding, memory.keyword_team to memory_service;
grant select, insert on memory.audit_event to memory_service;
grant select, insert, delete on memory.idempotency_key to memory_service;
-- A version stays as it was written. Only a later version ends it.
grant select, insert, update (until_revision, superseded_at) on memory.workspace_version to memory_service;
grant select, insert, update (revision) on memory.workspace_team to memory_service;
grant select on memory.workspace_blob, memory.worker, memory.job_tally to memory_service;
grant insert, update, delete on memory.worker to memory_worker;
grant insert, update on memory.job_tally to memory_worker;
