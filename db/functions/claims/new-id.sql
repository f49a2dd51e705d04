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
