-- Deletes the answers of the claimed Company that are stored for an Idempotency-Key and belong to a person: those to the
-- person, which nobody can ask for again, and those to others that name one of the person's agent tokens.
create or replace function identity.forget_answers(p_user uuid, p_tokens uuid[]) returns void
language sql volatile security definer set search_path = identity, memory, pg_temp
as $$
  delete from idempotency_key k
   where k.team_id in (select t.id from team t where t.company_id = memory.claimed_company())
     and (k.user_id = p_user
          -- Reading the texts of all answers takes long, so only where there is something to find.
          or cardinality(p_tokens) > 0
             and k.response::text like any (array(select '%' || id || '%' from unnest(p_tokens) as id)));
$$;

revoke execute on function identity.forget_answers(uuid, uuid[]) from public, memory_service, memory_worker;
grant execute on function identity.forget_answers(uuid, uuid[]) to memory_service;
