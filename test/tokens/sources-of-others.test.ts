import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitSource, stageSource } from '../../core/sources/store.ts';
import { transaction } from '../../db/driver/database.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { IngestResponse } from '../../shared/schemas/sources.ts';
import { jobScope } from '../../shared/scope.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Answer } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { plantImport, readImport } from '../support/import-records.ts';
import { callTool, toolOutcome } from '../support/mcp.ts';
import { imported, originalOf, textFile, uploaded } from '../support/originals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, readSource } from '../support/source-library.ts';
import { draftOf } from '../support/sources.ts';
import { addClient, addPerson, type Caller, type Person } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const WITHOUT_REVIEW = ['memory:read', 'memory:write', 'memory:curate'] as const;
const WITH_REVIEW = ['memory:write', 'memory:review'] as const;
/** More than what is written in one transaction, so that it is staged before. */
const LONG = Array.from({ length: 150 }, (_, n) => ({ text: `The part ${n} of a long text.` }));

/** A Team whose Owner has a token, and a source that a Team Member made, with every field. */
interface Scene {
  company: SignedIn;
  author: Person;
  clientId: string;
  /** The body that made it. */
  given: { title: string; text: string; externalId: string } & Record<string, unknown>;
  id: string;
}

async function openScene(): Promise<Scene> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const author = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const given = {
    title: 'Pump 4',
    text: `The pump of hall four is served in May. ${crypto.randomUUID()}`,
    externalId: 'pump 4',
    uri: 'https://example.com/pump',
    metadata: { hall: 4 },
    tags: ['pump'],
    expiresAt: '2090-01-01T00:00:00Z',
  };
  const { id } = await addSource(author, given);
  return { company, author, clientId, given, id };
}

const agentOf = ({ company }: Pick<Scene, 'company'>, permissions: readonly Permission[], owner?: Caller) =>
  createAgent(service, owner ?? company, company, { permissions });
const ingest = (caller: Caller, body: object) => caller.ask.ingestSource(body);
const patch = (caller: Caller, id: string, body: object) => caller.ask.changeSource(id, body);

type Change = (scene: Scene, caller: Caller) => Promise<Answer>;
const ingested =
  (fields: object): Change =>
  ({ given }, caller) =>
    ingest(caller, { ...given, ...fields });
const patched =
  (fields: object): Change =>
  ({ id }, caller) =>
    patch(caller, id, fields);

/** Everything that changes a source. */
const CHANGES: Record<string, Change> = {
  'an ingest of another text': ingested({ text: 'The pump was sold.' }),
  'an ingest of a long text': ingested({ text: undefined, chunks: LONG }),
  'an ingest of another title': ingested({ title: 'Sold' }),
  'an ingest of another uri': ingested({ uri: 'https://example.com/other' }),
  'an ingest of other metadata': ingested({ metadata: {} }),
  'an ingest of other tags': ingested({ tags: [] }),
  'an ingest of another expiry': ingested({ expiresAt: null }),
  'a PATCH of the title': patched({ title: 'Sold' }),
  'a PATCH of the tags': patched({ tags: [] }),
  'a PATCH of the expiry': patched({ expiresAt: null }),
  'a PATCH that moves it': ({ id, clientId }, caller) => patch(caller, id, { clientId }),
  'a DELETE': ({ id }, caller) => caller.ask.archiveSource(id),
};

describe('an agent token without memory:review, whose owner has Full access', () => {
  for (const [change, send] of Object.entries(CHANGES)) {
    test(`is refused ${change} of a source that somebody else made`, async () => {
      const scene = await openScene();
      const { company, id } = scene;
      const agent = await agentOf(scene, WITHOUT_REVIEW);
      const before = await readSource(company, id);
      await recordsNothing(service, company, async () => {
        const refused = await send(scene, agent);
        assert.equal(outcome(refused), '403 forbidden');
        assert.match(refused.json<{ detail: string }>().detail, /memory:review/);
      });
      const { found: _, ...unchanged } = before;
      assert.partialDeepStrictEqual(await readSource(company, id), unchanged);
      const [loading] = await database.query<{ n: number }>(
        `select count(*)::int as n from memory.source where team_id = $1 and state = 'loading'`,
        [company.teamId],
      );
      assert.equal(loading?.n, 0, 'what was written before the refusal is deleted');
      // The owner can do it, and so can a token with the permission.
      assert.ok((await send(scene, await agentOf(scene, WITH_REVIEW))).statusCode < 300);
    });

    test(`is allowed ${change} of a source that its owner made`, async () => {
      const scene = await openScene();
      const agent = await agentOf(scene, WITHOUT_REVIEW, scene.author);
      assert.ok((await send(scene, agent)).statusCode < 300);
    });
  }

  test('is refused to restore a source that somebody else made', async () => {
    const scene = await openScene();
    const { company, author, id } = scene;
    await archived(author, id);
    const restore = (caller: Caller) => caller.ask.restoreSource(id);
    assert.equal(outcome(await restore(await agentOf(scene, WITHOUT_REVIEW))), '403 forbidden');
    assert.equal((await readSource(company, id)).state, 'archived');
    assert.equal(outcome(await restore(await agentOf(scene, WITH_REVIEW))), '200');
  });

  test('gets 404, not 403, for a source that it cannot reach', async () => {
    const scene = await openScene();
    const { company, author, clientId } = scene;
    const { id } = await addSource(author, { scope: { clientId } });
    const permissions = WITHOUT_REVIEW;
    const agent = await createAgent(service, company, company, { permissions, clientIds: [] });
    assert.equal(outcome(await patch(agent, id, { title: 'x' })), '404 not_found');
  });

  test('gets the source as a duplicate if nothing would change', async () => {
    const scene = await openScene();
    const { company, given, id } = scene;
    const agent = await agentOf(scene, WITHOUT_REVIEW);
    const { externalId: _, ...unnamed } = given;
    await recordsNothing(service, company, async () => {
      for (const body of [given, { ...unnamed, title: 'Another title' }]) {
        const answer = await ingest(agent, body);
        assert.equal(answer.statusCode, 200, answer.body);
        const { duplicate, source } = answer.json<IngestResponse>();
        assert.deepEqual([duplicate, source.id], [true, id]);
      }
    });
    const again = await callTool(agent, 'remember', { text: given.text, key: given.externalId });
    assert.deepEqual([again.value['status'], again.value['id']], ['duplicate', id]);
  });

  test('is told by `remember` to use another key', async () => {
    const scene = await openScene();
    const { given, id, company } = scene;
    const agent = await agentOf(scene, WITHOUT_REVIEW);
    const args = { text: 'The pump was sold.', key: given.externalId };
    const refused = await callTool(agent, 'remember', args);
    assert.match(refused.text, /^forbidden: .*memory:review.*another externalId \(in MCP: key\)/);
    assert.equal((await readSource(company, id)).chunks[0]?.text, given.text);
    assert.equal(await toolOutcome(agent, 'remember', { ...args, key: 'pump 5' }), 'ok');
    const reviewing = await agentOf(scene, WITH_REVIEW);
    assert.equal((await callTool(reviewing, 'remember', args)).value['status'], 'replaced');
  });

  test('is refused to remove an import that somebody else sent', async () => {
    for (const state of ['queued', 'failed'] as const) {
      const scene = await openScene();
      const { company, author } = scene;
      const importId = await plantImport(service, company, { state, author: author.userId });
      const remove = (caller: Caller) => caller.ask.removeImport(importId);
      const refused = await remove(await agentOf(scene, WITHOUT_REVIEW));
      assert.equal(outcome(refused), '403 forbidden');
      assert.match(refused.body, /memory:review/);
      assert.equal((await readImport(company, importId)).state, state);
      assert.equal(outcome(await remove(await agentOf(scene, WITH_REVIEW))), '204');
    }
  });
});

describe('an import by an agent token', () => {
  test('does not give its file to a source that somebody else made', async () => {
    const { company, author } = await openScene();
    const file = textFile('notes.txt', `quokka${crypto.randomUUID()}`);
    const sourceId = await imported(service, { ...company, ...author, ownerId: author.userId }, file);
    await database.query(
      `update memory.source set original_sha256 = null, original_bytes = null, original_media_type = null where id = $1`,
      [sourceId],
    );
    const agent = await createAgent(service, company, company, { permissions: WITHOUT_REVIEW });
    const repeat = await uploaded(service, { ...company, ...agent, tokenId: agent.record.id }, file);
    await repeat.run();
    const done = await readImport(company, repeat.importId);
    assert.deepEqual([done.state, done.sourceId], ['completed', sourceId]);
    assert.equal(await originalOf(company, sourceId), null);
    // A person who imports it again gives it the file.
    assert.equal(await imported(service, company, file), sourceId);
    assert.notEqual(await originalOf(company, sourceId), null);
  });
});

describe('an agent token with memory:review', () => {
  test('has the rights of its owner: a Team Member replaces a text by its externalId, and archives nothing', async () => {
    const scene = await openScene();
    const { company, given, id } = scene;
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await agentOf(scene, WITH_REVIEW, member);
    const archive = await agent.ask.archiveSource(id);
    assert.equal(outcome(archive), '403 forbidden');
    assert.doesNotMatch(archive.body, /memory:review/);
    assert.equal(outcome(await ingest(agent, { ...given, text: 'The pump was sold.' })), '200');
  });
});

test('the author of a source is checked when the text is stored, not when it is sent', async () => {
  const { company, author } = await openScene();
  const agent = await createAgent(service, company, company, { permissions: WITHOUT_REVIEW });
  const { companyId, teamId, ownerId: userId } = company;
  const scope = jobScope({ companyId, teamId, userId, tokenId: agent.record.id, layerId: teamId });
  const draft = { layer: null, externalId: 'crane', chunks: [{ text: 'The crane of the agent.' }] };
  const staged = await stageSource(database, scope, draftOf(teamId, draft));
  const { id } = await addSource(author, { externalId: 'crane', text: 'The crane of the author.' });
  await assert.rejects(
    transaction(database, scope, (tx) => commitSource(tx, staged)),
    { code: 'forbidden' },
  );
  assert.equal((await readSource(company, id)).chunks[0]?.text, 'The crane of the author.');
});
