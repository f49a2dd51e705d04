-- What the migrations make, as the catalog tells it: schemas memory and identity. To be read and compared,
-- not to be run. Made by: node test/db/schema-dump.ts --write

schema identity; -- memory_service: usage
schema memory; -- memory_service: usage

table identity.access_request (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  team_id uuid not null,
  access text not null,
  reason text,
  state text not null default 'open'::text,
  decided_by uuid,
  created_at timestamp with time zone not null default now(),
  constraint access_request_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text]))),
  constraint access_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'denied'::text]))),
  constraint access_request_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint access_request_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint access_request_pkey PRIMARY KEY (company_id, id, team_id)
);
CREATE UNIQUE INDEX access_request_open ON identity.access_request USING btree (company_id, user_id, team_id) WHERE (state = 'open'::text);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert, select, update to memory_service;

table identity.account (
  company_id uuid not null,
  id uuid not null,
  email text,
  name text not null,
  role text not null,
  password_hash text,
  is_principal boolean not null default false,
  closed_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  erased_at timestamp with time zone,
  constraint account_email_check CHECK ((email = lower(email))),
  constraint account_erased CHECK (
CASE
    WHEN (erased_at IS NULL) THEN (email IS NOT NULL)
    ELSE ((closed_at IS NOT NULL) AND (email IS NULL) AND (password_hash IS NULL))
END),
  constraint account_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint account_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE,
  constraint account_pkey PRIMARY KEY (company_id, id),
  constraint account_id_key UNIQUE (id)
);
CREATE UNIQUE INDEX account_email ON identity.account USING btree (email) WHERE (closed_at IS NULL);
CREATE UNIQUE INDEX account_principal ON identity.account USING btree (is_principal) WHERE is_principal;
row level security on;
policy company for all to memory_service
    using (company_id = ( SELECT memory.claimed_company() AS claimed_company));
grant delete, insert, update to memory_service;
grant select (company_id, id, email, name, role, is_principal, closed_at, created_at, erased_at) to memory_service;

table identity.agent_token (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  name text not null,
  permissions text[] not null,
  client_ids uuid[],
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_from text,
  constraint agent_token_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint agent_token_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint agent_token_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX agent_token_company ON identity.agent_token USING btree (company_id, id DESC);
CREATE INDEX agent_token_user ON identity.agent_token USING btree (company_id, user_id, id DESC);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert, select to memory_service;
grant update (revoked_at) to memory_service;

table identity.agent_token_secret (
  company_id uuid not null,
  team_id uuid not null,
  token_id uuid not null,
  lookup_id text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone,
  constraint agent_token_secret_team_id_token_id_fkey FOREIGN KEY (team_id, token_id) REFERENCES identity.agent_token(team_id, id) ON DELETE CASCADE,
  constraint agent_token_secret_pkey PRIMARY KEY (team_id, token_id, lookup_id)
);
CREATE INDEX agent_token_secret_end ON identity.agent_token_secret USING btree (ends_at) WHERE (ends_at IS NOT NULL);
CREATE UNIQUE INDEX agent_token_secret_lookup ON identity.agent_token_secret USING btree (lookup_id);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert to memory_service;
grant select (company_id, team_id, token_id, lookup_id, created_at, ends_at) to memory_service;
grant update (ends_at) to memory_service;

table identity.caller_change (
  company_id uuid not null,
  user_id uuid not null,
  position pg_lsn not null,
  constraint caller_change_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint caller_change_pkey PRIMARY KEY (company_id, user_id)
);
row level security on;

table identity.client (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  name text not null,
  state text not null default 'active'::text,
  created_at timestamp with time zone not null default now(),
  folded_name text,
  constraint client_state_check CHECK ((state = ANY (ARRAY['active'::text, 'archived'::text]))),
  constraint client_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint client_pkey PRIMARY KEY (team_id, id)
);
CREATE UNIQUE INDEX client_folded_name ON identity.client USING btree (team_id, folded_name) WHERE (state = 'active'::text);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
CREATE TRIGGER add_layer AFTER INSERT ON identity.client FOR EACH ROW EXECUTE FUNCTION identity.add_layer();
grant delete, insert, select, update to memory_service;

table identity.client_grant (
  company_id uuid not null,
  team_id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  id uuid not null default identity.new_id(),
  access text not null,
  created_at timestamp with time zone not null default now(),
  constraint client_grant_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text]))),
  constraint client_grant_team_id_client_id_fkey FOREIGN KEY (team_id, client_id) REFERENCES identity.client(team_id, id) ON DELETE CASCADE,
  constraint client_grant_team_id_user_id_fkey FOREIGN KEY (team_id, user_id) REFERENCES identity.team_member(team_id, user_id) ON DELETE CASCADE,
  constraint client_grant_pkey PRIMARY KEY (team_id, client_id, user_id)
);
CREATE INDEX client_grant_user ON identity.client_grant USING btree (team_id, user_id);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert, select, update to memory_service;

table identity.company (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  constraint company_pkey PRIMARY KEY (id)
);
row level security on;
policy company for all to memory_service
    using (id = ( SELECT memory.claimed_company() AS claimed_company));
grant select, update to memory_service;

table identity.company_grant (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  id uuid not null default identity.new_id(),
  access text not null,
  created_at timestamp with time zone not null default now(),
  constraint company_grant_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text]))),
  constraint company_grant_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint company_grant_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint company_grant_pkey PRIMARY KEY (company_id, team_id, user_id)
);
CREATE INDEX company_grant_user ON identity.company_grant USING btree (company_id, user_id);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert, select, update to memory_service;

table identity.failed_password (
  key bytea not null,
  at timestamp with time zone[] not null,
  refused boolean not null default false,
  constraint failed_password_pkey PRIMARY KEY (key)
);
row level security off;

table identity.invite (
  company_id uuid not null,
  id uuid not null,
  team_id uuid,
  email text not null,
  role text not null,
  grants jsonb not null default '[]'::jsonb,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint invite_email_check CHECK ((email = lower(email))),
  constraint invite_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint invite_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE,
  constraint invite_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint invite_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX invite_creator ON identity.invite USING btree (company_id, created_by) WHERE ((used_at IS NULL) AND (revoked_at IS NULL));
CREATE UNIQUE INDEX invite_open ON identity.invite USING btree (company_id, team_id, email) NULLS NOT DISTINCT WHERE ((used_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX invite_team ON identity.invite USING btree (company_id, team_id, id DESC);
CREATE UNIQUE INDEX invite_token ON identity.invite USING btree (token_hash);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert to memory_service;
grant select (company_id, id, team_id, email, role, grants, expires_at, used_at, revoked_at, created_by, created_at) to memory_service;
grant update (used_at, revoked_at) to memory_service;

table identity.layer (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  constraint layer_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint layer_pkey PRIMARY KEY (team_id, id)
);
row level security on;

table identity.request_count (
  key bytea not null,
  ends_at timestamp with time zone not null,
  requests integer not null,
  constraint request_count_pkey PRIMARY KEY (key)
);
CREATE INDEX request_count_end ON identity.request_count USING btree (ends_at);
row level security off;

table identity.reset_link (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint reset_link_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint reset_link_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX reset_link_token ON identity.reset_link USING btree (token_hash);
CREATE INDEX reset_link_user ON identity.reset_link USING btree (company_id, user_id);
row level security on;
policy company for all to memory_service
    using (company_id = ( SELECT memory.claimed_company() AS claimed_company));
grant delete, insert to memory_service;
grant select (company_id, id, user_id, expires_at, used_at, revoked_at, created_by, created_at) to memory_service;
grant update (used_at, revoked_at) to memory_service;

table identity.session (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  user_agent text,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  constraint session_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint session_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX session_token ON identity.session USING btree (token_hash);
CREATE INDEX session_user_id ON identity.session USING btree (company_id, user_id);
row level security on;
policy company for all to memory_service
    using (company_id = ( SELECT memory.claimed_company() AS claimed_company));
grant delete, insert to memory_service;
grant select (company_id, id, user_id, user_agent, created_at, last_seen_at) to memory_service;
grant update (last_seen_at) to memory_service;

table identity.team (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  state text not null default 'active'::text,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  publish text not null default 'anyone'::text,
  redaction text,
  folded_name text,
  quota_set boolean not null default false,
  quota_chunks bigint,
  quota_bytes bigint,
  constraint team_publish_check CHECK ((publish = ANY (ARRAY['anyone'::text, 'review'::text]))),
  constraint team_quota_bytes_check CHECK ((quota_bytes >= 0)),
  constraint team_quota_chunks_check CHECK ((quota_chunks >= 0)),
  constraint team_redaction_check CHECK ((redaction = ANY (ARRAY['off'::text, 'flag'::text, 'redact'::text, 'refuse'::text]))),
  constraint team_state_check CHECK ((state = ANY (ARRAY['active'::text, 'archived'::text]))),
  constraint team_company_id_fkey FOREIGN KEY (company_id) REFERENCES identity.company(id) ON DELETE CASCADE,
  constraint team_pkey PRIMARY KEY (company_id, id),
  constraint team_id_key UNIQUE (id)
);
CREATE UNIQUE INDEX team_folded_name ON identity.team USING btree (company_id, folded_name) WHERE (deleted_at IS NULL);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (id = ( SELECT memory.claimed_team() AS claimed_team))));
CREATE TRIGGER add_layer AFTER INSERT ON identity.team FOR EACH ROW EXECUTE FUNCTION identity.add_layer();
CREATE TRIGGER counted AFTER INSERT ON identity.team FOR EACH ROW EXECUTE FUNCTION identity.count_new_team();
grant delete, insert, select, update to memory_service;

table identity.team_member (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  id uuid not null default identity.new_id(),
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint team_member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint team_member_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint team_member_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES identity.account(company_id, id) ON DELETE CASCADE,
  constraint team_member_pkey PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_member_user ON identity.team_member USING btree (company_id, user_id);
row level security on;
policy company for all to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))));
grant delete, insert, select, update to memory_service;

table identity.team_withdrawal (
  company_id uuid not null,
  team_id uuid not null,
  position pg_lsn not null,
  constraint team_withdrawal_company_id_team_id_fkey FOREIGN KEY (company_id, team_id) REFERENCES identity.team(company_id, id) ON DELETE CASCADE,
  constraint team_withdrawal_pkey PRIMARY KEY (team_id)
);
row level security on;

table memory.audit_event (
  company_id uuid not null,
  id uuid not null,
  kind text not null,
  actor_id uuid not null,
  team_id uuid,
  client_id uuid,
  layer text,
  subject_type text not null,
  subject_id uuid,
  detail jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null default now(),
  token_id uuid default memory.claimed_token(),
  constraint audit_event_layer_check CHECK ((layer = ANY (ARRAY['team'::text, 'client'::text]))),
  constraint audit_event_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX audit_event_kind ON memory.audit_event USING btree (company_id, kind, id DESC);
CREATE INDEX audit_event_subject ON memory.audit_event USING btree (company_id, subject_id, id DESC);
CREATE INDEX audit_event_team ON memory.audit_event USING btree (company_id, team_id, id DESC);
row level security on;
policy appends for insert to memory_service
    with check ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (actor_id = ( SELECT memory.claimed_user() AS claimed_user)) AND (NOT (token_id IS DISTINCT FROM ( SELECT memory.claimed_token() AS claimed_token))) AND ((team_id IS NULL) OR (( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))) AND (NOT ((kind = 'memory.search'::text) AND (detail ?| '{query,hitIds,passageIds}'::text[]))));
policy reads for select to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND ((layer IS NULL) OR (COALESCE(client_id, team_id) = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[]))))));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON memory.audit_event FOR EACH ROW EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON memory.audit_event FOR EACH STATEMENT EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER await_seal AFTER INSERT ON memory.audit_event FOR EACH ROW EXECUTE FUNCTION memory.await_seal();
grant insert, select to memory_service;

table memory.audit_reseal (
  company_id uuid not null,
  sequence bigint not null default 0,
  old_hash bytea not null default '\x'::bytea,
  hash bytea not null default '\x'::bytea,
  first_break uuid,
  after_event uuid,
  events bigint not null default 0,
  constraint audit_reseal_pkey PRIMARY KEY (company_id)
);
row level security on;

table memory.audit_seal (
  company_id uuid not null,
  sequence bigint not null,
  event_id uuid not null,
  hash bytea not null,
  sealed_at timestamp with time zone not null default now(),
  constraint audit_seal_sequence_check CHECK ((sequence > 0)),
  constraint audit_seal_pkey PRIMARY KEY (company_id, sequence),
  constraint audit_seal_company_id_event_id_key UNIQUE (company_id, event_id)
);
row level security on;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON memory.audit_seal FOR EACH ROW EXECUTE FUNCTION memory.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON memory.audit_seal FOR EACH STATEMENT EXECUTE FUNCTION memory.refuse_change();

table memory.audit_search (
  company_id uuid not null,
  team_id uuid not null,
  event_id uuid not null,
  actor_id uuid not null,
  query text,
  query_salt bytea,
  hit_ids uuid[] not null,
  passage_ids uuid[] not null,
  hits_salt bytea not null,
  at timestamp with time zone not null default now(),
  constraint audit_search_text CHECK (((query IS NULL) = (query_salt IS NULL))),
  constraint audit_search_pkey PRIMARY KEY (team_id, event_id)
);
CREATE INDEX audit_search_actor ON memory.audit_search USING btree (company_id, actor_id) WHERE (query IS NOT NULL);
CREATE INDEX audit_search_age ON memory.audit_search USING btree (at);
CREATE INDEX audit_search_team ON memory.audit_search USING btree (team_id) WHERE (query IS NOT NULL);
row level security on;
policy appends for insert to memory_service
    with check ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (actor_id = ( SELECT memory.claimed_user() AS claimed_user)));
policy forgets for update to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (( SELECT memory.claimed_team() AS claimed_team) IS NULL))
    with check (query IS NULL);
policy reads for select to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND ((( SELECT memory.claimed_team() AS claimed_team) IS NULL) OR (team_id = ( SELECT memory.claimed_team() AS claimed_team))) AND (EXISTS ( SELECT
   FROM memory.audit_event e
  WHERE ((e.company_id = audit_search.company_id) AND (e.id = audit_search.event_id)))));
grant insert, select to memory_service;
grant update (query, query_salt) to memory_service;

table memory.audit_unsealed (
  company_id uuid not null,
  event_id uuid not null,
  constraint audit_unsealed_pkey PRIMARY KEY (company_id, event_id)
);
row level security on;

table memory.blob_place (
  only_row boolean not null default true,
  uses_bucket boolean not null,
  constraint blob_place_only_row_check CHECK (only_row),
  constraint blob_place_pkey PRIMARY KEY (only_row)
);
row level security off;

table memory.capture (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  state text not null default 'staged'::text,
  session_id text not null,
  sequence bigint,
  summary text not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  metadata jsonb not null default '{}'::jsonb,
  batch_id uuid,
  leased_until timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  created_by_token uuid default memory.claimed_token(),
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  constraint capture_check CHECK (((state = 'staged'::text) = (batch_id IS NULL))),
  constraint capture_check1 CHECK (((state = 'claimed'::text) = (leased_until IS NOT NULL))),
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
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER tally_added AFTER INSERT ON memory.capture REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.capture REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('captures', 'octet_length(summary)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.capture REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('captures', 'octet_length(summary)');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.capture REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.capture REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('captures');
grant insert, select, update to memory_service;

table memory.chunk (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  source_id uuid not null,
  ordinal integer not null,
  text text not null,
  headings text[] not null default '{}'::text[],
  page integer,
  created_at timestamp with time zone not null default now(),
  text_hash bytea,
  sheet text,
  row integer,
  slide integer,
  repeated integer not null default 0,
  constraint chunk_page CHECK ((page > 0)),
  constraint chunk_row CHECK (("row" > 0)),
  constraint chunk_slide CHECK ((slide > 0)),
  constraint chunk_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE,
  constraint chunk_pkey PRIMARY KEY (team_id, id),
  constraint chunk_team_id_source_id_ordinal_key UNIQUE (team_id, source_id, ordinal)
);
CREATE INDEX chunk_created ON memory.chunk USING btree (team_id, created_at) INCLUDE (id, source_id, layer_id);
CREATE INDEX chunk_id ON memory.chunk USING btree (id);
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
grant delete, insert, select, update to memory_service;

table memory.chunk_embedding (
  team_id uuid not null,
  layer_id uuid not null,
  chunk_id uuid not null,
  model text not null,
  embedding public.halfvec(1024) not null storage plain,
  signs bit(1024) not null generated always as ((public.binary_quantize(embedding))::bit(1024)) stored storage plain,
  constraint chunk_embedding_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE,
  constraint chunk_embedding_pkey PRIMARY KEY (team_id, chunk_id, model)
);
CREATE INDEX chunk_embedding_signs ON memory.chunk_embedding USING btree (team_id, model, layer_id) INCLUDE (chunk_id, signs);
row level security on;
policy writes for insert to memory_service
    with check ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
grant insert to memory_service;

table memory.chunk_keyword (
  team_id uuid not null,
  layer_id uuid not null,
  chunk_id uuid not null,
  keys integer[] not null storage main,
  weights public.sparsevec(536870912) not null storage main,
  constraint chunk_keyword_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE,
  constraint chunk_keyword_pkey PRIMARY KEY (team_id, chunk_id)
);
CREATE INDEX chunk_keyword_keys ON memory.chunk_keyword USING gin (keys);
CREATE INDEX chunk_keyword_layer ON memory.chunk_keyword USING btree (team_id, layer_id, chunk_id);
CREATE INDEX chunk_keyword_sample ON memory.chunk_keyword USING btree (team_id, layer_id, uuid_hash(chunk_id));
row level security on;
policy writes for insert to memory_service
    with check ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
grant insert to memory_service;

table memory.consolidation_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  capture_ids uuid[] not null,
  expires_at timestamp with time zone not null,
  request_hash bytea,
  results jsonb,
  layers uuid[],
  created_at timestamp with time zone not null default now(),
  constraint consolidation_batch_check CHECK ((((request_hash IS NULL) = (results IS NULL)) AND ((results IS NULL) = (layers IS NULL)))),
  constraint consolidation_batch_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX consolidation_batch_end ON memory.consolidation_batch USING btree (expires_at);
row level security on;
policy own for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user)));
grant insert, select, update to memory_service;

table memory.deployment (
  only_row boolean not null default true,
  embedding_model text not null,
  adopted_at timestamp with time zone not null default now(),
  swept_at timestamp with time zone,
  vectors_pruned_at timestamp with time zone,
  constraint deployment_only_row_check CHECK (only_row),
  constraint deployment_pkey PRIMARY KEY (only_row)
);
row level security off;

table memory.embedding_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  chunk_ids uuid[] not null,
  expires_at timestamp with time zone not null,
  request_hash bytea,
  embedded integer,
  created_at timestamp with time zone not null default now(),
  constraint embedding_batch_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE,
  constraint embedding_batch_pkey PRIMARY KEY (team_id, id)
);
row level security on;
policy own for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user)));
grant delete, insert, select, update to memory_service;

table memory.embedding_pending (
  team_id uuid not null,
  layer_id uuid not null,
  chunk_id uuid not null,
  batch_id uuid,
  leased_until timestamp with time zone,
  refused_at timestamp with time zone,
  constraint embedding_pending_team_id_chunk_id_fkey FOREIGN KEY (team_id, chunk_id) REFERENCES memory.chunk(team_id, id) ON DELETE CASCADE,
  constraint embedding_pending_pkey PRIMARY KEY (team_id, chunk_id)
);
CREATE INDEX embedding_pending_batch ON memory.embedding_pending USING btree (team_id, batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX embedding_pending_layer ON memory.embedding_pending USING btree (team_id, layer_id, chunk_id);
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER tally_added AFTER INSERT ON memory.embedding_pending REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_pending();
CREATE TRIGGER tally_gone AFTER DELETE ON memory.embedding_pending REFERENCING OLD TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_pending();
grant delete, insert, select, update to memory_service;

table memory.feedback (
  team_id uuid not null,
  id uuid not null,
  created_by uuid not null,
  created_by_token uuid default memory.claimed_token(),
  query_id uuid not null,
  chunk_id uuid not null,
  source_id uuid not null,
  verdict text not null,
  note text,
  created_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  constraint feedback_verdict_check CHECK ((verdict = ANY (ARRAY['useful'::text, 'wrong'::text, 'outdated'::text]))),
  constraint feedback_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE,
  constraint feedback_pkey PRIMARY KEY (team_id, id),
  constraint feedback_team_id_created_by_query_id_chunk_id_key UNIQUE (team_id, created_by, query_id, chunk_id)
);
CREATE INDEX feedback_open ON memory.feedback USING btree (team_id, source_id) WHERE ((settled_at IS NULL) AND (verdict <> 'useful'::text));
CREATE INDEX feedback_source ON memory.feedback USING btree (team_id, source_id);
row level security on;
policy gives for insert to memory_service
    with check ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (created_by = ( SELECT memory.claimed_user() AS claimed_user)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id)))));
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id)))));
policy settles for update to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = feedback.team_id) AND (s.id = feedback.source_id) AND ((feedback.created_by = ( SELECT memory.claimed_user() AS claimed_user)) OR (s.layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])))))));
grant insert, select to memory_service;
grant update (created_by_token, verdict, note, created_at, settled_at) to memory_service;

table memory.function_file (
  name text not null,
  checksum text not null,
  revision integer not null,
  applied_at timestamp with time zone not null default now(),
  constraint function_file_pkey PRIMARY KEY (name)
);
row level security off;

table memory.idempotency_key (
  team_id uuid not null,
  user_id uuid not null,
  route text not null,
  key_hash bytea not null,
  body_hash bytea not null,
  status integer not null,
  response jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_key_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE,
  constraint idempotency_key_pkey PRIMARY KEY (team_id, user_id, route, key_hash)
);
CREATE INDEX idempotency_key_age ON memory.idempotency_key USING btree (created_at);
row level security on;
policy own for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (user_id = ( SELECT memory.claimed_user() AS claimed_user)));
grant delete, insert, select to memory_service;

table memory.import (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  state text not null,
  filename text not null,
  title text not null,
  media_type text not null,
  bytes integer not null,
  sha256 bytea,
  attempts integer not null default 0,
  progress_stage text,
  progress_percent smallint,
  error_code text,
  error_message text,
  source_id uuid,
  payload_pruned_at timestamp with time zone,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  tags text[] not null default '{}'::text[],
  created_by_token uuid default memory.claimed_token(),
  expires_at timestamp with time zone,
  near_duplicates jsonb not null default '[]'::jsonb,
  redactions jsonb not null default '[]'::jsonb,
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  constraint import_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint import_progress_percent_check CHECK (((progress_percent >= 0) AND (progress_percent <= 100))),
  constraint import_progress_stage_check CHECK ((progress_stage = ANY (ARRAY['reading'::text, 'cutting'::text, 'storing'::text]))),
  constraint import_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint import_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE,
  constraint import_team_id_layer_id_fkey FOREIGN KEY (team_id, layer_id) REFERENCES identity.layer(team_id, id),
  constraint import_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX import_by_state ON memory.import USING btree (team_id, state, id DESC);
CREATE INDEX import_failed ON memory.import USING btree (team_id, layer_id, id DESC) WHERE (state = 'failed'::text);
CREATE INDEX import_kept_files ON memory.import USING btree (updated_at) WHERE ((state = 'failed'::text) AND (payload_pruned_at IS NULL));
CREATE INDEX import_near_duplicates ON memory.import USING btree (team_id) WHERE (near_duplicates <> '[]'::jsonb);
CREATE INDEX import_source ON memory.import USING btree (team_id, source_id) WHERE (source_id IS NOT NULL);
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER tally_added AFTER INSERT ON memory.import REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.import REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.import REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('imports');
grant delete, insert, select, update to memory_service;

table memory.import_payload (
  team_id uuid not null,
  layer_id uuid not null,
  import_id uuid not null,
  part integer not null default 0,
  content bytea not null,
  constraint import_payload_part_check CHECK ((part >= 0)),
  constraint import_payload_team_id_import_id_fkey FOREIGN KEY (team_id, import_id) REFERENCES memory.import(team_id, id) ON DELETE CASCADE,
  constraint import_payload_pkey PRIMARY KEY (team_id, import_id, part)
);
row level security on;
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
grant delete, insert, select, update to memory_service;

table memory.job_tally (
  queue text not null,
  outcome text not null,
  jobs bigint not null,
  seconds double precision not null,
  durations bigint[] not null,
  constraint job_tally_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'lost'::text, 'given_back'::text]))),
  constraint job_tally_pkey PRIMARY KEY (queue, outcome)
);
row level security off;
grant select to memory_service;
grant insert, update to memory_worker;

table memory.kept_chunk (
  team_id uuid not null,
  source_id uuid not null,
  ordinal integer not null,
  id uuid not null,
  text text not null,
  headings text[] not null,
  page integer,
  sheet text,
  row integer,
  slide integer,
  created_at timestamp with time zone not null,
  text_hash bytea,
  keys integer[],
  weights public.sparsevec(536870912),
  model text,
  embedding public.halfvec(1024),
  repeated integer not null default 0,
  constraint kept_chunk_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.kept_source(team_id, source_id) ON DELETE CASCADE,
  constraint kept_chunk_pkey PRIMARY KEY (team_id, source_id, ordinal)
);
row level security on;

table memory.kept_source (
  team_id uuid not null,
  layer_id uuid not null,
  source_id uuid not null,
  archived_at timestamp with time zone not null default now(),
  chunks integer not null,
  bytes bigint not null,
  bands integer[],
  signature bytea,
  constraint kept_source_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE,
  constraint kept_source_pkey PRIMARY KEY (team_id, source_id)
);
CREATE INDEX kept_source_end ON memory.kept_source USING btree (archived_at);
row level security on;
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.kept_source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('kept');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.kept_source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('kept');

table memory.keyword_df (
  team_id uuid not null,
  space "char" not null,
  term integer not null,
  counts public.sparsevec(16000) not null storage main,
  constraint keyword_df_space_check CHECK ((space = ANY (ARRAY['d'::"char", 'k'::"char"]))),
  constraint keyword_df_pkey PRIMARY KEY (team_id, space, term)
);
row level security on;
policy team for all to memory_service
    using (team_id = ( SELECT memory.claimed_team() AS claimed_team));

table memory.keyword_layer (
  team_id uuid not null,
  layer_id uuid not null,
  place integer not null,
  chunks integer not null,
  sampled integer not null,
  counted_at timestamp with time zone not null default now(),
  dims integer[] not null default '{}'::integer[],
  dim_counts integer[] not null default '{}'::integer[],
  keys integer[] not null default '{}'::integer[],
  key_counts integer[] not null default '{}'::integer[],
  renewed integer not null default 0,
  members integer[],
  gone integer not null default 0,
  once_dims bytea not null default '\x'::bytea,
  once_keys bytea not null default '\x'::bytea,
  version integer not null default 0,
  constraint keyword_layer_sampled_check CHECK ((sampled > 0)),
  constraint keyword_layer_team_id_fkey FOREIGN KEY (team_id) REFERENCES memory.keyword_team(team_id) ON DELETE CASCADE,
  constraint keyword_layer_pkey PRIMARY KEY (team_id, layer_id)
);
row level security on;
policy team for all to memory_service
    using (team_id = ( SELECT memory.claimed_team() AS claimed_team));

table memory.keyword_slice (
  team_id uuid not null,
  space "char" not null,
  slice integer not null,
  terms integer[] not null storage main,
  places smallint[] storage main,
  counts smallint[] not null storage main,
  vectors public.sparsevec(16000)[] storage main,
  constraint keyword_slice_space_check CHECK ((space = ANY (ARRAY['d'::"char", 'k'::"char"]))),
  constraint keyword_slice_team_id_fkey FOREIGN KEY (team_id) REFERENCES memory.keyword_team(team_id) ON DELETE CASCADE,
  constraint keyword_slice_pkey PRIMARY KEY (team_id, space, slice)
);
row level security on;
policy team for all to memory_service
    using (team_id = ( SELECT memory.claimed_team() AS claimed_team));

table memory.keyword_team (
  team_id uuid not null,
  chunks integer not null default 0,
  sampled integer not null default 0,
  counted_at timestamp with time zone,
  scales public.sparsevec(16000) storage main,
  layers uuid[] not null default '{}'::uuid[],
  layer_count integer not null default 0,
  packed boolean not null default false,
  dim_shift smallint not null default 29,
  key_shift smallint not null default 31,
  layer_places integer[] not null default '{}'::integer[],
  layer_scales real[] not null default '{}'::real[],
  constraint keyword_team_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE,
  constraint keyword_team_pkey PRIMARY KEY (team_id)
);
row level security on;
policy team for all to memory_service
    using (team_id = ( SELECT memory.claimed_team() AS claimed_team));
CREATE TRIGGER forget_term_counts AFTER DELETE ON memory.keyword_team FOR EACH ROW EXECUTE FUNCTION memory.forget_term_counts();
grant insert to memory_service;

table memory.layer_tally (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  layer_id uuid not null,
  part text not null,
  state text,
  kind text,
  n integer not null,
  constraint layer_tally_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX layer_tally_layer ON memory.layer_tally USING btree (team_id, layer_id);
row level security on;
CREATE TRIGGER fold_some AFTER INSERT ON memory.layer_tally REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((pg_trigger_depth() = 1) AND (random() < ((1.0 / (16)::numeric))::double precision))) EXECUTE FUNCTION memory.fold_layers();

table memory.memory_item (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  state text not null,
  title text not null,
  content text not null,
  metadata jsonb not null default '{}'::jsonb,
  version integer not null default 1,
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
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  tags text[] not null default '{}'::text[],
  created_by_token uuid default memory.claimed_token(),
  expires_at timestamp with time zone,
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  constraint memory_item_check1 CHECK (((embedding IS NULL) = (embedding_model IS NULL))),
  constraint memory_item_check2 CHECK (((embedding IS NULL) OR (state = 'review'::text))),
  constraint memory_item_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint memory_item_source CHECK (((state <> 'published'::text) OR (source_id IS NOT NULL))),
  constraint memory_item_state_check CHECK ((state = ANY (ARRAY['review'::text, 'published'::text, 'discarded'::text, 'archived'::text]))),
  constraint memory_item_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id),
  constraint memory_item_pkey PRIMARY KEY (team_id, id)
);
CREATE INDEX memory_item_captures ON memory.memory_item USING gin (capture_ids) WITH (gin_pending_list_limit='512');
CREATE INDEX memory_item_expiry ON memory.memory_item USING btree (team_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (state = 'review'::text));
CREATE INDEX memory_item_keys ON memory.memory_item USING gin (keys) WITH (gin_pending_list_limit='512');
CREATE INDEX memory_item_layer ON memory.memory_item USING btree (team_id, state, layer_id);
CREATE UNIQUE INDEX memory_item_source ON memory.memory_item USING btree (team_id, source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX memory_item_state ON memory.memory_item USING btree (team_id, state, id DESC);
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER record_version AFTER INSERT OR UPDATE ON memory.memory_item FOR EACH ROW EXECUTE FUNCTION memory.record_version();
CREATE TRIGGER tally_added AFTER INSERT ON memory.memory_item REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.memory_item REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
CREATE TRIGGER tally_gone AFTER DELETE ON memory.memory_item REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_states('memories');
grant insert, select, update to memory_service;

table memory.memory_version (
  team_id uuid not null,
  memory_id uuid not null,
  version integer not null,
  layer_id uuid not null,
  title text not null,
  content text not null,
  published boolean not null,
  actor_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint memory_version_team_id_memory_id_fkey FOREIGN KEY (team_id, memory_id) REFERENCES memory.memory_item(team_id, id) ON DELETE CASCADE,
  constraint memory_version_pkey PRIMARY KEY (team_id, memory_id, version)
);
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.memory_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(content)');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.memory_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('versions', 'octet_length(content)');
grant insert, select to memory_service;
grant update (published) to memory_service;

table memory.migration (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migration_pkey PRIMARY KEY (number)
);
row level security off;
grant select to memory_service;

table memory.original (
  team_id uuid not null,
  sha256 bytea not null,
  company_id uuid not null,
  bytes integer not null,
  constraint original_sha256_check CHECK ((length(sha256) = 32)),
  constraint original_company_id_sha256_fkey FOREIGN KEY (company_id, sha256) REFERENCES memory.workspace_blob(company_id, sha256),
  constraint original_pkey PRIMARY KEY (team_id, sha256)
);
CREATE INDEX original_content ON memory.original USING btree (company_id, sha256);
row level security on;
CREATE TRIGGER forsake AFTER DELETE ON memory.original REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.forsake_workspace_blobs();
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.original REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('originals');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.original REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('originals');

table memory.source (
  team_id uuid not null,
  id uuid not null,
  layer_id uuid not null,
  kind text not null,
  state text not null,
  title text not null,
  uri text,
  external_id text,
  content_hash bytea not null,
  metadata jsonb not null default '{}'::jsonb,
  chunk_count integer not null default 0,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  terms_version smallint not null default 1,
  tags text[] not null default '{}'::text[],
  file_id uuid,
  same_as uuid,
  created_by_token uuid default memory.claimed_token(),
  expires_at timestamp with time zone,
  text_bytes bigint not null default 0,
  original_sha256 bytea,
  original_bytes integer,
  original_media_type text,
  occurred_at timestamp with time zone,
  occurred_is_day boolean,
  constraint source_file CHECK (((file_id IS NULL) OR (kind = 'file'::text))),
  constraint source_kind_check CHECK ((kind = ANY (ARRAY['ingest'::text, 'import'::text, 'memory'::text, 'file'::text]))),
  constraint source_occurred CHECK (((occurred_at IS NULL) = (occurred_is_day IS NULL))),
  constraint source_original_fields CHECK ((((original_sha256 IS NULL) = (original_bytes IS NULL)) AND ((original_sha256 IS NULL) = (original_media_type IS NULL)))),
  constraint source_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'active'::text, 'archived'::text]))),
  constraint source_original FOREIGN KEY (team_id, original_sha256) REFERENCES memory.original(team_id, sha256),
  constraint source_team_id_fkey FOREIGN KEY (team_id) REFERENCES identity.team(id) ON DELETE CASCADE,
  constraint source_team_id_layer_id_fkey FOREIGN KEY (team_id, layer_id) REFERENCES identity.layer(team_id, id),
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
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER measure BEFORE UPDATE OF chunk_count ON memory.source FOR EACH ROW EXECUTE FUNCTION memory.measure_source();
CREATE TRIGGER original_dropped AFTER UPDATE OF original_sha256 ON memory.source FOR EACH ROW WHEN (((old.original_sha256 IS NOT NULL) AND (old.original_sha256 IS DISTINCT FROM new.original_sha256))) EXECUTE FUNCTION memory.release_original();
CREATE TRIGGER original_gone AFTER DELETE ON memory.source FOR EACH ROW WHEN ((old.original_sha256 IS NOT NULL)) EXECUTE FUNCTION memory.release_original();
CREATE TRIGGER tally_added AFTER INSERT ON memory.source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_changed AFTER UPDATE ON memory.source REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_gone AFTER DELETE ON memory.source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_sources();
CREATE TRIGGER tally_texts_added AFTER INSERT ON memory.source REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_texts_changed AFTER UPDATE ON memory.source REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
CREATE TRIGGER tally_texts_gone AFTER DELETE ON memory.source REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_texts();
grant delete, insert, select, update to memory_service;

table memory.source_sketch (
  team_id uuid not null,
  layer_id uuid not null,
  source_id uuid not null,
  bands integer[] not null,
  signature bytea not null,
  constraint source_sketch_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE,
  constraint source_sketch_pkey PRIMARY KEY (team_id, source_id)
);
CREATE INDEX source_sketch_bands ON memory.source_sketch USING gin (bands) WITH (fastupdate=off);
row level security on;
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
grant delete to memory_service;
grant select (team_id, layer_id, source_id) to memory_service;

table memory.source_use (
  team_id uuid not null,
  source_id uuid not null,
  found bigint not null default 0,
  opened bigint not null default 0,
  last_found_at timestamp with time zone,
  constraint source_use_team_id_source_id_fkey FOREIGN KEY (team_id, source_id) REFERENCES memory.source(team_id, id) ON DELETE CASCADE,
  constraint source_use_pkey PRIMARY KEY (team_id, source_id)
);
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = source_use.team_id) AND (s.id = source_use.source_id)))));
grant select to memory_service;

table memory.usage_tally (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  part text not null,
  sources bigint not null default 0,
  chunks bigint not null default 0,
  files bigint not null default 0,
  bytes bigint not null default 0,
  xact xid8 default pg_current_xact_id(),
  constraint usage_tally_part_check CHECK ((part ~ '^[a-z_]+$'::text)),
  constraint usage_tally_pkey PRIMARY KEY (team_id, id)
);
row level security on;
CREATE TRIGGER fold_some AFTER INSERT ON memory.usage_tally REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((pg_trigger_depth() = 1) AND (random() < ((1.0 / (16)::numeric))::double precision))) EXECUTE FUNCTION memory.fold_usage();

table memory.worker (
  id uuid not null,
  started_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  queues text[] not null,
  rss_bytes bigint not null,
  embedder jsonb,
  constraint worker_pkey PRIMARY KEY (id)
);
row level security off;
grant select to memory_service;
grant delete, insert, update to memory_worker;

table memory.workspace_blob (
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
row level security on;
policy reads for select to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (EXISTS ( SELECT
   FROM memory.workspace_version v
  WHERE ((v.company_id = workspace_blob.company_id) AND (v.sha256 = workspace_blob.sha256) AND (v.team_id = ( SELECT memory.claimed_team() AS claimed_team))))));
policy reads_originals for select to memory_service
    using ((company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (EXISTS ( SELECT
   FROM memory.source s
  WHERE ((s.team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (s.original_sha256 = workspace_blob.sha256) AND (s.state = 'active'::text)))));
grant select to memory_service;

table memory.workspace_team (
  team_id uuid not null,
  revision bigint not null,
  constraint workspace_team_pkey PRIMARY KEY (team_id)
);
row level security on;
policy team for all to memory_service
    using (team_id = ( SELECT memory.claimed_team() AS claimed_team));
grant insert, select to memory_service;
grant update (revision) to memory_service;

table memory.workspace_version (
  team_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  layer_id uuid not null,
  file_id uuid not null,
  path text not null,
  folded text not null,
  folded_start text not null generated always as ("left"(folded, 500)) stored,
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
  updated_at timestamp with time zone not null default now(),
  superseded_at timestamp with time zone,
  indexed text,
  updated_by_token uuid default memory.claimed_token(),
  constraint workspace_version_check CHECK (((until_revision IS NULL) = (superseded_at IS NULL))),
  constraint workspace_version_check1 CHECK ((until_revision > revision)),
  constraint workspace_version_check2 CHECK (((sha256 IS NOT NULL) OR (bytes = 0))),
  constraint workspace_version_indexed CHECK ((indexed = ANY (ARRAY['yes'::text, 'pending'::text, 'no'::text, 'failed'::text]))),
  constraint workspace_version_version_check CHECK ((version > 0)),
  constraint workspace_version_company_id_sha256_fkey FOREIGN KEY (company_id, sha256) REFERENCES memory.workspace_blob(company_id, sha256),
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
row level security on;
policy reads for select to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (layer_id = ANY (( SELECT memory.readable_layers() AS readable_layers)::uuid[])));
policy writes for all to memory_service
    using ((team_id = ( SELECT memory.claimed_team() AS claimed_team)) AND (company_id = ( SELECT memory.claimed_company() AS claimed_company)) AND (layer_id = ANY (( SELECT memory.writable_layers() AS writable_layers)::uuid[])));
CREATE TRIGGER forsake AFTER DELETE ON memory.workspace_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.forsake_workspace_blobs();
CREATE TRIGGER tally_bytes_added AFTER INSERT ON memory.workspace_version REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_bytes_changed AFTER UPDATE ON memory.workspace_version REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
CREATE TRIGGER tally_bytes_gone AFTER DELETE ON memory.workspace_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
grant insert, select to memory_service;
grant update (until_revision, superseded_at, indexed) to memory_service;

CREATE OR REPLACE FUNCTION identity.add_layer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
begin
  if tg_table_name = 'team' then
    insert into layer (company_id, team_id, id) values (new.company_id, new.id, new.id);
  else
    insert into layer (company_id, team_id, id) values (new.company_id, new.team_id, new.id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION identity.count_new_team()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  insert into keyword_team (team_id) values (new.id) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION identity.count_requests(p_keys bytea[], p_window_ms double precision)
 RETURNS TABLE(requests integer, ends_in_ms double precision)
 LANGUAGE plpgsql
 ROWS 2
 SET search_path TO 'identity', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  return query with counted as (
    insert into request_count as c (key, ends_at, requests)
    select k.key, clock_timestamp() + make_interval(secs => p_window_ms / 1000), 1
      from unnest(p_keys) k (key) order by k.key
    on conflict (key) do update set
      requests = case when c.ends_at <= clock_timestamp() then 1 else c.requests + 1 end,
      ends_at = case when c.ends_at <= clock_timestamp() then excluded.ends_at else c.ends_at end
    returning c.key, c.requests, c.ends_at
  )
  select n.requests, greatest(extract(epoch from n.ends_at - clock_timestamp()) * 1000, 0)::float8
    from unnest(p_keys) with ordinality k (key, place) join counted n on n.key = k.key
   order by k.place;
end $function$;

CREATE OR REPLACE FUNCTION identity.describe(p_user uuid, p_team uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'identity', 'pg_temp'
AS $function$
declare
  who account;
  teams jsonb;
  selected uuid;
begin
  select a.* into who from account a where a.id = p_user and a.closed_at is null;
  if not found then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'state', t.state, 'role', m.role,
           'grant', case when who.role = 'admin' then g.access end, 'publish', t.publish, 'redaction', t.redaction,
           'quota', case when t.quota_set then jsonb_build_object('chunks', t.quota_chunks, 'bytes', t.quota_bytes) end)
           order by t.id), '[]')
    into teams
    from team t
    left join team_member m on m.team_id = t.id and m.user_id = who.id
    left join company_grant g on g.company_id = t.company_id and g.team_id = t.id and g.user_id = who.id
   where t.company_id = who.company_id and t.deleted_at is null
     and (who.role = 'owner' or m.role is not null or (who.role = 'admin' and g.access is not null));
  -- An id of a Team without access selects nothing.
  if p_team is not null then
    selected := (select (t ->> 'id')::uuid from jsonb_array_elements(teams) t where (t ->> 'id')::uuid = p_team);
  elsif jsonb_array_length(teams) = 1 then
    selected := (teams -> 0 ->> 'id')::uuid;
  end if;
  return jsonb_build_object(
    'userId', who.id, 'email', who.email, 'name', who.name, 'companyRole', who.role,
    'companyId', who.company_id, 'companyName', (select c.name from company c where c.id = who.company_id),
    'teams', teams, 'selectedTeamId', selected,
    -- A position that the log has not reached is of another server, from which the database was restored. No replica would
    -- have it.
    'lastChange', greatest(
      (select c.position from caller_change c
        where c.company_id = who.company_id and c.user_id = who.id and c.position <= pg_current_wal_insert_lsn()),
      (select w.position from team_withdrawal w
        where w.company_id = who.company_id and w.team_id = selected and w.position <= pg_current_wal_insert_lsn())),
    'clients', coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'grant', g.access) order by c.id)
        from client c
        left join client_grant g on g.team_id = c.team_id and g.client_id = c.id and g.user_id = who.id
       where c.team_id = selected and c.state = 'active'), '[]'));
end $function$;

CREATE OR REPLACE FUNCTION identity.find_invite(p_token_hash bytea)
 RETURNS TABLE(id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  select i.id, i.company_id, i.team_id, i.email, i.role, i.grants,
         identity.invite_state(i.used_at, i.revoked_at, i.expires_at)
    from identity.invite i left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
   where i.token_hash = p_token_hash and t.deleted_at is null;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.find_link(p_token_hash bytea)
 RETURNS TABLE(kind text, email text, company text, team text, invited_by text, has_account boolean, expires_at timestamp with time zone, state text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  select 'reset', a.email, c.name, null::text, null::text, true, l.expires_at, f.state
    from identity.find_reset_link(p_token_hash) f
    join identity.reset_link l on l.company_id = f.company_id and l.id = f.id
    join identity.account a on a.company_id = f.company_id and a.id = f.user_id
    join identity.company c on c.id = f.company_id
  union all
  select case when f.team_id is null then 'invitation' else 'invite' end, f.email, c.name, t.name, a.name,
         exists (select from identity.find_sign_in(f.email)), i.expires_at, f.state
    from identity.find_invite(p_token_hash) f
    join identity.invite i on i.company_id = f.company_id and i.id = f.id
    join identity.company c on c.id = f.company_id
    left join identity.team t on t.company_id = f.company_id and t.id = f.team_id
    left join identity.account a on a.company_id = f.company_id and a.id = i.created_by and a.closed_at is null;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.find_reset_link(p_token_hash bytea)
 RETURNS TABLE(id uuid, user_id uuid, company_id uuid, state text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  select l.id, l.user_id, l.company_id,
         case when l.used_at is not null then 'used' when l.revoked_at is not null then 'revoked'
              when l.expires_at <= now() then 'expired' else 'open' end
    from identity.reset_link l join identity.account a on a.company_id = l.company_id and a.id = l.user_id
   where l.token_hash = p_token_hash and a.closed_at is null;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.find_sign_in(p_email text)
 RETURNS TABLE(user_id uuid, company_id uuid, password_hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  select a.id, a.company_id, a.password_hash from identity.account a
   where a.email = lower(btrim(p_email)) and a.closed_at is null;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.forget_answers(p_user uuid, p_tokens uuid[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'identity', 'memory', 'pg_temp'
AS $function$
  delete from idempotency_key k
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     and k.user_id = p_user;
  update idempotency_key k set response = jsonb_set(k.response, '{source,createdWith,name}', '"Former agent token"')
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     -- Reading all answers takes long, so only where there is something to find.
     and cardinality(p_tokens) > 0 and (k.response #>> '{source,createdWith,tokenId}')::uuid = any (p_tokens);
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.invite_state(p_used_at timestamp with time zone, p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (p_used_at IS NOT NULL) THEN 'used'::text WHEN (p_expires_at <= COALESCE(p_revoked_at, now())) THEN 'expired'::text WHEN (p_revoked_at IS NOT NULL) THEN 'revoked'::text ELSE 'open'::text END;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.is_team_name_taken(p_team uuid, p_folded text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
begin
  return exists (select from team t
                  where t.company_id = memory.claimed_company() and t.folded_name = p_folded and t.id <> p_team
                    and t.deleted_at is null);
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.lock_password_hash()
 RETURNS text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  select a.password_hash from identity.account a
   where a.company_id = memory.claimed_company() and a.id = memory.claimed_user() and a.closed_at is null
     for share;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.new_id(p_at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN (encode(set_byte(set_byte(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send((floor((EXTRACT(epoch FROM p_at) * (1000)::numeric)))::bigint) FROM 3) FROM 1 FOR 6), 6, (112 | (get_byte(uuid_send(gen_random_uuid()), 6) & 15))), 8, (128 | (get_byte(uuid_send(gen_random_uuid()), 8) & 63))), 'hex'::text))::uuid;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION identity.note_change(p_company uuid, p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into caller_change (company_id, user_id, position)
  values (p_company, p_user, pg_current_wal_insert_lsn())
  -- Read again after the lock of the row, so that it never goes back; and never kept, so that a position of another server,
  -- from which the database was restored, goes away.
  on conflict (company_id, user_id) do update set position = pg_current_wal_insert_lsn();
end $function$;

CREATE OR REPLACE FUNCTION identity.note_withdrawal(p_company uuid, p_team uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  insert into team_withdrawal (company_id, team_id, position)
  values (p_company, p_team, pg_current_wal_insert_lsn())
  -- As in note_change.
  on conflict (team_id) do update set position = pg_current_wal_insert_lsn();
$function$;

CREATE OR REPLACE FUNCTION identity.prune(p_idle_seconds integer, p_max_seconds integer)
 RETURNS TABLE(sessions integer, reset_links integer, token_secrets integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  with gone_sessions as (
    delete from identity.session s
     where least(s.last_seen_at + make_interval(secs => p_idle_seconds),
                 s.created_at + make_interval(secs => p_max_seconds)) < now() - interval '1 day' returning 1
  ), gone_links as (
    delete from identity.reset_link l where l.expires_at < now() - interval '30 days' returning 1
  ), gone_secrets as (
    delete from identity.agent_token_secret s where s.ends_at < now() - interval '30 days' returning 1
  )
  select (select count(*)::int from gone_sessions), (select count(*)::int from gone_links),
         (select count(*)::int from gone_secrets);
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION identity.prune_invites(p_password_seconds integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
  delete from identity.request_count r where r.ends_at < now();
  delete from identity.failed_password f
   where f.at[cardinality(f.at)] < now() - make_interval(secs => p_password_seconds);
  with gone as (delete from identity.invite i where i.expires_at < now() - interval '30 days' returning 1)
  select count(*)::int from gone;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION identity.purge_team(p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity', 'memory', 'public', 'pg_temp'
AS $function$
declare
  v_team uuid := memory.claimed_team();
  v_table regclass;
  v_left int := p_limit;
  v_gone int;
begin
  perform from team t
    where t.company_id = memory.claimed_company() and t.id = v_team and t.deleted_at is not null;
  if not found then
    return true;
  end if;
  for v_table in
    with recursive team_table as (
      select c.oid from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
       where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
         and c.oid <> 'memory.audit_event'::regclass
    ), step (oid, depth) as (
      select oid, 0 from team_table
      union all
      select k.conrelid, s.depth + 1
        from step s
        join pg_constraint k on k.confrelid = s.oid and k.contype = 'f' and k.conrelid <> s.oid
        join team_table t on t.oid = k.conrelid
       -- The depth is limited in case tables refer to each other.
       where s.depth < 20
    )
    -- Imports first, with their files, so that a waiting job finds nothing to do. Then each table before those that it
    -- refers to. The tallies last, because triggers write to them when rows of other tables are deleted.
    select s.oid::regclass from step s
     group by s.oid
     order by s.oid <> 'memory.import'::regclass,
              s.oid in ('memory.layer_tally'::regclass, 'memory.usage_tally'::regclass), max(s.depth) desc,
              s.oid::regclass::text
  loop
    execute format('delete from %1$s where team_id = $1
                      and ctid = any (array(select ctid from %1$s where team_id = $1 limit $2))', v_table)
      using v_team, v_left;
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    if v_left <= 0 then
      return false;
    end if;
  end loop;
  if v_left < p_limit then
    return false;
  end if;
  delete from team t where t.company_id = memory.claimed_company() and t.id = v_team;
  return true;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION identity.require_replayed(p_position pg_lsn)
 RETURNS pg_lsn
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_replayed constant pg_lsn := pg_last_wal_replay_lsn();
begin
  if not pg_is_in_recovery() or v_replayed is null then
    raise exception 'the server is no replica' using errcode = 'RB001';
  end if;
  if v_replayed < p_position then
    raise exception 'the replica has not replayed the position that is needed' using errcode = 'RB001';
  end if;
  return v_replayed;
end $function$;

CREATE OR REPLACE FUNCTION identity.resolve_agent_token(p_lookup_id text, p_secret_hash bytea, p_team uuid, p_address text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
declare
  -- Equal hashes of both hashes with a random value: the time of the comparison tells nothing about the stored hash.
  v_random constant bytea := uuid_send(gen_random_uuid());
  revoked constant jsonb := '{"expired": true, "reason": "revoked"}';
  found_secret agent_token_secret;
  token agent_token;
  caller jsonb;
  teams jsonb;
  selected uuid;
begin
  select s.* into found_secret from agent_token_secret s where s.lookup_id = p_lookup_id;
  if not found or sha256(v_random || found_secret.secret_hash) <> sha256(v_random || p_secret_hash) then
    return null;
  end if;
  select t.* into token from agent_token t where t.team_id = found_secret.team_id and t.id = found_secret.token_id;
  if token.revoked_at is not null then
    return revoked;
  end if;
  if found_secret.ends_at <= now() then
    return jsonb_build_object('expired', true, 'reason', 'replaced');
  end if;
  if token.expires_at <= now() then
    return jsonb_build_object('expired', true);
  end if;
  caller := identity.describe(token.user_id, token.team_id);
  -- describe selects a Team only if the account has access to it.
  if caller ->> 'selectedTeamId' is null then
    return revoked;
  end if;
  teams := (select jsonb_agg(t) from jsonb_array_elements(caller -> 'teams') t where (t ->> 'id')::uuid = token.team_id);
  selected := case when p_team is null or p_team = token.team_id then token.team_id end;
  -- Notes the use at most once a minute, as resolve_session does.
  if current_setting('transaction_read_only') = 'off'
    and (token.last_used_at is null or token.last_used_at < now() - interval '1 minute')
  then
    update agent_token t set last_used_at = now(), last_used_from = p_address
     where t.team_id = token.team_id and t.id in (
       select l.id from agent_token l where l.team_id = token.team_id and l.id = token.id for update skip locked);
  end if;
  return caller || jsonb_build_object(
    'session', null, 'teams', teams, 'selectedTeamId', selected,
    'clients', case when selected is null then '[]'::jsonb when token.client_ids is null then caller -> 'clients' else (
      select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(caller -> 'clients') c
       where (c ->> 'id')::uuid = any (token.client_ids)) end,
    'token', jsonb_build_object('id', token.id, 'name', token.name, 'permissions', to_jsonb(token.permissions),
      'clientIds', to_jsonb(token.client_ids), 'expiresAt', token.expires_at));
end $function$;

CREATE OR REPLACE FUNCTION identity.resolve_caller(p_token_hash bytea, p_lookup_id text, p_team uuid, p_address text, p_idle_seconds integer, p_max_seconds integer, p_window_ms double precision)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
declare
  caller jsonb;
begin
  if p_lookup_id is not null then
    caller := identity.resolve_agent_token(p_lookup_id, p_token_hash, p_team, p_address);
  elsif p_token_hash is null then
    caller := identity.resolve_principal(p_team);
  else
    caller := identity.resolve_session(p_token_hash, p_team, p_idle_seconds, p_max_seconds);
  end if;
  if p_window_ms is null or caller is null or caller ? 'expired' then
    return caller;
  end if;
  return caller || jsonb_build_object('counts', (
    select jsonb_agg(jsonb_build_object('requests', c.requests, 'endsInMs', c.ends_in_ms))
      from identity.count_requests(array[
             sha256(convert_to(coalesce('agent token ' || (caller #>> '{token,id}'),
               'session ' || coalesce(caller #>> '{session,id}', 'of the service token')), 'UTF8')),
             sha256(convert_to('account ' || (caller ->> 'userId'), 'UTF8'))], p_window_ms) c));
end $function$;

CREATE OR REPLACE FUNCTION identity.resolve_principal(p_team uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
RETURN (SELECT (identity.describe(a.id, resolve_principal.p_team) || '{"token": null, "session": null}'::jsonb) FROM identity.account a WHERE (a.is_principal AND (a.closed_at IS NULL)));

CREATE OR REPLACE FUNCTION identity.resolve_session(p_token_hash bytea, p_team uuid, p_idle_seconds integer, p_max_seconds integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity', 'pg_temp'
AS $function$
declare
  found_session session;
  ends timestamptz;
  caller jsonb;
begin
  select s.* into found_session from session s where s.token_hash = p_token_hash;
  if not found then
    return null;
  end if;
  ends := least(found_session.last_seen_at + make_interval(secs => p_idle_seconds),
                found_session.created_at + make_interval(secs => p_max_seconds));
  if ends <= now() then
    return jsonb_build_object('expired', true);
  end if;
  caller := identity.describe(found_session.user_id, p_team);
  if caller is null then
    return null;
  end if;
  -- Notes the use at most once a minute, or once in a tenth of a short limit: a write for each request would cost more
  -- than it is worth. A row that another request has locked is skipped, because that request notes the use.
  if current_setting('transaction_read_only') = 'off'
    and found_session.last_seen_at < now() - least(interval '1 minute', make_interval(secs => p_idle_seconds / 10.0))
  then
    update session s set last_seen_at = now()
     where s.company_id = found_session.company_id and s.id in (
       select l.id from session l where l.company_id = found_session.company_id and l.id = found_session.id
          for update skip locked);
    ends := least(now() + make_interval(secs => p_idle_seconds),
                  found_session.created_at + make_interval(secs => p_max_seconds));
  end if;
  return caller || jsonb_build_object('token', null,
    'session', jsonb_build_object('id', found_session.id, 'expiresAt', ends));
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.add_guesses(p_query public.sparsevec, p_keyword record, p_layers uuid[], p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_chunks double precision, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT has_rare_identifier boolean[], OUT scored integer, OUT keys_read integer[], OUT rare_keys integer[], OUT guessed double precision[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_guessed record;
begin
  -- With a rare code of the query, what its other words can stand for does not matter.
  if cardinality(p_guess_keys) = 0 or true = any (p_keyword.has_rare_identifier) then
    chunk_ids := p_keyword.chunk_ids; points := p_keyword.points; scored := p_keyword.scored;
    has_rare_identifier := p_keyword.has_rare_identifier;
    keys_read := p_keyword.keys_read; rare_keys := p_keyword.rare_keys;
    return;
  end if;
  v_guessed := guessed_chunks(p_layers, p_guess_keys, p_guess_percents, p_guess_places,
    p_guessed_words, p_chunks, p_filter);
  keys_read := p_keyword.keys_read;
  rare_keys := p_keyword.rare_keys;
  with found as (
    select f.id, f.points from unnest(p_keyword.chunk_ids, p_keyword.points) f (id, points)
  ), guess as (
    select g.id, g.points from unnest(v_guessed.chunk_ids, v_guessed.points) g (id, points)
  ), compared as materialized (
    -- The others are looked up by their id. offset 0 makes the planner do so without statistics.
    select g.id, k.points
      from guess g
      cross join lateral (select coalesce(-(c.weights <#> p_query), 0) as points from chunk_keyword c
                           where c.team_id = v_team and c.chunk_id = g.id offset 0) k
     where g.id not in (select f.id from found f)
  ), summed as (
    select f.id, f.points + coalesce(g.points, 0) as points, g.points as guessed
      from found f left join guess g on g.id = f.id
    union all
    select c.id, c.points + g.points, g.points from compared c join guess g on g.id = c.id
  )
  select coalesce(array_agg(s.id order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.guessed order by s.points desc, s.id), '{}'),
         p_keyword.scored + (select count(*) from compared)
    into chunk_ids, points, guessed, scored
    from (select * from summed order by points desc, id limit p_limit) s;
  has_rare_identifier := contain_keys(chunk_ids, rare_keys);
end $function$;

CREATE OR REPLACE FUNCTION memory.add_source_uses(p_uses jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  insert into source_use (team_id, source_id, found, opened, last_found_at)
    select s.team_id, s.id, u.found, u.opened, u.at
      from jsonb_to_recordset(p_uses) as u (team uuid, source uuid, found bigint, opened bigint, at timestamptz)
      cross join lateral (select s.team_id, s.id from source s where s.team_id = u.team and s.id = u.source offset 0) s
     order by s.team_id, s.id
  on conflict (team_id, source_id) do update
    set found = source_use.found + excluded.found, opened = source_use.opened + excluded.opened,
        last_found_at = greatest(source_use.last_found_at, excluded.last_found_at);
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes integer, p_media_type text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  -- The source before its original, as in release_original, to prevent a deadlock.
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind = 'import' and s.state = 'active' and s.original_sha256 is null
      and s.layer_id = any (writable_layers())
    for no key update;
  if not found then
    return false;
  end if;
  -- The update changes nothing. It locks the row, so that release_original waits and then finds the new source.
  insert into original as o (team_id, sha256, company_id, bytes) values (v_team, p_sha256, claimed_company(), p_bytes)
    on conflict (team_id, sha256) do update set bytes = o.bytes;
  update source s set original_sha256 = p_sha256, original_bytes = p_bytes, original_media_type = p_media_type
   where s.team_id = v_team and s.id = p_source;
  return true;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.audit_hash(e memory.audit_event, p_previous bytea)
 RETURNS bytea
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
select sha256(p_previous || convert_to((jsonb_build_array(
  e.company_id, e.id, e.kind, e.actor_id, e.team_id, e.client_id, e.layer, e.subject_type, e.subject_id, e.detail,
  case when isfinite(e.at) then (extract(epoch from e.at) * 1000000)::bigint end)
  || case when e.token_id is null then '[]' else jsonb_build_array(e.token_id) end)::text, 'UTF8'));
$function$;

CREATE OR REPLACE FUNCTION memory.await_seal()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  insert into audit_unsealed (company_id, event_id) values (new.company_id, new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.backfill_pending(p_after uuid, p_limit integer)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_model text;
  v_chunks uuid[];
begin
  select d.embedding_model into v_model from deployment d
   where d.swept_at is null or d.swept_at < d.adopted_at + interval '1 hour';
  if not found then
    return null;
  end if;
  v_chunks := array(select c.id from chunk c where p_after is null or c.id > p_after order by c.id limit p_limit);
  -- Locks the chunks in the order of move_chunks, so that each mark is in the layer of its chunk.
  insert into embedding_pending (team_id, layer_id, chunk_id)
    select l.team_id, l.layer_id, l.id
      from (select c.team_id, c.layer_id, c.id from chunk c
             where c.id = any (v_chunks)
               and not exists (select from chunk_embedding e
                                where e.team_id = c.team_id and e.chunk_id = c.id and e.model = v_model)
             order by c.id for key share of c) l
    on conflict do nothing;
  delete from embedding_pending p using chunk_embedding e
   where p.chunk_id = any (v_chunks) and e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_model;
  return v_chunks[array_upper(v_chunks, 1)];
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.choose_filter(p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, OUT is_set boolean, OUT allowed uuid[], OUT hidden uuid[], OUT looked_up boolean, OUT kinds text[], OUT sources uuid[], OUT since timestamp with time zone, OUT until timestamp with time zone, OUT tags text[], OUT occurred_after timestamp with time zone, OUT occurred_before timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  few constant int := 10000;            -- with more chunks that can pass, candidates are looked up
  v_few_sources uuid[];
  v_own uuid[];                         -- the chunks of a small scope in a large Team
  v_filter record;
begin
  is_set := num_nonnulls(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before) > 0;
  looked_up := false;
  if not is_set then
    hidden := hidden_chunks();
    return;
  end if;
  -- The indexes of times, kinds and tags are over the whole Team. In a small scope each chunk is tested instead.
  if p_sources is null then
    v_own := small_scope_chunks();
  end if;
  if v_own is null and num_nonnulls(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before) > 0 then
    v_few_sources := few_sources(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before);
  end if;
  kinds := p_kinds;
  sources := coalesce(v_few_sources, p_sources);
  -- Callers see times in milliseconds. A chunk whose time, as they see it, equals a bound does not pass.
  since := p_after + interval '1 millisecond';
  until := p_before;
  tags := p_tags;
  occurred_after := p_occurred_after;
  occurred_before := p_occurred_before;
  select kinds, sources, since, until, tags, occurred_after, occurred_before into v_filter;
  if v_own is not null then
    allowed := array(select v_own[n] from unnest(first_passing(v_own, v_filter, cardinality(v_own))) n);
  elsif v_few_sources is not null or num_nonnulls(since, until) > 0 then
    allowed := passing_chunks(v_filter, few);
  end if;
  looked_up := allowed is null;
end $function$;

CREATE OR REPLACE FUNCTION memory.choose_first_copies(p_sources uuid[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  -- The next statement sees the copies as they are when they are locked: one of them can be moved at the same time.
  select from source s where s.team_id = claimed_team() and s.same_as = any (p_sources) order by s.id for update;
  with copy as (
    select s.id, s.same_as, s.state from source s where s.team_id = claimed_team() and s.same_as = any (p_sources)
  ), oldest as (
    select c.same_as, min(c.id::text)::uuid as id from copy c where c.state = 'active' group by c.same_as
  )
  update source s set same_as = case when copy.state = 'active' then nullif(oldest.id, s.id) end
    from copy left join oldest on oldest.same_as = copy.same_as
   where s.team_id = claimed_team() and s.id = copy.id;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.claimed_company()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('app.company'::text, true), ''::text))::uuid;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.claimed_team()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('app.team'::text, true), ''::text))::uuid;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.claimed_token()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('app.token'::text, true), ''::text))::uuid;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.claimed_user()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('app.user'::text, true), ''::text))::uuid;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.comparable_text(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select lower(upper((case when p_text ~ (
    '['
    '\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f'
    '\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3\u07fd'
    '\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff'
    '\u093c\u094d\u0951-\u0954\u09bc\u09cd\u09fe\u0a3c-\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c3c'
    '\u0c4d-\u0c56\u0cbc\u0ccd\u0d3b-\u0d3c\u0d4d\u0dca\u0e38-\u0e3a\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb'
    '\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0f87\u0fc6\u1037-\u103a\u108d\u135d-\u135f'
    '\u1714-\u1715\u1734\u17d2\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18\u1a60-\u1a7f\u1ab0-\u1aeb\u1b34-\u1b44'
    '\u1b6b-\u1b73\u1baa-\u1bab\u1be6-\u1bf3\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9'
    '\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d'
    '\ua69e-\ua69f\ua6f0-\ua6f1\ua806\ua82c\ua8c4\ua8e0-\ua8f1\ua92b-\ua92d\ua953\ua9b3-\ua9c0\uaab0'
    '\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaf6\uabed\ufb1e\ufe20-\ufe2f\U000101fd\U000102e0'
    '\U00010376-\U0001037a\U00010a0d-\U00010a0f\U00010a38-\U00010a3f\U00010ae5-\U00010ae6'
    '\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010efa-\U00010eff'
    '\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011046\U00011070\U0001107f\U000110b9-\U000110ba'
    '\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111c0\U000111ca\U00011235-\U00011236'
    '\U000112e9-\U000112ea\U0001133b-\U0001133c\U0001134d\U00011366-\U00011374\U000113ce-\U000113d0'
    '\U00011442-\U00011446\U0001145e\U000114c2-\U000114c3\U000115bf-\U000115c0\U0001163f\U000116b6-\U000116b7'
    '\U0001172b\U00011839-\U0001183a\U0001193d-\U0001193e\U00011943\U000119e0\U00011a34\U00011a47\U00011a99'
    '\U00011c3f\U00011d42-\U00011d45\U00011d97\U00011f41-\U00011f42\U0001612f\U00016af0-\U00016af4'
    '\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d165-\U0001d169\U0001d16d-\U0001d172'
    '\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244'
    '\U0001e000-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef'
    '\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6'
    '\U0001e944-\U0001e94a'
    ']{65}'
  ) then p_text else normalize(p_text, NFC) end) collate "pg_c_utf8"))
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.contain_keys(p_chunks uuid[], p_keys integer[])
 RETURNS boolean[]
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION memory.count_audit()
 RETURNS TABLE(events integer, unsealed integer, first_break uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with unsealed as materialized (
    select e.id from memory.audit_event e
     where e.company_id = memory.claimed_company()
       -- A seal with a number below 1 does not count: walk_audit starts at 1 and never reads it.
       and not exists (select from memory.audit_seal s
                        where s.company_id = e.company_id and s.event_id = e.id and s.sequence > 0)
  )
  select (select count(*)::int from memory.audit_event e where e.company_id = memory.claimed_company()),
         (select count(*)::int from unsealed),
         least(
           (select n.id from unsealed n
             where not exists (select from memory.audit_unsealed u
                                where u.company_id = memory.claimed_company() and u.event_id = n.id)
             order by n.id limit 1),
           (select u.event_id from memory.audit_unsealed u
             where u.company_id = memory.claimed_company()
               and not exists (select from memory.audit_event e
                                where e.company_id = u.company_id and e.id = u.event_id)
             order by u.event_id limit 1));
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.count_candidates(p_team uuid, p_keys integer[], p_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET work_mem TO '64MB'
AS $function$
declare
  v_team constant uuid := team_if_claimed(p_team);
  v_layers constant uuid[] := readable_layers();
  v_hidden constant uuid[] := hidden_chunks();
begin
  return (
    select count(*) from (
      -- offset 0 makes the planner use only the index of keys. Comparing hundreds of keys with each chunk took minutes.
      select from (select k.team_id, k.layer_id, k.chunk_id from chunk_keyword k where k.keys && p_keys offset 0) c
       where c.team_id = v_team and c.layer_id = any (v_layers)
         and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))
       limit p_most) n);
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.count_documents(p_team uuid, p_dims integer[], p_keys integer[], p_most integer)
 RETURNS TABLE(dim integer, documents integer, scaled boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
declare
  comparisons constant int := 1000000;  -- of a chunk with a dimension: they take half a second
  postings constant int := 2000;        -- chunks of the Team that are read for a key at most
  v_team constant uuid := team_if_claimed(p_team);
  v_layers constant uuid[] := readable_layers();
  v_chunks float8;                      -- the number of chunks of the scope
  v_below int;                          -- the sample has the chunks with a lower hash; null if all are counted
  v_hidden constant uuid[] := hidden_chunks();
  v_sample uuid[];
  v_scale float8;
begin
  select coalesce(sum(t.n), 0) into v_chunks from layer_tally t
   where t.team_id = v_team and t.part = 'chunks'
     and t.layer_id = any (v_layers);
  -- Hashes are spread evenly over the range of int.
  v_below := case when v_chunks > p_most then floor(4294967296 * (p_most / v_chunks) - 2147483648)::int end;
  v_sample := array(
    select c.chunk_id from chunk_keyword c
     where c.team_id = v_team and c.layer_id = any (v_layers)
       and (v_below is null or uuid_hash(c.chunk_id) < v_below)
       and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden))));
  v_scale := case when v_below is null then 1 else v_chunks / greatest(cardinality(v_sample), 1) end;

  return query
  with asked as materialized (
    select d.dim, d.key, ('{' || d.dim || ':1}/536870912')::sparsevec as unit
      from unnest(p_dims, p_keys) with ordinality d (dim, key, place)
     where d.place <= comparisons / greatest(cardinality(v_sample), 1)
  ), counted as (
    select m.dim, count(*) as n
      -- A computed value: the stored weights of a long chunk would be decompressed for each dimension.
      from (select l2_normalize(c.weights) as weights from chunk_keyword c
             where c.team_id = v_team and c.chunk_id = any (v_sample) offset 0) c
      cross join lateral (select a.dim from asked a where c.weights <#> a.unit < 0 offset 0) m
     group by m.dim
  ), by_key as (
    select a.dim, r.n from asked a
      cross join lateral (
        select count(*) as read, count(*) filter (
                 where c.team_id = v_team
                   and c.layer_id = any (v_layers)
                   -- A short word shares its key with the same letters with accents.
                   and c.weights <#> a.unit < 0
                   and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))) as n
          from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
                 where c.keys && array[a.key] limit postings + 1) c) r
     where v_below is not null and a.key is not null and r.read <= postings
  )
  select a.dim, coalesce(k.n, round(coalesce(n.n, 0) * v_scale))::int, v_below is not null and k.n is null
    from asked a left join counted n on n.dim = a.dim left join by_key k on k.dim = a.dim;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.count_pending(p_sources uuid[], p_layers uuid[])
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := memory.claimed_team();
begin
  return (
    select count(*) from unnest(p_sources, p_layers) s (id, layer_id)
     cross join lateral (select c.id from chunk c
                          where c.team_id = v_team and c.source_id = s.id order by c.ordinal offset 0) c
     cross join lateral (select from embedding_pending p
                          where p.team_id = v_team and p.layer_id = s.layer_id and p.chunk_id = c.id offset 0) p);
end $function$;

CREATE OR REPLACE FUNCTION memory.due_figures(p_version integer)
 RETURNS TABLE(part text, state text, kind text, n bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  with source_due as materialized (
    select s.id, s.layer_id, s.kind, s.chunk_count, s.terms_version from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
       and s.layer_id = any (v_layers)
  ), item_due as materialized (
    select m.id from memory_item m
     where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)
       and m.layer_id = any (v_layers)
  )
  select 'sources', moved.state, d.kind, moved.sign * count(*)
    from source_due d cross join (values ('active', -1), ('archived', 1)) as moved (state, sign) group by 2, 3, moved.sign
  union all
  select 'chunks', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d
  union all
  select 'outdated', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d where d.terms_version < p_version
  union all
  select 'pending', null, null, -count_pending(array_agg(d.id), array_agg(d.layer_id)) from source_due d
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from source_due d cross join (values ('published', -1), ('archived', 1)) as moved (state, sign)
   where d.kind = 'memory' group by 2, moved.sign
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from item_due d cross join (values ('review', -1), ('archived', 1)) as moved (state, sign) group by 2, moved.sign
  union all
  select 'expired', null, null, (select count(*) from source_due) + (select count(*) from item_due);
end $function$;

CREATE OR REPLACE FUNCTION memory.due_layers()
 RETURNS TABLE(company_id uuid, team_id uuid, layer_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select least(
        (select s.team_id from source s
          where s.team_id > v_team and s.state = 'active' and s.expires_at is not null order by s.team_id limit 1),
        (select m.team_id from memory_item m
          where m.team_id > v_team and m.state = 'review' and m.expires_at is not null order by m.team_id limit 1))
      into v_team;
    exit when v_team is null;
    return query
    select t.company_id, t.id, d.layer_id
      from identity.team t
      join (select s.layer_id from source s
             where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
            union
            select m.layer_id from memory_item m
             where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)) d on true
     where t.id = v_team and t.deleted_at is null;
  end loop;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.end_layer_counts(p_layer uuid, p_chunks integer, p_sampled integer, p_gone integer, p_renewed integer, p_members integer[], p_once_dims bytea, p_once_keys bytea, p_dim_shift integer, p_key_shift integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_packed boolean;
begin
  update keyword_layer l
     set chunks = p_chunks, sampled = p_sampled, gone = p_gone, members = p_members, counted_at = now(),
         renewed = greatest(l.renewed - p_renewed, 0), version = l.version + 1,
         once_dims = p_once_dims, once_keys = p_once_keys,
         dims = '{}', dim_counts = '{}', keys = '{}', key_counts = '{}'
   where l.team_id = v_team and l.layer_id = p_layer;
  select not exists (select from keyword_layer l where l.team_id = v_team and l.members is null) and not t.packed
    into v_packed from keyword_team t where t.team_id = v_team;
  update keyword_team t set packed = t.packed or v_packed, dim_shift = p_dim_shift, key_shift = p_key_shift
   where t.team_id = v_team;
  if v_packed then
    delete from keyword_df d where d.team_id = v_team;
  end if;
  -- A layer without chunks frees its place. Not before the Team is packed: the earlier form still has counts at the
  -- place, and they would be added to a new layer.
  delete from keyword_layer l
   where l.team_id = v_team and l.chunks = 0
     and exists (select from keyword_team t where t.team_id = v_team and t.packed);
  perform sum_layer_counts();
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.end_restore(p_source uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  with gone as (
    delete from kept_source k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
    returning k.team_id, s.layer_id, k.source_id, k.bands, k.signature
  )
  insert into source_sketch (team_id, layer_id, source_id, bands, signature)
  select g.team_id, g.layer_id, g.source_id, g.bands, g.signature from gone g where g.bands is not null;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.end_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_layer uuid;
begin
  if lock_source_terms(p_source, p_title, p_day, p_labels, p_version) then
    update source s set terms_version = p_version where s.team_id = v_team and s.id = p_source
    returning s.layer_id into v_layer;
    update keyword_layer l set renewed = l.renewed + p_chunks
     where l.team_id = v_team and l.layer_id = v_layer;
  end if;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.end_writable_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_chunks integer, p_version integer)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select end_source_terms(s.id, p_title, p_day, p_labels, p_chunks, p_version) from source s
   where s.team_id = claimed_team() and s.id = p_source
     and s.layer_id = any (writable_layers())
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.evidence_captures(p_ids uuid[])
 RETURNS TABLE(id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select g.id from unnest(p_ids) as g (id)
   where exists (
     select from memory_item m
      where m.capture_ids @> array[g.id] and m.team_id = claimed_team()
        and state_now(m.state, m.expires_at) in ('review', 'published')
        and m.layer_id = any (readable_layers()));
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.expire_kept_sources()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with due as (
    select k.team_id, k.source_id from kept_source k
      join source s on s.team_id = k.team_id and s.id = k.source_id
     where is_due(s.expires_at) and k.archived_at > '-infinity'
       for update of k skip locked
  )
  update kept_source k set archived_at = '-infinity' from due d
   where k.team_id = d.team_id and k.source_id = d.source_id;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.explain_search(p_weights record, p_keyword record, p_semantic jsonb, p_filter record, p_clock timestamp with time zone[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return jsonb_build_object(
    'weights', p_weights.detail,
    'filtered', case when p_filter.is_set then
      cardinality(coalesce(p_filter.allowed, passing_chunks(p_filter, null))) end,
    'keyword', jsonb_build_object('keysRead', p_keyword.keys_read, 'rareKeys', p_keyword.rare_keys,
      'scored', p_keyword.scored, 'hits', cardinality(p_keyword.chunk_ids)),
    'semantic', p_semantic,
    'milliseconds', (
      select jsonb_object_agg(n.stage, round(1000 * extract(epoch from p_clock[n.nth + 1] - p_clock[n.nth]), 3))
        from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
    'counted', case when p_weights.sampled > 0 then jsonb_build_object(
      'chunks', p_weights.chunks, 'sampled', p_weights.sampled, 'at', p_weights.counted_at) end);
end $function$;

CREATE OR REPLACE FUNCTION memory.few_sources(p_kinds text[], p_sources uuid[], p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  most constant int := 10000;           -- sources, and chunks
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[] := '{}';
  v_chunks bigint := 0;
  v_source record;
begin
  for v_source in
    select s.id, s.chunk_count from source s
     -- The comparison with '{}' is the condition of the index of sources with tags.
     where s.team_id = v_team and s.state = 'active' and not is_due(s.expires_at)
       and (p_kinds is null or s.kind = any (p_kinds))
       and (p_sources is null or s.id = any (p_sources))
       and (p_tags is null or (s.tags @> p_tags and s.tags <> '{}'))
       and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day, p_occurred_after, p_occurred_before)
       and s.layer_id = any (v_layers)
     limit most + 1
  loop
    v_ids := v_ids || v_source.id;
    v_chunks := v_chunks + v_source.chunk_count;
    if v_chunks > most or cardinality(v_ids) > most then
      return null;
    end if;
  end loop;
  return v_ids;
end $function$;

CREATE OR REPLACE FUNCTION memory.file_sources(p_limit integer)
 RETURNS TABLE(company_id uuid, team_id uuid, layer_id uuid, file_id uuid, uri text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select t.company_id, s.team_id, s.layer_id, s.file_id, s.uri
    from source s join identity.team t on t.id = s.team_id and t.deleted_at is null
   where s.state = 'active' and s.file_id is not null
   limit p_limit;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.finish_backfill()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  update memory.deployment set swept_at = now()
   where swept_at is null or swept_at < adopted_at + interval '1 hour';
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.first_passing(p_chunks uuid[], p_filter record, p_limit integer)
 RETURNS integer[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_indexscan TO 'on'
 SET enable_nestloop TO 'on'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_places int[] := '{}';
  v_from int := 1;
  v_slice int := p_limit * 2;           -- chunks that are looked up at once
begin
  while cardinality(v_places) < p_limit and v_from <= cardinality(p_chunks) loop
    v_places := v_places || array(
      select v_from - 1 + n.nth::int
        from unnest(p_chunks[v_from : v_from + v_slice - 1]) with ordinality n (id, nth)
       where (select (p_filter.since is null or c.created_at >= p_filter.since)
                     and (p_filter.until is null or c.created_at < p_filter.until)
                     and (p_filter.sources is null or c.source_id = any (p_filter.sources))
                     and s.state = 'active' and not is_due(s.expires_at)
                     and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                     and (p_filter.tags is null or s.tags @> p_filter.tags)
                     and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                           p_filter.occurred_after, p_filter.occurred_before)
                from chunk c join source s on s.team_id = c.team_id and s.id = c.source_id
               where c.team_id = v_team and c.id = n.id)
       order by n.nth);
    v_from := v_from + v_slice;
  end loop;
  return v_places[1 : p_limit];
end $function$;

CREATE OR REPLACE FUNCTION memory.fold_layer(p_team uuid, p_layer uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  with taken as (
    select t.team_id, t.id from layer_tally t
     where t.team_id = p_team and t.layer_id = p_layer
     limit 5000 for update skip locked
  ), gone as (
    delete from layer_tally t using taken
     where t.team_id = taken.team_id and t.id = taken.id returning t.part, t.state, t.kind, t.n
  )
  insert into layer_tally (team_id, layer_id, part, state, kind, n)
    select p_team, p_layer, g.part, g.state, g.kind, sum(g.n) from gone g group by 3, 4, 5 having sum(g.n) <> 0;
end $function$;

CREATE OR REPLACE FUNCTION memory.fold_layers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_layer record;
begin
  for v_layer in select distinct c.team_id, c.layer_id from changed c loop
    perform fold_layer(v_layer.team_id, v_layer.layer_id);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.fold_usage()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_team uuid;
begin
  for v_team in select distinct c.team_id from changed c loop
    with taken as (
      select t.team_id, t.id from usage_tally t
       where t.team_id = v_team and t.xact is distinct from pg_current_xact_id()
       limit 5000 for update skip locked
    ), gone as (
      delete from usage_tally t using taken
       where t.team_id = taken.team_id and t.id = taken.id returning t.*
    )
    insert into usage_tally (team_id, part, sources, chunks, files, bytes, xact)
      select v_team, g.part, sum(g.sources), sum(g.chunks), sum(g.files), sum(g.bytes), null
        from gone g group by g.part
      having sum(g.sources) <> 0 or sum(g.chunks) <> 0 or sum(g.files) <> 0 or sum(g.bytes) <> 0;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.forget_term_counts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  delete from keyword_df d where d.team_id = old.team_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.forsake_workspace_blobs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  -- Locks the contents in the order of their keys, as keep_workspace_blobs does, to prevent a deadlock between the two.
  perform from workspace_blob b
    where (b.company_id, b.sha256) in (select g.company_id, g.sha256 from gone g)
    order by b.company_id, b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
    from (select distinct g.company_id, g.sha256 from gone g where g.sha256 is not null) g
   where b.company_id = g.company_id and b.sha256 = g.sha256;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.fuse_candidates(p_keyword_chunks uuid[], p_points double precision[], p_guessed double precision[], p_has_rare_identifier boolean[], p_max_score double precision, p_semantic_chunks uuid[], p_similarities double precision[], p_most integer, p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_limit integer, p_explain boolean)
 RETURNS TABLE(place integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, detail jsonb, source_id uuid, created_at timestamp with time zone, text_hash bytea)
 LANGUAGE plpgsql
 STABLE ROWS 50
AS $function$
declare
  keyword_weight constant float8 := 2.5;  -- weight of the keyword z-score
  least_share constant float8 := 0.05;  -- least deviation, as a share of the score of the whole query, ...
  short_share constant float8 := 0.1;   -- ... plus up to this share, in proportion to the missing hits
  rounding constant float8 := 0.0005;   -- rounding error of a cosine of halfvecs
  v_team constant uuid := claimed_team();
  -- What counts as the keyword score of a chunk that was not found by keyword, without evidence.
  v_lowest constant float8 := case when cardinality(p_points) < p_most then 0 else p_points[p_most] end;
  -- All chunks: those found by keyword come first.
  v_chunks constant uuid[] := p_keyword_chunks
    || array(select unnest(p_semantic_chunks) except all select unnest(p_keyword_chunks));
  v_stored record;
begin
  v_stored := look_up_candidates(v_chunks, p_points, v_lowest);
  return query
  with candidate as (
    -- Those found by keyword are ranked with the evidence of the source. The others have no points.
    select a.id, a.source_id, a.created_at, a.text_hash, a.points + a.evidence as points, a.evidence, a.guessed,
           coalesce(a.has_rare_identifier, false) as identifier,
           case when a.points is not null then row_number() over (order by -(a.points + a.evidence), a.id) end as rank
      from unnest(v_chunks, p_points, p_guessed, p_has_rare_identifier, v_stored.evidence, v_stored.sources,
             v_stored.times, v_stored.hashes) a (id, points, guessed, has_rare_identifier, evidence, source_id, created_at, text_hash)
  ), by_meaning as (
    select n.chunk_id, n.points, n.rank
      from unnest(p_semantic_chunks, p_similarities) with ordinality n (chunk_id, points, rank)
     where p_min_similarity is null or n.points + rounding >= p_min_similarity
  ), keyword_norm as (
    -- If fewer than p_most were found, the others count as zeros: a single weak hit must not get a high z-score.
    select sum(k.points) / p_most as mean, greatest(coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / p_most - (sum(k.points) / p_most) ^ 2, 0)), 0), 1),
             p_max_score * (least_share + short_share * (1 - count(*)::float8 / p_most))) as deviation,
           case when count(*) < p_most then 0 else min(k.points) end as lowest
      from candidate k where k.points is not null
  ), semantic_norm as (
    -- Over all nearest chunks, including those below p_min_similarity: a z-score compares a hit with the others.
    select avg(n.points) as mean, coalesce(nullif(stddev_pop(n.points), 0), 1) as deviation, min(n.points) as lowest
      from unnest(p_similarities) n (points)
  ), scored as (
    -- A chunk that was found only one way gets the lowest score of the other way; by keyword, with the evidence of its
    -- source. Without a vector of the model, its semantic z-score is 0.
    select k.*, s.rank as s_rank,
           coalesce(keyword_weight * (coalesce(k.points, greatest(kn.lowest, v_lowest + k.evidence)) - kn.mean)
                    / kn.deviation, 0) as k_z,
           case when p_embedding is null or s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.id and (e.model = p_model) is true) then 0
                else coalesce((coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as s_z
      -- All of by_meaning are candidates. A full join compares hashes: a left join would compare all with all.
      from candidate k full join by_meaning s on s.chunk_id = k.id
      cross join keyword_norm kn cross join semantic_norm sn
     where k.points is not null or s.chunk_id is not null
  )
  select (row_number() over (order by f.identifier desc, f.k_z + f.s_z desc, f.id))::int, f.id,
         (f.k_z + f.s_z)::float8, f.s_rank::int, f.rank::int,
         case when p_explain then jsonb_build_object('semanticZ', f.s_z, 'keywordZ', f.k_z, 'sourceEvidence', f.evidence,
           'guessed', f.guessed, 'identifier', f.identifier,
           'similarity', (select -(e.embedding <#> p_embedding) from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = f.id and (e.model = p_model) is true)) end,
         f.source_id, f.created_at, f.text_hash
    from scored f order by 1 limit p_limit;
end $function$;

CREATE OR REPLACE FUNCTION memory.graph_serves(p_layers uuid[], p_model text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  -- An index that is being built, or whose build was interrupted, is not valid.
  if not exists (select from unnest(vector_graph_names(v_team, p_model)) n (name)
                   join pg_index i on i.indexrelid = to_regclass('memory.' || n.name) and i.indisvalid) then
    return false;
  end if;
  return not exists (
    select from layer_tally t
     where t.team_id = v_team and t.part = 'chunks'
       and t.layer_id not in (select unnest(p_layers))
     group by t.layer_id having sum(t.n) > 0);
end $function$;

CREATE OR REPLACE FUNCTION memory.guessed_chunks(p_layers uuid[], p_keys integer[], p_percents integer[], p_places integer[], p_words integer[], p_chunks double precision, p_filter record, OUT chunk_ids uuid[], OUT points double precision[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
declare
  often constant int := 50;             -- a word in so many chunks needs no guesses
  common constant int := 200;           -- a guess in more chunks is not used
  most constant int := 200;             -- chunks that are returned at most
  most_read constant int := 4000;       -- chunks whose filters are looked up at most
  v_team constant uuid := claimed_team();
  v_places int[];
begin
  with word as materialized (
    -- In how many chunks each word occurs, up to `often`.
    select w.place, (select count(*) from (
             select from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c
                           where c.keys && array[w.key] offset 0) c
              where c.team_id = v_team and c.layer_id = any (p_layers)
                and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
              limit often) k) as chunks
      from unnest(p_words) with ordinality w (key, place)
  ), posting as (
    -- A guess with a percentage below 0 is one of a typing error: it counts only if the word occurs nowhere.
    select g.nth, g.place, abs(g.percent) / 100.0::float8 as factor, k.chunk_id, w.chunks as of_word,
           count(*) over (partition by g.nth) as chunks
      from unnest(p_keys, p_percents, p_places) with ordinality g (key, percent, place, nth)
      join word w on w.place = g.place and w.chunks < often and (g.percent > 0 or w.chunks = 0)
      cross join lateral (
        select c.chunk_id
          from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c where c.keys && array[g.key] offset 0) c
         where c.team_id = v_team and c.layer_id = any (p_layers)
           and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
         limit common + 1) k
  ), best as (
    select p.chunk_id, p.place,
           max(p.factor * ln(1 + (greatest(p_chunks - f.chunks, 0) + 0.5) / (f.chunks + 0.5))) as points
      from posting p cross join lateral (select greatest(p.chunks, p.of_word) as chunks) f
     where p.chunks <= common
     group by p.chunk_id, p.place
  ), summed as (
    select b.chunk_id, sum(b.points) as points
      from best b
     where p_filter.allowed is null or b.chunk_id in (select unnest(p_filter.allowed))
     group by b.chunk_id order by 2 desc, 1 limit case when p_filter.looked_up then most_read else most end
  )
  select coalesce(array_agg(s.chunk_id order by s.points desc, s.chunk_id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.chunk_id), '{}')
    into chunk_ids, points from summed s;
  if p_filter.looked_up then
    v_places := first_passing(chunk_ids, p_filter, most);
    select coalesce(array_agg(chunk_ids[n.place] order by n.nth), '{}'),
           coalesce(array_agg(points[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION memory.has_other_search(e memory.audit_event)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select exists (
    select from memory.audit_search q
     where q.team_id = e.team_id and q.event_id = e.id
       and (memory.salted_hash(q.hits_salt, memory.hit_list(q.hit_ids, q.passage_ids)) is distinct from e.detail ->> 'hitsHash'
         or q.query is not null
            and memory.salted_hash(q.query_salt, q.query) is distinct from e.detail ->> 'queryHash'));
$function$;

CREATE OR REPLACE FUNCTION memory.has_outdated_terms(p_version integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_versions constant smallint[] := array(select generate_series(0, p_version - 1));
begin
  return exists (select from source s
                  where s.team_id = v_team and s.state = 'active' and s.terms_version = any (v_versions));
end $function$;

CREATE OR REPLACE FUNCTION memory.hidden_chunks()
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  return (
    select array_agg(c.id)
      from (select s.id from source s where s.team_id = v_team and s.state = 'loading'
            union all
            select s.id from source s where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)) h
      cross join lateral (select c.id from chunk c where c.team_id = v_team and c.source_id = h.id offset 0) c);
end $function$;

CREATE OR REPLACE FUNCTION memory.hit_list(p_hits uuid[], p_passages uuid[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN ((array_to_string(p_hits, ','::text) || ';'::text) || array_to_string(p_passages, ','::text));

CREATE OR REPLACE FUNCTION memory.is_adopted_model(p_model text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select exists (select from memory.deployment where embedding_model = p_model);
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.is_dated_within(p_at timestamp with time zone, p_is_day boolean, p_after timestamp with time zone, p_before timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select (p_after is null
          or (p_at > p_after - interval '24 hours' and (p_at >= p_after or coalesce(p_is_day, false))))
         and (p_before is null or p_at < p_before + interval '1 millisecond')
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.is_due(p_expires_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select p_expires_at is not null and p_expires_at <= now()
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.keep_bucket_blobs(p_sha256 bytea, p_lengths integer[], p_objects uuid[], p_blocks text[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_used uuid[];
begin
  -- A process that changes the place waits for this transaction, and finds all contents that were stored before.
  perform from blob_place p where p.uses_bucket for share;
  if not found then
    return null;
  end if;
  with kept as (
    -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
    insert into workspace_blob as b (company_id, sha256, bytes, object_id, block_sha256)
      select memory.claimed_company(), c.sha256, c.length, c.object_id, decode(c.blocks, 'hex')
        from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length, l.object_id, l.blocks
                from unnest(p_lengths, p_objects, p_blocks) with ordinality as l (length, object_id, blocks, place)) c
       order by c.sha256
      on conflict (company_id, sha256) do update set waiting_since = now()
        where b.waiting_since < now() - interval '10 minutes'
      returning b.object_id
  )
  select coalesce(array_agg(k.object_id) filter (where k.object_id = any (p_objects)), '{}') into v_used from kept k;
  return v_used;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.keep_chunks(p_sources uuid[], p_model text, p_limit integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
  with next as (
    select c.team_id, c.id from chunk c
      join kept_source k on k.team_id = c.team_id and k.source_id = c.source_id
     where c.team_id = claimed_team() and c.source_id = any (p_sources)
       and k.layer_id = any (writable_layers())
     limit p_limit
  ), kept as (
    insert into kept_chunk (team_id, source_id, ordinal, id, text, repeated, headings, page, sheet, row, slide, created_at,
                            text_hash, keys, weights, model, embedding)
    select c.team_id, c.source_id, c.ordinal, c.id, c.text, c.repeated, c.headings, c.page, c.sheet, c.row, c.slide,
           c.created_at, c.text_hash, t.keys, t.weights, e.model, e.embedding
      from next n
      join chunk c on c.team_id = n.team_id and c.id = n.id
      left join chunk_keyword t on t.team_id = c.team_id and t.chunk_id = c.id
      left join lateral (select v.model, v.embedding from chunk_embedding v
                          where v.team_id = c.team_id and v.chunk_id = c.id
                          order by v.model = p_model desc limit 1) e on true
    returning 1
  ), gone as (
    delete from chunk c using next n where c.team_id = n.team_id and c.id = n.id
  )
  select count(*)::int from kept;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.keep_sources(p_sources uuid[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  insert into kept_source (team_id, layer_id, source_id, chunks, bytes, bands, signature)
  select s.team_id, s.layer_id, s.id, c.chunks, c.bytes, k.bands, k.signature
    from source s
    cross join lateral (select count(*)::int as chunks, coalesce(sum(own_bytes(c.text, c.repeated)), 0) as bytes
                          from chunk c where c.team_id = s.team_id and c.source_id = s.id) c
    left join source_sketch k on k.team_id = s.team_id and k.source_id = s.id
   where s.team_id = claimed_team() and s.id = any (p_sources) and s.kind in ('ingest', 'import')
     and s.layer_id = any (writable_layers());
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.keep_workspace_blobs(p_sha256 bytea, p_lengths integer[], p_contents bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
  insert into workspace_blob as b (company_id, sha256, bytes, content)
    select memory.claimed_company(), c.sha256, c.length, substring(p_contents from c.past + 1 for c.length)
      from (select substring(p_sha256 from 32 * l.place::int - 31 for 32) as sha256, l.length,
                   (sum(l.length) over (order by l.place) - l.length)::int as past
              from unnest(p_lengths) with ordinality as l (length, place)) c
     order by c.sha256
    on conflict (company_id, sha256) do update set waiting_since = now()
      where b.waiting_since < now() - interval '10 minutes';
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.keyword_candidates(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_identifier_keys integer[], p_chunks double precision, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT has_rare_identifier boolean[], OUT scored integer, OUT keys_read integer[], OUT rare_keys integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'memory', 'public', 'pg_temp'
AS $function$
declare
  -- Estimated postings in the scope that the first pass reads: one for each 40 chunks, from 500 to 2,000.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same for later passes
  scored_cap constant int := 4000;      -- chunks that a pass scores at most, also if the estimate was too low
  common_cap constant int := 1000;      -- the same for words that occur in more chunks than posting_cap
  rare_df constant int := 20;           -- an identifier that occurs in more chunks is not rare
  small constant int := 1000;           -- up to this many allowed chunks are read one by one
  v_one_by_one boolean := coalesce(cardinality(p_filter.allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_rarest record; v_scored record;
  v_first_keys int[];                   -- keys of the first pass; chunks with one of them are scored first
  v_most int; v_seen uuid[];            -- chunks that this pass scores at most, and those that the first one scored
begin
  chunk_ids := '{}'; points := '{}'; has_rare_identifier := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  if cardinality(p_identifier_keys) > 0 then
    rare_keys := array(select e.key from unnest(p_keys, p_frequencies) e (key, df)
                        where e.df <= rare_df and e.key = any (p_identifier_keys) order by e.df, e.key);
  end if;
  -- Each pass reads the chunks with the rarest keys, up to a number of postings. The first pass is enough if p_limit of
  -- its chunks pass the filter, or it finds a rare identifier. Else, if the scope has few chunks, the second pass scores
  -- all of them. If it has many, the second and third passes read more postings, including the next key if it is not too
  -- common. If no chunk was scored by then, the last pass scores as many chunks of the scope as a pass can.
  for v_pass in 1 .. 4 loop
    v_rarest := rarest_keys(p_keys, p_frequencies, p_team_frequencies, v_cap);
    -- No key is left to add: ends, or reads chunks one by one if nothing was found.
    if not v_one_by_one and (v_pass > 3 or cardinality(v_rarest.keys) = cardinality(keys_read)) then
      exit when v_scored.passed > 0 or p_filter.looked_up;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys.
    keys_read := case when v_one_by_one then p_keys else v_rarest.keys end;
    v_first_keys := coalesce(v_first_keys, keys_read);
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_rarest.postings <= posting_cap then scored_cap else common_cap end;
    v_scored := score_pass(p_layers, p_query, v_first_keys, keys_read, v_seen, p_filter, p_chunks,
      v_rarest.other_postings, v_one_by_one, v_most, p_limit);
    chunk_ids := v_scored.chunk_ids; points := v_scored.points; scored := v_scored.scored;
    -- Of the best chunks only: reading the keys of all scored chunks took as long as scoring them.
    has_rare_identifier := contain_keys(chunk_ids, rare_keys);
    exit when v_one_by_one or v_scored.passed >= p_limit or true = any (has_rare_identifier);
    -- All keys were read and no limit was reached: no other chunk contains a word of the query.
    exit when case when scored < v_most then cardinality(keys_read) = cardinality(p_keys) else p_filter.looked_up end;
    if v_pass = 1 then -- The second pass scores every chunk if there are few.
      v_one_by_one := coalesce(cardinality(p_filter.allowed) <= scored_cap, scope_holds_at_most(scored_cap));
    end if;
    v_cap := least(read_cap, greatest(v_rarest.next_postings, 2000)); v_seen := coalesce(v_seen, v_scored.seen);
  end loop;
  -- Not enough of the chunks that were scored pass the filter, and others can: those that pass are gathered first.
  if p_filter.looked_up and v_scored.passed < p_limit and not v_one_by_one and not true = any (has_rare_identifier)
     and (scored >= v_most or v_scored.passed = 0 and cardinality(keys_read) < cardinality(p_keys)) then
    p_filter.allowed := passing_chunks(p_filter, null); p_filter.looked_up := false;
    select k.* into chunk_ids, points, has_rare_identifier, scored, keys_read, rare_keys
      from keyword_candidates(p_layers, p_query, p_keys, p_frequencies, p_team_frequencies,
             p_identifier_keys, p_chunks, p_filter, p_limit) k;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION memory.known_keys(p_team uuid, p_keys integer[])
 RETURNS integer[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET work_mem TO '64MB'
AS $function$
declare
  few constant int := 500;              -- so many chunks are read first: all of a small scope
  step constant int := 200;             -- then so many of those with a key are read at once
  v_team constant uuid := team_if_claimed(p_team);
  v_layers constant uuid[] := readable_layers();
  v_hidden constant uuid[] := hidden_chunks();
  v_known int[];
  v_left int[];
  v_found int[];
begin
  v_known := array(
    select distinct k.key
      from (select c.chunk_id, c.keys from chunk_keyword c
             where c.team_id = v_team and c.layer_id = any (v_layers) limit few) c
     cross join lateral unnest(c.keys) k (key)
     where k.key in (select unnest(p_keys)) and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden))));
  if scope_holds_at_most(few) then
    return v_known;
  end if;
  -- The others are rare. Each step finds at least one of them.
  loop
    v_left := array(select unnest(p_keys) except select unnest(v_known));
    -- offset 0 makes the planner use only the index of keys, as in count_candidates.
    v_found := array(
      select distinct k.key
        from (select c.keys
                from (select a.team_id, a.layer_id, a.chunk_id, a.keys from chunk_keyword a
                       where a.keys && v_left offset 0) c
               where c.team_id = v_team and c.layer_id = any (v_layers)
                 and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))
               limit step) c
       cross join lateral unnest(c.keys) k (key)
       where k.key in (select unnest(v_left)));
    exit when cardinality(v_found) = 0;
    v_known := v_known || v_found;
  end loop;
  return v_known;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.last_seal(p_company uuid)
 RETURNS TABLE(sequence bigint, hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select s.sequence, encode(s.hash, 'hex') from audit_seal s
   where s.company_id = p_company order by s.sequence desc limit 1;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.latest_failures(p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select f.id from unnest(v_layers) as r (layer_id)
   cross join lateral (
     select i.id from import i
      where i.team_id = v_team and i.layer_id = r.layer_id and i.state = 'failed'
      order by i.id desc limit p_limit) f
   order by f.id desc limit p_limit;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.layer_scale(p_chunks integer, p_sampled integer)
 RETURNS real
 LANGUAGE sql
 STABLE
RETURN (((p_chunks)::double precision / (p_sampled)::double precision))::real;

CREATE OR REPLACE FUNCTION memory.layers_without_vectors()
 RETURNS TABLE(company_id uuid, team_id uuid, layer_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
  v_company uuid;
  v_layer uuid;
begin
  loop
    -- The next Team that has pending chunks.
    select p.team_id into v_team from embedding_pending p where p.team_id > v_team order by p.team_id limit 1;
    exit when not found;
    select t.company_id into v_company from identity.team t where t.id = v_team and t.deleted_at is null;
    continue when not found;
    v_layer := '00000000-0000-0000-0000-000000000000';
    loop
      -- The next layer of the Team.
      select p.layer_id into v_layer from embedding_pending p
       where p.team_id = v_team and p.layer_id > v_layer order by p.layer_id limit 1;
      exit when not found;
      if exists (select from embedding_pending p
                  where p.team_id = v_team and p.layer_id = v_layer
                    and (p.leased_until is null or p.leased_until <= now())
                    and (p.refused_at is null or p.refused_at < now() - interval '1 day')) then
        return query select v_company, v_team, v_layer;
      end if;
    end loop;
  end loop;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.lease_pending(p_batch uuid, p_limit integer, p_seconds integer, p_refused_too boolean)
 RETURNS TABLE(chunk_id uuid, leased_until timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER ROWS 16
 SET search_path TO 'memory', 'pg_temp'
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_layers constant uuid[] := memory.writable_layers();
  v_condition text := 'p.layer_id = any ($2)';
  v_order text := 'p.team_id desc, p.chunk_id desc';
begin
  -- One layer only: its own condition and order fit the index that starts with the layer.
  if cardinality(v_layers) = 1 then
    v_condition := 'p.layer_id = $2[1]';
    v_order := 'p.team_id desc, p.layer_id desc, p.chunk_id desc';
  end if;
  return query execute format(
    'with free as (
       select p.team_id, p.chunk_id from embedding_pending p
        where p.team_id = $1 and %s
          and (p.leased_until is null or p.leased_until <= now() or p.batch_id = $3)
          and ($6 or p.refused_at is null or p.refused_at < now() - interval ''1 day'')
          -- Excludes chunks of a source that is loading or due. A join could change the order in which rows are read.
          and ''active'' = (select state_now(s.state, s.expires_at) from source s where s.team_id = p.team_id and s.id = (
            select c.source_id from chunk c where c.team_id = p.team_id and c.id = p.chunk_id))
        order by %s limit $4 for update of p skip locked
     )
     update embedding_pending p set batch_id = $3, leased_until = now() + make_interval(secs => $5)
       from free where p.team_id = free.team_id and p.chunk_id = free.chunk_id
     returning p.chunk_id, p.leased_until', v_condition, v_order)
    using memory.claimed_team(), v_layers, p_batch, p_limit, p_seconds, p_refused_too;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.lock_held_captures(p_batch uuid)
 RETURNS TABLE(id uuid, layer_id uuid)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select c.id, c.layer_id
    from memory.capture c
    join memory.consolidation_batch b on b.team_id = c.team_id and b.id = c.batch_id
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.state = 'claimed'
   order by c.id for update of c;
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.lock_kept_source(p_source uuid, p_days integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_chunks int;
begin
  perform from kept_source k where k.team_id = claimed_team() and k.source_id = p_source for update;
  -- The time now and not that of the transaction: the job can have run since, and deleted some of the chunks.
  select k.chunks into v_chunks from kept_source k
   where k.team_id = claimed_team() and k.source_id = p_source
     and k.archived_at > clock_timestamp() - make_interval(days => p_days);
  return v_chunks;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.lock_layer_counts(p_layer uuid, p_version integer)
 RETURNS TABLE(place integer, dim_shift integer, key_shift integer, once_dims bytea, once_keys bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  most_layers constant int := 16000;    -- places in the vector of a term
  v_team constant uuid := claimed_team();
  v_place int;
  v_version int;
begin
  perform from keyword_team t where t.team_id = v_team for update;
  if not found then
    return;
  end if;
  select l.place, l.version into v_place, v_version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  if v_version is distinct from p_version then
    return;
  end if;
  if v_place is null then
    -- A new layer gets the next place, or, after the last place, the first one that is free.
    select coalesce(max(l.place), 0) + 1 into v_place from keyword_layer l where l.team_id = v_team;
    if v_place > most_layers then
      select min(n) into v_place from generate_series(1, most_layers) n
       where n not in (select l.place from keyword_layer l where l.team_id = v_team);
    end if;
    if v_place is null then
      return;
    end if;
    insert into keyword_layer (team_id, layer_id, place, chunks, sampled) values (v_team, p_layer, v_place, 0, 1);
  end if;
  return query
  select l.place, t.dim_shift::int, t.key_shift::int, l.once_dims, l.once_keys
    from keyword_team t join keyword_layer l on l.team_id = t.team_id
   where t.team_id = v_team and l.layer_id = p_layer;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform from source s
   where s.team_id = claimed_team() and s.id = p_source and s.state = 'active' and s.terms_version < p_version
     and s.title = p_title and (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date = p_day
     and source_labels(s.tags, s.kind, s.metadata) @> p_labels and source_labels(s.tags, s.kind, s.metadata) <@ p_labels
     for share;
  return found;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.look_up_candidates(p_chunks uuid[], p_points double precision[], p_lowest double precision, OUT sources uuid[], OUT times timestamp with time zone[], OUT hashes bytea[], OUT evidence double precision[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  -- offset 0 looks each chunk up by its id, also without statistics.
  select array_agg(k.source_id order by a.nth), array_agg(k.created_at order by a.nth),
         array_agg(k.text_hash order by a.nth)
    into sources, times, hashes
    from unnest(p_chunks) with ordinality a (id, nth)
    left join lateral (select c.source_id, c.created_at, c.text_hash from chunk c
                        where c.team_id = v_team and c.id = a.id offset 0) k on true;
  evidence := source_evidence(sources, p_points, p_lowest);
end $function$;

CREATE OR REPLACE FUNCTION memory.matched_weights(p_team uuid, p_chunks uuid[], p_dims integer[])
 RETURNS TABLE(chunk_id uuid, dim integer, weight real)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
AS $function$
  select k.chunk_id, split_part(entry, ':', 1)::int, split_part(entry, ':', 2)::real
    from memory.chunk_keyword k,
         string_to_table(substr(split_part(k.weights::text, '}', 1), 2), ',') as entry
   where k.team_id = memory.team_if_claimed(p_team) and k.chunk_id = any (p_chunks)
     and k.layer_id = any (readable_layers())
     and entry <> '' and split_part(entry, ':', 1)::int = any (p_dims);
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.measure_source()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
begin
  new.text_bytes := 0;
  if new.chunk_count > 0 then
    select coalesce(sum(own_bytes(c.text, c.repeated)), 0) into new.text_bytes
      from chunk c where c.team_id = new.team_id and c.source_id = new.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION memory.move_chunks(p_source uuid, p_after integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET gin_pending_list_limit TO '512kB'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_to uuid;
  v_chunks uuid[];
  v_last int;
begin
  select s.layer_id into v_to from source s
   where s.team_id = v_team and s.id = p_source
     and s.layer_id = any (writable_layers());
  if not found then
    return null;
  end if;
  select array_agg(n.id), max(n.ordinal) into v_chunks, v_last
    from (select c.id, c.ordinal from chunk c
           where c.team_id = v_team and c.source_id = p_source and c.ordinal > p_after
             and c.layer_id = any (writable_layers())
           order by c.ordinal limit p_limit) n;
  update chunk_keyword k set layer_id = v_to where k.team_id = v_team and k.chunk_id = any (v_chunks);
  update chunk_embedding e set layer_id = v_to where e.team_id = v_team and e.chunk_id = any (v_chunks);
  -- Who has leased a chunk can be a job of the old layer, or a caller who cannot write the new one. tally_pending does not
  -- count updates.
  with moved as (
    update embedding_pending p set layer_id = v_to, batch_id = null, leased_until = null
      from chunk c
     where c.team_id = v_team and c.id = any (v_chunks) and p.team_id = v_team and p.chunk_id = c.id
    returning c.layer_id
  )
  insert into layer_tally (team_id, layer_id, part, n)
    select v_team, layer.layer_id, 'pending', sum(layer.sign)
      from moved cross join lateral (values (moved.layer_id, -1), (v_to, 1)) as layer (layer_id, sign)
     group by layer.layer_id having sum(layer.sign) <> 0;
  update chunk c set layer_id = v_to where c.team_id = v_team and c.id = any (v_chunks);
  return v_last;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.move_memory(p_memory uuid, p_layer uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_source uuid;
begin
  update memory_item m
     set layer_id = p_layer, version = m.version + 1, updated_at = now(),
         decided_by = case when m.state = 'review' then m.decided_by else claimed_user() end,
         decided_at = case when m.state = 'review' then m.decided_at else now() end
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
     and p_layer = any (writable_layers())
  returning m.source_id into v_source;
  if not found then
    return false;
  end if;
  update memory_version v set layer_id = p_layer where v.team_id = v_team and v.memory_id = p_memory;
  return v_source is null or move_source(v_source, p_layer);
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.move_source(p_source uuid, p_layer uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  perform from source s
   where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
     and s.layer_id = any (writable_layers())
     and p_layer = any (writable_layers())
     for update;
  if not found then
    return false;
  end if;
  update source s set layer_id = p_layer, same_as = null, updated_at = now()
   where s.team_id = v_team and s.id = p_source;
  perform choose_first_copies(array[p_source]);
  -- Who stores the vector or the mark of a chunk locks the chunk before, so that both are in the layer of the chunk.
  perform from chunk c where c.team_id = v_team and c.source_id = p_source order by c.id for update;
  update source_sketch k set layer_id = p_layer where k.team_id = v_team and k.source_id = p_source;
  -- In the order of their ids, as purge_source locks them, to prevent a deadlock.
  perform from import i where i.team_id = v_team and i.source_id = p_source order by i.id for update;
  update import i set layer_id = p_layer where i.team_id = v_team and i.source_id = p_source;
  update import_payload p set layer_id = p_layer from import i
   where i.team_id = v_team and i.source_id = p_source and p.team_id = v_team and p.import_id = i.id;
  return true;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.nearest_by_graph(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  -- The best by signs that are compared in full, for each one down to the last that is returned: the nearest by their
  -- numbers are not exactly the nearest by signs.
  spare constant int := 3;
  v_is_tested constant boolean := p_filter.looked_up or p_filter.hidden is not null;
  v_all uuid[];
  v_points float8[];
  v_places int[];
  v_count int;                          -- vectors that are compared in full, and ...
  v_needed float8 := 0;                 -- ... how many of them seem to be enough
  v_found int;
begin
  perform set_config('hnsw.ef_search', '400', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
          set_config('hnsw.max_scan_tuples', '20000', true);
  foreach v_count in array case when v_is_tested then array[400, 800, 3200] else array[400] end loop
    continue when v_count < least(v_needed, 3200);
    -- A statement with the Team and the model as constants: the index has them in its condition, and a plan for any Team
    -- could not use it.
    execute format(
      'select coalesce(array_agg(c.chunk_id order by c.points desc, c.chunk_id), ''{}''),
              coalesce(array_agg(c.points order by c.points desc, c.chunk_id), ''{}'')
         from (select e.chunk_id, e.layer_id, -(e.embedding <#> $1) as points
                 from chunk_embedding e where e.team_id = %L and e.model = %L
                order by e.signs <~> binary_quantize($1)::bit(1024) limit $2) c
        where c.layer_id = any ($3)', claimed_team(), p_model)
      into v_all, v_points using p_embedding, v_count, p_layers;
    v_places := case when v_is_tested then first_passing(v_all, p_filter, p_limit)
                     else array(select generate_series(1, least(p_limit, cardinality(v_all)))) end;
    v_found := cardinality(v_places);
    v_needed := spare * case when v_found = p_limit then v_places[p_limit]::float8
                             else v_count::float8 * p_limit / greatest(v_found, 1) end;
    exit when v_found = p_limit and v_needed <= v_count;
    -- The last one is too near to the end: better ones can be missing.
    v_places := '{}';
  end loop;
  select coalesce(array_agg(v_all[n.place] order by n.nth), '{}'),
         coalesce(array_agg(v_points[n.place] order by n.nth), '{}')
    into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
end $function$;

CREATE OR REPLACE FUNCTION memory.nearest_by_signs(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, p_chunks double precision, OUT chunk_ids uuid[], OUT points double precision[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  -- How many of the best by signs are compared in full. Among many vectors, the signs order the nearest less well.
  rerank constant int := case when p_chunks > 50000 then 400 else 200 end;
  large constant int := 10000;          -- with more chunks than this ...
  sample_size constant int := 3000;     -- ... this many vectors are read first, to learn which distance is too far
  looked_up constant int := 4000;       -- how many of the best by signs are looked up at most, until `rerank` pass
  v_team constant uuid := claimed_team();
  v_signs constant bit(1024) := binary_quantize(p_embedding)::bit(1024);
  v_most constant int := case when p_filter.looked_up then looked_up else rerank end;
  v_too_far float8;
  v_best uuid[];
  v_places int[];
begin
  -- A sample has `rerank` vectors within distance v_too_far. So the best `rerank` of all vectors are within it too, and
  -- vectors farther away need not be sorted.
  if p_chunks > large then
    select max(d.distance) into v_too_far from (
      select n.signs <~> v_signs as distance from (
        select e.signs from chunk_embedding e
         where e.team_id = v_team and e.model = p_model
           and e.layer_id = any (p_layers)
           and (p_filter.allowed is null or e.chunk_id in (select unnest(p_filter.allowed)))
           and (p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden)))
         limit sample_size) n
       order by 1 limit rerank) d;
  end if;

  -- Reads only ids and signs, which the index contains, and not the rows, which are large. offset 0 makes the planner look up `allowed` and `hidden` only for the few rows that are left.
  select coalesce(array_agg(b.chunk_id order by b.distance, b.chunk_id), '{}') into v_best from (
    select n.chunk_id, n.distance from (
      select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
       where e.team_id = v_team and e.model = p_model and e.layer_id = any (p_layers)
         and (v_too_far is null or e.signs <~> v_signs <= v_too_far)
      offset 0) n
     where (p_filter.allowed is null or n.chunk_id in (select unnest(p_filter.allowed)))
       and (p_filter.hidden is null or n.chunk_id not in (select unnest(p_filter.hidden)))
     order by n.distance, n.chunk_id limit v_most) b;

  if p_filter.looked_up then
    v_places := first_passing(v_best, p_filter, rerank);
    if cardinality(v_places) < rerank and (v_too_far is not null or cardinality(v_best) = v_most) then
      -- Others can pass that are farther away. So the chunks that pass are gathered first.
      p_filter.allowed := passing_chunks(p_filter, null);
      p_filter.looked_up := false;
      select n.chunk_ids, n.points into chunk_ids, points
        from nearest_by_signs(p_layers, p_embedding, p_model, p_filter, p_limit, p_chunks) n;
      return;
    end if;
    v_best := array(select v_best[n.place] from unnest(v_places) n (place));
  end if;
  p_filter.allowed := v_best;
  p_filter.looked_up := false;
  select n.chunk_ids, n.points into chunk_ids, points
    from nearest_in_full(p_layers, p_embedding, p_model, p_filter, p_limit) n;
end $function$;

CREATE OR REPLACE FUNCTION memory.nearest_in_full(p_layers uuid[], p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_all uuid[];
  v_points float8[];
begin
  with compared as (
    -- The vectors of the scope, layer by layer, as in small_scope_chunks.
    select e.chunk_id, -(e.embedding <#> p_embedding) as points
      from unnest(p_layers) l (id)
      cross join lateral (
        select e.chunk_id, e.embedding from chunk_embedding e
         where p_filter.allowed is null and e.team_id = v_team and e.model = p_model and e.layer_id = l.id offset 0) e
     where p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden))
    union all
    -- The vectors of the chunks that pass a filter. Such a chunk can have no vector yet. offset 0 looks each chunk up by
    -- its id, also without statistics.
    select a.id, v.points
      from unnest(p_filter.allowed) a (id)
      cross join lateral (select -(e.embedding <#> p_embedding) as points from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = a.id and (e.model = p_model) is true offset 0) v
  ), nearest as (
    select c.chunk_id, c.points from compared c order by c.points desc, c.chunk_id
     -- All of them if some will not pass.
     limit case when not p_filter.looked_up then p_limit end
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into v_all, v_points
    from nearest n;
  chunk_ids := v_all;
  points := v_points;
  if p_filter.looked_up then
    select coalesce(array_agg(v_all[n.place] order by n.nth), '{}'),
           coalesce(array_agg(v_points[n.place] order by n.nth), '{}')
      into chunk_ids, points
      from unnest(first_passing(v_all, p_filter, p_limit)) with ordinality n (place, nth);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION memory.next_unsealed(p_after uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
RETURN (SELECT u.company_id FROM memory.audit_unsealed u WHERE (u.company_id > COALESCE(next_unsealed.p_after, '00000000-0000-0000-0000-000000000000'::uuid)) ORDER BY u.company_id LIMIT 1);
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.outdated_chunks(p_version integer)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select coalesce(sum(o.chunks), 0)::bigint
    from (select s.team_id, sum(s.chunk_count) as chunks from source s
           where s.state = 'active' and s.terms_version < p_version group by s.team_id) o
    join identity.team t on t.id = o.team_id and t.deleted_at is null
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.outdated_source(p_version integer)
 RETURNS TABLE(source_id uuid, title text, day text, labels text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select s.id, s.title, (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date::text,
         source_labels(s.tags, s.kind, s.metadata)
    from source s
   where s.team_id = claimed_team() and s.state = 'active' and s.terms_version < p_version limit 1
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.outdated_teams(p_version integer)
 RETURNS TABLE(company_id uuid, team_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team uuid;
begin
  for v_version in 0 .. p_version - 1 loop
    v_team := '00000000-0000-0000-0000-000000000000';
    loop
      select s.team_id into v_team from source s
       where s.state = 'active' and s.terms_version = v_version and s.team_id > v_team order by s.team_id limit 1;
      exit when not found;
      return query select t.company_id, t.id from identity.team t where t.id = v_team and t.deleted_at is null;
    end loop;
  end loop;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.own_bytes(p_text text, p_repeated integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case p_repeated when 0 then octet_length(p_text) else octet_length(substr(p_text, p_repeated + 1)) end
$function$;

CREATE OR REPLACE FUNCTION memory.passing_chunks(p_filter record, p_most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET work_mem TO '64MB'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_passing uuid[];
begin
  with dated as materialized (
    -- Thousands of sources are looked up one by one: without statistics, each chunk would be compared with all of them.
    select c.id, c.source_id from unnest(p_filter.sources) f (source_id)
     cross join lateral (
       select c.id, c.source_id from chunk c
        where c.team_id = v_team and c.source_id = f.source_id
          and c.layer_id = any (v_layers)
          and (p_filter.since is null or c.created_at >= p_filter.since)
          and (p_filter.until is null or c.created_at < p_filter.until) offset 0) c
    union all
    select c.id, c.source_id from chunk c
     where p_filter.sources is null and c.team_id = v_team
       and c.layer_id = any (v_layers)
       and (p_filter.since is null or c.created_at >= p_filter.since)
       and (p_filter.until is null or c.created_at < p_filter.until)
     limit p_most + 1
  ), read as materialized (
    -- When there are too many, nothing more is done with them.
    select p_most is null or count(*) <= p_most as is_complete from dated
  ), passing_source as materialized (
    -- Each source is looked up by its id, which a join without statistics would not do.
    select d.source_id from (select distinct source_id from dated where (select r.is_complete from read r)) d
     where (select s.state = 'active' and not is_due(s.expires_at)
                   and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                   and (p_filter.tags is null or s.tags @> p_filter.tags)
                   and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                         p_filter.occurred_after, p_filter.occurred_before)
              from source s where s.team_id = v_team and s.id = d.source_id)
  )
  select case when (select r.is_complete from read r) then coalesce(array_agg(d.id), '{}') end into v_passing
    from dated d
   where (select r.is_complete from read r) and d.source_id in (select p.source_id from passing_source p);
  return v_passing;
end $function$;

CREATE OR REPLACE FUNCTION memory.prune()
 RETURNS TABLE(answers integer, loading_sources integer, batches integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with gone_answers as (
    delete from memory.idempotency_key where created_at < now() - interval '24 hours' returning 1
  ), gone_sources as (
    delete from memory.source where state = 'loading' and updated_at < now() - interval '1 hour' returning 1
  ), gone_batches as (
    delete from memory.embedding_batch where expires_at < now() - interval '24 hours' returning 1
  )
  select (select count(*)::int from gone_answers), (select count(*)::int from gone_sources),
         (select count(*)::int from gone_batches);
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_consolidation_batches()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with gone as (
    delete from memory.consolidation_batch where expires_at < now() - interval '30 days' returning 1
  )
  select count(*)::int from gone;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_import_payloads(p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_told int;
begin
  with old as (
    select i.team_id, i.id from import i
     where i.state = 'failed' and i.payload_pruned_at is null and i.updated_at <= now() - make_interval(days => p_days)
     order by i.updated_at limit p_limit for update skip locked
  ), told as (
    update import i set payload_pruned_at = now() from old o where i.team_id = o.team_id and i.id = o.id returning 1
  ), gone as (
    delete from import_payload p using old o where p.team_id = o.team_id and p.import_id = o.id
  )
  select count(*) into v_told from told;
  return v_told;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_kept_sources(p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_team uuid;
  v_source uuid;
  v_gone int;
  v_left int := p_limit;
begin
  -- A source that a request restores or purges now is skipped.
  for v_team, v_source in
    select k.team_id, k.source_id from kept_source k
     where k.archived_at <= now() - make_interval(days => p_days)
     order by k.archived_at limit p_limit for update skip locked
  loop
    -- A restore locks the source first and then what is kept of it. To wait for it here would be a deadlock.
    perform from source s where s.team_id = v_team and s.id = v_source for no key update skip locked;
    continue when not found;
    delete from kept_chunk c
     where c.team_id = v_team and c.source_id = v_source
       and c.ordinal in (select n.ordinal from kept_chunk n
                          where n.team_id = v_team and n.source_id = v_source limit v_left);
    get diagnostics v_gone = row_count;
    v_left := v_left - v_gone;
    exit when v_left <= 0;
    -- From here on, the source cannot be restored.
    delete from kept_source k where k.team_id = v_team and k.source_id = v_source;
    update source s set original_sha256 = null, original_bytes = null, original_media_type = null
     where s.team_id = v_team and s.id = v_source and s.original_sha256 is not null;
    v_left := v_left - 1;
    exit when v_left <= 0;
  end loop;
  return p_limit - v_left;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_loading_chunks(p_limit integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with stale as (
    select c.team_id, c.id from memory.source s
      join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.state = 'loading' and s.updated_at < now() - interval '1 hour' limit p_limit
  ), gone as (
    delete from memory.chunk c using stale where c.team_id = stale.team_id and c.id = stale.id returning 1
  )
  select count(*)::int from gone;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_old_vectors(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_model text;
  v_adopted timestamptz;
  v_team uuid;
  v_old text;
  v_removed int := 0;
  v_left boolean := false;
  v_gone int;
begin
  -- If swept_at is set, every chunk without a vector of the new model is marked as pending.
  select d.embedding_model, d.adopted_at into v_model, v_adopted from deployment d
   where d.swept_at is not null and (d.vectors_pruned_at is null or d.vectors_pruned_at < d.adopted_at);
  if not found then
    return 0;
  end if;
  for v_team, v_old in
    select t.id, o.model from identity.team t
     -- Two ranges of the index. With <> the query would read all vectors of the Team.
     cross join lateral (
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model < v_model limit 1)
       union all
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model > v_model limit 1)
     ) o
  loop
    -- Only pending chunks that have an old vector delay the Team. If new chunks did too, a Team that is always written
    -- to would keep its old vectors for ever.
    if exists (select from embedding_pending p
                 join chunk_embedding e on e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_old
                where p.team_id = v_team and p.refused_at is null) then
      v_left := true;
      continue;
    end if;
    with old as (
      select e.chunk_id, e.model from chunk_embedding e
       where e.team_id = v_team and e.model = v_old limit p_limit - v_removed for update skip locked
    )
    delete from chunk_embedding e using old
     where e.team_id = v_team and e.chunk_id = old.chunk_id and e.model = old.model;
    get diagnostics v_gone = row_count;
    v_removed := v_removed + v_gone;
    v_left := true;
    exit when v_removed >= p_limit;
  end loop;
  -- Nothing is left to delete. For an hour a process with the earlier model can still store vectors of that model.
  if not v_left and v_adopted < now() - interval '1 hour' then
    -- Only if no other model has been adopted since this call began.
    update deployment set vectors_pruned_at = now() where embedding_model = v_model and adopted_at = v_adopted;
  end if;
  return v_removed;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_searches(p_days integer, p_limit integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with gone as (
    delete from audit_search
     where (team_id, event_id) in (select q.team_id, q.event_id from audit_search q
                                    where q.at < now() - make_interval(days => p_days)
                                    order by q.at limit p_limit for update skip locked)
    returning 1
  )
  select count(*)::int from gone;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_workspace_blobs(p_limit integer)
 RETURNS TABLE(seen integer, removed integer, objects text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  with old as (
    select b.company_id, b.sha256,
           exists (select from workspace_version v
                    where v.company_id = b.company_id and v.sha256 = b.sha256)
             or exists (select from original o
                         where o.company_id = b.company_id and o.sha256 = b.sha256) as referred
      from workspace_blob b where b.waiting_since < now() - interval '1 hour'
     order by b.waiting_since limit p_limit for update of b skip locked
  ), settled as (
    update workspace_blob b set waiting_since = null from old o
     where o.referred and b.company_id = o.company_id and b.sha256 = o.sha256
  ), gone as (
    delete from workspace_blob b using old o
     where not o.referred and b.company_id = o.company_id and b.sha256 = o.sha256 returning b.company_id, b.sha256, b.object_id
  )
  select (select count(*)::int from old), (select count(*)::int from gone),
         array(select concat_ws('/', g.company_id, encode(g.sha256, 'hex'), g.object_id)
                 from gone g where g.object_id is not null)
    into seen, removed, objects;
  return next;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.prune_workspace_versions(p_after uuid, p_keep integer, p_limit integer)
 RETURNS TABLE(last uuid, removed integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_seen uuid[];
begin
  v_seen := array(select v.id from workspace_version v
                   where v.until_revision is not null and (p_after is null or v.id > p_after)
                   order by v.id limit p_limit);
  with gone as (
    delete from workspace_version v using workspace_version h
     where v.id = any (v_seen) and v.until_revision is not null
       and v.superseded_at < now() - interval '1 hour'
       and h.team_id = v.team_id and h.layer_id = v.layer_id and h.path = v.path and h.until_revision is null
       and v.version < h.version - p_keep
    returning 1
  )
  select count(*)::int into removed from gone;
  last := v_seen[array_upper(v_seen, 1)];
  return next;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.purge_memory(p_memory uuid)
 RETURNS TABLE(version integer, source_id uuid, captures uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  -- Batches before memories, as a completion locks them, and both in the order of their ids, to prevent a deadlock.
  perform from consolidation_batch b
    where b.team_id = v_team and b.results::text like '%' || p_memory || '%'
    order by b.id for update;
  -- All memories that change.
  perform from memory_item m
    where m.team_id = v_team and (m.id = p_memory or m.supersedes = p_memory or m.superseded_by = p_memory)
    order by m.id for update;
  delete from memory_item m
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
  returning m.version, m.source_id, m.capture_ids into version, source_id, captures;
  if not found then
    return;
  end if;
  update memory_item m
     set supersedes = nullif(m.supersedes, p_memory), superseded_by = nullif(m.superseded_by, p_memory)
   where m.team_id = v_team and (m.supersedes = p_memory or m.superseded_by = p_memory);
  with gone as (
    delete from capture c
     where c.team_id = v_team and c.id = any (captures)
       and c.id <> all (array(select unnest(m.capture_ids) from memory_item m
                               where m.team_id = v_team and m.capture_ids && captures))
    returning c.id
  )
  select coalesce(array_agg(gone.id order by gone.id), '{}') into captures from gone;
  if source_id is not null then
    perform purge_source(source_id);
  end if;
  perform purge_records(captures || p_memory);
  return next;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.purge_records(p_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_patterns constant text[] := array(select '%' || id || '%' from unnest(p_ids) as id);
begin
  update consolidation_batch b set results = results_without(b.results, p_ids)
   where b.team_id = v_team and b.results::text like any (v_patterns);
  -- Last: the update waits for a repeated completion, which can have stored the old results as another answer.
  update idempotency_key k set response = without_records(k.response, p_ids)
   where k.team_id = v_team and k.response::text like any (v_patterns);
end $function$;

CREATE OR REPLACE FUNCTION memory.purge_source(p_source uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_imports uuid[];
begin
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
      and s.layer_id = any (writable_layers())
      and not exists (select from memory_item m where m.team_id = v_team and m.source_id = p_source)
    for update;
  if not found then
    return null;
  end if;
  -- All imports that change, in the order of their ids, to prevent a deadlock with the purge of another source.
  perform from import i
    where i.team_id = v_team
      and (i.source_id = p_source
           or i.near_duplicates <> '[]'
              and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source)))
    order by i.id for update;
  with gone as (
    delete from import i where i.team_id = v_team and i.source_id = p_source returning i.id
  )
  select coalesce(array_agg(id), '{}') into v_imports from gone;
  update import i
     set near_duplicates = (select coalesce(jsonb_agg(n), '[]') from jsonb_array_elements(i.near_duplicates) as n
                             where n ->> 'sourceId' <> p_source::text)
   where i.team_id = v_team and i.near_duplicates <> '[]'
     and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source));
  delete from source where team_id = v_team and id = p_source;
  perform choose_first_copies(array[p_source]);
  perform purge_records(v_imports || p_source);
  return v_imports;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.queue_files(p_team uuid, p_extensions text[], p_limit integer)
 RETURNS TABLE(version_id uuid, layer_id uuid, updated_by uuid, updated_by_token uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_waiting int;
begin
  select count(*) into v_waiting from (
    select from workspace_version v
     where v.team_id = p_team and v.indexed = 'pending' and v.until_revision is null and v.sha256 is not null
     limit p_limit) w;
  return query
  with next as (
    select v.id from workspace_version v
     where v.team_id = p_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     limit p_limit - v_waiting for update skip locked
  ), decided as (
    update workspace_version v
       set indexed = case when v.bytes > 0 and lower(substring(v.path from '\.([^./]*)$')) = any (p_extensions)
                          then 'pending' else 'no' end
      from next n where v.team_id = p_team and v.id = n.id
    returning v.id, v.layer_id, v.updated_by, v.updated_by_token, v.indexed
  )
  select d.id, d.layer_id, d.updated_by, d.updated_by_token from decided d where d.indexed = 'pending' order by d.id;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.rarest_keys(p_keys integer[], p_frequencies double precision[], p_team_frequencies double precision[], p_cap double precision, OUT keys integer[], OUT postings double precision, OUT next_postings double precision, OUT other_postings double precision)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
    into keys, postings, next_postings, other_postings
    from running r;
end $function$;

CREATE OR REPLACE FUNCTION memory.read_slices(p_space text, p_slices integer[], p_place integer, p_all boolean)
 RETURNS TABLE(slice integer, terms bytea, places bytea, counts bytea, vectors text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_place constant sparsevec := case when p_place is not null then ('{' || p_place || ':1}/16000')::sparsevec end;
begin
  return query
  select s.slice, array_send(s.terms), array_send(s.places::int[]), array_send(s.counts::int[]),
         array_to_string(s.vectors::text[], ' ')
    from keyword_slice s
   where s.team_id = claimed_team() and s.space = p_space::"char"
     and (p_place is not null or p_all or s.slice = any (p_slices))
     and (p_place is null or p_all or s.slice = any (p_slices)
       or case when s.places is null then p_place = 1 else p_place = any (s.places) end
       or exists (select from unnest(s.vectors) v where v <#> v_place < 0))
   order by s.slice;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.readable_clients()
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
RETURN (COALESCE(NULLIF(current_setting('app.reads_clients'::text, true), ''::text), '{}'::text))::uuid[];
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.readable_counts(p_layers uuid[], OUT chunks double precision, OUT sampled integer, OUT counted_at timestamp with time zone, OUT packed boolean, OUT dim_shift integer, OUT key_shift integer, OUT scales public.sparsevec, OUT layer_places integer[], OUT layer_scales real[], OUT team_scales public.sparsevec, OUT team_places integer[], OUT team_layer_scales real[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  few constant int := 3000;             -- up to this many chunks outside of the scope can be read and discarded
  v_team constant uuid := claimed_team();
  v_reads_all boolean;                  -- whether the caller can read every counted layer
  v_team_chunks int;
begin
  -- A Team can have hundreds of clients. For a caller that can read all layers, the sums of the Team are used, and not
  -- the row of each layer. The number of layers is compared first, because their list is stored apart from the row.
  select t.chunks, t.sampled, t.counted_at, t.packed, t.dim_shift, t.key_shift,
         t.scales, t.layer_places, t.layer_scales,
         case when t.layer_count <= cardinality(p_layers) then not exists (
           select from unnest(t.layers) l (layer_id) where l.layer_id not in (select unnest(p_layers))) end
    into chunks, sampled, counted_at, packed, dim_shift, key_shift, scales, layer_places, layer_scales, v_reads_all
    from keyword_team t where t.team_id = v_team and t.chunks > 0;
  if found and v_reads_all is not true then
    -- Sums up the layers that the caller can read.
    v_team_chunks := chunks;
    team_scales := scales; team_places := layer_places; team_layer_scales := layer_scales;
    select sum(l.chunks), sum(l.sampled), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           array_agg(l.place order by l.place), array_agg(layer_scale(l.chunks, l.sampled) order by l.place)
      into chunks, sampled, counted_at, scales, layer_places, layer_scales
      from keyword_layer l where l.team_id = v_team and l.layer_id = any (p_layers) and l.chunks > 0;
    if v_team_chunks - coalesce(chunks, 0) <= few then
      team_scales := null; team_places := null; team_layer_scales := null;
    end if;
  end if;
  chunks := coalesce(chunks, 1);
  sampled := coalesce(sampled, 0);
end $function$;

CREATE OR REPLACE FUNCTION memory.readable_layers()
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
RETURN (COALESCE(NULLIF(current_setting('app.reads'::text, true), ''::text), '{}'::text))::uuid[];
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.reads_team_layer()
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (COALESCE(NULLIF(current_setting('app.reads_team'::text, true), ''::text), 'false'::text))::boolean;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.record_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' or (new.title, new.content) is distinct from (old.title, old.content) then
    insert into memory_version (team_id, memory_id, version, layer_id, title, content, published, actor_id)
    values (new.team_id, new.id, new.version, new.layer_id, new.title, new.content, new.state = 'published',
            coalesce(claimed_user(), new.decided_by, new.created_by));
  elsif new.state = 'published' and old.state <> 'published' then
    update memory_version v set published = true
     where v.team_id = new.team_id and v.memory_id = new.id and not v.published
       and v.version = (select max(l.version) from memory_version l
                         where l.team_id = new.team_id and l.memory_id = new.id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.reduce_event(e memory.audit_event)
 RETURNS memory.audit_event
 LANGUAGE plpgsql
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_old constant jsonb := e.detail;
  v_hits uuid[];
  v_passages uuid[];
  v_query constant text := case when e.kind = 'memory.search' then v_old ->> 'query' end;
  v_hits_salt constant bytea := uuid_send(gen_random_uuid());
  v_query_salt constant bytea := uuid_send(gen_random_uuid());
begin
  e.detail := reduced_detail(e.kind, v_old);
  if e.kind = 'memory.search' and jsonb_typeof(v_old -> 'hitIds') = 'array' then
    v_hits := array(select id::uuid from jsonb_array_elements_text(v_old -> 'hitIds') id
                     where pg_input_is_valid(id, 'uuid'));
    v_passages := array(select id::uuid from jsonb_array_elements_text(coalesce(v_old -> 'passageIds', '[]')) id
                         where pg_input_is_valid(id, 'uuid'));
    e.detail := e.detail || jsonb_build_object('hitsHash', salted_hash(v_hits_salt, hit_list(v_hits, v_passages)));
    if v_query is not null then
      e.detail := e.detail || jsonb_build_object('queryHash', salted_hash(v_query_salt, v_query));
    end if;
    insert into audit_search (company_id, team_id, event_id, actor_id, query, query_salt, hit_ids, passage_ids, hits_salt, at)
      select e.company_id, e.team_id, e.id, e.actor_id, k.query, case when k.query is not null then v_query_salt end,
             v_hits, v_passages, v_hits_salt, e.at
        from identity.team t
       cross join lateral (
         select case when not exists (select from identity.account a
                                       where a.company_id = e.company_id and a.id = e.actor_id and a.erased_at is not null)
                     then v_query end as query) k
       where t.company_id = e.company_id and t.id = e.team_id and t.deleted_at is null;
  end if;
  if e.detail is distinct from v_old then
    update audit_event a set detail = e.detail where a.company_id = e.company_id and a.id = e.id;
  end if;
  return e;
end $function$;

CREATE OR REPLACE FUNCTION memory.reduced_detail(p_kind text, p_detail jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN CASE WHEN (jsonb_typeof(p_detail) <> 'object'::text) THEN p_detail WHEN (p_kind = 'memory.search'::text) THEN (p_detail - '{query,hitIds,passageIds}'::text[]) WHEN ((p_kind = 'team.client_change'::text) AND (p_detail ? 'name'::text)) THEN ((p_detail - 'name'::text) || jsonb_build_object('changed', (SELECT jsonb_agg(key.key ORDER BY key.key) AS jsonb_agg FROM jsonb_object_keys(reduced_detail.p_detail) key(key)))) WHEN (p_kind = ANY (ARRAY['team.client_create'::text, 'team.client_archive'::text, 'auth.token_create'::text])) THEN (p_detail - 'name'::text) ELSE (p_detail - 'email'::text) END;

CREATE OR REPLACE FUNCTION memory.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' then
    if exists (select from audit_reseal r where r.company_id = old.company_id) then
      if tg_table_name = 'audit_seal' then
        if to_jsonb(new) - 'hash' = to_jsonb(old) - 'hash' then
          return new;
        end if;
      elsif to_jsonb(new) - 'detail' = to_jsonb(old) - 'detail'
            and new.detail - '{hitsHash,queryHash}'::text[] = reduced_detail(old.kind, old.detail) then
        return new;
      end if;
    end if;
  end if;
  raise exception 'audit events are append-only' using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION memory.release_captures(p_limit integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  with lapsed as (
    select c.team_id, c.id from memory.capture c
     where c.state = 'claimed' and c.leased_until <= now()
     order by c.leased_until limit p_limit for update skip locked
  ), released as (
    update memory.capture c set state = 'staged', batch_id = null, leased_until = null
      from lapsed l where c.team_id = l.team_id and c.id = l.id returning 1
  )
  select count(*)::int from released;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.release_original()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  -- A statement of its own: the next one finds the source for which attach_original had locked the original.
  perform from original o where o.team_id = old.team_id and o.sha256 = old.original_sha256 for update;
  delete from original o
   where o.team_id = old.team_id and o.sha256 = old.original_sha256
     and not exists (select from source s where s.team_id = old.team_id and s.original_sha256 = old.original_sha256);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.renew_workspace_blobs(p_sha256 bytea, OUT uses_bucket boolean, OUT known text[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_sha256 bytea[] := array(select substring(p_sha256 from 32 * n - 31 for 32)
                              from generate_series(1, length(p_sha256) / 32) n);
begin
  -- In the order of their keys, to prevent a deadlock between two writers of the same contents.
  perform from workspace_blob b
    where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256)
      and b.waiting_since < now() - interval '10 minutes'
    order by b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
   where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256)
     and b.waiting_since < now() - interval '10 minutes';
  known := array(select encode(b.sha256, 'hex') from workspace_blob b
                  where b.company_id = memory.claimed_company() and b.sha256 = any (v_sha256));
  select p.uses_bucket into uses_bucket from blob_place p;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.replace_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET gin_pending_list_limit TO '512kB'
AS $function$
  update chunk_keyword set keys = p_keys, weights = p_weights
   where team_id = claimed_team() and chunk_id = p_chunk and (keys <> p_keys or weights <> p_weights);
  update chunk set text_hash = p_text_hash where team_id = claimed_team() and id = p_chunk and text_hash is null;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.replace_writable_terms(p_chunk uuid, p_keys integer[], p_weights public.sparsevec, p_text_hash bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select replace_terms(c.id, p_keys, p_weights, p_text_hash) from chunk c
   where c.team_id = claimed_team() and c.id = p_chunk
     and c.layer_id = any (writable_layers())
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.reseal_audit(p_company uuid, p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_at audit_reseal;
  v_seal record;
  v_event audit_event;
  v_left int := p_limit;
begin
  -- A worker that began to seal before adds no seal in between.
  perform pg_advisory_xact_lock(hashtextextended(p_company::text, 7));
  select r.* into v_at from audit_reseal r where r.company_id = p_company;
  for v_seal in
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = p_company and s.sequence > v_at.sequence
     order by s.sequence limit p_limit
  loop
    v_event := v_seal.event;
    if v_at.first_break is null and (v_seal.sequence <> v_at.sequence + 1 or v_event.id is null
         or v_seal.hash <> audit_hash(v_event, v_at.old_hash)) then
      v_at.first_break := v_seal.event_id;
    end if;
    -- The seal of an event that was deleted keeps its hash, and is reported by the next verification too.
    v_at.hash := case when v_event.id is null then v_seal.hash else audit_hash(reduce_event(v_event), v_at.hash) end;
    if v_at.hash <> v_seal.hash then
      update audit_seal s set hash = v_at.hash where s.company_id = p_company and s.sequence = v_seal.sequence;
    end if;
    v_at.sequence := v_seal.sequence;
    v_at.old_hash := v_seal.hash;
    v_left := v_left - 1;
  end loop;
  for v_event in
    select e.* from audit_event e
     where e.company_id = p_company and e.id > coalesce(v_at.after_event, '00000000-0000-0000-0000-000000000000')
       and not exists (select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id and s.sequence > 0)
     order by e.id limit v_left
  loop
    perform reduce_event(v_event);
    v_at.after_event := v_event.id;
    v_left := v_left - 1;
  end loop;
  update audit_reseal r
     set sequence = v_at.sequence, old_hash = v_at.old_hash, hash = v_at.hash, first_break = v_at.first_break,
         after_event = v_at.after_event, events = v_at.events + p_limit - v_left
   where r.company_id = p_company;
  return v_left > 0;
end $function$;

CREATE OR REPLACE FUNCTION memory.restore_chunks(p_source uuid, p_model text, p_limit integer, OUT moved integer, OUT pending integer)
 RETURNS record
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET gin_pending_list_limit TO '512kB'
AS $function$
  with moved as (
    delete from kept_chunk k using source s
     where s.team_id = claimed_team() and s.id = p_source and k.team_id = s.team_id and k.source_id = s.id
       and s.layer_id = any (writable_layers())
       and k.ordinal in (select n.ordinal from kept_chunk n where n.team_id = claimed_team() and n.source_id = p_source
                          order by n.ordinal limit p_limit)
    returning k.*, s.layer_id
  ), texts as (
    insert into chunk (team_id, layer_id, source_id, ordinal, id, text, repeated, headings, page, sheet, row, slide,
                       created_at, text_hash)
    select m.team_id, m.layer_id, m.source_id, m.ordinal, m.id, m.text, m.repeated, m.headings, m.page, m.sheet,
           m.row, m.slide, m.created_at, m.text_hash
      from moved m order by m.ordinal
  ), terms as (
    insert into chunk_keyword (team_id, layer_id, chunk_id, keys, weights)
    select m.team_id, m.layer_id, m.id, m.keys, m.weights from moved m where m.keys is not null order by m.ordinal
  ), vectors as (
    insert into chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
    select m.team_id, m.layer_id, m.id, m.model, m.embedding from moved m where m.model = p_model order by m.ordinal
  ), waiting as (
    insert into embedding_pending (team_id, layer_id, chunk_id)
    select m.team_id, m.layer_id, m.id from moved m where m.model is distinct from p_model order by m.ordinal
    returning 1
  )
  select (select count(*)::int from moved), (select count(*)::int from waiting);
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.results_without(p_results jsonb, p_ids uuid[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select coalesce(jsonb_agg(case when (r.result ->> 'memoryId')::uuid = any (p_ids)
                                 then '{"state": "discarded", "memoryId": null, "similar": []}'
                                 else jsonb_set(r.result, '{similar}', (
                                   select coalesce(jsonb_agg(n.other order by n.place), '[]')
                                     from jsonb_array_elements(r.result -> 'similar') with ordinality as n (other, place)
                                    where (n.other ->> 'memoryId')::uuid <> all (p_ids))) end
                            order by r.place), '[]')
    from jsonb_array_elements(p_results) with ordinality as r (result, place);
$function$;

CREATE OR REPLACE FUNCTION memory.return_captures(p_batch uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  update memory.capture c set state = 'staged', batch_id = null, leased_until = null
    from memory.consolidation_batch b
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.team_id = b.team_id and c.batch_id = b.id and c.state = 'claimed';
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.salted_hash(p_salt bytea, p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN encode(sha256((p_salt || convert_to(p_text, 'UTF8'::name))), 'hex'::text);

CREATE OR REPLACE FUNCTION memory.sample_changes(p_layer uuid, p_limit integer, OUT sample uuid[], OUT hashes integer[], OUT added uuid[], OUT dropped uuid[], OUT deleted integer, OUT counted integer, OUT gone integer, OUT renewed integer, OUT version integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
AS $function$
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
  select l.members, case when l.members is not null then l.sampled end, l.gone, l.renewed, l.version
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
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.scope_holds_at_most(p_most integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_indexscan TO 'on'
 SET enable_indexonlyscan TO 'on'
AS $function$
  select count(*) <= p_most
    from (select from unnest(readable_layers()) l (id)
           -- Layer by layer, as in small_scope_chunks.
           cross join lateral (select from chunk_keyword c
                                where c.team_id = (select claimed_team()) and c.layer_id = l.id offset 0) c
           limit p_most + 1) c
$function$;

CREATE OR REPLACE FUNCTION memory.score_by_key(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass. offset 0 keeps the planner from combining the bitmap of the GIN index
    -- with one of the primary key: 0.7 ms instead of 8 ms.
    (select c.chunk_id, c.weights
       from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
              where c.keys && p_first offset 0) c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights
       from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
              where p_seen is not null and c.keys && p_keys offset 0) c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
        and c.chunk_id not in (select unnest(p_seen))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $function$;

CREATE OR REPLACE FUNCTION memory.score_by_key_and_layer(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET work_mem TO '64MB'
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_first
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where p_seen is not null
        and c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_keys and c.chunk_id not in (select unnest(p_seen))
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $function$;

CREATE OR REPLACE FUNCTION memory.score_one_by_one(p_layers uuid[], p_query public.sparsevec, p_keys integer[], p_allowed uuid[], p_hidden uuid[], p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks that pass a filter.
    (select c.chunk_id, c.weights
       from (select id from unnest(p_allowed) a (id) order by id limit p_most) a
       join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
      where (c.keys && p_keys) is true
        and c.layer_id = any (p_layers)
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden))))
    union all
    -- Without a filter: the chunks of the scope, layer by layer, as in small_scope_chunks.
    (select c.chunk_id, c.weights
       from (select c.* from unnest(p_layers) l (id)
              cross join lateral (
                select c.chunk_id, c.weights, c.keys from chunk_keyword c
                 where p_allowed is null and c.team_id = v_team and c.layer_id = l.id offset 0) c
              where p_hidden is null or c.chunk_id not in (select unnest(p_hidden))
              limit p_most) c
      where c.keys && p_keys)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $function$;

CREATE OR REPLACE FUNCTION memory.score_pass(p_layers uuid[], p_query public.sparsevec, p_first integer[], p_keys integer[], p_seen uuid[], p_filter record, p_chunks double precision, p_other_postings double precision, p_one_by_one boolean, p_most integer, p_limit integer, OUT chunk_ids uuid[], OUT points double precision[], OUT scored integer, OUT seen uuid[], OUT passed integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
 SET work_mem TO '64MB'
AS $function$
declare
  -- Estimated postings outside of the scope that are read and discarded at most. With more, finding chunks by key and
  -- by layer is faster: its planning takes as long as reading 3,000 postings, and reading the layers as long as one
  -- posting for 8 chunks.
  discard_cap constant float8 := 3000 + p_chunks / 8;
  -- A scope of up to this many chunks, as counted, is read one by one: this takes less time than planning
  -- score_by_key_and_layer.
  scan_cap constant int := 300;
  -- The count can be out of date. A scope that stores more chunks than this is not read one by one.
  small constant int := 1000;
  v_scattered constant boolean := not p_one_by_one and coalesce(p_other_postings > discard_cap, false);
  -- All scored chunks are needed if they are looked up.
  v_limit constant int := case when p_filter.looked_up then p_most else p_limit end;
  v_found record;
  v_places int[];
begin
  if p_one_by_one
     or (v_scattered and p_filter.allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small)) then
    -- Reads the chunks one by one.
    v_found := score_one_by_one(p_layers, p_query, p_keys, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  elsif v_scattered then
    -- Finds the chunks by key and by layer at once.
    v_found := score_by_key_and_layer(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  else
    -- Finds the chunks by key, in all layers.
    v_found := score_by_key(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  end if;
  scored := v_found.scored;
  seen := v_found.chunk_ids;
  if p_filter.looked_up then
    v_places := first_passing(v_found.chunk_ids, p_filter, p_limit);
    select coalesce(array_agg(seen[n.place] order by n.nth), '{}'),
           coalesce(array_agg((v_found.points)[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
    passed := cardinality(chunk_ids);
  else
    chunk_ids := v_found.chunk_ids;
    points := v_found.points;
    passed := scored;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION memory.seal_audit(p_company uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_ids uuid[];
  v_event audit_event;
  v_sequence bigint;
  v_hash bytea;
begin
  -- Do not wait for another sealer: it seals the same events.
  if not pg_try_advisory_xact_lock(hashtextextended(p_company::text, 7)) then
    return 0;
  end if;
  if exists (select from audit_reseal r where r.company_id = p_company) then
    return 0;
  end if;
  select s.sequence, s.hash into v_sequence, v_hash
    from audit_seal s where s.company_id = p_company order by s.sequence desc limit 1;
  v_sequence := coalesce(v_sequence, 0);
  v_hash := coalesce(v_hash, '');
  -- An event that was deleted keeps its place in the waiting list, so that verification reports it.
  v_ids := array(
    select u.event_id from audit_unsealed u
     where u.company_id = p_company
       and exists (select from audit_event e where e.company_id = u.company_id and e.id = u.event_id)
     order by u.event_id limit p_limit);
  for v_event in
    select e.* from unnest(v_ids) with ordinality as i (id, place)
      join audit_event e on e.company_id = p_company and e.id = i.id order by i.place
  loop
    -- After a restore from a dump, the waiting list can contain events that are already sealed.
    continue when exists (select from audit_seal s where s.company_id = p_company and s.event_id = v_event.id);
    v_sequence := v_sequence + 1;
    v_hash := audit_hash(v_event, v_hash);
    insert into audit_seal (company_id, sequence, event_id, hash)
      values (p_company, v_sequence, v_event.id, v_hash);
  end loop;
  delete from audit_unsealed u where u.company_id = p_company and u.event_id = any (v_ids);
  return cardinality(v_ids);
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.search_candidates(p_team uuid, p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_earlier_keys integer[], p_terms_version integer, p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean)
 RETURNS TABLE(place integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, detail jsonb, source_id uuid, created_at timestamp with time zone, text_hash bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 50
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  most constant int := 50;              -- chunks that are found at most by keyword, and by meaning
  v_team constant uuid := team_if_claimed(p_team);
  v_layers constant uuid[] := readable_layers();
  v_keys constant int[] := p_keys || case when has_outdated_terms(p_terms_version) then p_earlier_keys end;
  v_weights record;
  v_filter record;
  v_keyword record;
  v_near uuid[] := '{}';                -- chunks found by meaning, nearest first
  v_similarities float8[] := '{}';
  v_near_detail jsonb;
  v_clock timestamptz[] := array[clock_timestamp()];
begin
  if v_team is null then
    return;
  end if;
  v_weights := weigh_query(v_layers, p_dims, p_factors, p_lengths, v_keys, p_explain);
  v_clock := v_clock || clock_timestamp();

  v_filter := choose_filter(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before);
  v_clock := v_clock || clock_timestamp();

  v_keyword := add_guesses(v_weights.weights, keyword_candidates(v_layers, v_weights.weights, v_keys,
    v_weights.key_frequencies, v_weights.team_key_frequencies, p_identifier_keys, v_weights.chunks, v_filter, most),
    v_layers, p_guess_keys, p_guess_percents, p_guess_places, p_guessed_words, v_weights.chunks,
    v_filter, most);
  v_clock := v_clock || clock_timestamp();
  -- A search by keywords only has no vector.
  if p_embedding is not null then
    select s.chunk_ids, s.points, s.detail into v_near, v_similarities, v_near_detail
      from semantic_candidates(p_embedding, p_model, v_filter, most, v_weights.chunks, p_explain) s;
  end if;
  v_clock := v_clock || clock_timestamp();

  return query
  select * from fuse_candidates(v_keyword.chunk_ids, v_keyword.points, v_keyword.guessed, v_keyword.has_rare_identifier,
    v_weights.max_score, v_near, v_similarities, most, p_embedding, p_model, p_min_similarity, p_limit, p_explain);
  v_clock := v_clock || clock_timestamp();
  if p_explain then
    return query
    select 0, null::uuid, null::float8, null::int, null::int,
           explain_search(v_weights, v_keyword, v_near_detail, v_filter, v_clock),
           null::uuid, null::timestamptz, null::bytea;
  end if;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.search_hits(p_team uuid, p_embedding public.halfvec, p_model text, p_min_similarity double precision, p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_identifier_keys integer[], p_earlier_keys integer[], p_terms_version integer, p_guess_keys integer[], p_guess_percents integer[], p_guess_places integer[], p_guessed_words integer[], p_kinds text[], p_sources uuid[], p_after timestamp with time zone, p_before timestamp with time zone, p_tags text[], p_occurred_after timestamp with time zone, p_occurred_before timestamp with time zone, p_limit integer, p_explain boolean, p_by_source boolean)
 RETURNS TABLE(place integer, passage integer, chunk_id uuid, score double precision, semantic_rank integer, keyword_rank integer, duplicates integer, detail jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 50
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  most_passages constant int := 3;      -- of one source
begin
  return query
  with found as materialized (
    -- All candidates: the newest of equal chunks can be the last of them.
    select * from search_candidates(p_team, p_embedding, p_model, p_min_similarity, p_dims, p_factors, p_lengths,
      p_keys, p_identifier_keys, p_earlier_keys, p_terms_version, p_guess_keys, p_guess_percents, p_guess_places,
      p_guessed_words, p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before, null,
      p_explain)
  ), compared as (
    -- A chunk without a hash equals only itself.
    select f.*, min(f.place) over same as best, count(*) over same - 1 as others,
           row_number() over (same order by f.created_at desc, f.chunk_id desc) as age
      from found f where f.place > 0
    window same as (partition by f.text_hash, case when f.text_hash is null then f.chunk_id end)
  ), unequal as (
    select u.*, min(u.best) over of_source as first, row_number() over (of_source order by u.best) as nth
      from compared u where u.age = 1
    window of_source as (partition by u.source_id)
  ), placed as (
    select u.*, dense_rank() over (order by case when p_by_source then u.first else u.best end) as spot
      from unequal u where not p_by_source or u.nth <= most_passages
  )
  select p.spot::int, case when p_by_source then p.nth else 1 end::int, p.chunk_id, p.score, p.semantic_rank,
         p.keyword_rank, p.others::int, p.detail
    from placed p where p.spot <= p_limit
  union all
  select 0, 1, null, null, null, null, null, f.detail from found f where f.place = 0;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.seconds_until_forget(p_max integer, p_seconds integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_window constant interval := make_interval(secs => p_seconds);
  v_last timestamptz;
begin
  perform from identity.agent_token t
   where t.company_id = claimed_company() and t.team_id = claimed_team() and t.id = claimed_token()
     for no key update;
  -- A statement of its own, so that it sees the events of those who had the lock before. The index has the time of an
  -- event in its id, by the clock of the process that made it. Ten minutes are more than these clocks differ.
  select e.at into v_last from audit_event e
   where e.company_id = claimed_company() and e.kind in ('memory.archive', 'memory.discard')
     and e.id > (lpad(to_hex(floor(extract(epoch from clock_timestamp() - v_window - interval '10 minutes') * 1000)::bigint),
                      12, '0') || repeat('0', 20))::uuid
     and e.subject_type in ('source', 'memory') and e.token_id = claimed_token()
     and e.at > clock_timestamp() - v_window
   order by e.at desc offset p_max - 1 limit 1;
  return coalesce(ceil(extract(epoch from v_last + v_window - clock_timestamp()))::int, 0);
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.semantic_candidates(p_embedding public.halfvec, p_model text, p_filter record, p_limit integer, p_chunks double precision, p_explain boolean, OUT chunk_ids uuid[], OUT points double precision[], OUT detail jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET work_mem TO '64MB'
AS $function$
declare
  exact_scan constant int := 1000;      -- up to this many vectors are compared in full
  -- The chunks that pass a filter are looked up one by one. This takes as long as comparing the signs of 25.
  look_up_cost constant int := 25;
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_rows int := cardinality(p_filter.allowed); -- the number of vectors to compare
  v_path text := 'exact';
  v_near record;
  v_passing uuid[];
begin
  if p_filter.allowed is null then
    -- Counts no further than exact_scan + 1. Layer by layer, as in small_scope_chunks.
    select count(*) into v_rows from (
      select from unnest(v_layers) l (id)
       cross join lateral (select from chunk_embedding e
                            where e.team_id = v_team and e.model = p_model and e.layer_id = l.id offset 0) e
      limit exact_scan + 1) n;
  end if;

  if v_rows <= exact_scan or (p_filter.allowed is not null and v_rows <= p_chunks / look_up_cost) then
    v_near := nearest_in_full(v_layers, p_embedding, p_model, p_filter, p_limit);
  else
    if p_filter.allowed is null and graph_serves(v_layers, p_model) then
      v_near := nearest_by_graph(v_layers, p_embedding, p_model, p_filter, p_limit);
      v_path := case when cardinality(v_near.chunk_ids) = p_limit then 'graph' end;
    end if;
    if v_path is distinct from 'graph' then
      v_path := 'quantised';
      v_near := nearest_by_signs(v_layers, p_embedding, p_model, p_filter, p_limit, p_chunks);
    end if;
  end if;
  chunk_ids := v_near.chunk_ids;
  points := v_near.points;

  if p_explain then
    v_passing := case when p_filter.looked_up then passing_chunks(p_filter, null) else p_filter.allowed end;
    detail := jsonb_build_object(
      'path', v_path,
      'candidates', (select count(*) from chunk_embedding e
                    where e.team_id = v_team and e.model = p_model
                      and e.layer_id = any (v_layers)
                      and (v_passing is null or e.chunk_id in (select unnest(v_passing)))
                      and (p_filter.hidden is null or e.chunk_id not in (select unnest(p_filter.hidden)))),
      'hits', cardinality(chunk_ids));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION memory.service_state()
 RETURNS TABLE(pending_chunks bigint, imports jsonb, unsealed_seconds double precision, database_bytes bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  return query
  with recursive figure as materialized (
    select t.part, t.state, sum(t.n) as n from layer_tally t where t.part in ('pending', 'imports') group by 1, 2
  ), oldest as (
    -- The first event of each Company, one look-up for each: a long list is not read.
    (select u.company_id, u.event_id from audit_unsealed u order by u.company_id, u.event_id limit 1)
    union all
    select n.company_id, n.event_id
      from oldest o
     cross join lateral (select u.company_id, u.event_id from audit_unsealed u
                          where u.company_id > o.company_id order by u.company_id, u.event_id limit 1) n
  ), waiting as (
    -- The time is that of the id, a UUIDv7: the event itself can have been deleted, and then it never gets a seal.
    select ('x' || substr(translate(o.event_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0 as since
      from oldest o
  )
  select coalesce((select sum(f.n) from figure f where f.part = 'pending'), 0)::bigint,
         coalesce((select jsonb_object_agg(f.state, f.n) from figure f where f.part = 'imports'), '{}'),
         (select greatest(extract(epoch from clock_timestamp()) - min(w.since), 0)::float8 from waiting w),
         pg_database_size(current_database());
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.service_usage(p_chunks bigint, p_bytes bigint)
 RETURNS TABLE(sources bigint, chunks bigint, files bigint, bytes jsonb, near_quota integer, at_quota integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  return query
  with part as materialized (
    select t.team_id, t.part, sum(t.sources) as sources, sum(t.chunks) as chunks, sum(t.files) as files,
           sum(t.bytes) as bytes
      from usage_tally t group by 1, 2
  ), share as (
    select greatest(
             coalesce(sum(p.chunks), 0) / nullif(q.chunks, 0), coalesce(sum(p.bytes), 0) / nullif(q.bytes, 0),
             -- Nothing can be added to a quota of 0.
             case when q.chunks = 0 or q.bytes = 0 then 1 end) as used
      from (select i.id, case when i.quota_set then i.quota_chunks else p_chunks end as chunks,
                   case when i.quota_set then i.quota_bytes else p_bytes end as bytes
              from identity.team i where i.deleted_at is null) q
      left join part p on p.team_id = q.id
     where q.chunks is not null or q.bytes is not null
     group by q.id, q.chunks, q.bytes
  )
  select coalesce(sum(b.sources), 0)::bigint, coalesce(sum(b.chunks), 0)::bigint, coalesce(sum(b.files), 0)::bigint,
         coalesce(jsonb_object_agg(b.part, b.bytes), '{}'),
         (select count(*)::int from share s where s.used >= 0.9), (select count(*)::int from share s where s.used >= 1)
    from (select p.part, sum(p.sources) as sources, sum(p.chunks) as chunks, sum(p.files) as files, sum(p.bytes) as bytes
            from part p group by 1) b;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.similar_memories(p_team uuid, p_layer uuid, p_embedding public.halfvec, p_model text, p_dims integer[], p_weights real[], p_keys integer[], p_limit integer, p_queued uuid)
 RETURNS TABLE(memory_id uuid, similarity double precision, basis text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  rarest constant int := 128;           -- keys by which candidates are found at most, ...
  posting_cap constant int := 2000;     -- ... and the chunks that they occur in at most, as estimated
  scored_cap constant int := 4000;      -- candidates compared by words at most, also if the estimate was too low
  least_meaning constant float8 := 0.5; -- least similarity by meaning, ...
  least_words constant float8 := 0.3;   -- ... and by words
  -- With fewer chunks it is not known which words are common: they weigh as much as others, so the least is higher.
  few_chunks constant int := 50;
  least_words_of_few constant float8 := 0.45;
  v_team constant uuid := memory.team_if_claimed(p_team);
  v_weighed record;
  v_keys int[];
begin
  if v_team is null or not p_layer = any (readable_layers()) then
    return;
  end if;
  -- The weights are only the idf: the factor of each term is 1. Its weight in the text is passed as its length.
  v_weighed := weigh_query(readable_layers(), p_dims,
    array_fill(1::real, array[coalesce(cardinality(p_dims), 0)]), p_weights, p_keys, false);
  -- The rarest keys, up to a number of chunks.
  v_keys := (rarest_keys(p_keys, v_weighed.key_frequencies, null, posting_cap)).keys[1:rarest];

  return query
  with published as (
    -- The memories that can be compared by meaning.
    select m.id, m.source_id from memory_item m where p_embedding is not null and m.team_id = v_team
       and m.layer_id = p_layer and m.state = 'published' and not is_due(m.expires_at)
  ), by_meaning as (
    select p.id, 'published' as state, max(-(e.embedding <#> p_embedding)) as points
      from published p
      join chunk c on c.team_id = v_team and c.source_id = p.source_id
      join chunk_embedding e on e.team_id = v_team and e.chunk_id = c.id and e.model = p_model
     group by p.id
    union all
    select m.id, m.state, -(m.embedding <#> p_embedding) from memory_item m
     where p_embedding is not null and m.team_id = v_team and m.layer_id = p_layer
       and m.state = 'review' and m.id <> p_queued and m.embedding_model = p_model and not is_due(m.expires_at)
  ), by_words as (
    -- The others. offset 0 makes the planner use only the index of keys, as in score_by_key.
    select k.id, k.state, -(k.weights <#> v_weighed.weights) / v_weighed.max_score as points
      from (select m.team_id, m.layer_id, m.id, m.state, m.weights, m.expires_at from memory_item m
             where m.keys && v_keys offset 0) k
     where v_weighed.weights is not null and v_weighed.max_score > 0
       and k.team_id = v_team and k.layer_id = p_layer and not is_due(k.expires_at)
       and (k.state = 'published' or k.state = 'review' and k.id <> p_queued)
       and not exists (select from by_meaning n where n.id = k.id)
     limit scored_cap
  )
  select a.id, least(a.points, 1)::float8, a.how from (
    select l.*, row_number() over (partition by l.state order by l.points desc, l.id desc) as place
      from (select n.*, 'meaning' as how from by_meaning n where n.points >= least_meaning
            union all
            select w.*, 'words' from by_words w
             where w.points >= case when v_weighed.chunks < few_chunks then least_words_of_few else least_words end) l
  ) a where a.place <= p_limit order by 2 desc, 1 desc;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.sketch_source(p_layer uuid, p_source uuid, p_bands integer[], p_signature bytea, p_limit integer)
 RETURNS TABLE(source_id uuid, signature bytea, own bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  -- Sources that are ordered by their bands at most: a letter can be stored a hundred thousand times with other names.
  compared_cap constant int := 2000;
  v_team constant uuid := claimed_team();
  v_bands int[] := p_bands;
  v_signature bytea := p_signature;
begin
  if not p_layer = any (writable_layers()) then
    return;
  end if;
  if p_bands is null then
    select k.bands, k.signature into v_bands, v_signature from source_sketch k
     where k.team_id = v_team and k.source_id = p_source and k.layer_id = p_layer;
  else
    insert into source_sketch (team_id, layer_id, source_id, bands, signature)
    values (v_team, p_layer, p_source, p_bands, p_signature)
    on conflict on constraint source_sketch_pkey do update set bands = excluded.bands, signature = excluded.signature
      where source_sketch.bands <> excluded.bands or source_sketch.signature <> excluded.signature;
  end if;
  if p_limit = 0 then
    return;
  end if;
  return query
  -- offset 0 makes the planner use only the index of bands, as in score_by_key. Bands are hashed with the Team.
  select l.source_id, l.signature, v_signature
    from (select k.source_id, k.signature, k.bands
            from (select c.team_id, c.layer_id, c.source_id, c.signature, c.bands from source_sketch c
                   where c.bands && v_bands offset 0) k
           where k.team_id = v_team and k.layer_id = p_layer and k.source_id <> p_source
           limit compared_cap) l
   order by (select count(*) from unnest(l.bands, v_bands) as b (one, other) where b.one = b.other) desc,
            l.source_id desc
   limit p_limit;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.small_scope_chunks()
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  most constant int := 1000;            -- chunks of a small scope
  many constant int := 20000;           -- chunks of a large Team, as counted
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[];
begin
  if not exists (select from keyword_team t where t.team_id = v_team and t.chunks > many) then
    return null;
  end if;
  v_ids := array(select k.chunk_id from unnest(v_layers) l (id)
                 -- Layer by layer, so that the index selects each: a plan for any layers would expect the largest.
                 cross join lateral (select c.chunk_id from chunk_keyword c
                                      where c.team_id = v_team and c.layer_id = l.id offset 0) k
                 limit most + 1);
  return case when cardinality(v_ids) <= most then v_ids end;
end $function$;

CREATE OR REPLACE FUNCTION memory.source_evidence(p_sources uuid[], p_points double precision[], p_lowest double precision)
 RETURNS double precision[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  share constant float8 := 0.4;         -- weight of the score of the source
  least constant float8 := 0.6;         -- what the second and the third chunk count at least, of the best
begin
  -- greatest ignores the points of chunks that do not exist, which are null.
  return (
    select array_agg(share * ((e.best + greatest(e.second, least * e.best) + greatest(e.third, least * e.best))
                              / (1 + 2 * least) - coalesce(e.points, p_lowest)) order by e.rank)
      from (select h.points, h.rank, first_value(h.points) over source as best,
                   nth_value(h.points, 2) over source as second, nth_value(h.points, 3) over source as third
              from unnest(p_sources, p_points) with ordinality h (source_id, points, rank)
            window source as (partition by h.source_id order by h.rank
                              rows between unbounded preceding and unbounded following)) e);
end $function$;

CREATE OR REPLACE FUNCTION memory.source_labels(p_tags text[], p_kind text, p_metadata jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (p_tags || CASE WHEN (p_kind = 'import'::text) THEN array_remove(ARRAY[(p_metadata ->> 'filename'::text)], NULL::text) ELSE '{}'::text[] END);
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.source_texts(p_source uuid, p_after integer, p_limit integer)
 RETURNS TABLE(chunk_id uuid, ordinal integer, headings text[], text text, repeated integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select c.id, c.ordinal, c.headings, c.text, c.repeated
    from chunk c
   where c.team_id = claimed_team() and c.source_id = p_source and c.ordinal > p_after
     and exists (select from source s where s.team_id = claimed_team() and s.id = p_source and s.state = 'active')
   order by c.ordinal limit p_limit
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.stale_layers()
 RETURNS TABLE(layer_id uuid, chunks integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select coalesce(n.layer_id, l.layer_id), coalesce(n.chunks, 0)
    -- The chunks of active sources, without counting them.
    from (select t.layer_id, sum(t.n)::int as chunks from layer_tally t
           where t.team_id = claimed_team() and t.part = 'chunks' group by 1 having sum(t.n) > 0) n
    full join (select c.layer_id, c.chunks, c.renewed, c.members is null as unpacked
                 from keyword_layer c where c.team_id = claimed_team()) l
      on n.layer_id = l.layer_id
   -- A layer that was never counted needs a place, and there are 16,000. See lock_layer_counts.
   where exists (select from keyword_team t where t.team_id = claimed_team())
     and case when l.chunks is not null
              -- At least one chunk, so that a layer that was counted as empty is not out of date.
              then l.unpacked or abs(coalesce(n.chunks, 0) - l.chunks) + l.renewed >= greatest(l.chunks * 0.2, 1)
              else (select count(*) from keyword_layer c where c.team_id = claimed_team()) < 16000 end
   order by 1;
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.state_now(p_state text, p_expires_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select case when p_state in ('active', 'review', 'published') and memory.is_due(p_expires_at) then 'archived'
              else p_state end
$function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.stored_terms(p_chunks uuid[])
 RETURNS TABLE(chunk_id uuid, weights bytea, keys bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
AS $function$
  select k.chunk_id, sparsevec_send(k.weights), array_send(k.keys)
    from chunk_keyword k
   where k.team_id = claimed_team() and k.chunk_id = any (p_chunks)
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.sum_layer_counts()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
AS $function$
begin
  update keyword_team t set (chunks, sampled, counted_at, scales, layer_places, layer_scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.place order by l.place), '{}'),
           coalesce(array_agg(layer_scale(l.chunks, l.sampled) order by l.place), '{}'),
           coalesce(array_agg(l.layer_id), '{}'), count(*)
      from keyword_layer l where l.team_id = t.team_id and l.chunks > 0)
   where t.team_id = claimed_team();
end $function$;

CREATE OR REPLACE FUNCTION memory.tally_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_bytes constant text := coalesce(tg_argv[1], 'bytes');
  v_is_file constant text := coalesce(tg_argv[2], 'false');
  v_row constant text := format('select team_id, (%s)::bigint as bytes, (%s)::int as file', v_bytes, v_is_file);
  v_changes constant text := case tg_op
    when 'INSERT' then v_row || ', 1 as sign from added'
    when 'DELETE' then v_row || ', -1 as sign from gone'
    else v_row || ', 1 as sign from added union all ' || v_row || ', -1 from gone' end;
begin
  execute format('insert into usage_tally (team_id, part, files, bytes)
                    select team_id, $1, sum(sign * file), sum(sign * bytes) from (%s) c
                     group by 1 having sum(sign * file) <> 0 or sum(sign * bytes) <> 0', v_changes)
    using tg_argv[0];
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.tally_pending()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  insert into layer_tally (team_id, layer_id, part, n)
    select m.team_id, m.layer_id, 'pending', case tg_op when 'INSERT' then count(*) else -count(*) end
      from moved m group by 1, 2;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.tally_sources()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      select a.team_id, a.layer_id, 'sources', a.state, a.kind, count(*)
        from added a where a.state <> 'loading' group by 1, 2, 4, 5
      union all
      select a.team_id, a.layer_id, 'chunks', null, null, sum(a.chunk_count)
        from added a where a.state = 'active' group by 1, 2 having sum(a.chunk_count) <> 0;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      select g.team_id, g.layer_id, 'sources', g.state, g.kind, -count(*)
        from gone g where g.state <> 'loading' group by 1, 2, 4, 5
      union all
      select g.team_id, g.layer_id, 'chunks', null, null, -sum(g.chunk_count)
        from gone g where g.state = 'active' group by 1, 2 having sum(g.chunk_count) <> 0;
  else
    insert into layer_tally (team_id, layer_id, part, state, kind, n)
      with change as (
        select g.team_id, g.layer_id, g.state, g.kind, g.chunk_count, -1 as sign from gone g
        union all
        select a.team_id, a.layer_id, a.state, a.kind, a.chunk_count, 1 from added a
      )
      select c.team_id, c.layer_id, 'sources', c.state, c.kind, sum(c.sign)
        from change c where c.state <> 'loading' group by 1, 2, 4, 5 having sum(c.sign) <> 0
      union all
      select c.team_id, c.layer_id, 'chunks', null, null, sum(c.sign * c.chunk_count)
        from change c where c.state = 'active' group by 1, 2 having sum(c.sign * c.chunk_count) <> 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.tally_states()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into layer_tally (team_id, layer_id, part, state, n)
      select a.team_id, a.layer_id, tg_argv[0], a.state, count(*) from added a group by 1, 2, 4;
  elsif tg_op = 'DELETE' then
    insert into layer_tally (team_id, layer_id, part, state, n)
      select g.team_id, g.layer_id, tg_argv[0], g.state, -count(*) from gone g group by 1, 2, 4;
  else
    insert into layer_tally (team_id, layer_id, part, state, n)
      select c.team_id, c.layer_id, tg_argv[0], c.state, sum(c.sign)
        from (select g.team_id, g.layer_id, g.state, -1 as sign from gone g
              union all
              select a.team_id, a.layer_id, a.state, 1 from added a) c
       group by 1, 2, 4 having sum(c.sign) <> 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.tally_texts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select a.team_id, 'texts', count(*), sum(a.chunk_count), sum(a.text_bytes)
        from added a where a.state = 'active' group by 1;
  elsif tg_op = 'DELETE' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select g.team_id, 'texts', -count(*), -sum(g.chunk_count), -sum(g.text_bytes)
        from gone g where g.state = 'active' group by 1;
  else
    insert into usage_tally (team_id, part, sources, chunks, bytes, xact)
      select c.team_id, 'texts', sum(c.sign), sum(c.sign * c.chunk_count), sum(c.sign * c.text_bytes),
             case when not c.due then pg_current_xact_id() end
        from (select g.team_id, g.chunk_count, g.text_bytes, -1 as sign, is_due(g.expires_at) as due
                from gone g where g.state = 'active'
              union all
              select a.team_id, a.chunk_count, a.text_bytes, 1, is_due(a.expires_at)
                from added a where a.state = 'active') c
       group by c.team_id, c.due
      having sum(c.sign) <> 0 or sum(c.sign * c.chunk_count) <> 0 or sum(c.sign * c.text_bytes) <> 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION memory.team_figures(p_version integer)
 RETURNS TABLE(part text, state text, kind text, n bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select t.part, t.state, t.kind, sum(t.n) from layer_tally t
   where t.team_id = v_team and t.layer_id = any (v_layers)
   group by 1, 2, 3 having sum(t.n) <> 0
  union all
  -- Subtracts the marks of sources that are loading, which no caller sees. Usually no source is loading.
  select 'pending', null, null, -count_pending(array_agg(s.id), array_agg(s.layer_id))
    from source s
   where s.team_id = v_team and s.state = 'loading'
     and s.layer_id = any (v_layers)
  union all
  -- Chunks whose terms a job makes again.
  select 'outdated', null, null, coalesce(sum(s.chunk_count), 0)
    from source s
   where s.team_id = v_team and s.state = 'active' and s.terms_version < p_version
     and s.layer_id = any (v_layers)
  union all
  -- A capture whose lease has expired counts as staged, even before release_captures changes its state.
  select 'captures', moved.state, null, moved.sign * lapsed.n
    from (select count(*) as n from capture c
           where c.team_id = v_team and c.state = 'claimed' and c.leased_until <= now()
             and c.layer_id = any (v_layers)) lapsed
   cross join (values ('claimed', -1), ('staged', 1)) as moved (state, sign)
  union all
  select * from due_figures(p_version);
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.team_if_claimed(p_team uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (p_team = memory.claimed_team()) THEN p_team ELSE NULL::uuid END;

CREATE OR REPLACE FUNCTION memory.team_usage()
 RETURNS TABLE(sources bigint, chunks bigint, files bigint, bytes bigint, added_chunks bigint, added_bytes bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := memory.claimed_team();
  v_xact constant xid8 := pg_current_xact_id_if_assigned();
begin
  return query
  with due as materialized (
    select count(*) as sources, coalesce(sum(s.chunk_count), 0) as chunks from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
  )
  select (coalesce(sum(t.sources), 0) - (select d.sources from due d))::bigint,
         (coalesce(sum(t.chunks), 0) - (select d.chunks from due d))::bigint,
         coalesce(sum(t.files), 0)::bigint, coalesce(sum(t.bytes), 0)::bigint,
         coalesce(sum(t.chunks) filter (where t.xact = v_xact), 0)::bigint,
         coalesce(sum(t.bytes) filter (where t.xact = v_xact), 0)::bigint
    from usage_tally t where t.team_id = v_team;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.term_count(p_count smallint, p_place smallint, p_vectors public.sparsevec[], p_scales public.sparsevec, p_places integer[], p_place_scales real[])
 RETURNS double precision
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (p_place = 0) THEN (- ((p_vectors)[p_count] OPERATOR(public.<#>) p_scales)) WHEN ((p_places)[width_bucket(COALESCE((p_place)::integer, 1), p_places)] = COALESCE((p_place)::integer, 1)) THEN ((p_count)::double precision * ((p_place_scales)[width_bucket(COALESCE((p_place)::integer, 1), p_places)])::double precision) ELSE (0)::double precision END;

CREATE OR REPLACE FUNCTION memory.term_frequencies(p_dims integer[], p_keys integer[], p_counts record)
 RETURNS TABLE(space "char", term integer, df double precision, team_df double precision)
 LANGUAGE plpgsql
 STABLE ROWS 100
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_dim_slices int[];
  v_key_slices int[];
begin
  -- Nothing was counted.
  if p_counts.packed is null then
    return;
  end if;
  -- The counts of an earlier version, until the Team is counted again.
  if not p_counts.packed then
    return query
    select d.space, d.term, -(d.counts <#> p_counts.scales), null::float8 from keyword_df d
     where d.team_id = v_team and d.space = 'd' and d.term = any (p_dims)
    union all
    select d.space, d.term, -(d.counts <#> p_counts.scales), -(d.counts <#> p_counts.team_scales) from keyword_df d
     where d.team_id = v_team and d.space = 'k' and d.term = any (p_keys);
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
end $function$;

CREATE OR REPLACE FUNCTION memory.uncounted_teams(p_after uuid, p_limit integer)
 RETURNS TABLE(company_id uuid, team_id uuid, uncounted boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  return query
  with looked as (
    select k.team_id, k.packed and k.chunks > 0 as counted from keyword_team k
     where p_after is null or k.team_id > p_after order by k.team_id limit p_limit
  )
  select t.company_id, t.id, true
    from looked l join identity.team t on t.id = l.team_id
   where not l.counted and t.deleted_at is null
     and exists (select from chunk_keyword k where k.team_id = t.id)
  union all
  (select null::uuid, l.team_id, false from looked l order by l.team_id desc limit 1);
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.undecided_teams()
 RETURNS TABLE(company_id uuid, team_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select v.team_id into v_team from workspace_version v
     where v.team_id > v_team and v.indexed is null and v.until_revision is null and v.sha256 is not null
     order by v.team_id limit 1;
    exit when not found;
    return query
    select t.company_id, t.id from identity.team t
     where t.id = v_team and t.deleted_at is null and t.state = 'active';
  end loop;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
AS $function$
  select g.object_id from unnest(p_companies, p_sha256, p_objects) as g (company_id, sha256, object_id)
    join identity.company c on c.id = g.company_id
   where not exists (select from workspace_blob b
                      where b.company_id = g.company_id and b.sha256 = decode(g.sha256, 'hex')
                        and b.object_id = g.object_id);
$function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.vector_graph_changes(p_build integer, p_keep integer)
 RETURNS TABLE(index_name text, drops boolean, team_id uuid, model text, vectors bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
AS $function$
begin
  return query
  with sized as materialized (
    select t.team_id as team, sum(case t.part when 'chunks' then t.n else -t.n end) as vectors
      from layer_tally t where t.part in ('chunks', 'pending')
     group by t.team_id
    having sum(case t.part when 'chunks' then t.n else -t.n end) > p_keep
  ), large as (
    select s.team, d.embedding_model as model, s.vectors, vector_graph_names(s.team, d.embedding_model) as names
      from sized s join identity.team t on t.id = s.team and t.deleted_at is null
      cross join deployment d
     where d.embedding_model is not null
  ), present as (
    select c.relname::text as name, i.indisvalid as is_valid
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'memory.chunk_embedding'::regclass and c.relname ~ '^chunk_embedding_(near|c128)_[0-9a-f]{32}_[0-9a-f]{8}$'
  ), usable as (
    select p.name from present p where p.is_valid
  )
  select p.name, true, null::uuid, null::text, null::bigint from present p
   where not p.is_valid
      or not exists (select from large l where p.name = any (l.names)
                      and (p.name = l.names[1] or not exists (select from usable u where u.name = l.names[1])))
  union all
  select l.names[1], false, l.team, l.model, l.vectors from large l
   where (l.vectors > p_build or exists (select from usable u where u.name = any (l.names)))
     and not exists (select from usable u where u.name = l.names[1]);
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.vector_graph_name(p_team uuid, p_model text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN ((('chunk_embedding_near_'::text || replace((p_team)::text, '-'::text, ''::text)) || '_'::text) || "left"(md5(p_model), 8));

CREATE OR REPLACE FUNCTION memory.vector_graph_names(p_team uuid, p_model text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
RETURN ARRAY[((('chunk_embedding_c128_'::text || replace((p_team)::text, '-'::text, ''::text)) || '_'::text) || "left"(md5(p_model), 8)), memory.vector_graph_name(p_team, p_model)];

CREATE OR REPLACE FUNCTION memory.walk_audit(p_sequence bigint, p_hash bytea, p_limit integer)
 RETURNS TABLE(walked integer, sequence bigint, hash bytea, first_break uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'memory', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  v_company constant uuid := memory.claimed_company();
  v_seal record;
begin
  walked := 0;
  sequence := p_sequence;
  hash := p_hash;
  for v_seal in
    -- The range of numbers bounds what is read, with a plan made without statistics too.
    select s.sequence, s.event_id, s.hash, e as event
      from audit_seal s left join audit_event e on e.company_id = s.company_id and e.id = s.event_id
     where s.company_id = v_company and s.sequence > p_sequence and s.sequence <= p_sequence + p_limit
     order by s.sequence
  loop
    if v_seal.sequence <> sequence + 1 or (v_seal.event).id is null
       or v_seal.hash <> audit_hash(v_seal.event, hash)
       or (v_seal.event).kind = 'memory.search' and has_other_search(v_seal.event) then
      first_break := v_seal.event_id;
      exit;
    end if;
    walked := walked + 1;
    sequence := v_seal.sequence;
    hash := v_seal.hash;
  end loop;
  if first_break is null and walked < p_limit then
    -- No break within these numbers, but fewer seals than asked for. If seals follow, there is a gap before them.
    select s.event_id into first_break from audit_seal s
     where s.company_id = v_company and s.sequence > walk_audit.sequence order by s.sequence limit 1;
  end if;
  return next;
end $function$;
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.weigh_query(p_layers uuid[], p_dims integer[], p_factors real[], p_lengths real[], p_keys integer[], p_explain boolean, OUT weights public.sparsevec, OUT max_score double precision, OUT key_frequencies double precision[], OUT team_key_frequencies double precision[], OUT chunks double precision, OUT sampled integer, OUT counted_at timestamp with time zone, OUT detail jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET enable_nestloop TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
  v_counts record;
begin
  v_counts := readable_counts(p_layers);
  chunks := v_counts.chunks;
  sampled := v_counts.sampled;
  counted_at := v_counts.counted_at;

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
           (q.factor * ln(1 + (chunks - least(f.df, chunks) + 0.5) / (least(f.df, chunks) + 0.5)))::real as weight
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
         case when p_explain then coalesce(jsonb_agg(
           jsonb_build_object('dim', w.term, 'documents', least(w.df, chunks), 'weight', w.weight))
             filter (where p_explain and w.space = 'd'), '[]') end
    into weights, max_score, key_frequencies, team_key_frequencies, detail
    from weighed w;
end $function$;

CREATE OR REPLACE FUNCTION memory.without_records(p_answer jsonb, p_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'memory', 'pg_temp'
AS $function$
declare
  v_answer jsonb := p_answer;
begin
  if v_answer ? 'similarSources' then
    v_answer := jsonb_set(v_answer, '{similarSources}', (
      select coalesce(jsonb_agg(n.other order by n.place), '[]')
        from jsonb_array_elements(v_answer -> 'similarSources') with ordinality as n (other, place)
       where (n.other ->> 'sourceId')::uuid <> all (p_ids)));
  end if;
  if (v_answer #>> '{source,sameAs}')::uuid = any (p_ids) then
    v_answer := jsonb_set(v_answer, '{source,sameAs}', 'null');
  end if;
  if v_answer ? 'results' then
    v_answer := jsonb_set(v_answer, '{results}', results_without(v_answer -> 'results', p_ids));
  end if;
  return case when v_answer::text like any (array(select '%' || id || '%' from unnest(p_ids) as id)) then 'null'
              else v_answer end;
end $function$;

CREATE OR REPLACE FUNCTION memory.writable_clients()
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
RETURN (COALESCE(NULLIF(current_setting('app.writes_clients'::text, true), ''::text), '{}'::text))::uuid[];
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.writable_layers()
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
RETURN (COALESCE(NULLIF(current_setting('app.writes'::text, true), ''::text), '{}'::text))::uuid[];
grant execute to memory_service;

CREATE OR REPLACE FUNCTION memory.write_slices(p_space text, p_slices integer[], p_sizes integer[], p_vectors text[], p_terms integer[], p_places integer[], p_counts integer[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'memory', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_team constant uuid := claimed_team();
begin
  delete from keyword_slice s
   where s.team_id = v_team and s.space = p_space::"char"
     and s.slice = any (array(select w.slice from unnest(p_slices, p_sizes) w (slice, size) where w.size = 0));
  insert into keyword_slice (team_id, space, slice, terms, places, counts, vectors)
    select v_team, p_space::"char", w.slice, p_terms[w.first:w.last],
           case when 1 <> any (p_places[w.first:w.last]) then p_places[w.first:w.last]::int2[] end,
           p_counts[w.first:w.last]::int2[],
           case when w.vectors <> '' then string_to_array(w.vectors, ' ')::sparsevec(16000)[] end
      from (select u.slice, u.vectors, u.size, sum(u.size) over w as last, sum(u.size) over w - u.size + 1 as first
              from unnest(p_slices, p_sizes, p_vectors) with ordinality u (slice, size, vectors, nth)
            window w as (order by u.nth)) w
     where w.size > 0
    on conflict (team_id, space, slice) do update
       set terms = excluded.terms, places = excluded.places, counts = excluded.counts, vectors = excluded.vectors;
end $function$;
grant execute to memory_worker;

CREATE OR REPLACE FUNCTION memory.writes_team_layer()
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (COALESCE(NULLIF(current_setting('app.writes_team'::text, true), ''::text), 'false'::text))::boolean;
grant execute to memory_service;
