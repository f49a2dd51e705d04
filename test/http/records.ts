import type { TestApp } from '../support/app.ts';
import { ask } from '../support/company.ts';
import { lend, released } from '../support/consolidation.ts';
import { searchByWords } from '../support/feedback.ts';
import { plantImport } from '../support/import-records.ts';
import { makeInvitation, makeInvite } from '../support/invites.ts';
import { addMemory } from '../support/memories.ts';
import { giveOriginal } from '../support/originals.ts';
import { ownerScope } from '../support/scopes.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, type Caller, post } from '../support/team.ts';

export type CallerName = 'an Owner' | 'a Team Admin' | 'a member' | 'a reader' | 'a Company Admin';

export type Ids = Record<string, string>;

/** The callers of a Team, and a record of it for every id that a route takes. */
export interface Records {
  callers: Record<CallerName, Caller>;
  ids: Ids;
}

/** Makes them, in a new Company. */
export async function openRecords(
  service: Pick<TestApp, 'app' | 'database' | 'signIn' | 'company'>,
): Promise<Records> {
  const company = await service.company();
  const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
  const client = await addClient(service, company);
  const [member, granted] = [
    await person({ teamRole: 'member' }),
    await person({ teamRole: 'member', clients: { [client]: 'read' } }),
  ];
  const admin = await person({ companyRole: 'admin' });
  await addSource(service, company);
  const { id: original } = await addSource(service, company);
  await giveOriginal(service.database, ownerScope(company), original);
  const memory = await addMemory(service, company, 'published');
  const claimed = await post(service, company, '/v1/memory/embeddings/claim', {});
  const given = await lend(service, company);
  await released(service, company, given.batchId);
  const lent = await lend(service, company);
  const wanted = { teamId: company.teamId, access: 'read' };
  const request = await ask(service, admin, 'POST', '/v1/company/access-requests', wanted);
  const gone = await addSource(service, company);
  await archived(service, company, gone.id);
  // A text of addSource.
  const search = await searchByWords(service, company, 'text');
  const ids = {
    team: company.teamId,
    owner: company.ownerId,
    email: company.ownerEmail,
    client,
    user: member.userId,
    granted: granted.userId,
    admin: admin.userId,
    invite: (await makeInvite(service, company)).invite.id,
    invitation: (await makeInvitation(service, company)).invite.id,
    request: request.json<{ id: string }>().id,
    import: await plantImport(service, company),
    running: await plantImport(service, company, { state: 'running' }),
    queued: await plantImport(service, company, { state: 'queued' }),
    own: await plantImport(service, company, { author: member.userId }),
    busy: await plantImport(service, company, { author: member.userId, state: 'running' }),
    source: (await addSource(service, company)).id,
    archived: gone.id,
    original,
    memory: memory.id,
    published: memory.sourceId!,
    query: search.queryId,
    chunk: search.hits[0]!.chunk_id,
    vectors: claimed.json<{ batch: { id: string } }>().batch.id,
    batch: lent.batchId,
    released: given.batchId,
    capture: lent.captureIds[0]!,
  };
  const callers = {
    'an Owner': company,
    'a Team Admin': await person({ teamRole: 'admin' }),
    'a member': member,
    'a reader': await person({ companyRole: 'admin', companyGrant: 'read' }),
    'a Company Admin': admin,
  };
  return { callers, ids };
}
