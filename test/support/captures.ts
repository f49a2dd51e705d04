import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import { newId } from '../../shared/ids.ts';
import type { Capture, CaptureRequest } from '../../shared/schemas/captures.ts';
import type { ClaimResponse } from '../../shared/schemas/consolidation.ts';
import type { TestApp } from './app.ts';
import type { TestCompany } from './needs/database.ts';
import { type Caller } from './team.ts';

/** Captures lent to a claimer. */
export type LentBatch = NonNullable<Static<typeof ClaimResponse>['batch']>;

/** Fields of a capture as a test gives them: faults of form are for the service to find. */
export type GivenCapture = Partial<CaptureRequest> & Record<string, unknown>;

/** Sends a capture, whatever comes of it. What is not given is a block of some session in the Team layer. */
export function sendCapture(caller: Caller, fields: object = {}, headers: Record<string, string> = {}) {
  const capture = { sessionId: 'a session', summary: 'What was done in it.', ...fields };
  return caller.ask.stageCapture(capture, headers);
}

/** Stages a capture where it is to be accepted as a new one. */
export async function stageCapture(caller: Caller, fields: GivenCapture = {}): Promise<Capture> {
  const answer = await sendCapture(caller, fields);
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json<{ capture: Capture }>().capture;
}

/** Claims captures, whatever comes of it. */
export function sendClaim(caller: Caller, body: object = {}) {
  return caller.ask.claimCaptures(body);
}

/** Claims captures where the claim is to be accepted; null where nothing was lent. */
export async function claimBatch(caller: Caller, body: object = {}): Promise<LentBatch | null> {
  const answer = await sendClaim(caller, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<Static<typeof ClaimResponse>>().batch;
}

/** What a claim lends, by id: nothing where there is no batch. */
export async function claimedIds(caller: Caller, body: object = {}): Promise<string[]> {
  return (await claimBatch(caller, body))?.captures.map(({ id }) => id) ?? [];
}

/** Makes the lease of a batch run out, as time would: of the batch itself, and of the captures that it still holds. */
export async function expireBatch({ database }: Pick<TestApp, 'database'>, batchId: string): Promise<void> {
  await database.query(
    `update memory.consolidation_batch set expires_at = now() - interval '1 second' where id = $1`,
    [batchId],
  );
  await database.query(
    `update memory.capture set leased_until = now() - interval '1 second'
      where batch_id = $1 and state = 'claimed'`,
    [batchId],
  );
}

/**
 * Puts many captures into the Team layer by hand, oldest first.
 * @param lentTo a batch that they were lent to, whose lease has expired; null for staged captures
 * @returns their ids
 */
export async function addCaptures(
  { database }: Pick<TestApp, 'database'>,
  company: TestCompany,
  count: number,
  lentTo: string | null = null,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await database.query(
    `insert into memory.capture (team_id, layer_id, id, session_id, summary, created_by, state, batch_id, leased_until)
     select $1, $1, id, 'a session', 'A block of many.', $2,
            case when $4::uuid is null then 'staged' else 'claimed' end, $4,
            case when $4::uuid is not null then now() - interval '1 second' end
       from unnest($3::uuid[]) as id`,
    [company.teamId, company.ownerId, ids, lentTo],
  );
  return ids;
}

/** How many captures of a Team are in each state, by what its table holds. */
export async function captureStates(
  { database }: Pick<TestApp, 'database'>,
  { teamId }: Pick<TestCompany, 'teamId'>,
): Promise<Record<string, number>> {
  const rows = await database.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from memory.capture where team_id = $1 group by state order by state',
    [teamId],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}
