-- Removes a person from the answers of the scope's Company that are stored for an Idempotency-Key. Those to the person,
-- which nobody can ask for again, are deleted. Those to others no longer name the person's agent tokens: they are the source
-- that a request repeated or replaced, and show a deleted token as every source does. They are not deleted, because then
-- the repeat of the request would have its effect again.
create or replace function identity.erase_from_answers(p_user uuid, p_tokens uuid[]) returns void
language sql volatile security definer set search_path = identity, memory, pg_temp
as $$
  delete from idempotency_key k
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     and k.user_id = p_user;
  update idempotency_key k set response = jsonb_set(k.response, '{source,createdWith,name}', '"Former agent token"')
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     -- Reading all answers takes long, so only where there is something to find.
     and cardinality(p_tokens) > 0 and (k.response #>> '{source,createdWith,tokenId}')::uuid = any (p_tokens);
$$;

revoke execute on function identity.erase_from_answers(uuid, uuid[]) from public, memory_service, memory_worker;
grant execute on function identity.erase_from_answers(uuid, uuid[]) to memory_service;
