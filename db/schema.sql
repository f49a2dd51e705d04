-- What the migrations and db/functions make, as the catalog tells it: the schemas memory and identity. To be read and
-- compared, not to be run. Made by: npm run generate

create extension if not exists vector schema public;

grant usage on schema identity to memory_service, memory_worker;
grant usage on schema memory to memory_service, memory_worker;

create type memory.origin as enum ('outside', 'agent', 'file', 'person');

create table identity.access_request (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  team_id uuid not null,
  access text not null,
  reason text,
  state text default 'open'::text not null,
  decided_by uuid,
  created_at timestamp with time zone default now() not null,
  constraint access_request_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text]))),
  constraint access_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'denied'::text]))),
  constraint access_request_pkey PRIMARY KEY (company_id, id, team_id)
);
CREATE UNIQUE INDEX access_request_open ON identity.access_request USING btree (company_id, user_id, team_id) WHERE (state = 'open'::text);
alter table identity.access_request enable row level security;

create table identity.account (
  company_id uuid not null,
  id uuid not null,
  email text,
  name text not null,
  role text not null,
  password_hash text,
  is_principal boolean default false not null,
  closed_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  erased_at timestamp with time zone,
  signed_in_at timestamp with time zone,
  name_key text collate "C" generated always as (lower(upper((NORMALIZE(name, NFC) COLLATE pg_c_utf8)))) stored,
  verified_at timestamp with time zone,
  constraint account_email_check CHECK ((email = lower(email))),
  constraint account_erased CHECK (
CASE
    WHEN (erased_at IS NULL) THEN (email IS NOT NULL)
    ELSE ((closed_at IS NOT NULL) AND (email IS NULL) AND (password_hash IS NULL))
END),
  constraint account_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint account_pkey PRIMARY KEY (company_id, id),
  constraint account_id_key UNIQUE (id)
);
CREATE UNIQUE INDEX account_email ON identity.account USING btree (email, company_id) WHERE (closed_at IS NULL);
CREATE UNIQUE INDEX account_principal ON identity.account USING btree (is_principal) WHERE is_principal;
alter table identity.account enable row level security;

create table identity.agent_token (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  name text not null,
  permissions text[] not null,
  client_ids uuid[],
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_from text,
  constraint agent_token_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX agent_token_company ON identity.agent_token USING btree (company_id, id DESC);
CREATE INDEX agent_token_user ON identity.agent_token USING btree (company_id, user_id, id DESC);
alter table identity.agent_token enable row level security;

create table identity.agent_token_secret (
  company_id uuid not null,
  team_id uuid not null,
  token_id uuid not null,
  lookup_id text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  ends_at timestamp with time zone,
  constraint agent_token_secret_pkey PRIMARY KEY (team_id, token_id, lookup_id)
);
CREATE INDEX agent_token_secret_end ON identity.agent_token_secret USING btree (ends_at) WHERE (ends_at IS NOT NULL);
CREATE UNIQUE INDEX agent_token_secret_lookup ON identity.agent_token_secret USING btree (lookup_id);
alter table identity.agent_token_secret enable row level security;

create table identity.caller_change (
  company_id uuid not null,
  user_id uuid not null,
  "position" pg_lsn not null,
  constraint caller_change_pkey PRIMARY KEY (company_id, user_id)
) with (fillfactor=50);
alter table identity.caller_change enable row level security;

create table identity.client (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  name text not null,
  state text default 'active'::text not null,
  created_at timestamp with time zone default now() not null,
  folded_name text not null,
  constraint client_state_check CHECK ((state = ANY (ARRAY['active'::text, 'archived'::text]))),
  constraint client_pkey PRIMARY KEY (team_id, id)
);
CREATE UNIQUE INDEX client_folded_name ON identity.client USING btree (team_id, folded_name) WHERE (state = 'active'::text);
alter table identity.client enable row level security;

create table identity.client_grant (
  company_id uuid not null,
  team_id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  id uuid default identity.new_id() not null,
  access text not null,
  created_at timestamp with time zone default now() not null,
  constraint client_grant_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text]))),
  constraint client_grant_pkey PRIMARY KEY (team_id, client_id, user_id)
);
CREATE INDEX client_grant_user ON identity.client_grant USING btree (team_id, user_id);
alter table identity.client_grant enable row level security;

create table identity.company (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  constraint company_pkey PRIMARY KEY (id)
);
alter table identity.company enable row level security;

create table identity.company_grant (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  id uuid default identity.new_id() not null,
  access text not null,
  created_at timestamp with time zone default now() not null,
  constraint company_grant_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text]))),
  constraint company_grant_pkey PRIMARY KEY (company_id, team_id, user_id)
);
CREATE INDEX company_grant_user ON identity.company_grant USING btree (company_id, user_id);
alter table identity.company_grant enable row level security;

create unlogged table identity.failed_password (
  key bytea not null,
  at timestamp with time zone[] not null,
  refused boolean default false not null,
  constraint failed_password_pkey PRIMARY KEY (key)
);

create table identity.invite (
  company_id uuid not null,
  id uuid not null,
  team_id uuid,
  email text not null,
  role text not null,
  grants jsonb default '[]'::jsonb not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint invite_email_check CHECK ((email = lower(email))),
  constraint invite_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint invite_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX invite_creator ON identity.invite USING btree (company_id, created_by) WHERE ((used_at IS NULL) AND (revoked_at IS NULL));
CREATE UNIQUE INDEX invite_open ON identity.invite USING btree (company_id, team_id, email) NULLS NOT DISTINCT WHERE ((used_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX invite_team ON identity.invite USING btree (company_id, team_id, id DESC);
CREATE UNIQUE INDEX invite_token ON identity.invite USING btree (token_hash);
alter table identity.invite enable row level security;

create table identity.layer (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  constraint layer_pkey PRIMARY KEY (team_id, id)
);
alter table identity.layer enable row level security;

create table identity.mail (
  company_id uuid not null,
  id uuid not null,
  kind text not null,
  cause_id uuid not null,
  address_hash bytea not null,
  state text default 'queued'::text not null,
  open_sends integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  constraint mail_kind_check CHECK ((kind = ANY (ARRAY['invite'::text, 'invitation'::text, 'reset'::text, 'token_expiry'::text, 'test'::text]))),
  constraint mail_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'ended'::text]))),
  constraint mail_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX mail_address ON identity.mail USING btree (company_id, address_hash, created_at);
CREATE INDEX mail_cause ON identity.mail USING btree (company_id, cause_id, id DESC);
CREATE INDEX mail_time ON identity.mail USING btree (created_at);
alter table identity.mail enable row level security;

create table identity.mailed_token (
  company_id uuid not null,
  id uuid not null,
  invite_id uuid not null,
  token_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  constraint mailed_token_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX mailed_token_hash ON identity.mailed_token USING btree (token_hash);
CREATE INDEX mailed_token_invite ON identity.mailed_token USING btree (company_id, invite_id);
alter table identity.mailed_token enable row level security;

create unlogged table identity.request_count (
  key bytea not null,
  ends_at timestamp with time zone not null,
  requests integer not null,
  constraint request_count_pkey PRIMARY KEY (key)
);
CREATE INDEX request_count_end ON identity.request_count USING btree (ends_at);

create table identity.reset_link (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  is_mailed boolean default false not null,
  is_asked_for boolean default false not null,
  constraint reset_link_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX reset_link_token ON identity.reset_link USING btree (token_hash);
CREATE INDEX reset_link_user ON identity.reset_link USING btree (company_id, user_id);
alter table identity.reset_link enable row level security;

create table identity.reset_request (
  id uuid not null,
  address_hash bytea not null,
  email text,
  open_sends integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  constraint reset_request_email_check CHECK ((email = lower(email))),
  constraint reset_request_pkey PRIMARY KEY (id)
);
CREATE INDEX reset_request_address ON identity.reset_request USING btree (address_hash, created_at);
CREATE INDEX reset_request_time ON identity.reset_request USING btree (created_at);

create table identity.session (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  user_agent text,
  created_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  constraint session_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX session_token ON identity.session USING btree (token_hash);
CREATE INDEX session_user_id ON identity.session USING btree (company_id, user_id);
alter table identity.session enable row level security;

create table identity.team (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  state text default 'active'::text not null,
  created_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  publish text default 'anyone'::text not null,
  redaction text,
  folded_name text not null,
  quota_set boolean default false not null,
  quota_chunks bigint,
  quota_bytes bigint,
  constraint team_publish_check CHECK ((publish = ANY (ARRAY['anyone'::text, 'review'::text]))),
  constraint team_quota_bytes_check CHECK ((quota_bytes >= 0)),
  constraint team_quota_chunks_check CHECK ((quota_chunks >= 0)),
  constraint team_redaction_check CHECK ((redaction = ANY (ARRAY['off'::text, 'flag'::text, 'redact'::text, 'refuse'::text]))),
  constraint team_state_check CHECK ((state = ANY (ARRAY['active'::text, 'archived'::text]))),
  constraint team_pkey PRIMARY KEY (company_id, id),
  constraint team_id_key UNIQUE (id)
);
CREATE UNIQUE INDEX team_folded_name ON identity.team USING btree (company_id, folded_name) WHERE (deleted_at IS NULL);
alter table identity.team enable row level security;

create table identity.team_member (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  id uuid default identity.new_id() not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  constraint team_member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint team_member_pkey PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_member_user ON identity.team_member USING btree (company_id, user_id);
alter table identity.team_member enable row level security;

create table identity.team_withdrawal (
  company_id uuid not null,
  team_id uuid not null,
  "position" pg_lsn not null,
  constraint team_withdrawal_pkey PRIMARY KEY (team_id)
) with (fillfactor=50);
alter table identity.team_withdrawal enable row level security;

create table memory.audit_event (
  company_id uuid not null,
  id uuid not null,
  kind text not null,
  actor_id uuid not null,
  team_id uuid,
  client_id uuid,
  layer text,
  subject_type text not null,
  subject_id uuid,
  detail jsonb default '{}'::jsonb not null,
  at timestamp with time zone default now() not null,
  token_id uuid default memory.claimed_token(),
  constraint audit_event_layer_check CHECK ((layer = ANY (ARRAY['team'::text, 'client'::text]))),
  constraint audit_event_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX audit_event_actor ON memory.audit_event USING btree (company_id, actor_id, id DESC);
CREATE INDEX audit_event_kind ON memory.audit_event USING btree (company_id, kind, id DESC);
CREATE INDEX audit_event_subject ON memory.audit_event USING btree (company_id, subject_id, id DESC);
CREATE INDEX audit_event_team ON memory.audit_event USING btree (company_id, team_id, id DESC);
alter table memory.audit_event enable row level security;

create table memory.audit_seal (
  company_id uuid not null,
  sequence bigint not null,
  event_id uuid not null,
  hash bytea not null,
  sealed_at timestamp with time zone default now() not null,
  constraint audit_seal_sequence_check CHECK ((sequence > 0)),
  constraint audit_seal_pkey PRIMARY KEY (company_id, sequence),
  constraint audit_seal_company_id_event_id_key UNIQUE (company_id, event_id)
);
alter table memory.audit_seal enable row level security;

create table memory.audit_search (
  company_id uuid not null,
  team_id uuid not null,
  event_id uuid not null,
  actor_id uuid not null,
  query text,
  query_salt bytea,
  hit_ids uuid[] not null,
  passage_ids uuid[] not null,
  hits_salt bytea not null,
  at timestamp with time zone default now() not null,
  constraint audit_search_text CHECK (((query IS NULL) = (query_salt IS NULL))),
  constraint audit_search_pkey PRIMARY KEY (team_id, event_id)
);
CREATE INDEX audit_search_actor ON memory.audit_search USING btree (company_id, actor_id) WHERE (query IS NOT NULL);
CREATE INDEX audit_search_age ON memory.audit_search USING btree (at);
CREATE INDEX audit_search_team ON memory.audit_search USING btree (team_id) WHERE (query IS NOT NULL);
alter table memory.audit_search enable row level security;

create table memory.audit_unsealed (
  company_id uuid not null,
  event_id uuid not null,
  constraint audit_unsealed_pkey PRIMARY KEY (company_id, event_id)
);
alter table memory.audit_unsealed enable row level security;

create table memory.blob_place (
  only_row boolean default true not null,
  uses_bucket boolean not null,
  constraint blob_place_only_row_check CHECK (only_row),
  constraint blob_place_pkey PRIMARY KEY (only_row)
);

create table memory.capture (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  state text default 'staged'::text not null,
  session_id text not null,
  sequence bigint,
  summary text not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  metadata jsonb default '{}'::jsonb not null,
  batch_id uuid,
  leased_until timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  created_by_token uuid default memory.claimed_token(),
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  origin memory.origin default 'outside'::memory.origin not null,
  completed_at timestamp with time zone,
  constraint capture_check CHECK (((state = 'staged'::text) = (batch_id IS NULL))),
  constraint capture_check1 CHECK (((state = 'claimed'::text) = (leased_until IS NOT NULL))),
  constraint capture_completed CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint capture_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint capture_state_check CHECK ((state = ANY (ARRAY['staged'::text, 'claimed'::text, 'completed'::text]))),
  constraint capture_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX capture_batch ON memory.capture USING btree (team_id, batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX capture_count ON memory.capture USING btree (team_id, state, layer_id, leased_until);
CREATE INDEX capture_lease ON memory.capture USING btree (leased_until) WHERE (state = 'claimed'::text);
CREATE INDEX capture_open ON memory.capture USING btree (team_id, id) WHERE (state <> 'completed'::text);
CREATE INDEX capture_own ON memory.capture USING btree (team_id, created_by, id) WHERE (state <> 'completed'::text);
CREATE UNIQUE INDEX capture_sequence ON memory.capture USING btree (team_id, created_by, session_id, sequence, layer_id) WHERE (sequence IS NOT NULL);
alter table memory.capture enable row level security;

create table memory.chunk (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  source_id uuid not null,
  ordinal integer not null,
  text text not null,
  place jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  text_hash bytea,
  repeated integer default 0 not null,
  gap text,
  constraint chunk_pkey PRIMARY KEY (team_id, id),
  constraint chunk_team_id_source_id_ordinal_key UNIQUE (team_id, source_id, ordinal)
);
CREATE INDEX chunk_created ON memory.chunk USING btree (team_id, created_at) INCLUDE (id, source_id, layer_id);
CREATE INDEX chunk_id ON memory.chunk USING btree (id);
alter table memory.chunk enable row level security;

create table memory.chunk_embedding (
  team_id uuid not null,
  layer_id uuid not null,
  chunk_id uuid not null,
  model text not null,
  embedding public.halfvec(1024) storage plain not null,
  signs bit(1024) storage plain generated always as ((public.binary_quantize(embedding))::bit(1024)) stored not null,
  constraint chunk_embedding_pkey PRIMARY KEY (team_id, chunk_id, model)
);
CREATE INDEX chunk_embedding_signs ON memory.chunk_embedding USING btree (team_id, model, layer_id) INCLUDE (chunk_id, signs);
alter table memory.chunk_embedding enable row level security;

create table memory.chunk_keyword (
  team_id uuid not null,
  layer_id uuid not null,
  chunk_id uuid not null,
  keys integer[] storage main not null,
  weights public.sparsevec(536870912) storage main not null,
  constraint chunk_keyword_pkey PRIMARY KEY (team_id, chunk_id)
) with (toast_tuple_target=2712);
CREATE INDEX chunk_keyword_keys ON memory.chunk_keyword USING gin (keys);
CREATE INDEX chunk_keyword_layer ON memory.chunk_keyword USING btree (team_id, layer_id, chunk_id);
CREATE INDEX chunk_keyword_sample ON memory.chunk_keyword USING btree (team_id, layer_id, uuid_hash(chunk_id));
alter table memory.chunk_keyword enable row level security;

create table memory.consolidation_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  capture_ids uuid[] not null,
  expires_at timestamp with time zone not null,
  request_hash bytea,
  results jsonb,
  layers uuid[],
  created_at timestamp with time zone default now() not null,
  constraint consolidation_batch_check CHECK ((((request_hash IS NULL) = (results IS NULL)) AND ((results IS NULL) = (layers IS NULL)))),
  constraint consolidation_batch_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX consolidation_batch_end ON memory.consolidation_batch USING btree (expires_at);
alter table memory.consolidation_batch enable row level security;

create table memory.deployment (
  only_row boolean default true not null,
  embedding_model text not null,
  adopted_at timestamp with time zone default now() not null,
  swept_at timestamp with time zone,
  vectors_pruned_at timestamp with time zone,
  constraint deployment_only_row_check CHECK (only_row),
  constraint deployment_pkey PRIMARY KEY (only_row)
);

create table memory.embedding_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  chunk_ids uuid[] not null,
  expires_at timestamp with time zone not null,
  request_hash bytea,
  embedded integer,
  created_at timestamp with time zone default now() not null,
  constraint embedding_batch_pkey PRIMARY KEY (team_id, id)
);
alter table memory.embedding_batch enable row level security;

create table memory.embedding_pending (
  team_id uuid not null,
  layer_id uuid not null,
  chunk_id uuid not null,
  batch_id uuid,
  leased_until timestamp with time zone,
  refused_at timestamp with time zone,
  constraint embedding_pending_pkey PRIMARY KEY (team_id, chunk_id)
);
CREATE INDEX embedding_pending_batch ON memory.embedding_pending USING btree (team_id, batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX embedding_pending_layer ON memory.embedding_pending USING btree (team_id, layer_id, chunk_id);
alter table memory.embedding_pending enable row level security;

create table memory.feedback (
  team_id uuid not null,
  id uuid not null,
  created_by uuid not null,
  created_by_token uuid default memory.claimed_token(),
  query_id uuid not null,
  chunk_id uuid not null,
  source_id uuid not null,
  verdict text not null,
  note text,
  created_at timestamp with time zone default now() not null,
  settled_at timestamp with time zone,
  constraint feedback_verdict_check CHECK ((verdict = ANY (ARRAY['useful'::text, 'wrong'::text, 'outdated'::text]))),
  constraint feedback_pkey PRIMARY KEY (team_id, id),
  constraint feedback_team_id_created_by_query_id_chunk_id_key UNIQUE (team_id, created_by, query_id, chunk_id)
);
CREATE INDEX feedback_open ON memory.feedback USING btree (team_id, source_id) WHERE ((settled_at IS NULL) AND (verdict <> 'useful'::text));
CREATE INDEX feedback_source ON memory.feedback USING btree (team_id, source_id);
alter table memory.feedback enable row level security;

create table memory.idempotency_key (
  team_id uuid not null,
  user_id uuid not null,
  route text not null,
  key_hash bytea not null,
  body_hash bytea not null,
  status integer not null,
  response jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint idempotency_key_pkey PRIMARY KEY (team_id, user_id, route, key_hash)
);
CREATE INDEX idempotency_key_age ON memory.idempotency_key USING btree (created_at);
alter table memory.idempotency_key enable row level security;

create table memory.import (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  state text not null,
  filename text not null,
  title text not null,
  media_type text not null,
  bytes integer not null,
  sha256 bytea,
  attempts integer default 0 not null,
  progress_stage text,
  progress_percent smallint,
  error_code text,
  error_message text,
  source_id uuid,
  payload_pruned_at timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  tags text[] default '{}'::text[] not null,
  created_by_token uuid default memory.claimed_token(),
  expires_at timestamp with time zone,
  near_duplicates jsonb default '[]'::jsonb not null,
  redactions jsonb default '[]'::jsonb not null,
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  unread jsonb default '[]'::jsonb not null,
  encoding text,
  constraint import_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint import_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 100))),
  constraint import_progress_stage_check CHECK ((progress_stage = ANY (ARRAY['reading'::text, 'cutting'::text, 'storing'::text]))),
  constraint import_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint import_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX import_by_state ON memory.import USING btree (team_id, state, id DESC);
CREATE INDEX import_failed ON memory.import USING btree (team_id, layer_id, id DESC) WHERE (state = 'failed'::text);
CREATE INDEX import_kept_files ON memory.import USING btree (updated_at) WHERE ((state = 'failed'::text) AND (payload_pruned_at IS NULL));
CREATE INDEX import_near_duplicates ON memory.import USING btree (team_id) WHERE (near_duplicates <> '[]'::jsonb);
CREATE INDEX import_source ON memory.import USING btree (team_id, source_id) WHERE (source_id IS NOT NULL);
alter table memory.import enable row level security;

create table memory.import_payload (
  team_id uuid not null,
  layer_id uuid not null,
  import_id uuid not null,
  part integer default 0 not null,
  content bytea not null,
  constraint import_payload_part_check CHECK ((part >= 0)),
  constraint import_payload_pkey PRIMARY KEY (team_id, import_id, part)
);
alter table memory.import_payload enable row level security;

create table memory.job_tally (
  queue text not null,
  outcome text not null,
  jobs bigint not null,
  seconds double precision not null,
  durations bigint[] not null,
  constraint job_tally_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'lost'::text, 'given_back'::text]))),
  constraint job_tally_pkey PRIMARY KEY (queue, outcome)
);

create table memory.kept_chunk (
  team_id uuid not null,
  source_id uuid not null,
  ordinal integer not null,
  id uuid not null,
  text text not null,
  place jsonb not null,
  created_at timestamp with time zone not null,
  text_hash bytea,
  keys integer[],
  weights public.sparsevec(536870912),
  model text,
  embedding public.halfvec(1024),
  repeated integer default 0 not null,
  gap text,
  constraint kept_chunk_pkey PRIMARY KEY (team_id, source_id, ordinal)
);
alter table memory.kept_chunk enable row level security;

create table memory.kept_source (
  team_id uuid not null,
  layer_id uuid not null,
  source_id uuid not null,
  archived_at timestamp with time zone default now() not null,
  chunks integer not null,
  bytes bigint not null,
  bands integer[],
  signature bytea,
  constraint kept_source_pkey PRIMARY KEY (team_id, source_id)
);
CREATE INDEX kept_source_end ON memory.kept_source USING btree (archived_at);
alter table memory.kept_source enable row level security;

create table memory.keyword_layer (
  team_id uuid not null,
  layer_id uuid not null,
  place integer not null,
  chunks integer not null,
  sampled integer not null,
  counted_at timestamp with time zone default now() not null,
  renewed integer default 0 not null,
  members integer[] default '{}'::integer[] not null,
  gone integer default 0 not null,
  once_dims bytea default '\x'::bytea not null,
  once_keys bytea default '\x'::bytea not null,
  version integer default 0 not null,
  constraint keyword_layer_sampled_check CHECK ((sampled > 0)),
  constraint keyword_layer_pkey PRIMARY KEY (team_id, layer_id)
);
alter table memory.keyword_layer enable row level security;

create table memory.keyword_slice (
  team_id uuid not null,
  space "char" not null,
  slice integer not null,
  terms integer[] storage main not null,
  places smallint[] storage main,
  counts smallint[] storage main not null,
  vectors public.sparsevec(16000)[] storage main,
  constraint keyword_slice_space_check CHECK ((space = ANY (ARRAY['d'::"char", 'k'::"char"]))),
  constraint keyword_slice_pkey PRIMARY KEY (team_id, space, slice)
) with (toast_tuple_target=8160);
alter table memory.keyword_slice enable row level security;

create table memory.keyword_team (
  team_id uuid not null,
  chunks integer default 0 not null,
  sampled integer default 0 not null,
  counted_at timestamp with time zone,
  scales public.sparsevec(16000) storage main,
  layers uuid[] default '{}'::uuid[] not null,
  layer_count integer default 0 not null,
  dim_shift smallint default 29 not null,
  key_shift smallint default 31 not null,
  layer_places integer[] default '{}'::integer[] not null,
  layer_scales real[] default '{}'::real[] not null,
  constraint keyword_team_pkey PRIMARY KEY (team_id)
);
alter table memory.keyword_team enable row level security;

create table memory.layer_tally (
  team_id uuid not null,
  id uuid default gen_random_uuid() not null,
  layer_id uuid not null,
  part text not null,
  state text,
  kind text,
  n integer not null,
  constraint layer_tally_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX layer_tally_layer ON memory.layer_tally USING btree (team_id, layer_id);
alter table memory.layer_tally enable row level security;

create table memory.memory_item (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  state text not null,
  title text not null,
  content text not null,
  metadata jsonb default '{}'::jsonb not null,
  version integer default 1 not null,
  source_id uuid,
  capture_ids uuid[] not null,
  supersedes uuid,
  superseded_by uuid,
  keys integer[] not null,
  weights public.sparsevec(536870912) not null,
  embedding public.halfvec(1024),
  embedding_model text,
  created_by uuid not null,
  decided_by uuid,
  decided_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  tags text[] default '{}'::text[] not null,
  created_by_token uuid default memory.claimed_token(),
  expires_at timestamp with time zone,
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  origin memory.origin default 'outside'::memory.origin not null,
  constraint memory_item_check1 CHECK (((embedding IS NULL) = (embedding_model IS NULL))),
  constraint memory_item_check2 CHECK (((embedding IS NULL) OR (state = 'review'::text))),
  constraint memory_item_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint memory_item_source CHECK (((state <> 'published'::text) OR (source_id IS NOT NULL))),
  constraint memory_item_state_check CHECK ((state = ANY (ARRAY['review'::text, 'published'::text, 'discarded'::text, 'archived'::text]))),
  constraint memory_item_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX memory_item_captures ON memory.memory_item USING gin (capture_ids) WITH (gin_pending_list_limit='512');
CREATE INDEX memory_item_expiry ON memory.memory_item USING btree (team_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (state = 'review'::text));
CREATE INDEX memory_item_keys ON memory.memory_item USING gin (keys) WITH (gin_pending_list_limit='512');
CREATE INDEX memory_item_layer ON memory.memory_item USING btree (team_id, state, layer_id);
CREATE UNIQUE INDEX memory_item_source ON memory.memory_item USING btree (team_id, source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX memory_item_state ON memory.memory_item USING btree (team_id, state, id DESC);
alter table memory.memory_item enable row level security;

create table memory.memory_version (
  team_id uuid not null,
  memory_id uuid not null,
  version integer not null,
  layer_id uuid not null,
  title text not null,
  content text not null,
  published boolean not null,
  actor_id uuid not null,
  created_at timestamp with time zone default now() not null,
  origin memory.origin default 'outside'::memory.origin not null,
  constraint memory_version_pkey PRIMARY KEY (team_id, memory_id, version)
);
alter table memory.memory_version enable row level security;

create table memory.original (
  team_id uuid not null,
  sha256 bytea not null,
  company_id uuid not null,
  bytes integer not null,
  constraint original_sha256_check CHECK ((length(sha256) = 32)),
  constraint original_pkey PRIMARY KEY (team_id, sha256)
);
CREATE INDEX original_content ON memory.original USING btree (company_id, sha256);
alter table memory.original enable row level security;

create table memory.source (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  kind text not null,
  state text not null,
  title text not null,
  uri text,
  external_id text,
  content_hash bytea not null,
  metadata jsonb default '{}'::jsonb not null,
  chunk_count integer default 0 not null,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  terms_version smallint default 1 not null,
  tags text[] default '{}'::text[] not null,
  file_id uuid,
  same_as uuid,
  created_by_token uuid default memory.claimed_token(),
  expires_at timestamp with time zone,
  text_bytes bigint default 0 not null,
  original_sha256 bytea,
  original_bytes integer,
  original_media_type text,
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  origin memory.origin default 'outside'::memory.origin not null,
  unread jsonb default '[]'::jsonb not null,
  encoding text,
  title_key text collate "C" generated always as (lower(upper((title COLLATE pg_c_utf8)))) stored,
  text_form jsonb,
  text_version integer default 1 not null,
  text_at timestamp with time zone,
  text_by uuid,
  constraint source_file CHECK (((file_id IS NULL) OR (kind = 'file'::text))),
  constraint source_kind_check CHECK ((kind = ANY (ARRAY['ingest'::text, 'import'::text, 'memory'::text, 'file'::text]))),
  constraint source_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint source_original_fields CHECK ((((original_sha256 IS NULL) = (original_bytes IS NULL)) AND ((original_sha256 IS NULL) = (original_media_type IS NULL)))),
  constraint source_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'active'::text, 'archived'::text]))),
  constraint source_pkey PRIMARY KEY (team_id, id)
);
CREATE UNIQUE INDEX source_content ON memory.source USING btree (team_id, layer_id, content_hash) WHERE ((state = 'active'::text) AND (external_id IS NULL) AND (same_as IS NULL) AND (kind <> ALL (ARRAY['memory'::text, 'file'::text])));
CREATE INDEX source_date ON memory.source USING btree (team_id, COALESCE(occurred_at, created_at));
CREATE INDEX source_expiry ON memory.source USING btree (team_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (state = 'active'::text));
CREATE UNIQUE INDEX source_external_id ON memory.source USING btree (team_id, layer_id, external_id) WHERE ((state = 'active'::text) AND (external_id IS NOT NULL));
CREATE UNIQUE INDEX source_file_id ON memory.source USING btree (team_id, file_id) WHERE ((state = 'active'::text) AND (file_id IS NOT NULL));
CREATE INDEX source_kind ON memory.source USING btree (team_id, kind);
CREATE INDEX source_loading ON memory.source USING btree (team_id, id) WHERE (state = 'loading'::text);
CREATE INDEX source_original ON memory.source USING btree (team_id, original_sha256, layer_id) WHERE (original_sha256 IS NOT NULL);
CREATE INDEX source_same_as ON memory.source USING btree (team_id, same_as) WHERE (same_as IS NOT NULL);
CREATE INDEX source_tagged ON memory.source USING btree (team_id, id) WHERE (tags <> '{}'::text[]);
CREATE INDEX source_terms ON memory.source USING btree (terms_version, team_id) WHERE (state = 'active'::text);
CREATE INDEX source_title ON memory.source USING btree (team_id, title_key, id);
CREATE INDEX source_updated ON memory.source USING btree (team_id, updated_at, id);
alter table memory.source enable row level security;

create table memory.source_sketch (
  team_id uuid not null,
  layer_id uuid not null,
  source_id uuid not null,
  bands integer[] not null,
  signature bytea not null,
  constraint source_sketch_pkey PRIMARY KEY (team_id, source_id)
);
CREATE INDEX source_sketch_bands ON memory.source_sketch USING gin (bands) WITH (fastupdate=off);
alter table memory.source_sketch enable row level security;

create table memory.source_use (
  team_id uuid not null,
  source_id uuid not null,
  found bigint default 0 not null,
  opened bigint default 0 not null,
  last_found_at timestamp with time zone,
  constraint source_use_pkey PRIMARY KEY (team_id, source_id)
) with (fillfactor=70);
alter table memory.source_use enable row level security;

create table memory.source_version (
  team_id uuid not null,
  source_id uuid not null,
  version integer not null,
  layer_id uuid not null,
  at timestamp with time zone not null,
  actor_id uuid not null,
  text text not null,
  text_form jsonb,
  constraint source_version_pkey PRIMARY KEY (team_id, source_id, version)
);
alter table memory.source_version enable row level security;

create table memory.team_activity (
  team_id uuid not null,
  day date not null,
  token_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  searches integer default 0 not null,
  searches_without_hit integer default 0 not null,
  opened integer default 0 not null,
  ingested integer default 0 not null,
  imported integer default 0 not null,
  captured integer default 0 not null,
  published integer default 0 not null,
  feedback integer default 0 not null,
  writes integer default 0 not null,
  characters_returned bigint default 0 not null,
  constraint team_activity_pkey PRIMARY KEY (team_id, day, token_id)
);
alter table memory.team_activity enable row level security;

create table memory.usage_tally (
  team_id uuid not null,
  id uuid default gen_random_uuid() not null,
  part text not null,
  sources bigint default 0 not null,
  chunks bigint default 0 not null,
  files bigint default 0 not null,
  bytes bigint default 0 not null,
  xact xid8 default pg_current_xact_id(),
  constraint usage_tally_part_check CHECK ((part ~ '^[a-z_]+$'::text)),
  constraint usage_tally_pkey PRIMARY KEY (team_id, id)
);
alter table memory.usage_tally enable row level security;

create table memory.worker (
  id uuid not null,
  started_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  queues text[] not null,
  rss_bytes bigint not null,
  embedder jsonb,
  constraint worker_pkey PRIMARY KEY (id)
);

create table memory.workspace_blob (
  company_id uuid not null,
  sha256 bytea not null,
  bytes integer not null,
  content bytea,
  waiting_since timestamp with time zone default now(),
  object_id uuid,
  block_sha256 bytea,
  constraint workspace_blob_place CHECK ((((content IS NULL) = (object_id IS NOT NULL)) AND ((object_id IS NULL) = (block_sha256 IS NULL)))),
  constraint workspace_blob_sha256_check CHECK ((length(sha256) = 32)),
  constraint workspace_blob_pkey PRIMARY KEY (company_id, sha256)
);
CREATE INDEX workspace_blob_object ON memory.workspace_blob USING btree (company_id, sha256) WHERE (object_id IS NOT NULL);
CREATE INDEX workspace_blob_waiting ON memory.workspace_blob USING btree (waiting_since) WHERE (waiting_since IS NOT NULL);
alter table memory.workspace_blob enable row level security;

create table memory.workspace_team (
  team_id uuid not null,
  revision bigint not null,
  constraint workspace_team_pkey PRIMARY KEY (team_id)
);
alter table memory.workspace_team enable row level security;

create table memory.workspace_version (
  team_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  layer_id uuid not null,
  file_id uuid not null,
  path text collate "C" not null,
  folded text collate "C" not null,
  folded_start text collate "C" generated always as ("left"(folded, 500)) stored not null,
  version integer not null,
  revision bigint not null,
  until_revision bigint,
  current_revision bigint generated always as (
CASE
    WHEN (until_revision IS NULL) THEN revision
    ELSE NULL::bigint
END) stored,
  sha256 bytea,
  bytes integer not null,
  updated_by uuid not null,
  updated_at timestamp with time zone default now() not null,
  superseded_at timestamp with time zone,
  indexed text,
  updated_by_token uuid default memory.claimed_token(),
  constraint workspace_version_check CHECK (((until_revision IS NULL) = (superseded_at IS NULL))),
  constraint workspace_version_check1 CHECK ((until_revision > revision)),
  constraint workspace_version_check2 CHECK (((sha256 IS NOT NULL) OR (bytes = 0))),
  constraint workspace_version_indexed CHECK ((indexed = ANY (ARRAY['yes'::text, 'pending'::text, 'no'::text, 'failed'::text]))),
  constraint workspace_version_version_check CHECK ((version > 0)),
  constraint workspace_version_pkey PRIMARY KEY (team_id, id),
  constraint workspace_version_path_layer_id_team_id_version_key UNIQUE (path, layer_id, team_id, version)
);
CREATE INDEX workspace_version_content ON memory.workspace_version USING btree (company_id, sha256, team_id, layer_id) WHERE (sha256 IS NOT NULL);
CREATE UNIQUE INDEX workspace_version_current ON memory.workspace_version USING btree (path, layer_id, team_id) WHERE (until_revision IS NULL);
CREATE INDEX workspace_version_failed ON memory.workspace_version USING btree (team_id, id) WHERE ((indexed = 'failed'::text) AND (until_revision IS NULL) AND (sha256 IS NOT NULL));
CREATE INDEX workspace_version_folded ON memory.workspace_version USING btree (team_id, layer_id, folded_start) WHERE ((until_revision IS NULL) AND (sha256 IS NOT NULL));
CREATE INDEX workspace_version_revision ON memory.workspace_version USING btree (team_id, layer_id, current_revision, id) WHERE (current_revision IS NOT NULL);
CREATE INDEX workspace_version_superseded ON memory.workspace_version USING btree (id) WHERE (until_revision IS NOT NULL);
CREATE INDEX workspace_version_team_revision ON memory.workspace_version USING btree (team_id, revision, id) WHERE (current_revision IS NOT NULL);
CREATE INDEX workspace_version_undecided ON memory.workspace_version USING btree (team_id, indexed, id) WHERE (((indexed IS NULL) OR (indexed = 'pending'::text)) AND (until_revision IS NULL) AND (sha256 IS NOT NULL));
CREATE INDEX workspace_version_until ON memory.workspace_version USING btree (team_id, until_revision) WHERE (until_revision IS NOT NULL);
alter table memory.workspace_version enable row level security;

alter table identity.access_request add constraint access_request_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.access_request add constraint access_request_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.account add constraint account_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
alter table identity.agent_token add constraint agent_token_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.agent_token add constraint agent_token_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.agent_token_secret add constraint agent_token_secret_team_id_token_id_fkey FOREIGN KEY (team_id, token_id) REFERENCES identity.agent_token(team_id, id) ON DELETE CASCADE;
alter table identity.caller_change add constraint caller_change_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.client add constraint client_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.client_grant add constraint client_grant_team_id_client_id_fkey FOREIGN KEY (team_id, client_id) REFERENCES identity.client(team_id, id) ON DELETE CASCADE;
alter table identity.client_grant add constraint client_grant_team_id_user_id_fkey FOREIGN KEY (team_id, user_id) REFERENCES identity.team_member(team_id, user_id) ON DELETE CASCADE;
alter table identity.company_grant add constraint company_grant_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.company_grant add constraint company_grant_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.invite add constraint invite_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
alter table identity.invite add constraint invite_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.layer add constraint layer_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.mail add constraint mail_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
alter table identity.mailed_token add constraint mailed_token_company_id_invite_id_fkey FOREIGN KEY (company_id, invite_id) REFERENCES identity.invite(company_id, id) ON DELETE CASCADE;
alter table identity.reset_link add constraint reset_link_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.session add constraint session_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.team add constraint team_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE;
alter table identity.team_member add constraint team_member_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table identity.team_member add constraint team_member_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE;
alter table identity.team_withdrawal add constraint team_withdrawal_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE;
alter table memory.chunk add constraint chunk_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
alter table memory.chunk_embedding add constraint chunk_embedding_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE;
alter table memory.chunk_keyword add constraint chunk_keyword_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE;
alter table memory.embedding_batch add constraint embedding_batch_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
alter table memory.embedding_pending add constraint embedding_pending_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE;
alter table memory.feedback add constraint feedback_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
alter table memory.idempotency_key add constraint idempotency_key_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
alter table memory.import add constraint import_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
alter table memory.import add constraint import_team_id_layer_id_fkey FOREIGN KEY (team_id, layer_id) REFERENCES identity.layer(team_id, id);
alter table memory.import_payload add constraint import_payload_team_id_import_id_fkey FOREIGN KEY (team_id, import_id) REFERENCES memory.import(team_id, id) ON DELETE CASCADE;
alter table memory.kept_chunk add constraint kept_chunk_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.kept_source(team_id, source_id) ON DELETE CASCADE;
alter table memory.kept_source add constraint kept_source_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
alter table memory.keyword_layer add constraint keyword_layer_team_id_fkey FOREIGN KEY (team_id) REFERENCES memory.keyword_team(team_id) ON DELETE CASCADE;
alter table memory.keyword_slice add constraint keyword_slice_team_id_fkey FOREIGN KEY (team_id) REFERENCES memory.keyword_team(team_id) ON DELETE CASCADE;
alter table memory.keyword_team add constraint keyword_team_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
alter table memory.memory_item add constraint memory_item_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id);
alter table memory.memory_version add constraint memory_version_team_id_memory_id_fkey FOREIGN KEY (team_id, memory_id) REFERENCES memory.memory_item(team_id, id) ON DELETE CASCADE;
alter table memory.original add constraint original_company_id_sha256_fkey FOREIGN KEY (company_id, sha256) REFERENCES memory.workspace_blob(company_id, sha256);
alter table memory.source add constraint source_original FOREIGN KEY (team_id, original_sha256) REFERENCES memory.original(team_id, sha256);
alter table memory.source add constraint source_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
alter table memory.source add constraint source_team_id_layer_id_fkey FOREIGN KEY (team_id, layer_id) REFERENCES identity.layer(team_id, id);
alter table memory.source_sketch add constraint source_sketch_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
alter table memory.source_use add constraint source_use_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
alter table memory.source_version add constraint source_version_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE;
alter table memory.team_activity add constraint team_activity_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE;
alter table memory.workspace_version add constraint workspace_version_company_id_sha256_fkey FOREIGN KEY (company_id, sha256) REFERENCES memory.workspace_blob(company_id, sha256);

create policy company on identity.access_request for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select, update on identity.access_request to memory_service;

create policy company on identity.account for all to memory_service
  using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
grant delete, insert, update on identity.account to memory_service;
grant select (company_id, id, email, name, role, is_principal, closed_at, created_at, erased_at, name_key, verified_at) on identity.account to memory_service;

create policy company on identity.agent_token for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select on identity.agent_token to memory_service;
grant update (revoked_at) on identity.agent_token to memory_service;

create policy company on identity.agent_token_secret for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert on identity.agent_token_secret to memory_service;
grant select (company_id, team_id, token_id, lookup_id, created_at, ends_at) on identity.agent_token_secret to memory_service;
grant update (ends_at) on identity.agent_token_secret to memory_service;

create policy company on identity.client for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select, update on identity.client to memory_service;

create policy company on identity.client_grant for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select, update on identity.client_grant to memory_service;

create policy company on identity.company for all to memory_service
  using ((id = ( SELECT memory.claimed_company() AS claimed_company)));
grant insert, select, update on identity.company to memory_service;

create policy company on identity.company_grant for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select, update on identity.company_grant to memory_service;

create policy company on identity.invite for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert on identity.invite to memory_service;
grant select (company_id, id, team_id, email, role, grants, expires_at, used_at, revoked_at, created_by, created_at) on identity.invite to memory_service;
grant update (used_at, revoked_at) on identity.invite to memory_service;

create policy company on identity.mail for all to memory_service
  using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
grant delete, insert, select, update on identity.mail to memory_service;

create policy company on identity.mailed_token for all to memory_service
  using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
grant delete, insert on identity.mailed_token to memory_service;
grant select (company_id, id, invite_id, created_at, revoked_at) on identity.mailed_token to memory_service;
grant update (revoked_at) on identity.mailed_token to memory_service;

create policy company on identity.reset_link for all to memory_service
  using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
grant delete, insert on identity.reset_link to memory_service;
grant select (company_id, id, user_id, expires_at, used_at, revoked_at, created_by, created_at, is_mailed, is_asked_for) on identity.reset_link to memory_service;
grant update (used_at, revoked_at) on identity.reset_link to memory_service;

create policy company on identity.session for all to memory_service
  using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)));
grant delete, insert on identity.session to memory_service;
grant select (company_id, id, user_id, user_agent, created_at, last_seen_at) on identity.session to memory_service;
grant update (last_seen_at) on identity.session to memory_service;

create policy company on identity.team for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select, update on identity.team to memory_service;

create policy company on identity.team_member for all to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team)))));
grant delete, insert, select, update on identity.team_member to memory_service;

create policy appends on memory.audit_event for insert to memory_service
  with check (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (actor_id = ( SELECT memory.claimed_user() AS claimed_user)) AND (NOT (token_id IS DISTINCT FROM ( SELECT memory.claimed_token() AS claimed_token))) AND ((team_id IS NULL) OR (( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))) AND (NOT ((kind = 'memory.search'::text) AND (detail ?| '{query,hitIds,passageIds}'::text[])))));
create policy reads on memory.audit_event for select to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND ((layer IS NULL) OR (COALESCE(client_id, team_id) = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])))))));
grant insert, select on memory.audit_event to memory_service;

create policy appends on memory.audit_search for insert to memory_service
  with check (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (actor_id = ( SELECT memory.claimed_user() AS claimed_user))));
create policy forgets on memory.audit_search for update to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (( SELECT memory.claimed_team() AS claimed_team) IS NULL)))
  with check ((query IS NULL));
create policy reads on memory.audit_search for select to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))) AND (EXISTS ( SELECT
   FROM memory.audit_event e
  WHERE ((e.company_id = audit_search.company_id) AND (e.id = audit_search.event_id))))));
grant insert, select on memory.audit_search to memory_service;
grant update (query, query_salt) on memory.audit_search to memory_service;

create policy reads on memory.capture for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.capture for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant insert, select, update on memory.capture to memory_service;

create policy reads on memory.chunk for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.chunk for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant delete, insert, select, update on memory.chunk to memory_service;

create policy writes on memory.chunk_embedding for insert to memory_service
  with check (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant insert on memory.chunk_embedding to memory_service;

create policy writes on memory.chunk_keyword for insert to memory_service
  with check (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant insert on memory.chunk_keyword to memory_service;

create policy own on memory.consolidation_batch for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user))));
grant insert, select, update on memory.consolidation_batch to memory_service;

create policy own on memory.embedding_batch for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user))));
grant delete, insert, select, update on memory.embedding_batch to memory_service;

create policy reads on memory.embedding_pending for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.embedding_pending for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant delete, insert, select, update on memory.embedding_pending to memory_service;

create policy gives on memory.feedback for insert to memory_service
  with check (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (created_by = ( SELECT memory.claimed_user() AS claimed_user)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id))))));
create policy reads on memory.feedback for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id))))));
create policy settles on memory.feedback for update to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id) AND ((feedback.created_by = ( SELECT memory.claimed_user() AS claimed_user)) OR (s.layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))))))));
grant insert, select on memory.feedback to memory_service;
grant update (created_by_token, verdict, note, created_at, settled_at) on memory.feedback to memory_service;

create policy own on memory.idempotency_key for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user))));
grant delete, insert, select on memory.idempotency_key to memory_service;

create policy reads on memory.import for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.import for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant delete, insert, select, update on memory.import to memory_service;

create policy writes on memory.import_payload for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant delete, insert, select, update on memory.import_payload to memory_service;

grant select on memory.job_tally to memory_service;
grant insert, update on memory.job_tally to memory_worker;

create policy team on memory.keyword_layer for all to memory_service
  using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));

create policy team on memory.keyword_slice for all to memory_service
  using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));

create policy team on memory.keyword_team for all to memory_service
  using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
grant insert on memory.keyword_team to memory_service;

create policy reads on memory.memory_item for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.memory_item for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant insert, select, update on memory.memory_item to memory_service;

create policy reads on memory.memory_version for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.memory_version for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant insert, select on memory.memory_version to memory_service;
grant update (published) on memory.memory_version to memory_service;

grant select on memory.migration to memory_service;

create policy reads on memory.source for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.source for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant delete, insert, select, update on memory.source to memory_service;

create policy writes on memory.source_sketch for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant delete on memory.source_sketch to memory_service;
grant select (team_id, layer_id, source_id) on memory.source_sketch to memory_service;

create policy reads on memory.source_use for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = source_use.team_id) AND (s.id = source_use.source_id))))));
grant select on memory.source_use to memory_service;

create policy reads on memory.source_version for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
grant select on memory.source_version to memory_service;

create policy reads on memory.team_activity for select to memory_service
  using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
grant select on memory.team_activity to memory_service;

grant select on memory.worker to memory_service;
grant delete, insert, update on memory.worker to memory_worker;

create policy reads on memory.workspace_blob for select to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (EXISTS ( SELECT
   FROM memory.workspace_version v
  WHERE ((v.company_id = workspace_blob.company_id) AND (v.sha256 = workspace_blob.sha256) AND (v.team_id = ( SELECT memory.claimed_team() AS claimed_team)))))));
create policy reads_originals on memory.workspace_blob for select to memory_service
  using (((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (s.original_sha256 = workspace_blob.sha256) AND (s.state = 'active'::text))))));
grant select on memory.workspace_blob to memory_service;

create policy team on memory.workspace_team for all to memory_service
  using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)));
grant insert, select on memory.workspace_team to memory_service;
grant update (revision) on memory.workspace_team to memory_service;

create policy reads on memory.workspace_version for select to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))));
create policy writes on memory.workspace_version for all to memory_service
  using (((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[]))));
grant insert, select on memory.workspace_version to memory_service;
grant update (until_revision, superseded_at, indexed) on memory.workspace_version to memory_service;

create type memory.candidate_sources as (
  sources uuid[],
  times timestamp with time zone[],
  hashes bytea[],
  evidence double precision[]
);
create type memory.keyword_hits as (
  chunk_ids uuid[],
  points double precision[],
  has_rare_identifier boolean[],
  scored integer,
  keys_read integer[],
  rare_keys integer[],
  guessed double precision[],
  is_cut boolean
);
create type memory.keyword_pass as (
  scored memory.scored_chunks,
  best memory.scored_chunks,
  passed integer
);
create type memory.query_weights as (
  weights public.sparsevec,
  max_score double precision,
  key_frequencies double precision[],
  team_key_frequencies double precision[],
  chunks double precision,
  sampled integer,
  counted_at timestamp with time zone,
  detail jsonb
);
create type memory.rarest_keys as (
  keys integer[],
  postings double precision,
  next_postings double precision,
  other_postings double precision
);
create type memory.scope_counts as (
  chunks double precision,
  sampled integer,
  counted_at timestamp with time zone,
  dim_shift integer,
  key_shift integer,
  scales public.sparsevec,
  layer_places integer[],
  layer_scales real[],
  team_scales public.sparsevec,
  team_places integer[],
  team_layer_scales real[]
);
create type memory.scored_chunks as (
  chunk_ids uuid[],
  points double precision[]
);
create type memory.search_filter as (
  is_set boolean,
  allowed uuid[],
  hidden uuid[],
  looked_up boolean,
  kinds text[],
  sources uuid[],
  since timestamp with time zone,
  until timestamp with time zone,
  tags text[],
  occurred_after timestamp with time zone,
  occurred_before timestamp with time zone
);

CREATE TRIGGER add_layer AFTER INSERT ON identity.client FOR EACH ROW EXECUTE FUNCTION identity.add_layer();
CREATE TRIGGER add_layer AFTER INSERT ON identity.team FOR EACH ROW EXECUTE FUNCTION identity.add_layer();
CREATE TRIGGER counted AFTER INSERT ON identity.team FOR EACH ROW EXECUTE FUNCTION identity.count_new_team();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON memory.audit_event FOR EACH ROW EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON memory.audit_event FOR EACH STATEMENT EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER await_seal AFTER INSERT ON memory.audit_event FOR EACH ROW EXECUTE FUNCTION memory.await_seal();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON memory.audit_seal FOR EACH ROW EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON memory.audit_seal FOR EACH STATEMENT EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER tally_added AFTER INSERT ON memory.capture REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.capture REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('captures', 'octet_length(summary)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.capture REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('captures', 'octet_length(summary)');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.capture REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.capture REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_added AFTER INSERT ON memory.embedding_pending REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_pending();
CREATE TRIGGER tally_gone AFTER DELETE ON memory.embedding_pending REFERENCING OLD TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_pending();
CREATE TRIGGER tally_added AFTER INSERT ON memory.import REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.import REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.import REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.kept_source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('kept');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.kept_source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('kept');
CREATE TRIGGER fold_some AFTER INSERT ON memory.layer_tally REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((pg_trigger_depth() = 1) AND (random() < ((1.0 / (16)::numeric))::double precision))) EXECUTE FUNCTION memory.fold_layers();
CREATE TRIGGER record_version AFTER INSERT OR UPDATE ON memory.memory_item FOR EACH ROW EXECUTE FUNCTION memory.record_version();
CREATE TRIGGER tally_added AFTER INSERT ON memory.memory_item REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.memory_item REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.memory_item REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.memory_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(content)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.memory_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(content)');
CREATE TRIGGER mark_waiting_blobs AFTER DELETE ON memory.original REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.mark_waiting_blobs();
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.original REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('originals');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.original REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('originals');
CREATE TRIGGER advance_updated_at BEFORE UPDATE OF updated_at ON memory.source FOR EACH ROW WHEN (((old.state <> 'loading'::text) AND (new.updated_at = now()))) EXECUTE FUNCTION memory.advance_updated_at();
CREATE TRIGGER measure BEFORE UPDATE OF chunk_count ON memory.source FOR EACH ROW EXECUTE FUNCTION memory.measure_source();
CREATE TRIGGER original_dropped AFTER UPDATE OF original_sha256 ON memory.source FOR EACH ROW WHEN (((old.original_sha256 IS NOT NULL) AND (old.original_sha256 IS DISTINCT FROM new.original_sha256))) EXECUTE FUNCTION memory.release_original();
CREATE TRIGGER original_gone AFTER DELETE ON memory.source FOR EACH ROW WHEN ((old.original_sha256 IS NOT NULL)) EXECUTE FUNCTION memory.release_original();
CREATE TRIGGER tally_added AFTER INSERT ON memory.source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.source REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_gone AFTER DELETE ON memory.source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_texts_added AFTER INSERT ON memory.source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_texts_changed AFTER UPDATE ON memory.source REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_texts_gone AFTER DELETE ON memory.source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.source_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(text)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.source_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(text)');
CREATE TRIGGER fold_some AFTER INSERT ON memory.usage_tally REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((pg_trigger_depth() = 1) AND (random() < ((1.0 / (16)::numeric))::double precision))) EXECUTE FUNCTION memory.fold_usage();
CREATE TRIGGER mark_waiting_blobs AFTER DELETE ON memory.workspace_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.mark_waiting_blobs();
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.workspace_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_bytes_changed AFTER UPDATE ON memory.workspace_version REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.workspace_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');

function identity.accounts_with_email(p_email text) returns TABLE(user_id uuid, company_id uuid) security definer grant execute to memory_worker;
function identity.add_layer() returns trigger security definer;
function identity.begin_reset_request(p_id uuid, p_seconds integer) returns TABLE(email text, open_sends integer) security definer grant execute to memory_worker;
function identity.count_companies(p_limit integer) returns integer security definer grant execute to memory_service;
function identity.count_new_team() returns trigger security definer;
function identity.count_requests(p_keys bytea[], p_window_ms double precision) returns TABLE(requests integer, ends_in_ms double precision);
function identity.describe(p_user uuid, p_team uuid) returns jsonb;
function identity.end_reset_request(p_id uuid) returns void security definer grant execute to memory_worker;
function identity.erase_from_answers(p_user uuid, p_tokens uuid[]) returns void security definer grant execute to memory_service;
function identity.erase_reset_requests(p_user uuid) returns void security definer grant execute to memory_service;
function identity.find_invite(p_token_hash bytea) returns TABLE(id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text, is_mailed boolean) security definer grant execute to memory_service;
function identity.find_link(p_token_hash bytea) returns TABLE(kind text, email text, company text, role text, team text, invited_by text, has_account boolean, expires_at timestamp with time zone, state text) security definer grant execute to memory_service;
function identity.find_reset_link(p_token_hash bytea) returns TABLE(id uuid, user_id uuid, company_id uuid, state text, is_mailed boolean) security definer grant execute to memory_service;
function identity.find_sign_ins(p_email text, p_company uuid, p_limit integer) returns TABLE(user_id uuid, company_id uuid, company_name text, password_hash text) security definer grant execute to memory_service;
function identity.insert_expiry_mails(p_max integer, p_limit integer) returns TABLE(company_id uuid, mail_id uuid) security definer grant execute to memory_worker;
function identity.invite_state(p_used_at timestamp with time zone, p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone) returns text grant execute to memory_service;
function identity.is_team_name_taken(p_team uuid, p_folded text) returns boolean security definer grant execute to memory_service;
function identity.list_companies() returns TABLE(id uuid, name text, created_at timestamp with time zone, members integer, teams integer) security definer grant execute to memory_service;
function identity.lock_password_hash() returns text security definer grant execute to memory_service;
function identity.new_id(p_at timestamp with time zone DEFAULT clock_timestamp()) returns uuid grant execute to memory_service;
function identity.note_change(p_company uuid, p_user uuid) returns void security definer;
function identity.note_withdrawal(p_company uuid, p_team uuid) returns void security definer;
function identity.prune(p_idle_seconds integer, p_max_seconds integer) returns TABLE(sessions integer, reset_links integer, token_secrets integer) security definer grant execute to memory_worker;
function identity.prune_invites(p_password_seconds integer) returns integer security definer grant execute to memory_worker;
function identity.prune_mails() returns integer security definer grant execute to memory_worker;
function identity.purge_team(p_limit integer) returns boolean security definer grant execute to memory_worker;
function identity.reopen_reset_request(p_id uuid) returns void security definer grant execute to memory_worker;
function identity.request_reset(p_id uuid, p_email text, p_max integer) returns boolean security definer grant execute to memory_service;
function identity.require_replayed(p_position pg_lsn) returns pg_lsn;
function identity.resolve_agent_token(p_lookup_id text, p_secret_hash bytea, p_team uuid, p_address text) returns jsonb security definer;
function identity.resolve_caller(p_token_hash bytea, p_lookup_id text, p_team uuid, p_address text, p_idle_seconds integer, p_max_seconds integer, p_window_ms double precision) returns jsonb security definer;
function identity.resolve_principal(p_team uuid) returns jsonb security definer;
function identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds integer, p_max_seconds integer) returns jsonb security definer grant execute to memory_service;
function memory.add_events(p_company uuid, p_events uuid[]) returns void;
function memory.add_guesses(p_query public.sparsevec, p_keyword memory.keyword_hits, p_layers uuid[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_chunks double precision, p_filter memory.search_filter, p_limit integer) returns memory.keyword_hits;
function memory.add_reads(p_reads jsonb) returns void security definer grant execute to memory_worker;
function memory.add_source_uses(p_uses jsonb) returns void security definer grant execute to memory_worker;
function memory.advance_updated_at() returns trigger;
function memory.at_places(p_chunks memory.scored_chunks, p_places integer[]) returns memory.scored_chunks;
function memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes integer, p_media_type text) returns boolean security definer grant execute to memory_service;
function memory.audit_hash(e memory.audit_event, p_previous bytea) returns bytea;
function memory.await_seal() returns trigger security definer;
function memory.backfill_pending(p_after uuid, p_limit integer) returns uuid security definer grant execute to memory_worker;
function memory.best_chunks(p_chunks memory.scored_chunks, p_limit integer) returns memory.scored_chunks;
function memory.choose_filter(p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone) returns memory.search_filter;
function memory.choose_first_copies(p_sources uuid[]) returns void grant execute to memory_service;
function memory.chunks_by_key(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_filter memory.search_filter, p_seen uuid[], p_most integer) returns memory.scored_chunks;
function memory.chunks_by_key_and_layer(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_filter memory.search_filter, p_seen uuid[], p_most integer) returns memory.scored_chunks;
function memory.chunks_one_by_one(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_filter memory.search_filter, p_most integer) returns memory.scored_chunks;
function memory.claimed_company() returns uuid grant execute to memory_service;
function memory.claimed_team() returns uuid grant execute to memory_service;
function memory.claimed_token() returns uuid grant execute to memory_service;
function memory.claimed_user() returns uuid grant execute to memory_service;
function memory.company_has_records() returns boolean security definer grant execute to memory_service;
function memory.comparable_text(p_text text) returns text grant execute to memory_service;
function memory.contain_keys(p_chunks uuid[], p_keys integer[]) returns boolean[];
function memory.count_audit() returns TABLE(events integer, unsealed integer, first_break uuid) security definer grant execute to memory_service;
function memory.count_candidates(p_keys integer[], p_most integer) returns integer security definer grant execute to memory_service;
function memory.count_documents(p_dims integer[], p_keys integer[], p_most integer) returns TABLE(dim integer, documents integer, scaled boolean) security definer grant execute to memory_service;
function memory.count_events(p_company uuid, p_events uuid[]) returns TABLE(team_id uuid, day date, token_id uuid, searches integer, searches_without_hit integer, ingested integer, imported integer, captured integer, published integer, feedback integer, writes integer);
function memory.count_pending(p_sources uuid[], p_layers uuid[]) returns bigint security definer;
function memory.count_sources(p_kind text, p_state text) returns bigint security definer grant execute to memory_service;
function memory.due_figures(p_version integer) returns TABLE(part text, state text, kind text, n bigint) security definer;
function memory.due_layers() returns TABLE(company_id uuid, team_id uuid, layer_id uuid) security definer grant execute to memory_worker;
function memory.end_layer_counts(p_layer uuid, p_chunks integer, p_sampled integer, p_gone integer, p_renewed integer, p_members integer[], p_once_dims bytea, p_once_keys bytea, p_dim_shift integer, p_key_shift integer) returns void security definer grant execute to memory_worker;
function memory.end_restore(p_source uuid) returns void security definer grant execute to memory_service;
function memory.end_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) returns void security definer grant execute to memory_worker;
function memory.end_writable_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer) returns void security definer grant execute to memory_service;
function memory.evidence_captures(p_ids uuid[]) returns TABLE(id uuid) security definer grant execute to memory_service;
function memory.expire_kept_sources() returns void security definer grant execute to memory_worker;
function memory.explain_search(p_weights memory.query_weights, p_keyword memory.keyword_hits, p_semantic jsonb, p_filter memory.search_filter, p_clock timestamp with time zone[]) returns jsonb;
function memory.few_sources(p_kinds text[], p_sources uuid[], p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone) returns uuid[] security definer;
function memory.file_sources(p_limit integer) returns TABLE(company_id uuid, team_id uuid, layer_id uuid, file_id uuid, uri text) security definer grant execute to memory_worker;
function memory.finish_backfill() returns void security definer grant execute to memory_worker;
function memory.first_passing(p_chunks uuid[], p_filter memory.search_filter, p_limit integer) returns integer[] security definer;
function memory.fold_layer(p_team uuid, p_layer uuid) returns void security definer;
function memory.fold_layers() returns trigger security definer;
function memory.fold_usage() returns trigger security definer;
function memory.found_counts() returns TABLE(source_id uuid, found bigint) security definer grant execute to memory_service;
function memory.fuse_candidates(p_keyword_chunks uuid[], p_points double precision[], p_guessed double precision[], p_has_rare_identifier boolean[], p_max_score double precision, p_semantic_chunks uuid[], p_similarities double precision[], p_most integer, p_embedding public.halfvec, p_model text, p_vector_weight double precision, p_min_similarity double precision, p_limit integer, p_explain boolean) returns TABLE(place integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, detail jsonb, source_id uuid, created_at timestamp with time zone, text_hash bytea);
function memory.graph_serves(p_layers uuid[], p_model text) returns boolean security definer;
function memory.guessed_chunks(p_layers uuid[], p_keys integer[], p_percents integer[], p_places integer[], p_words integer[], p_chunks double precision, p_filter memory.search_filter) returns memory.scored_chunks security definer;
function memory.has_other_search(e memory.audit_event) returns boolean;
function memory.has_outdated_terms(p_version integer) returns boolean security definer;
function memory.hidden_chunks() returns uuid[];
function memory.hit_list(p_hits uuid[], p_passages uuid[]) returns text;
function memory.is_adopted_model(p_model text) returns boolean security definer grant execute to memory_service;
function memory.is_dated_within(p_at timestamp with time zone, p_is_day boolean, p_after timestamp with time zone, p_before timestamp with time zone) returns boolean grant execute to memory_service;
function memory.is_due(p_expires_at timestamp with time zone) returns boolean grant execute to memory_service;
function memory.keep_bucket_blobs(p_sha256 bytea, p_lengths integer[], p_objects uuid[], p_blocks text[]) returns uuid[] security definer grant execute to memory_service;
function memory.keep_chunks(p_sources uuid[], p_model text, p_limit integer) returns integer security definer grant execute to memory_service;
function memory.keep_source_version(p_source uuid, p_keep integer, p_max integer) returns void security definer grant execute to memory_service;
function memory.keep_sources(p_sources uuid[]) returns void security definer grant execute to memory_service;
function memory.keep_workspace_blobs(p_sha256 bytea, p_lengths integer[], p_contents bytea) returns void security definer grant execute to memory_service;
function memory.keyword_candidates(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_identifier_keys integer[], p_chunks double precision, p_filter memory.search_filter, p_limit integer) returns memory.keyword_hits;
function memory.keyword_passes(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_rare_keys integer[], p_chunks double precision, p_filter memory.search_filter, p_limit integer) returns memory.keyword_hits;
function memory.known_keys(p_keys integer[]) returns integer[] security definer grant execute to memory_service;
function memory.last_seal(p_company uuid) returns TABLE(sequence bigint, hash text) security definer grant execute to memory_worker;
function memory.latest_failures(p_limit integer) returns SETOF uuid security definer grant execute to memory_service;
function memory.layer_scale(p_chunks integer, p_sampled integer) returns real;
function memory.layers_without_vectors() returns TABLE(company_id uuid, team_id uuid, layer_id uuid) security definer grant execute to memory_worker;
function memory.lease_pending(p_batch uuid, p_limit integer, p_seconds integer, p_refused_too boolean) returns TABLE(chunk_id uuid, leased_until timestamp with time zone) security definer grant execute to memory_service;
function memory.lock_held_captures(p_batch uuid) returns TABLE(id uuid, layer_id uuid) security definer grant execute to memory_service;
function memory.lock_kept_source(p_source uuid, p_days integer) returns integer security definer grant execute to memory_service;
function memory.lock_layer_counts(p_layer uuid, p_version integer) returns TABLE(place integer, dim_shift integer, key_shift integer, once_dims bytea, once_keys bytea) security definer grant execute to memory_worker;
function memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version integer) returns boolean security definer grant execute to memory_worker;
function memory.look_up_candidates(p_chunks uuid[], p_points double precision[], p_lowest double precision) returns memory.candidate_sources;
function memory.mark_waiting_blobs() returns trigger security definer;
function memory.matched_weights(p_chunks uuid[], p_dims integer[]) returns TABLE(chunk_id uuid, dim integer, weight real) security definer grant execute to memory_service;
function memory.measure_source() returns trigger security definer;
function memory.move_chunks(p_source uuid, p_after integer, p_limit integer) returns integer security definer grant execute to memory_service;
function memory.move_memory(p_memory uuid, p_layer uuid) returns boolean security definer grant execute to memory_service;
function memory.move_source(p_source uuid, p_layer uuid) returns boolean security definer grant execute to memory_service;
function memory.nearest_by_graph(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter memory.search_filter, p_limit integer) returns memory.scored_chunks security definer;
function memory.nearest_by_signs(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter memory.search_filter, p_limit integer, p_chunks double precision) returns memory.scored_chunks;
function memory.nearest_in_full(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter memory.search_filter, p_limit integer) returns memory.scored_chunks;
function memory.next_unsealed(p_after uuid) returns uuid security definer grant execute to memory_worker;
function memory.outdated_chunks(p_version integer) returns bigint security definer grant execute to memory_service;
function memory.outdated_source(p_version integer) returns TABLE(source_id uuid, title text, day text, labels text[]) security definer grant execute to memory_worker;
function memory.outdated_teams(p_version integer) returns TABLE(company_id uuid, team_id uuid) security definer grant execute to memory_worker;
function memory.own_bytes(p_text text, p_repeated integer) returns integer;
function memory.passing_chunks(p_filter memory.search_filter, p_most integer) returns uuid[] security definer;
function memory.prune() returns TABLE(answers integer, loading_sources integer, batches integer) security definer grant execute to memory_worker;
function memory.prune_consolidation_batches() returns integer security definer grant execute to memory_worker;
function memory.prune_import_payloads(p_days integer, p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.prune_kept_sources(p_days integer, p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.prune_loading_chunks(p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.prune_old_vectors(p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.prune_searches(p_days integer, p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.prune_workspace_blobs(p_limit integer) returns TABLE(seen integer, removed integer, objects text[]) security definer grant execute to memory_worker;
function memory.prune_workspace_versions(p_after uuid, p_keep integer, p_limit integer) returns TABLE(last uuid, removed integer) security definer grant execute to memory_worker;
function memory.purge_memory(p_memory uuid) returns TABLE(version integer, source_id uuid, captures uuid[]) security definer grant execute to memory_service;
function memory.purge_records(p_ids uuid[]) returns void;
function memory.purge_source(p_source uuid) returns uuid[] security definer grant execute to memory_service;
function memory.queue_files(p_team uuid, p_extensions text[], p_names text[], p_build_names text[], p_limit integer) returns TABLE(version_id uuid, layer_id uuid, updated_by uuid, updated_by_token uuid) security definer grant execute to memory_worker;
function memory.rarest_keys(p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_cap double precision) returns memory.rarest_keys;
function memory.read_slices(p_space text, p_slices integer[], p_place integer, p_all boolean) returns TABLE(slice integer, terms bytea, places bytea, counts bytea, vectors text) security definer grant execute to memory_worker;
function memory.readable_counts(p_layers uuid[]) returns memory.scope_counts;
function memory.readable_layers() returns uuid[] grant execute to memory_service;
function memory.record_version() returns trigger;
function memory.refuse_change() returns trigger;
function memory.release_captures(p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.release_original() returns trigger security definer;
function memory.renew_workspace_blobs(p_sha256 bytea, OUT uses_bucket boolean, OUT known text[]) returns record security definer grant execute to memory_service;
function memory.replace_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) returns void security definer grant execute to memory_worker;
function memory.replace_writable_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea) returns void security definer grant execute to memory_service;
function memory.restore_chunks(p_source uuid, p_model text, p_limit integer, OUT moved integer, OUT pending integer) returns record security definer grant execute to memory_service;
function memory.results_without(p_results jsonb, p_ids uuid[]) returns jsonb;
function memory.return_captures(p_batch uuid) returns void security definer grant execute to memory_service;
function memory.salted_hash(p_salt bytea, p_text text) returns text;
function memory.sample_changes(p_layer uuid, p_limit integer, OUT sample uuid[], OUT hashes integer[], OUT added uuid[], OUT dropped uuid[], OUT deleted integer, OUT counted integer, OUT gone integer, OUT renewed integer, OUT version integer) returns record security definer grant execute to memory_worker;
function memory.scope_holds_at_most(p_most integer) returns boolean security definer;
function memory.score_pass(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_scored memory.scored_chunks, p_filter memory.search_filter, p_chunks double precision, p_other_postings double precision, p_one_by_one boolean, p_most integer, p_limit integer) returns memory.keyword_pass;
function memory.seal_audit(p_company uuid, p_limit integer) returns integer security definer grant execute to memory_worker;
function memory.search_candidates(p_embedding public.halfvec, p_model text, p_vector_weight double precision, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean) returns TABLE(place integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, detail jsonb, source_id uuid, created_at timestamp with time zone, text_hash bytea) security definer grant execute to memory_service;
function memory.search_facets(p_chunks uuid[]) returns jsonb security definer grant execute to memory_service;
function memory.search_hits(p_embedding public.halfvec, p_model text, p_vector_weight double precision, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean, p_by_source boolean) returns TABLE(place integer, passage integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, duplicates integer, detail jsonb) security definer grant execute to memory_service;
function memory.seconds_until_forget(p_max integer, p_seconds integer) returns integer security definer grant execute to memory_service;
function memory.semantic_candidates(p_embedding public.halfvec, p_model text, p_filter memory.search_filter, p_limit integer, p_chunks double precision, p_explain boolean, OUT chunk_ids uuid[], OUT points double precision[], OUT detail jsonb) returns record security definer;
function memory.service_state() returns TABLE(pending_chunks bigint, imports jsonb, unsealed_seconds double precision, database_bytes bigint) security definer grant execute to memory_service;
function memory.service_usage(p_chunks bigint, p_bytes bigint) returns TABLE(sources bigint, chunks bigint, files bigint, bytes jsonb, near_quota integer, at_quota integer) security definer grant execute to memory_service;
function memory.similar_memories(p_layer uuid, p_embedding public.halfvec, p_model text, p_dims integer[], p_weights real[], p_keys integer[], p_limit integer, p_queued uuid) returns TABLE(memory_id uuid, similarity double precision, basis text) security definer grant execute to memory_service;
function memory.sketch_source(p_layer uuid, p_source uuid, p_bands integer[], p_signature bytea, p_limit integer) returns TABLE(source_id uuid, signature bytea, own bytea) security definer grant execute to memory_service;
function memory.small_scope_chunks() returns uuid[] security definer;
function memory.source_evidence(p_sources uuid[], p_points double precision[], p_lowest double precision) returns double precision[];
function memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb) returns text[] grant execute to memory_service;
function memory.source_text(p_source uuid, p_max integer) returns text security definer grant execute to memory_service;
function memory.source_texts(p_source uuid, p_after integer, p_limit integer) returns TABLE(chunk_id uuid, ordinal integer, headings jsonb, text text, repeated integer) security definer grant execute to memory_worker;
function memory.stale_layers() returns TABLE(layer_id uuid, chunks integer) security definer grant execute to memory_worker;
function memory.state_now(p_state text, p_expires_at timestamp with time zone) returns text grant execute to memory_service;
function memory.stored_terms(p_chunks uuid[]) returns TABLE(chunk_id uuid, weights bytea, keys bytea) security definer grant execute to memory_worker;
function memory.sum_layer_counts() returns void security definer;
function memory.tally_bytes() returns trigger security definer;
function memory.tally_pending() returns trigger security definer;
function memory.tally_sources() returns trigger security definer;
function memory.tally_states() returns trigger security definer;
function memory.tally_texts() returns trigger security definer;
function memory.team_activity_since(p_day date) returns TABLE(day date, token_id uuid, searches integer, searches_without_hit integer, opened integer, ingested integer, imported integer, captured integer, published integer, feedback integer, writes integer, characters_returned bigint) security definer grant execute to memory_service;
function memory.team_figures(p_version integer) returns TABLE(part text, state text, kind text, n bigint) security definer grant execute to memory_service;
function memory.team_usage() returns TABLE(sources bigint, chunks bigint, files bigint, bytes bigint, added_chunks bigint, added_bytes bigint) security definer grant execute to memory_service;
function memory.term_count(p_count smallint, p_place smallint, p_vectors public.sparsevec[], p_scales public.sparsevec, p_places integer[], p_place_scales real[]) returns double precision;
function memory.term_frequencies(p_dims integer[], p_keys integer[], p_counts memory.scope_counts) returns TABLE(space "char", term integer, df double precision, team_df double precision);
function memory.uncounted_teams(p_after uuid, p_limit integer) returns TABLE(company_id uuid, team_id uuid, uncounted boolean) security definer grant execute to memory_worker;
function memory.undecided_teams() returns TABLE(company_id uuid, team_id uuid) security definer grant execute to memory_worker;
function memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[]) returns SETOF uuid security definer grant execute to memory_worker;
function memory.vector_graph_changes(p_build integer, p_keep integer) returns TABLE(index_name text, drops boolean, team_id uuid, model text, vectors bigint) security definer grant execute to memory_worker;
function memory.vector_graph_name(p_team uuid, p_model text) returns text;
function memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit integer) returns TABLE(walked integer, sequence bigint, hash bytea, first_break uuid) security definer grant execute to memory_service;
function memory.weigh_query(p_layers uuid[], p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_explain boolean) returns memory.query_weights;
function memory.without_records(p_answer jsonb, p_ids uuid[]) returns jsonb;
function memory.writable_layers() returns uuid[] grant execute to memory_service;
function memory.write_slices(p_space text, p_slices integer[], p_sizes integer[], p_vectors text[], p_terms integer[], p_places integer[], p_counts integer[]) returns void security definer grant execute to memory_worker;
