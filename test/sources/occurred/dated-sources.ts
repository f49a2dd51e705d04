import assert from 'node:assert/strict';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { type Body } from '../../support/client/client.ts';
import { doJob } from '../../support/do-job.ts';
import { type Caller } from '../../support/team.ts';

/** Imports a file and runs its job. */
export async function importNow(
  service: Pick<TestApp, 'app' | 'database'>,
  company: SignedIn,
  item: Body<'importFiles'>['items'][number],
): Promise<Import> {
  const [accepted] = (await company.api.importFiles({ items: [item] })).imports;
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, layerId: teamId, importId: accepted!.id };
  await doJob(service.database, 'import.process', data);
  return await company.api.getImport(accepted!.id);
}

/** Searches by keywords in all layers. */
export async function searchDated(caller: Caller, body: Body<'searchMemory'>): Promise<Hit[]> {
  return (
    await caller.api.searchMemory({
      embeddingMode: 'keyword',
      scope: { include: ['team', 'client'] },
      topK: 50,
      ...body,
    })
  ).hits;
}

export const changeSource = (caller: Caller, id: string, body: object) => caller.ask.changeSource(id, body);

export async function changedSource(caller: Caller, id: string, body: object): Promise<Source> {
  const answer = await changeSource(caller, id, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<Source>();
}
