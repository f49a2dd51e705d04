import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Nothing } from '../../shared/schemas/search.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { FAULT, plantImports } from '../support/import-records.ts';
import { called, callTool, toolOutcome } from '../support/mcp.ts';
import { addMemory } from '../support/memories.ts';
import { giveOriginal, sha256Of } from '../support/originals.ts';
import { ownerScope } from '../support/scopes.ts';
import { addClient, addPerson, addTeam, type Caller } from '../support/team.ts';

const service = await openTestApp({ MEMORY_API_PUBLIC_URL: 'https://memory.example/base' });

interface Result {
  id: string;
  title: string;
  url: string;
  text: string;
  location: { chunkId: string };
  when: string;
  score: number;
}
interface Found {
  results: Result[];
  mode: string;
  nothing?: Nothing;
  note?: string;
}

/** Stores a text with these chunks, and returns the id of its source. */
async function ingest(caller: Caller, chunks: readonly string[], fields: object = {}): Promise<string> {
  const body = { title: 'A document', chunks: chunks.map((text) => ({ text })), ...fields };
  return (await caller.api.ingestSource(body)).source.id;
}

describe('the tool search', () => {
  test('returns one result for each source, with its passages in the order of the text', async () => {
    const company = await service.company();
    const chunks = ['walrus first', 'a gull', 'walrus second', 'walrus third'];
    const id = await ingest(company, chunks, { uri: 'https://docs.example/walrus' });
    const other = await ingest(company, ['one walrus more']);
    const { results } = await called<Found>(company, 'search', { query: 'walrus' });
    assert.deepEqual(results.map((result) => result.id).sort(), [id, other].sort());
    const result = results.find((candidate) => candidate.id === id);
    assert.equal(result?.text, 'walrus first\n\n[…]\n\nwalrus second\n\nwalrus third');
    assert.equal(result?.url, 'https://docs.example/walrus');
    assert.equal(result?.title, 'A document');
    assert.match(result?.when ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('cites the page of a source in the console if its uri is not one of the web', async () => {
    const company = await service.company();
    for (const uri of [undefined, 'mailto:a@example.com', 'javascript:alert(1)']) {
      const word = `narwhal${uri?.length}`;
      const id = await ingest(company, [word], { uri });
      const { results } = await called<Found>(company, 'search', { query: word });
      assert.equal(results[0]?.url, `https://memory.example/base/sources/${id}?team=${company.teamId}`);
    }
  });

  test('says that it searches by keywords only, and how to continue if there can be more results than its limit', async () => {
    const company = await service.company();
    for (let n = 0; n < 3; n += 1) await ingest(company, [`a walrus ${n}`]);
    const found = await called<Found>(company, 'search', { query: 'walrus', limit: 2 });
    assert.deepEqual([found.mode, found.results.length], ['keyword', 2]);
    assert.match(found.note ?? '', /keywords only: this service makes no query vectors[^]*raise limit/);
    const all = await called<Found>(company, 'search', { query: 'walrus' });
    assert.doesNotMatch(all.note ?? '', /raise limit/);
  });

  test('says why nothing was found, and what to do next', async () => {
    const company = await service.company();
    const id = await ingest(company, ['a walrus'], { title: 'Animals' });
    await plantImports(service, company, 1, { filename: 'animals.pdf' });
    const query = { query: 'animals flamingo', tags: ['none'] };
    const found = await called<Found>(company, 'search', query);
    assert.deepEqual(found.results, []);
    assert.deepEqual(found.nothing?.unknownWords, ['flamingo']);
    assert.deepEqual(found.nothing.nearest, { sourceId: id, title: 'Animals' });
    assert.match(found.note ?? '', /Nothing was found\. No text in this scope has: flamingo\./);
    assert.match(found.note ?? '', /do not find yet: animals\.pdf \(failed\)\./);
    assert.match(found.note ?? '', new RegExp(`nearest title is "Animals": fetch ${id} `));
    const some = await called<Found>(company, 'search', { query: 'walrus' });
    assert.equal(some.nothing, undefined);
    assert.doesNotMatch(some.note ?? '', /Nothing was found/);
  });
});

describe('the tool fetch', () => {
  test('returns the whole text of a source with its address and what is known of it', async () => {
    const company = await service.company();
    const id = await ingest(company, ['one', 'two'], { metadata: { author: 'someone' }, tags: ['sea'] });
    type Fetched = { text: string; url: string; metadata: Record<string, unknown> };
    const found = await called<Fetched>(company, 'fetch', { id });
    assert.equal(found.text, 'one\n\ntwo');
    assert.equal(found.url, `https://memory.example/base/sources/${id}?team=${company.teamId}`);
    const { kind, layer, tags, next } = found.metadata;
    const custom = { author: 'someone' };
    const expected = { kind: 'ingest', layer: 'team', tags: ['sea'], custom, next: null };
    assert.deepEqual({ kind, layer, tags, custom: found.metadata['custom'], next }, expected);
  });

  test('tells where the file of an imported source is, for the same credential', async () => {
    const company = await service.company();
    const id = await ingest(company, ['one']);
    type Found = { metadata: { original: { url: string } | null } };
    const original = async () => (await called<Found>(company, 'fetch', { id })).metadata.original;
    assert.equal(await original(), null);
    const content = Buffer.from('An original');
    await giveOriginal(service.database, ownerScope(company), id, content);
    const url = `https://memory.example/base/v1/memory/sources/${id}/original`;
    const about = { mediaType: 'text/plain', bytes: content.length, sha256: sha256Of(content) };
    assert.deepEqual(await original(), { ...about, url });
  });

  test('refuses to continue in a text that has been replaced', async () => {
    const company = await service.company();
    const long = (word: string) => Array.from({ length: 130 }, (_, n) => `${n} ${`${word} `.repeat(200)}`);
    const id = await ingest(company, long('wave'), { externalId: 'the text' });
    const first = await called<{ metadata: { next: string } }>(company, 'fetch', { id });
    await ingest(company, long('foam'), { externalId: 'the text' });
    const { text } = await callTool(company, 'fetch', { id: first.metadata.next });
    assert.equal(text, 'invalid_request: /id: the text was replaced; fetch it from its id.');
    const [, chunk] = first.metadata.next.split(':');
    for (const wrong of [`${id}:${chunk}:x`, `${id}:${chunk}:-1`, `${id}:${chunk}:`, `${id}:${chunk}:1:2`]) {
      assert.equal(await toolOutcome(company, 'fetch', { id: wrong }), 'not_found', wrong);
    }
  });

  test('returns the same error for an unknown and a malformed id', async () => {
    const company = await service.company();
    const foreign = await ingest(await service.company(), ['a walrus']);
    const texts = new Set<string>();
    for (const id of [foreign, 'nonsense', `${foreign}:nonsense`]) {
      texts.add((await callTool(company, 'fetch', { id })).text);
    }
    const refusal = 'not_found: Not found. Check the id: it must be one that another tool returned.';
    assert.deepEqual([...texts], [refusal]);
  });
});

test('expand returns a passage with those around it, and none for an id that is out of reach', async () => {
  const company = await service.company();
  await ingest(company, ['one', 'two', 'the walrus', 'four', 'five']);
  const { results } = await called<Found>(company, 'search', { query: 'walrus' });
  type Expanded = { chunks: { text: string }[]; note?: string };
  const args = { chunk: results[0]?.location.chunkId, before: 1, after: 1 };
  const { chunks } = await called<Expanded>(company, 'expand', args);
  assert.deepEqual(column(chunks, 'text'), ['two', 'the walrus', 'four']);
  const none = await called<Expanded>(company, 'expand', { chunk: 'nonsense' });
  assert.deepEqual(none.chunks, []);
  assert.match(none.note ?? '', /cannot reach/);
});

test('whoami lists the Teams, and the clients of the selected one, which can be none', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const teamId = await addTeam(service, company);
  const own = await called(company, 'whoami');
  assert.deepEqual(own['clients'], [{ id: clientId, name: 'A client', access: 'write' }]);
  assert.deepEqual(own['canWrite'], { teamLayer: true, clients: 1 });
  const { mode, search } = own['embedding'] as Record<string, string>;
  assert.deepEqual([mode, search], ['client-provided', 'keyword']);
  const other = await called(company, 'whoami', { team: teamId });
  assert.deepEqual([other['team'], other['clients']], [teamId, []]);
  const unnamed = callerOf(service.app, { authorization: company.headers.authorization });
  const { team, teams } = await called<{ team: string | null; teams: object[] }>(unnamed, 'whoami');
  assert.deepEqual([team, teams.length], [null, 2]);
});

describe('the tool remember', () => {
  test('stores a text that a search finds at once, and the same text once', async () => {
    const company = await service.company();
    const text = `The walrus sleeps at noon. ${'It does so every day. '.repeat(10)}`;
    const first = await called(company, 'remember', { text });
    const again = await called(company, 'remember', { text });
    assert.deepEqual([first['status'], again['status']], ['created', 'duplicate']);
    assert.equal(first['id'], again['id']);
    const { results } = await called<Found>(company, 'search', { query: 'walrus' });
    assert.equal(results[0]?.id, first['id']);
    assert.equal(
      results[0]?.title,
      'The walrus sleeps at noon. It does so every day. It does so every day. It does…',
    );
  });

  test('replaces the text of a key, and keeps its title if it is given none', async () => {
    const company = await service.company();
    const remember = (args: object) =>
      called<{ id: string; status: string }>(company, 'remember', { key: 'the habits', ...args });
    const answers = [];
    for (const args of [
      { text: 'The walrus sleeps.', title: 'Habits' },
      { text: 'The walrus swims.' },
      { text: 'The walrus swims.' },
      { text: 'The walrus swims.', title: 'Ways' },
    ]) {
      answers.push(await remember(args));
      const { results } = await called<Found>(company, 'search', { query: 'walrus' });
      assert.deepEqual(columns(results, 'title', 'text'), [[args.title ?? 'Habits', args.text]]);
    }
    assert.deepEqual(column(answers, 'status'), ['created', 'replaced', 'duplicate', 'replaced']);
    assert.equal(new Set(column(answers, 'id')).size, 1);
    const clientId = await addClient(service, company);
    const { id } = await remember({ text: 'The walrus of the client.', client: clientId });
    const { title } = await called(company, 'fetch', { id });
    assert.equal(title, 'The walrus of the client.');
  });

  test('accepts every text that it says it accepts, however its characters are escaped', async () => {
    const company = await service.company();
    const escaped = JSON.stringify(`walrus ${'\u0001'.repeat(159_990)}`);
    const call = (text: string) =>
      company.ask.sendMcpMessage(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call",' +
          `"params":{"name":"remember","arguments":{"text":${text}}}}`,
      );
    const answer = await call(escaped);
    assert.equal(answer.statusCode, 200);
    type Answer = { result: { structuredContent?: { status: string } } };
    assert.equal(answer.json<Answer>().result.structuredContent?.status, 'created');
    const long = await callTool(company, 'remember', { text: 'a'.repeat(160_001) });
    assert.match(long.text, /^invalid_request: \/text: /);
  });

  test('stores tags, by which search filters, and keeps those of a key', async () => {
    const company = await service.company();
    const remember = (args: object) => called(company, 'remember', args);
    const { id } = await remember({ text: 'The walrus sleeps.', tags: ['Sea', 'ICE'], key: 'habits' });
    await remember({ text: 'The walrus swims.', tags: ['sea'] });
    const found = async (tags: string[]) =>
      (await called<Found>(company, 'search', { query: 'walrus', tags })).results.length;
    assert.deepEqual([await found(['sea']), await found(['SEA', 'ice']), await found(['land'])], [2, 1, 0]);
    const replaced = await remember({ text: 'The walrus dives.', key: 'habits' });
    assert.deepEqual([replaced['id'], replaced['status'], await found(['ice'])], [id, 'replaced', 1]);
  });

  test('keeps the tags and the expiry of a text, also of one that waits for a decision', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const args = { text: 'The walrus sleeps.', tags: ['Sea'], expires: '2999-03-01' };
    const remember = () => called<{ id: string; status: string }>(member, 'remember', args);
    const expected = [['sea'], '2999-03-01T23:59:59.999Z'];
    const source = await company.api.getSource((await remember()).id);
    assert.deepEqual([source.tags, source.expiresAt], expected);
    await company.api.changeSelectedTeam({ publish: 'review' });
    const { id, status } = await remember();
    const memory = await company.api.getMemory(id);
    assert.deepEqual([status, memory.tags, memory.expiresAt], ['review', ...expected]);
  });
});

describe('the tools of captures and memories', () => {
  test('stage a session once, claim it, make a memory of it and decide on it', async () => {
    const company = await service.company();
    const staged = { session: 'a session', sequence: 1, text: 'The walrus sleeps at noon.' };
    const first = await called(company, 'stage_session', staged);
    const again = await called(company, 'stage_session', { ...staged, text: 'Something else.' });
    assert.deepEqual([first['status'], again['status'], again['id']], ['created', 'duplicate', first['id']]);
    type Claimed = { batch: { id: string; captures: { id: string; summary: string }[] } };
    const { batch } = await called<Claimed>(company, 'claim_captures');
    assert.deepEqual(columns(batch.captures, 'id', 'summary'), [[first['id'], staged.text]]);
    const item = { captureIds: [first['id']], action: 'review', title: 'Habits', content: staged.text };
    const completing = { batchId: batch.id, items: [{ ...item, expiresAt: '2999-03-01' }] };
    type Completed = { results: { memoryId: string }[] };
    const { results } = await called<Completed>(company, 'complete_captures', completing);
    assert.deepEqual(await called(company, 'complete_captures', completing), { results, redactions: [] });
    const { memoryId: id = '' } = results[0] ?? {};
    assert.equal((await company.api.getMemory(id)).expiresAt, '2999-03-01T23:59:59.999Z');
    const published = await called(company, 'decide_memory', { id, version: 1, action: 'publish' });
    assert.deepEqual([published['state'], published['version']], ['published', 2]);
    const stale = await callTool(company, 'decide_memory', { id, version: 1, action: 'delete' });
    assert.match(
      stale.text,
      /^version_conflict: The memory is now at version 2\. Read the memory again with GET /,
    );
    const found = await called<Found>(company, 'search', { query: 'walrus' });
    assert.deepEqual(column(found.results, 'id'), [published['sourceId']]);
    await called(company, 'decide_memory', { id, version: 2, action: 'update', content: 'It swims.' });
    const restore = { id, version: 2, action: 'restore' };
    const late = await toolOutcome(company, 'decide_memory', { ...restore, baseVersion: 2 });
    assert.equal(late, 'version_conflict');
    const restored = await called(company, 'decide_memory', { ...restore, baseVersion: 3 });
    assert.equal(restored['version'], 4);
  });

  test('move a memory to a client by its name, and without one to the Team layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id } = await addMemory(company, 'published', {});
    const decide = (args: object) => callTool(company, 'decide_memory', { id, action: 'move', ...args });
    const { layer, ...moved } = (await decide({ version: 1, client: 'a client' })).value;
    assert.deepEqual([layer, moved['clientId'], moved['version']], ['client', clientId, 2]);
    for (const [args, refusal] of [
      [{ client: 'all' }, /^invalid_request: \/client: must name one/],
      [{ client: 'nobody' }, /^scope_forbidden/],
      [{ action: 'delete', client: clientId }, /^invalid_request: \/client: is allowed only with move/],
      // It names only arguments that the tool has.
      [{ action: 'update' }, /^invalid_request: \/content: is required with update when title is absent\.$/],
    ] as const) {
      assert.match((await decide({ version: 2, ...args })).text, refusal);
    }
    assert.equal((await decide({ version: 2 })).value['layer'], 'team');
  });

  test('return the rest of a summary only to the claimer of its batch', async () => {
    const company = await service.company();
    const staged = await stageCapture(company, { summary: 'short' });
    const next = `${staged.id}:0`;
    assert.equal(await toolOutcome(company, 'claim_captures', { next }), 'not_found');
    await called(company, 'claim_captures');
    assert.equal(await toolOutcome(company, 'claim_captures', { next }), 'ok');
    const others = [await service.company(), await addPerson(service, company, { teamRole: 'admin' })];
    for (const other of others) {
      assert.equal(await toolOutcome(other, 'claim_captures', { next }), 'not_found');
    }
    for (const wrong of [`${staged.id}:99`, `${staged.id}:-1`, `${staged.id}:x`]) {
      assert.equal(await toolOutcome(company, 'claim_captures', { next: wrong }), 'invalid_request');
    }
  });
});

describe('the tool import_status', () => {
  test('lists imports with the reason of a failure, and goes on after the last one', async () => {
    const company = await service.company();
    const ids = await plantImports(service, company, 60);
    type Listed = { imports: { id: string; error: object }[]; note?: string };
    const first = await called<Listed>(company, 'import_status');
    assert.deepEqual(first.imports[0]?.error, FAULT);
    const [, next] = /with the id (after:\S+) to continue/.exec(first.note ?? '') ?? [];
    const second = await called<Listed>(company, 'import_status', { id: next });
    assert.deepEqual(column([...first.imports, ...second.imports], 'id'), ids.toReversed());
    assert.equal(second.note, undefined);
    const one = await called<Listed>(company, 'import_status', { id: ids[3] });
    assert.deepEqual(column(one.imports, 'id'), [ids[3]]);
  });

  test('says in which encoding a file was read, and nothing where it was UTF-8', async () => {
    const company = await service.company();
    const [id, usual] = await plantImports(service, company, 2, { state: 'completed' });
    await service.database.query(`update memory.import set encoding = 'shift_jis' where id = $1`, [id]);
    type Listed = { imports: { id: string; encoding?: string }[] };
    const all = await called<Listed>(company, 'import_status');
    assert.deepEqual(columns(all.imports, 'id', 'encoding'), [
      [usual, undefined],
      [id, 'shift_jis'],
    ]);
  });

  test('says in words what could not be read of a file, of one import and in the list', async () => {
    const company = await service.company();
    const [id, whole] = await plantImports(service, company, 2, { state: 'completed' });
    const unread = [{ kind: 'page', names: [2, 5, 6, 7], reason: 'no_text' }];
    await service.database.query('update memory.import set unread = $2 where id = $1', [
      id,
      JSON.stringify(unread),
    ]);
    type Listed = { imports: { id: string; unread?: string }[] };
    const words = 'pages 2, 5-7 (no text: pictures or blank)';
    const one = await called<Listed>(company, 'import_status', { id });
    assert.deepEqual(columns(one.imports, 'id', 'unread'), [[id, words]]);
    const all = await called<Listed>(company, 'import_status');
    assert.deepEqual(columns(all.imports, 'id', 'unread'), [
      [whole, undefined],
      [id, words],
    ]);
  });
});
