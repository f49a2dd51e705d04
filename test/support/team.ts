import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import type { Status } from '../../shared/schemas/status.ts';
import type { TestApp } from './app.ts';
import { type Caller, callerOf, type TeamCaller } from './client/client.ts';
import { TEST_MODEL_NAME, type TestCompany } from './needs/database.ts';
import { addAccount } from './sign-in.ts';

export type { Caller };

export interface Person extends TeamCaller {
  userId: string;
  token: string;
}

/** What ties a person to a Company and its Team. */
export interface Ties {
  companyRole?: 'owner' | 'admin' | 'member';
  teamRole?: 'owner' | 'admin' | 'member';
  companyGrant?: 'full' | 'read';
  /** Access by client id. */
  clients?: Record<string, 'read' | 'write'>;
}

/** Makes an account of the Company with these ties, signed in. */
export async function addPerson(
  service: Pick<TestApp, 'app' | 'database' | 'signIn'>,
  company: TestCompany,
  ties: Ties,
): Promise<Person> {
  const { database } = service;
  const { companyId, teamId } = company;
  const userId = newId();
  const { companyRole: role = 'member', teamRole } = ties;
  await addAccount(service, company, { userId, email: `person-${userId}@example.com`, role, teamRole });
  if (ties.companyGrant !== undefined) {
    await database.query(
      'insert into identity.company_grant (company_id, team_id, user_id, access) values ($1, $2, $3, $4)',
      [companyId, teamId, userId, ties.companyGrant],
    );
  }
  for (const [clientId, access] of Object.entries(ties.clients ?? {})) {
    await database.query(
      `insert into identity.client_grant (company_id, team_id, client_id, user_id, access)
       values ($1, $2, $3, $4, $5)`,
      [companyId, teamId, clientId, userId, access],
    );
  }
  const token = await service.signIn(companyId, userId);
  return {
    ...callerOf(service.app, { authorization: `Bearer ${token}`, 'memory-team': teamId }),
    userId,
    token,
  };
}

/** Makes a client of the Team. */
export async function addClient(
  { database }: Pick<TestApp, 'database'>,
  company: TestCompany,
  state: 'active' | 'archived' = 'active',
): Promise<string> {
  const id = newId();
  await database.query(
    `insert into identity.client (company_id, team_id, id, name, folded_name, state)
     values ($1, $2, $3, $4, $3::uuid::text, $5)`,
    [company.companyId, company.teamId, id, 'A client', state],
  );
  return id;
}

/**
 * Makes a second Team of the Company, without members. Its folded name is its id, so that a Company can have several of the
 * same name. Without a folded name, a service that starts on this database would lock the rows of all tests to store one.
 */
export async function addTeam(
  { database }: Pick<TestApp, 'database'>,
  company: TestCompany,
): Promise<string> {
  const id = newId();
  await database.query(
    'insert into identity.team (company_id, id, name, folded_name) values ($1, $2, $3, $2::uuid::text)',
    [company.companyId, id, 'Another Team'],
  );
  return id;
}

/** The same caller, for another Team. */
export const inTeam = <C extends Caller>(caller: C, teamId: string): C => ({
  ...caller,
  ...caller.with({ 'memory-team': teamId }),
  ...('teamId' in caller && { teamId }),
});

/** Archives the Team of the Company. */
export async function archiveTeam({ database }: Pick<TestApp, 'database'>, teamId: string): Promise<void> {
  await database.query(`update identity.team set state = 'archived' where id = $1`, [teamId]);
}

/** The status of the Team. */
export async function readStatus(caller: Caller): Promise<Status> {
  return await caller.api.getStatus();
}

/** The embedding that lies along one axis: at a right angle to those of every other axis. */
export function along(axis: number, length = 1): number[] {
  return Array.from({ length: EMBEDDING_DIM }, (_, index) => (index === axis ? length : 0));
}

/** What goes with an embedding. */
export const CLAIM = { embeddingModel: TEST_MODEL_NAME, embeddingDim: EMBEDDING_DIM };

/** A body without what differs between two answers that are otherwise alike. */
export function withoutRequestId(body: string): string {
  return body.replace(/"requestId":"[^"]+"/, '');
}

/** The fields that a 400 names. */
export function faultyFields(answer: { json<T>(): T }): string[] {
  return (answer.json<{ errors?: { path: string }[] }>().errors ?? []).map(({ path }) => path);
}
