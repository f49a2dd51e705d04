import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { isId } from '../../shared/ids.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, type Caller } from '../support/team.ts';

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
      unread: [],
      encoding: null,
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
      [base64('a'), '/items/1/contentBase64'],
      [base64('eA='), '/items/1/contentBase64'],
      [base64('eA=='.repeat(2)), '/items/1/contentBase64'],
      [base64('eA==='), '/items/1/contentBase64'],
      [base64('=='), '/items/1/contentBase64'],
      [base64('é==='), '/items/1/contentBase64'],
      [base64('data:text/plain;base64,eA=='), '/items/1/contentBase64'],
    ] as const) {
      assertInvalid(await send(company, [good, item]), path);
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
