import type { SignedIn, TestApp } from '../support/app.ts';
import { lend, released } from '../support/consolidation.ts';
import { searchByWords } from '../support/feedback.ts';
import { plantImport } from '../support/import-records.ts';
import { addMemory } from '../support/memories.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

export type CallerName = 'an Owner' | 'a Team Admin' | 'a member';

export type Ids = Record<string, string>;

/** The callers of a Team, and records of it that requests are about. */
export interface Records {
  company: SignedIn;
  callers: Record<CallerName, Caller>;
  ids: Ids;
}

/** Makes them, in a new Company. */
export async function openRecords(
  service: Pick<TestApp, 'app' | 'database' | 'signIn' | 'company'>,
): Promise<Records> {
  const company = await service.company();
  const client = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member' });
  const source = await addSource(company);
  const memory = await addMemory(company, 'published');
  const claimed = await company.ask.claimEmbeddings({});
  const given = await lend(company);
  await released(company, given.batchId);
  const lent = await lend(company);
  // A text of addSource.
  const search = await searchByWords(company, 'text');
  const ids = {
    team: company.teamId,
    owner: company.ownerId,
    email: company.ownerEmail,
    client,
    user: member.userId,
    import: await plantImport(service, company),
    running: await plantImport(service, company, { state: 'running' }),
    own: await plantImport(service, company, { author: member.userId }),
    busy: await plantImport(service, company, { author: member.userId, state: 'running' }),
    source: source.id,
    memory: memory.id,
    published: memory.sourceId!,
    chunk: search.hits[0]!.chunk_id,
    vectors: claimed.json<{ batch: { id: string } }>().batch.id,
    batch: lent.batchId,
    released: given.batchId,
    capture: lent.captureIds[0]!,
  };
  const callers = {
    'an Owner': company,
    'a Team Admin': await addPerson(service, company, { teamRole: 'admin' }),
    'a member': member,
  };
  return { company, callers, ids };
}
