import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { isId, newId } from '../../shared/ids.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { plantImports } from '../support/import-records.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam, withoutRequestId } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

interface List {
  items: Import[];
  nextCursor: string | null;
}

const send = (caller: Caller, items: object[], scope?: object) => caller.ask.importFiles({ items, scope });

async function list(caller: Caller, query = ''): Promise<List> {
  const answer = await caller.send('GET', `/v1/memory/imports${query}`);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<List>();
}

/** What an import says of the bytes of its file. */
const file = (text: string) => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

const countImports = async (company: SignedIn) => (await list(company)).items.length;

describe('POST /v1/memory/imports', () => {
  test('accepts files as text or base64 and returns 202 with each import, in order', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const items = [
      { filename: 'notes.md', text: '# Größe' },
      {
        filename: 'scan',
        title: 'A scan',
        mediaType: 'text/plain; charset=utf-8',
        contentBase64: 'aGVsbG8=',
      },
      { filename: 'LOUD.TXT', mediaType: 'application/octet-stream', text: 'x' },
    ];
    const answer = await send(company, items, { clientId });
    assert.equal(answer.statusCode, 202, answer.body);
    const { imports } = answer.json<{ imports: Import[] }>();
    const common = {
      layer: 'client',
      clientId,
      state: 'queued',
      progress: null,
      redactions: [],
      attempts: 0,
      error: null,
      payloadPrunedAt: null,
      sourceId: null,
      expiresAt: null,
      occurredAt: null,
      similarSources: [],
      createdBy: company.ownerId,
      createdWith: null,
    };
    assert.deepEqual(
      imports.map(({ id, createdAt, updatedAt, ...rest }) => {
        assert.ok(isId(id) && createdAt.endsWith('Z') && updatedAt.endsWith('Z'));
        return rest;
      }),
      [
        { filename: 'notes.md', title: 'notes.md', mediaType: 'text/markdown', ...file('# Größe') },
        { filename: 'scan', title: 'A scan', mediaType: 'text/plain', ...file('hello') },
        { filename: 'LOUD.TXT', title: 'LOUD.TXT', mediaType: 'text/plain', ...file('x') },
      ].map((own) => ({ ...common, ...own })),
    );
    const jobs = await database.query('select from pgboss.job where group_tier = $1 and name = $2', [
      company.teamId,
      'import.process',
    ]);
    assert.equal(jobs.length, 3);
  });

  test('returns 415 and imports nothing if one file has an unknown type', async () => {
    const company = await service.company();
    for (const item of [
      { filename: 'a.exe', text: 'x' },
      { filename: 'a', contentBase64: 'eA==' },
      { filename: 'a.txt', mediaType: 'application/x-msdownload', text: 'x' },
      { filename: 'a.txt.', text: 'x' },
      { filename: 'constructor', mediaType: 'constructor', text: 'x' },
    ]) {
      const answer = await send(company, [{ filename: 'good.txt', text: 'x' }, item]);
      assert.equal(outcome(answer), '415 unsupported_media_type', JSON.stringify(item));
    }
    assert.equal(await countImports(company), 0);
  });

  test('treats text without a type or a file extension as plain text', async () => {
    const answer = await send(await service.company(), [{ filename: 'notes', text: 'x' }]);
    assert.equal(answer.statusCode, 202);
    assert.equal(answer.json<{ imports: Import[] }>().imports[0]?.mediaType, 'text/plain');
  });

  test('returns 400 with the faulty field and imports nothing if one item is invalid', async () => {
    const company = await service.company();
    const good = { filename: 'a.txt', text: 'x' };
    const base64 = (contentBase64: string) => ({ filename: 'a.txt', contentBase64 });
    for (const [item, path] of [
      [{ filename: 'a.txt' }, '/items/1'],
      [{ ...good, contentBase64: 'eA==' }, '/items/1'],
      [{ text: 'x' }, '/items/1/filename'],
      [{ ...good, filename: ' .txt'.trim().slice(0, 0) }, '/items/1/filename'],
      [base64('a'), '/items/1/contentBase64'],
      [base64('eA='), '/items/1/contentBase64'],
      [base64('eA=='.repeat(2)), '/items/1/contentBase64'],
      [base64('eA==='), '/items/1/contentBase64'],
      [base64('=='), '/items/1/contentBase64'],
      [base64('é==='), '/items/1/contentBase64'],
      [base64('data:text/plain;base64,eA=='), '/items/1/contentBase64'],
    ] as const) {
      // Without a name the type is not known either: a known one is declared.
      assertInvalid(await send(company, [good, { mediaType: 'text/plain', ...item }]), path);
    }
    for (const items of [[], undefined]) {
      assert.equal(outcome(await company.ask.importFiles({ items })), '400 invalid_request');
    }
    assert.equal(await countImports(company), 0);
  });

  test('accepts base64 with line breaks, without padding, and of large files', async () => {
    const company = await service.company();
    const large = Buffer.alloc(20_000_000, 'seven letters ').toString('base64');
    const answer = await send(company, [
      { filename: 'a.txt', contentBase64: 'aGVs\r\nbG8g\n d29ybGQ' },
      { filename: 'b.txt', contentBase64: large },
    ]);
    assert.equal(answer.statusCode, 202);
    const { imports } = answer.json<{ imports: Import[] }>();
    assert.deepEqual(
      imports.map(({ bytes }) => bytes).sort((a, b) => a - b),
      [11, 20_000_000],
    );
    const spoilt = await send(company, [{ filename: 'b.txt', contentBase64: `${large.slice(4)}A!BC` }]);
    assert.equal(outcome(spoilt), '400 invalid_request');
  });
});

describe('GET /v1/memory/imports', () => {
  test('pages through all imports, newest first, while new ones arrive', async () => {
    const company = await service.company();
    const ids = await plantImports(service, company, 7);
    const newestFirst = ids.toReversed();
    const seen: string[] = [];
    let page = await list(company, '?limit=3');
    for (;;) {
      seen.push(...page.items.map((item) => item.id));
      if (page.nextCursor === null) break;
      await plantImports(service, company, 2);
      page = await list(company, `?limit=3&cursor=${page.nextCursor}`);
    }
    assert.deepEqual(seen, newestFirst);
  });

  test('returns a null cursor exactly on the last page', async () => {
    const company = await service.company();
    assert.deepEqual(await list(company), { items: [], nextCursor: null });
    await plantImports(service, company, 3);
    assert.equal((await list(company, '?limit=3')).nextCursor, null);
    assert.notEqual((await list(company, '?limit=2')).nextCursor, null);
  });

  test('returns 50 imports by default, and accepts a limit from 1 to 200', async () => {
    const company = await service.company();
    await plantImports(service, company, 205);
    assert.equal((await list(company)).items.length, 50);
    assert.equal((await list(company, '?limit=1')).items.length, 1);
    assert.equal((await list(company, '?limit=200')).items.length, 200);
  });

  test('returns 400 for an invalid limit, cursor or state', async () => {
    const company = await service.company();
    const cursor = Buffer.from(newId()).toString('base64url');
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=',
      'limit=x',
      'limit=1e2',
      'limit=%201',
      'limit=1&limit=2',
      'cursor=',
      'cursor=x',
      `cursor=${newId()}`,
      `cursor=${cursor}!`,
      `cursor=${cursor}&cursor=x`,
      'state=',
      'state=done',
      'state=QUEUED',
      'unknown=1',
    ]) {
      const answer = await company.send('GET', `/v1/memory/imports?${query}`);
      assert.equal(outcome(answer), '400 invalid_request', query);
    }
    assert.equal((await list(company, `?cursor=${cursor}`)).items.length, 0);
  });

  test('filters by state and by client', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const [failed] = await plantImports(service, company, 1);
    const [completed] = await plantImports(service, company, 1, { state: 'completed', clientId });
    const ids = async (query: string) => (await list(company, query)).items.map((item) => item.id);
    assert.deepEqual(await ids(''), [completed, failed]);
    assert.deepEqual(await ids('?state=failed'), [failed]);
    assert.deepEqual(await ids(`?clientId=${clientId}`), [completed]);
    assert.deepEqual(await ids(`?clientId=${clientId}&state=failed`), []);
    assert.deepEqual(await ids('?state=cancelled'), []);
  });

  test('shows a member only imports that they can read, and returns the same 404 for all others', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    const [ofTeam] = await plantImports(service, company, 1);
    const [ofMine] = await plantImports(service, company, 1, { clientId: mine });
    const [ofOther] = await plantImports(service, company, 1, { clientId: other });
    const [ofStranger] = await plantImports(service, stranger, 1);
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } });
    assert.deepEqual(column((await list(member)).items, 'id'), [ofMine, ofTeam]);
    for (const id of [ofTeam, ofMine, ofMine?.toUpperCase()]) {
      const answer = await member.ask.getImport(id);
      assert.equal(answer.json<Import>().id, id?.toLowerCase());
    }
    const elsewhere = inTeam(company, await addTeam(service, company));
    const refusals = [
      await elsewhere.ask.getImport(ofTeam),
      ...(await Promise.all(
        [ofOther, ofStranger, newId(), 'x', '%00', 'a'.repeat(2000)].map((id) => member.ask.getImport(id)),
      )),
    ];
    for (const answer of refusals) assert.equal(outcome(answer), '404 not_found');
    assert.equal(new Set(refusals.map(({ body }) => withoutRequestId(body))).size, 1);
  });
});
