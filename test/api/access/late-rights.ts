import assert from 'node:assert/strict';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { ask, type Method } from '../../support/company.ts';
import { duringPause, type HeldApp } from '../../support/held-app.ts';
import { allRows } from '../../support/memories.ts';
import type { Person } from '../../support/team.ts';

/** A request about to come too late: whose it is, and what it needs. */
export interface Scene {
  company: SignedIn;
  person: Person;
  clientId: string;
}

/** What takes the right to a request that is under way: a change made by the Owner of the Company. */
type Take = (scene: Scene) => [method: Method, url: string, body?: object];

export const TAKES = {
  'the Team was archived': ({ company }) => ['POST', `/v1/company/teams/${company.teamId}/archive`],
  'the client was archived': ({ clientId }) => ['DELETE', `/v1/team/clients/${clientId}`],
  'the grant was deleted': ({ person, clientId }) => [
    'DELETE',
    `/v1/team/grants/${person.userId}/${clientId}`,
  ],
  'the grant was lowered': ({ person, clientId }) => [
    'PUT',
    `/v1/team/grants/${person.userId}/${clientId}`,
    { access: 'read' },
  ],
  'the role was lowered': ({ person }) => ['PATCH', `/v1/team/members/${person.userId}`, { role: 'member' }],
  'the member was removed from the Team': ({ person }) => ['DELETE', `/v1/team/members/${person.userId}`],
  'the account was closed': ({ person }) => ['DELETE', `/v1/company/members/${person.userId}`],
} as const satisfies Record<string, Take>;
export type Taken = keyof typeof TAKES;

/** Takes what a request rests on. */
export async function take(service: Pick<TestApp, 'app'>, what: Taken, scene: Scene): Promise<void> {
  const [method, url, body] = (TAKES[what] as Take)(scene);
  const answer = await ask(service, scene.company, method, url, body);
  assert.ok(answer.statusCode < 300, answer.body);
}

/** All that writes of memory touch in a Team; what was recorded of its people and clients is left out. */
export async function memoryRows(
  service: Pick<TestApp, 'database'>,
  { teamId }: Pick<SignedIn, 'teamId'>,
): Promise<object> {
  const { audit_event: _, jobs: __, ...rows } = await allRows(service, { teamId });
  const read = async (query: string) =>
    (await service.database.query<{ row: string }>(query, [teamId])).map(({ row }) => row);
  return {
    ...rows,
    batches: await read(
      'select b::text as row from memory.consolidation_batch b where team_id = $1 order by 1',
    ),
    events: await read(
      `select e::text as row from memory.audit_event e where team_id = $1 and kind like 'memory.%' order by 1`,
    ),
  };
}

/**
 * Sends a request that is held on its way, takes what it rests on, lets it go on, and asserts that it changed
 * nothing of the Team's memory.
 */
export async function sendTooLate<T>(
  service: Pick<TestApp, 'app' | 'database'>,
  held: HeldApp,
  { what, scene }: { what: Taken; scene: Scene },
  send: (app: HeldApp) => PromiseLike<T>,
): Promise<T> {
  const before = await memoryRows(service, scene.company);
  const answer = await duringPause(held, send, () => take(service, what, scene));
  assert.deepEqual(await memoryRows(service, scene.company), before);
  return answer;
}
