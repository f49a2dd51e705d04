-- Returns the Company of the claims, or null outside a transaction with claims. Row-level security reads
-- it.
create or replace function memory.claimed_company() returns uuid language sql stable
  return nullif(current_setting('app.company', true), '')::uuid;

revoke execute on function memory.claimed_company() from public, memory_service, memory_worker;
grant execute on function memory.claimed_company() to memory_service;

-- Returns the Team of the claims, or null outside a transaction with claims. Row-level security reads it.
create or replace function memory.claimed_team() returns uuid language sql stable
  return nullif(current_setting('app.team', true), '')::uuid;

revoke execute on function memory.claimed_team() from public, memory_service, memory_worker;
grant execute on function memory.claimed_team() to memory_service;

-- Returns the agent token with which the transaction acts, or null if a person or the service acts. Row-level security
-- reads it. It is the default of the columns created_by_token, updated_by_token and audit_event.token_id.
create or replace function memory.claimed_token() returns uuid language sql stable
  return nullif(current_setting('app.token', true), '')::uuid;

revoke execute on function memory.claimed_token() from public, memory_service, memory_worker;
grant execute on function memory.claimed_token() to memory_service;

-- Returns the account for which the transaction acts, or null outside a transaction with claims. Row-level security
-- reads it.
create or replace function memory.claimed_user() returns uuid language sql stable
  return nullif(current_setting('app.user', true), '')::uuid;

revoke execute on function memory.claimed_user() from public, memory_service, memory_worker;
grant execute on function memory.claimed_user() to memory_service;

-- Returns a UUIDv7 (RFC 9562): the time in milliseconds, then random bits. It is the default id of members and grants.
-- Their primary key is another one, and lists of them are ordered by this id, newest first.
create or replace function identity.new_id(p_at timestamptz default clock_timestamp()) returns uuid
language sql volatile set search_path = pg_catalog, pg_temp
return encode(
  set_byte(set_byte(
    overlay(uuid_send(gen_random_uuid())
            placing substring(int8send(floor(extract(epoch from p_at) * 1000)::bigint) from 3)
            from 1 for 6),
    6, (112 | (get_byte(uuid_send(gen_random_uuid()), 6) & 15))),
    8, (128 | (get_byte(uuid_send(gen_random_uuid()), 8) & 63))), 'hex')::uuid;

revoke execute on function identity.new_id(timestamptz) from public, memory_service, memory_worker;
grant execute on function identity.new_id(timestamptz) to memory_service;

-- Returns the layers that the transaction can read, or an empty array outside a transaction with claims. Row-level security
-- reads it.
create or replace function memory.readable_layers() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.reads', true), ''), '{}')::uuid[];

revoke execute on function memory.readable_layers() from public, memory_service, memory_worker;
grant execute on function memory.readable_layers() to memory_service;

-- Returns the layers that the transaction can write, or an empty array outside a transaction with claims. Row-level security
-- reads it.
create or replace function memory.writable_layers() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.writes', true), ''), '{}')::uuid[];

revoke execute on function memory.writable_layers() from public, memory_service, memory_worker;
grant execute on function memory.writable_layers() to memory_service;
