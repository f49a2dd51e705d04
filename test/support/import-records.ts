import assert from 'node:assert/strict';
import { transaction } from '../../db/driver/database.ts';
import { failImport, insertImport } from '../../db/queries/imports.ts';
import { newId } from '../../shared/ids.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SignedIn, TestApp } from './app.ts';
import { type Body } from './client/client.ts';
import { ownerScope } from './scopes.ts';
import { type Caller } from './team.ts';

type Stored = Pick<TestApp, 'database'>;

export const IMPORTS = '/v1/memory/imports';

/** Why planted imports failed. */
export const FAULT = { code: 'no_text', message: 'The file holds no text.' };

/** An import to be planted: the Owner's, failed once and in the Team layer, unless told otherwise. */
export interface Planted {
  state?: Import['state'];
  clientId?: string | null;
  author?: string;
  text?: string;
  filename?: string;
  /** How long ago it failed. */
  failedDaysAgo?: number;
}

/** Puts imports into the database, with their files and without jobs: nobody takes them up. Oldest first. */
export async function plantImports(
  { database }: Stored,
  company: SignedIn,
  count: number,
  { state = 'failed', clientId = null, author = company.ownerId, ...given }: Planted = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const { filename = 'a.txt', failedDaysAgo = 0 } = given;
  const scope = ownerScope({ ...company, ownerId: author }, clientId === null ? [] : [clientId]);
  const file = { filename, title: filename, mediaType: 'text/plain' };
  await transaction(database, scope, async (tx) => {
    for (const id of ids) {
      const content = Buffer.from(given.text ?? `A text of ${id}`);
      await insertImport(tx, { id, layerId: clientId ?? company.teamId, ...file, content });
      if (state === 'failed') await failImport(tx, id, FAULT);
    }
  });
  if (state !== 'queued') {
    await database.query(
      `update memory.import set state = $2, attempts = 1, updated_at = now() - make_interval(secs => $3)
        where id = any ($1::uuid[])`,
      [ids, state, failedDaysAgo * 86_400],
    );
  }
  return ids;
}

/** Puts one import into the database, as `plantImports`. */
export async function plantImport(service: Stored, company: SignedIn, planted?: Planted): Promise<string> {
  const [id] = await plantImports(service, company, 1, planted);
  assert.ok(id);
  return id;
}

/** Lets the file of an import go, as upkeep does. */
export async function letFileGo({ database }: Stored, id: string): Promise<void> {
  await database.query('delete from memory.import_payload where import_id = $1', [id]);
  await database.query('update memory.import set payload_pruned_at = now() where id = $1', [id]);
}

/** Uploads files; they wait with their jobs. */
export async function upload(
  caller: Caller,
  items: Body<'importFiles'>['items'],
  scope: object = {},
): Promise<Import[]> {
  return (await caller.api.importFiles({ items, scope })).imports;
}

/** An import as its route shows it. */
export async function readImport(caller: Caller, id: string): Promise<Import> {
  return await caller.api.getImport(id);
}

/** Asks to retry one import, whatever comes of it. */
export function sendRetry(caller: Caller, id: string) {
  return caller.ask.retryImport(id);
}

/** Asks to retry several imports, whatever comes of it. */
export function sendRetries(caller: Caller, body: object) {
  return caller.ask.retryImports(body);
}

/** The imports that a retry of several puts back. */
export async function retried(caller: Caller, body: object): Promise<Import[]> {
  const answer = await sendRetries(caller, body);
  assert.equal(answer.statusCode, 202, answer.body);
  return answer.json<{ imports: Import[] }>().imports;
}

/** Asks to cancel or forget an import, whatever comes of it. */
export function sendRemoval(caller: Caller, id: string) {
  return caller.ask.removeImport(id);
}

/** How many jobs were ever made of an import. */
export async function countJobs({ database }: Stored, id: string): Promise<number> {
  const jobs = await database.query(
    `select from pgboss.job where name = 'import.process' and data->>'importId' = $1::text`,
    [id],
  );
  return jobs.length;
}

/** Whether the file of an import is kept. */
export async function keepsFile({ database }: Stored, id: string): Promise<boolean> {
  return (await database.query('select from memory.import_payload where import_id = $1', [id])).length === 1;
}

/** The kinds of the events about an import, oldest first. */
export async function eventKinds({ database }: Stored, id: string): Promise<string[]> {
  const rows = await database.query<{ kind: string }>(
    'select kind from memory.audit_event where subject_id = $1 order by id',
    [id],
  );
  return rows.map(({ kind }) => kind);
}

/** All that a decision on imports can touch in a Team: two alike mean that nothing happened in between. */
export async function importRows({ database }: Stored, teamId: string): Promise<string[]> {
  const rows = await database.query<{ row: string }>(
    `select 'import ' || i::text as row from memory.import i where team_id = $1
     union all select 'file ' || p.import_id from memory.import_payload p where team_id = $1
     union all select 'event ' || e::text from memory.audit_event e where team_id = $1 and subject_type = 'import'
     union all select 'job ' || j.id from pgboss.job j where data->>'teamId' = $1::text
      order by 1`,
    [teamId],
  );
  return rows.map(({ row }) => row);
}

/** Sends a request and asserts that it changed nothing of the Team's imports. */
export async function changesNothing<T>(
  service: Stored,
  { teamId }: Pick<SignedIn, 'teamId'>,
  send: () => PromiseLike<T>,
): Promise<T> {
  const before = await importRows(service, teamId);
  const answer = await send();
  assert.deepEqual(await importRows(service, teamId), before);
  return answer;
}
