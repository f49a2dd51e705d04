import assert from 'node:assert/strict';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { ask } from '../../support/company.ts';
import { doJob } from '../../support/do-job.ts';
import { type Caller, get, post } from '../../support/team.ts';

/** Imports a file and runs its job. */
export async function importNow(
  service: Pick<TestApp, 'app' | 'database'>,
  company: SignedIn,
  item: object,
): Promise<Import> {
  const answer = await post(service, company, '/v1/memory/imports', { items: [item] });
  assert.equal(answer.statusCode, 202, answer.body);
  const [accepted] = answer.json<{ imports: Import[] }>().imports;
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, layerId: teamId, importId: accepted!.id };
  await doJob(service.database, 'import.process', data);
  return (await get(service, company, `/v1/memory/imports/${accepted!.id}`)).json<Import>();
}

/** Searches by keywords in all layers. */
export async function searchDated(
  service: Pick<TestApp, 'app'>,
  caller: Caller,
  body: object,
): Promise<Hit[]> {
  const answer = await post(service, caller, '/v1/memory/search', {
    embeddingMode: 'keyword',
    scope: { include: ['team', 'client'] },
    topK: 50,
    ...body,
  });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ hits: Hit[] }>().hits;
}

export const changeSource = (service: Pick<TestApp, 'app'>, caller: Caller, id: string, body: object) =>
  ask(service, caller, 'PATCH', `/v1/memory/sources/${id}`, body);

export async function changedSource(
  service: Pick<TestApp, 'app'>,
  caller: Caller,
  id: string,
  body: object,
): Promise<Source> {
  const answer = await changeSource(service, caller, id, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<Source>();
}
