import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { openTestApp, type SignedIn, type TestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { plantImport } from '../support/import-records.ts';
import { callTool } from '../support/mcp.ts';
import { addMemory, decide, decided, listMemories } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, along, CLAIM } from '../support/team.ts';
import { file, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const strict = await openTestApp({ MEMORY_REDACTION: 'redact' });
const unchecked = await openTestApp({ MEMORY_REDACTION: 'off' });

const SECRET = 'hunter22';
const TEXT = `The setting is password=${SECRET}.`;
const MASKED = 'The setting is password=[redacted: password].';

async function setMode(company: SignedIn, redaction: RedactionMode | null): Promise<void> {
  await company.api.changeSelectedTeam({ redaction });
}

/** Asks to ingest a text with a credential. */
const ingest = (company: SignedIn, body: object = {}, headers = {}) =>
  company.ask.ingestSource({ title: 'A title', text: TEXT, ...body }, headers);
/** The same where it must succeed. */
const ingested = (company: SignedIn, body: object = {}) =>
  company.api.ingestSource({ title: 'A title', text: TEXT, ...body });

describe('the mode of redaction', () => {
  it('is that of the deployment, and a Team can only be stricter', async () => {
    const company = await service.company();
    const effects: [TestApp, RedactionMode | null, string][] = [
      [unchecked, null, TEXT],
      [unchecked, 'redact', MASKED],
      [service, null, TEXT],
      [service, 'off', TEXT],
      [service, 'redact', MASKED],
      [strict, null, MASKED],
      [strict, 'flag', MASKED],
    ];
    for (const [app, mode, stored] of effects) {
      await setMode(company, mode);
      const setting = `${app.config.redaction} ${mode}`;
      const { source } = await ingested(via(app, company), { externalId: setting });
      assert.equal((await company.api.getSource(source.id)).chunks[0]?.text, stored, setting);
    }
    await setMode(company, 'refuse');
    for (const app of [unchecked, service, strict]) {
      assert.equal(outcome(await ingest(via(app, company))), '422 secret_detected');
    }
  });

  it('flag reports where a credential is, and nothing of it; off reports nothing', async () => {
    const company = await service.company();
    const found = { rule: 'password', path: '/text', start: 24, end: 32, preview: '…' };
    assert.deepEqual((await ingested(company, { externalId: 'a' })).redactions, [found]);
    assert.deepEqual((await ingested(via(unchecked, company), { externalId: 'b' })).redactions, []);
  });

  it('refuse names the places in the problem, stores nothing and records nothing', async () => {
    const company = await service.company();
    await setMode(company, 'refuse');
    await recordsNothing(service, company, async () => {
      const answer = await ingest(company, { metadata: { 'db/password': SECRET } });
      assert.equal(outcome(answer), '422 secret_detected');
      assert.ok(!answer.body.includes(SECRET));
      const { detail, redactions } = answer.json<{ detail: string; redactions: { path: string }[] }>();
      assert.deepEqual(column(redactions, 'path'), ['/text', '/metadata/db~1password']);
      assert.equal(detail, 'Remove the credentials in /text (password), /metadata/db~1password (password)');
    });
    assert.deepEqual(await company.all.listSources(), []);
  });

  it('redact masks the names of metadata too, also in the path that it reports', async () => {
    const company = await service.company();
    const token = ['gh', 'p_', 'aB3'.repeat(12)].join('');
    const answer = await ingested(via(strict, company), { text: 'plain', metadata: { [token]: token } });
    assert.ok(!JSON.stringify(answer).includes(token));
    const mask = '[redacted: github]';
    assert.deepEqual(new Set(column(answer.redactions ?? [], 'path')), new Set([`/metadata/${mask}`]));
    assert.deepEqual((await company.api.getSource(answer.source.id)).metadata, { [mask]: mask });
  });

  it('finds the name of a value above a list and of a number, and keeps both of two names with the same mask', async () => {
    const company = await service.company();
    const [first, second] = ['aB3', 'cD4'].map((part) => ['gh', 'p_', part.repeat(12)].join(''));
    const metadata = {
      password: [SECRET, { note: SECRET }],
      pwd: 82_904_716,
      room: 82_904_716,
      [`${first}`]: 1,
      [`${second}`]: 2,
    };
    const { source, redactions } = await ingested(via(strict, company), { text: 'plain', metadata });
    const mask = '[redacted: github]';
    const paths = ['password/0', 'pwd', mask, `${mask} 2`].map((name) => `/metadata/${name}`);
    assert.deepEqual(column(redactions ?? [], 'path'), paths);
    assert.deepEqual((await company.api.getSource(source.id)).metadata, {
      password: ['[redacted: password]', { note: SECRET }],
      pwd: '[redacted: password]',
      room: 82_904_716,
      [mask]: 1,
      [`${mask} 2`]: 2,
    });
  });
});

describe('a request with a credential', () => {
  it('is refused for its other faults first', async () => {
    const company = await service.company();
    const published = await addMemory(company, 'published');
    const discarded = await addMemory(company, 'discarded');
    await workspaceOf(service.app, company.headers).push([file('team/a.md', 'x')]);
    await setMode(company, 'refuse');
    const edit = { action: 'update', content: TEXT };
    const search = (body: object) => {
      const stored = { query: TEXT, storeQueryText: true, embeddingMode: 'keyword', scope: {} };
      return company.ask.searchMemory({ ...stored, ...body });
    };
    const refusals: [string, { statusCode: number; json<T>(): T }][] = [
      ['400 invalid_request', await ingest(company, { other: 1 })],
      ['404 not_found', await decide(company, { ...edit, memoryId: company.teamId })],
      ['409 conflict', await decide(company, { ...edit, memoryId: discarded.id })],
      ['409 version_conflict', await decide(company, { ...edit, memoryId: published.id, version: 9 })],
      ['409 workspace_conflict', await company.ask.pushFiles({ files: [file('team/a.md', TEXT)] })],
      ['404 not_found', await company.ask.changeSource(company.teamId, { title: TEXT })],
      ['409 conflict', await company.ask.changeSource(published.sourceId, { title: TEXT })],
      ['422 secret_detected', await decide(company, { ...edit, memoryId: published.id })],
      ['403 scope_forbidden', await search({ scope: { clientId: company.teamId } })],
      ['404 not_found', await search({ sourceIds: [company.teamId] })],
      ['404 not_found', await search({ explainSource: company.teamId })],
      ['422 secret_detected', await search({ sourceIds: [published.sourceId] })],
    ];
    for (const [expected, answer] of refusals) assert.equal(outcome(answer as never), expected);
  });

  it('leaves its Idempotency-Key free when it is refused, and replays its first answer later', async () => {
    const company = await service.company();
    const key = { 'idempotency-key': 'k' };
    await setMode(company, 'refuse');
    assert.equal(outcome(await ingest(company, {}, key)), '422 secret_detected');
    await setMode(company, 'redact');
    const first = await ingest(company, {}, key);
    assert.equal(first.statusCode, 201, first.body);
    await setMode(company, 'refuse');
    const again = await ingest(company, {}, key);
    assert.deepEqual([again.statusCode, again.json()], [201, first.json()]);
  });

  it('keeps no vector of a chunk or an item in which it was masked, and keeps the others', async () => {
    const company = await service.company();
    await setMode(company, 'redact');
    const chunks = [
      { text: 'A plain chunk.', embedding: along(1) },
      { text: TEXT, embedding: along(2) },
    ];
    assert.equal((await company.api.ingestSource({ title: 'Chunks', chunks, ...CLAIM })).embedded, 1);
    const item = { content: TEXT, embedding: along(3), ...CLAIM };
    assert.equal((await addMemory(company, 'published', item)).content, MASKED);
    const vectors = await service.database.query(
      `select c.text from memory.chunk c join memory.chunk_embedding e on e.chunk_id = c.id and e.team_id = c.team_id
        where c.team_id = $1`,
      [company.teamId],
    );
    assert.deepEqual(vectors, [{ text: 'A plain chunk.' }]);
  });

  it('keeps ids that differ only in it apart, and the same id the same', async () => {
    const company = await service.company();
    await setMode(company, 'redact');
    const ids: string[] = [];
    for (const [number, password] of [SECRET, 'hunter33', SECRET].entries()) {
      const externalId = `password=${password}`;
      ids.push((await ingested(company, { externalId, text: `Text ${number}` })).source.externalId ?? '');
    }
    assert.match(ids[0] ?? '', /^password=\[redacted: password\]#[0-9a-f]{8}$/);
    assert.deepEqual([ids[0] === ids[1], ids[0] === ids[2]], [false, true]);
    const captures: string[] = [];
    for (const password of [SECRET, 'hunter33', SECRET]) {
      const body = { sessionId: `password=${password}`, sequence: 1, summary: 'plain' };
      captures.push((await company.api.stageCapture(body)).capture.id);
    }
    assert.deepEqual([captures[0] === captures[1], captures[0] === captures[2]], [false, true]);
  });

  it('is a duplicate if it differs from a stored text only in the credential', async () => {
    const company = await service.company();
    await setMode(company, 'redact');
    await ingested(company);
    assert.equal((await ingested(company, { text: TEXT.replace(SECRET, 'hunter33') })).duplicate, true);
  });
});

describe('a text whose mask is longer than its credential', () => {
  /** A text of so many characters, which is longer when it is masked. */
  const full = (length: number) => 'https://us:hunter22xq@h.io/'.padEnd(length, 'a');
  const assertFits = (stored: string | null | undefined, most: number) => {
    assert.ok(stored?.startsWith('https://us:[redacted: url-password]@h.io/'), stored ?? '');
    assert.equal(stored?.length, most);
  };

  it('is valid by what was given, and is cut to the bound of its field', async () => {
    const company = await service.company();
    await setMode(company, 'redact');
    const tags = [full(50)];
    const named = { title: full(300), uri: full(2048), externalId: full(300), tags };
    const [chunks, metadata] = [[{ text: full(8000) }], { title: full(400) }];
    const { source } = await ingested(company, { ...named, metadata, text: undefined, chunks });
    assertFits(source.title, 300);
    assertFits(source.uri, 2048);
    assertFits(source.externalId, 300);
    assertFits(source.tags[0], 50);
    const read = await company.api.getSource(source.id);
    assertFits(read.chunks[0]?.text, 8000);
    assert.ok(String(read.metadata['title']).length > 400);
    assertFits((await company.api.changeSource(source.id, { tags, title: full(300) })).title, 300);

    const file = { filename: full(300), title: full(300), tags, text: 'plain', mediaType: 'text/plain' };
    const [imported] = (await company.api.importFiles({ items: [file] })).imports;
    assertFits(imported?.filename, 300);
    assertFits(imported?.title, 300);

    const captured = await stageCapture(company, { sessionId: full(300), summary: full(64_000) });
    assertFits(captured.sessionId, 300);
    assertFits(captured.summary, 64_000);

    const item = { title: full(300), content: full(64_000), tags };
    const memory = await addMemory(company, 'published', item);
    assertFits(memory.title, 300);
    assertFits(memory.content, 64_000);
    assertFits(memory.tags[0], 50);
    const update = { action: 'update', memoryId: memory.id, tags: ['other', full(50)] };
    assertFits((await decided(company, update)).tags[1], 50);
  });

  it('is refused if what was given is too long', async () => {
    const company = await service.company();
    await setMode(company, 'redact');
    const tags = [`${full(30)}${'ß'.repeat(20)}`];
    assert.equal(outcome(await ingest(company, { tags })), '400 invalid_request');
    const items = [{ filename: 'a.txt', text: 'plain', tags }];
    assert.equal(outcome(await company.ask.importFiles({ items })), '400 invalid_request');
  });
});

describe('an error', () => {
  it('shows no credential of a file name or the name of a field, also in the mode flag', async () => {
    const company = await service.company();
    const token = ['gh', 'p_', 'aB3'.repeat(12)].join('');
    const mask = '[redacted: github]';
    const id = await plantImport(service, company, { state: 'completed', filename: `${token}.txt` });
    const retries = ['imports/retry', `imports/${id}/retry`].map((route, index) =>
      company.send('POST', `/v1/memory/${route}`, index === 0 ? { ids: [id] } : {}),
    );
    const errors: [string, Promise<{ json<T>(): T }>][] = [
      ...retries.map((answer): (typeof errors)[0] => [`The import of ${mask}.txt has not failed`, answer]),
      [
        `/metadata/a~1~0/0/${mask}: must not contain a NUL character`,
        ingest(company, { metadata: { 'a/~': [{ [token]: 'a\0' }] } }),
      ],
      [
        `/metadata/${mask}\0: must not contain a NUL character`,
        ingest(company, { metadata: { [`${token}\0`]: 1 } }),
      ],
      [`/${mask}: is not a known field`, ingest(company, { [token]: 1 })],
      [`/${mask}: must not contain a NUL character`, company.send('GET', `/v1/memory/sources?${token}=%00`)],
    ];
    for (const [expected, answer] of errors) {
      assert.equal((await answer).json<{ detail: string }>().detail, expected);
    }
  });
});

describe('a memory that was stored when the mode was weaker', () => {
  it('is masked or refused when it is published or restored, with the text that it had', async () => {
    const company = await service.company();
    const waiting = [await addMemory(company, 'review', { title: TEXT, content: TEXT })];
    const published = await addMemory(company, 'published', { content: TEXT });
    await decided(company, { action: 'update', memoryId: published.id, content: 'Nothing of it.' });
    const decisions = [
      { action: 'publish', memoryId: waiting[0]?.id },
      { action: 'restore', memoryId: published.id, version: 1 },
    ];
    await setMode(company, 'refuse');
    for (const decision of decisions) {
      assert.equal(outcome(await decide(company, decision)), '422 secret_detected', decision.action);
    }
    await setMode(company, 'redact');
    for (const decision of decisions) {
      const answer = await decide(company, decision);
      const { memory, redactions } = answer.json<{
        memory: { title: string; content: string };
        redactions: { path: string }[];
      }>();
      assert.equal(memory.content, MASKED, decision.action);
      const paths = redactions.map(({ path }) => path);
      if (decision.action === 'restore') assert.deepEqual(paths, ['/content']);
      else assert.deepEqual([memory.title, paths], [MASKED, ['/title', '/content']]);
    }
  });
});

describe('a text that an agent remembers', () => {
  it('is masked also if it waits for a decision, and so is the title that is made of it', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    await company.api.changeSelectedTeam({ redaction: 'redact', publish: 'review' });
    const token = ['sk', '-ant-api03-', 'aB3'.repeat(31), 'AA'].join('');
    const args = { text: `${token} is the key.` };
    const { value } = await callTool<{ status: string; redactions: object[] }>(member, 'remember', args);
    assert.deepEqual([value.status, value.redactions.length], ['review', 1]);
    const [memory] = await listMemories(company);
    const mask = '[redacted: anthropic]';
    assert.deepEqual([memory?.title, memory?.content], [`${mask} is the key.`, `${mask} is the key.`]);
    await setMode(company, 'refuse');
    assert.match((await callTool(member, 'remember', args)).text, /^secret_detected: /);
    assert.equal((await listMemories(company)).length, 1);
  });

  it('is checked in its tags as they were sent, whether or not it waits for a decision', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    // No rule recognizes it in lower case.
    const token = ['AK', 'IA', 'Q3EGRTZ2'.repeat(2)].join('');
    const args = { text: 'The walrus sleeps.', tags: [token] };
    for (const publish of ['anyone', 'review']) {
      await company.api.changeSelectedTeam({ redaction: 'refuse', publish });
      const { text } = await callTool(member, 'remember', args);
      assert.match(text, /^secret_detected: .*\/tags\/0/, publish);
    }
    await setMode(company, 'redact');
    const { value } = await callTool<{ status: string }>(member, 'remember', args);
    assert.equal(value.status, 'review');
    const [memory] = await listMemories(company);
    assert.deepEqual(memory?.tags, ['[redacted: aws]']);
  });
});

describe('a pushed file with a credential', () => {
  it('has at most 1,000 findings listed, of all files together', async () => {
    const company = await service.company();
    const files = ['a', 'b'].map((name) => file(`team/${name}.env`, `password=${SECRET}\n`.repeat(800)));
    const answer = await company.ask.pushFiles({ files });
    assert.equal(answer.json<{ redactions: unknown[] }>().redactions.length, 1000);
  });

  it('is refused in the modes redact and refuse, unless it is binary', async () => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    for (const mode of ['redact', 'refuse'] as const) {
      await setMode(company, mode);
      const refused = await workspace.push([file('team/plain.md', 'plain'), file('team/.env', TEXT)]);
      assert.deepEqual([refused.status, refused.code], [422, 'secret_detected']);
      assert.deepEqual(await workspace.wholeManifest(), []);
    }
    const utf16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
    assert.equal((await workspace.push([file('team/utf16.txt', utf16)])).code, 'secret_detected');
    const binary = Buffer.from(`\0\u0001${TEXT}`);
    assert.equal((await workspace.push([file('team/a.bin', binary)])).status, 200);
  });

  it('can be deleted in every mode, and its path is masked in the events', async () => {
    const company = await service.company();
    const workspace = workspaceOf(service.app, company.headers);
    const path = `team/password=${SECRET}`;
    const { events } = await recordedBy(service, company, async () => {
      assert.equal((await workspace.push([file(path, 'plain')])).status, 200);
      await setMode(company, 'refuse');
      assert.equal((await workspace.push([{ path, baseVersion: 1, deleted: true }])).status, 200);
    });
    const paths = events
      .filter(({ kind }) => kind.startsWith('workspace.'))
      .map(({ detail }) => detail['path']);
    assert.deepEqual(paths, ['team/password=[redacted: password]', 'team/password=[redacted: password]']);
  });
});
