import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { duringPause } from '../../support/held-app.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, post } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { listenForLateBodies } from './late-body.ts';
import { type Scene, type Taken, take } from './late-rights.ts';

/** Pushes whose caller loses the right to them while their body is on its way, or while their contents are kept. */
const service = await openTestApp();
const { database } = service;
const sendLate = await listenForLateBodies(service);

const REFUSALS: Partial<Record<Taken, string>> = {
  'the Team was archived': '409 team_archived',
  'the client was archived': '403 scope_forbidden',
  'the grant was deleted': '403 scope_forbidden',
  'the grant was lowered': '403 scope_forbidden',
  'the member was removed from the Team': '403 team_forbidden',
  'the account was closed': '401 unauthenticated',
};
const TAKEN = Object.entries(REFUSALS) as [Taken, string][];
/** Of a caller with Full access, who needs no grant. */
const TAKEN_FROM_ADMIN: [Taken, string][] = [
  ['the role was lowered', '403 scope_forbidden'],
  ['the member was removed from the Team', '403 team_forbidden'],
];

/** A member who may write to a client in which there is a file, and a push of theirs to it and to the Team layer. */
async function prepare(teamRole: 'member' | 'admin' = 'member') {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const person = await addPerson(service, company, {
    teamRole,
    ...(teamRole === 'member' ? { clients: { [clientId]: 'write' as const } } : {}),
  });
  const path = `clients/${clientId}/a`;
  await workspaceOf(service.app, company.headers).push([file(path, 'early')]);
  const scene: Scene = { company, clientId, person };
  const pushed = [file('team/a', 'late'), file(path, 'late', 1)];
  return { scene, pushed, deleted: [deletion(path, 1)] };
}

/** All rows that a push writes, except contents: a content without references is deleted later. */
async function written({ teamId }: SignedIn): Promise<string[]> {
  const rows = await database.query<{ row: string }>(
    `select v::text as row from memory.workspace_version v where team_id = $1
     union all select w::text from memory.workspace_team w where team_id = $1
     union all select e::text from memory.audit_event e where team_id = $1 and kind like 'workspace.%'
     union all select k::text from memory.idempotency_key k where team_id = $1
     order by 1`,
    [teamId],
  );
  return rows.map(({ row }) => row);
}

// Concurrent, because each test waits for more than a second before it ends its body.
describe('a workspace push whose body arrives late', { concurrency: true }, () => {
  const wish = (caller: Scene['person'], files: object[]) =>
    ({ caller, method: 'POST', url: '/v1/workspace/push', body: { files } }) as const;

  for (const [what, refusal] of TAKEN) {
    test(`a push fails and writes nothing if ${what} before the body arrived`, async () => {
      const { scene, pushed } = await prepare();
      const before = await written(scene.company);
      const answer = await sendLate(wish(scene.person, pushed), () => take(service, what, scene));
      assert.equal(outcome(answer), refusal);
      assert.deepEqual(await written(scene.company), before);
    });
  }

  test('a push succeeds if the caller still has access when the body arrives', async () => {
    const { scene, pushed } = await prepare();
    assert.equal((await sendLate(wish(scene.person, pushed), async () => {})).statusCode, 200);
  });
});

// What is held is the transaction that writes: contents are kept by then.
describe('a workspace push by a caller who loses access', () => {
  for (const [what, refusal] of TAKEN) {
    test(`a push of a member fails and writes nothing if ${what} before it finished`, async (t) => {
      const { scene, pushed } = await prepare();
      const before = await written(scene.company);
      const answer = await duringPause(
        await openPausedApp(t, service),
        (held) => post(held, scene.person, '/v1/workspace/push', { files: pushed }),
        () => take(service, what, scene),
      );
      assert.equal(outcome(answer), refusal);
      assert.deepEqual(await written(scene.company), before);
    });
  }

  for (const [what, refusal] of TAKEN_FROM_ADMIN) {
    test(`a push of a Team Admin fails and writes nothing if ${what} before it finished`, async (t) => {
      const { scene, pushed } = await prepare('admin');
      const before = await written(scene.company);
      const answer = await duringPause(
        await openPausedApp(t, service),
        (held) => post(held, scene.person, '/v1/workspace/push', { files: pushed }),
        () => take(service, what, scene),
      );
      assert.equal(outcome(answer), refusal);
      assert.deepEqual(await written(scene.company), before);
    });
  }

  test('a push deletes no file if the grant was lowered before it finished', async (t) => {
    const { scene, deleted } = await prepare();
    const before = await written(scene.company);
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => post(held, scene.person, '/v1/workspace/push', { files: deleted }),
      () => take(service, 'the grant was lowered', scene),
    );
    assert.equal(outcome(answer), '403 scope_forbidden');
    assert.deepEqual(await written(scene.company), before);
  });

  test('a push returns 409 and overwrites nothing if another push changed one of its files first', async (t) => {
    const { scene, pushed } = await prepare();
    const team = workspaceOf(service.app, scene.company.headers);
    const path = `clients/${scene.clientId}/a`;
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => post(held, scene.person, '/v1/workspace/push', { files: pushed }),
      () => team.push([file(path, 'the other push', 1)]),
    );
    assert.equal(outcome(answer), '409 workspace_conflict');
    assert.equal(await team.content(path), 'the other push');
    assert.deepEqual(
      (await team.manifest('?since=0')).body.items.map((item) => item.path),
      [path],
    );
  });

  test('a push succeeds if nothing changed before it finished', async (t) => {
    const { scene, pushed } = await prepare();
    const held = await openPausedApp(t, service);
    const answer = await duringPause(
      held,
      ({ app }) => post({ app }, scene.person, '/v1/workspace/push', { files: pushed }),
      async () => {},
    );
    assert.equal(answer.statusCode, 200, answer.body);
  });
});
