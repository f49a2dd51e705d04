import assert from 'node:assert/strict';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SignedIn, TestApp } from './app.ts';
import { type Body } from './client/client.ts';
import { doJob } from './do-job.ts';

/** Imports a file of the Team layer as the worker does. */
export async function importNow(
  { database }: Pick<TestApp, 'database'>,
  company: SignedIn,
  item: Body<'importFiles'>['items'][number],
  headers: Record<string, string> = {},
): Promise<Import & { sourceId: string }> {
  const [accepted] = (await company.api.importFiles({ items: [item] }, headers)).imports;
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, layerId: teamId, importId: accepted!.id };
  await doJob(database, 'import.process', data);
  const { sourceId, ...imported } = await company.api.getImport(accepted!.id);
  assert.ok(sourceId !== null, JSON.stringify(imported.error));
  return { ...imported, sourceId };
}
