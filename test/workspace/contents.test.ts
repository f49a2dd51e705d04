import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { addClient, addTeam, type Caller, inTeam } from '../support/team.ts';
import { file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const { database } = service;
const asSeenBy = ({ headers }: Caller) => workspaceOf(service.app, headers);

/** A Team with a client. */
async function open() {
  const company = await service.company();
  return { company, clientId: await addClient(service, company), owner: asSeenBy(company) };
}

test('a push that is refused for one of its files stores none of them, and records no event', async () => {
  const { company, owner } = await open();
  await owner.push([file('team/a', 'x')]);
  await recordsNothing(service, company, async () => {
    for (const beside of [
      file('team/a', 'stale'),
      file('team/A/b', 'x'),
      { ...file('team/c', 'x'), sha256: sha256('y') },
    ]) {
      await owner.push([file('team/b', 'x'), beside]);
    }
  });
});

test('a content is stored once for each Company, whatever its Teams and files', async () => {
  const [first, other] = [await open(), await open()];
  const second = inTeam(first.company, await addTeam(service, first.company));
  const content = `kept once, of ${first.company.companyId}`;
  await first.owner.push([file('team/a', content), file(`clients/${first.clientId}/b`, content)]);
  await first.owner.push([file('team/a', 'else', 1), file('team/c', content)]);
  await first.owner.push([file('team/a', content, 2)]);
  await asSeenBy(second).push([file('team/a', content)]);
  const keepers = async () => {
    const rows = await database.query<{ companyId: string }>(
      `select company_id as "companyId" from memory.workspace_blob where sha256 = decode($1, 'hex')`,
      [sha256(content)],
    );
    return rows.map(({ companyId }) => companyId).sort();
  };
  assert.deepEqual(await keepers(), [first.company.companyId]);
  await other.owner.push([file('team/a', content)]);
  assert.deepEqual(await keepers(), [first.company.companyId, other.company.companyId].sort());
});
