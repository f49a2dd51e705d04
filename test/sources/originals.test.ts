import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { readOriginal } from '../../core/sources/queries.ts';
import { ObjectFault } from '../../db/objects/bucket.ts';
import type { BlobStore } from '../../db/queries/workspace/contents.ts';
import { createLogger } from '../../shared/logger.ts';
import { narrowScope, type TeamScope } from '../../shared/scope.ts';
import { openTestApp } from '../support/app.ts';
import { readImport } from '../support/import-records.ts';
import {
  download,
  imported,
  originalOf,
  sha256Of,
  storedOriginals,
  type TestFile,
  textFile,
  uploaded,
} from '../support/originals.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addTeam } from '../support/team.ts';
import { writeZip } from '../support/zip-writer.ts';
import { textRow, workbookMembers, writeXlsx } from '../worker/extract/office/sheet-writer.ts';

const service = await openTestApp();
const newWord = () => `quokka${crypto.randomUUID().replaceAll('-', '')}`;
/** A page of more than two slices, and not a whole number of them. Its text is short, so that it is read soon. */
const largePage = (filename: string): TestFile => ({
  filename,
  content: Buffer.from(`<p>${newWord()}</p><!-- ${'long '.repeat(500_000)} -->`),
});

/** A company with one imported file. */
async function withFile(file: TestFile = textFile('notes.txt', newWord()), env: Record<string, string> = {}) {
  const company = await service.company();
  return { company, file, sourceId: await imported(service, company, file, env) };
}

describe('the original of an import', () => {
  test('is returned byte for byte, as an attachment that no browser shows', async () => {
    const { company, file, sourceId } = await withFile(largePage('a/b\\Übersicht "1".html'));
    const sha256 = sha256Of(file.content);
    assert.deepEqual(await originalOf(company, sourceId), {
      mediaType: 'text/html',
      bytes: file.content.length,
      sha256,
    });
    const answer = await download(service, company, sourceId);
    assert.equal(answer.statusCode, 200);
    assert.equal(sha256Of(answer.rawPayload), sha256);
    const { headers } = answer;
    assert.deepEqual(
      [headers['content-type'], headers['content-length'], headers['etag'], headers['accept-ranges']],
      ['text/html', String(file.content.length), `"${sha256}"`, 'bytes'],
    );
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="?bersicht  1 .html"; filename*=UTF-8''%C3%9Cbersicht%20%201%20.html`,
    );
    assert.deepEqual(
      [headers['x-content-type-options'], headers['content-security-policy'], headers['cache-control']],
      ['nosniff', "default-src 'none'; sandbox", 'no-store'],
    );
  });

  test('is returned in ranges that cost what they send', async () => {
    const { company, file, sourceId } = await withFile(largePage('large.html'));
    const { length } = file.content;
    const etag = `"${sha256Of(file.content)}"`;
    const part = async (range: string, headers: Record<string, string> = {}) => {
      const answer = await download(service, company, sourceId, { range, ...headers });
      const { 'content-range': shown, 'content-length': bytes } = answer.headers;
      assert.equal(Number(bytes), answer.rawPayload.length, range);
      return [answer.statusCode, shown, sha256Of(answer.rawPayload)] as const;
    };
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=1048570-2097160', 1_048_570, 2_097_160],
      ['bytes=2400000-', 2_400_000, length - 1],
      ['bytes=-5', length - 5, length - 1],
      [`bytes=-${length + 1}`, 0, length - 1],
      [`bytes=10-${length * 2}`, 10, length - 1],
      ['bytes=0-9,5-20', 0, 20],
    ] as const) {
      const expected = [
        206,
        `bytes ${start}-${end}/${length}`,
        sha256Of(file.content.subarray(start, end + 1)),
      ];
      assert.deepEqual(await part(range), expected, range);
    }
    const whole = [200, undefined, sha256Of(file.content)];
    for (const range of ['bytes=0-1,100-101', 'bytes=x', 'lines=0-1', `lines=${length}-`, 'bytes']) {
      assert.deepEqual(await part(range), whole, range);
    }
    assert.equal((await part('bytes=0-3', { 'if-range': etag }))[0], 206);
    for (const other of ['"other"', `W/${etag}`, new Date().toUTCString()]) {
      assert.deepEqual(await part('bytes=0-3', { 'if-range': other }), whole, other);
    }
    for (const range of [`bytes=${length}-`, 'bytes=-0']) {
      const beyond = await download(service, company, sourceId, { range });
      assert.equal(outcome(beyond), '416 range_not_satisfiable', range);
      assert.equal(beyond.headers['content-range'], `bytes */${length}`);
    }
  });

  test('is not sent again to a client that has it, nor for HEAD', async () => {
    const { company, file, sourceId } = await withFile();
    const etag = `"${sha256Of(file.content)}"`;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await download(service, company, sourceId, { 'if-none-match': known });
      assert.deepEqual([answer.statusCode, answer.headers['etag'], answer.body], [304, etag, ''], known);
    }
    assert.equal((await download(service, company, sourceId, { 'if-none-match': '"x"' })).statusCode, 200);
    // As fetch of Node sends it.
    const reload = { 'if-none-match': etag, 'cache-control': 'no-cache', pragma: 'no-cache' };
    assert.equal((await download(service, company, sourceId, reload)).statusCode, 304);
    const head = await download(service, company, sourceId, { range: 'bytes=0-1' }, 'HEAD');
    assert.deepEqual(
      [head.statusCode, head.headers['content-length'], head.headers['etag'], head.body],
      [200, String(file.content.length), etag, ''],
    );
  });

  test('is returned to the end, also to a client that needs more than five minutes for it', async (t) => {
    const { company, file, sourceId } = await withFile(largePage('large.html'));
    let reads = 0;
    const blobs: BlobStore = {
      ...service.blobs,
      readPart: (...args) => {
        if (++reads === 2) t.mock.timers.tick(301_000);
        return service.blobs.readPart(...args);
      },
    };
    const app = await buildTestedApp({ ...service, blobs, logger: createLogger('silent', 'test') });
    t.after(() => app.close());
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answer = await download({ app }, company, sourceId);
    assert.equal(sha256Of(answer.rawPayload), sha256Of(file.content));
    assert.ok(reads > 1);
  });

  test('ends early with an error of the log unless the content was purged by then', async () => {
    const { company, file, sourceId } = await withFile(largePage('large.html'));
    const ends = async (second: () => Promise<Buffer | null>) => {
      const lines: string[] = [];
      const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) });
      let reads = 0;
      const readPart: BlobStore['readPart'] = (...args) =>
        ++reads === 2 ? second() : service.blobs.readPart(...args);
      const deps = { ...service, blobs: { ...service.blobs, readPart }, logger };
      const range = { start: 0, end: file.content.length - 1 };
      const slices = await readOriginal(deps, ownerScope(company), sourceId, sha256Of(file.content), range);
      await slices.next();
      await assert.rejects(slices.next());
      return lines.map((line) => (JSON.parse(line) as { level: number }).level);
    };
    assert.deepEqual(await ends(() => Promise.resolve(null)), [pino.levels.values['info']]);
    const fails = () => Promise.reject(new ObjectFault('damaged', 'not what was stored'));
    assert.deepEqual(await ends(fails), [pino.levels.values['error']]);
  });
});

describe('a source without an original', () => {
  test('has null, and 404 as an unknown source', async () => {
    const company = await service.company();
    const unknown = await download(service, company, '01981f6e-5b7a-7c3e-9d42-6f0a1b2c3d4e');
    const body = (answer: { body: string }) => ({ ...JSON.parse(answer.body), requestId: '' }) as unknown;
    const ingested = await addSource(company);
    assert.equal(ingested.original, null);
    const expiring = await imported(service, company, {
      ...textFile('soon.txt', newWord()),
      expiresAt: '2098-01-01T00:00:00.000Z',
    });
    await service.database.query(
      `update memory.source set expires_at = now() - interval '1 second' where id = $1`,
      [expiring],
    );
    const gone = await imported(service, company, textFile('gone.txt', newWord()));
    await archived(company, gone);
    const off = await imported(service, company, textFile('off.txt', newWord()), {
      MEMORY_KEEP_ORIGINALS: 'off',
    });
    for (const id of [ingested.id, expiring, gone, off, 'x']) {
      const answer = await download(service, company, id);
      assert.equal(outcome(answer), '404 not_found');
      assert.deepEqual(body(answer), body(unknown));
      if (id !== 'x') assert.equal(await originalOf(company, id), null);
    }
    // An archived source keeps its file, so that it can be restored.
    assert.equal((await storedOriginals(service, company)).originals.length, 2);
  });

  test('is one whose file had a credential, also where its text is not read, if credentials are masked', async () => {
    const page = `<script>const apiKey = 'AKIAIOSFODNN7EXAMPLB';</script><p>${newWord()}</p>`;
    const utf16 = Buffer.from(`\ufeff${page}`, 'utf16le');
    const workbook = writeZip([
      ...workbookMembers({ sheets: { Parts: textRow(1, newWord()) } }),
      {
        name: 'xl/connections.xml',
        content: '<connection connectionString="User ID=sa;Password=hunter22"/>',
      },
    ]);
    const key = Buffer.from('The key is AKIAIOSFODNN7EXAMPLB, do not share it.');
    for (const [filename, content, mode, isKept] of [
      ['key.txt', key, 'redact', false],
      ['key.txt', key, 'flag', true],
      ['a.html', Buffer.from(page), 'redact', false],
      ['a.html', utf16, 'redact', false],
      ['a.xlsx', workbook, 'redact', false],
      ['a.xlsx', workbook, 'flag', true],
      ['a.html', Buffer.from(page), 'refuse', false],
      ['a.html', Buffer.from(page), 'flag', true],
      ['a.html', Buffer.from(page.replace(/'.*'/, 'null')), 'redact', true],
    ] as const) {
      const { company, sourceId } = await withFile({ filename, content }, { MEMORY_REDACTION: mode });
      assert.equal((await originalOf(company, sourceId)) !== null, isKept, mode);
      assert.equal((await storedOriginals(service, company)).contents.length, isKept ? 1 : 0, mode);
    }
  });

  test('is one whose sheet had a credential in its name, which the import lists', async () => {
    const company = await service.company();
    const content = writeXlsx({ sheets: { 'password=hunter22': textRow(1, newWord()) } });
    const env = { MEMORY_REDACTION: 'redact' };
    const { importId, run } = await uploaded(service, company, { filename: 'keys.xlsx', content }, env);
    await run();
    const { sourceId, redactions } = await readImport(company, importId);
    assert.deepEqual(
      redactions?.map(({ rule, path }) => [rule, path]),
      [['password', '/sheet']],
    );
    assert.equal(await originalOf(company, sourceId ?? ''), null);
  });
});

describe('the same file again', () => {
  test('gives its original to a source that was imported without one', async () => {
    const file = textFile('notes.txt', newWord());
    const { company, sourceId } = await withFile(file, { MEMORY_KEEP_ORIGINALS: 'off' });
    assert.equal(await originalOf(company, sourceId), null);
    assert.equal(await imported(service, company, file), sourceId);
    assert.equal((await originalOf(company, sourceId))?.sha256, sha256Of(file.content));
  });

  test('keeps the first original of a source with the same text', async () => {
    const word = newWord();
    const first = { filename: 'a.txt', content: Buffer.from(`\ufeff${word} swims`, 'utf16le') };
    const { company, sourceId } = await withFile(first);
    const second = { filename: 'a.txt', content: Buffer.from(`\ufeff${word} swims`) };
    assert.equal(await imported(service, company, second), sourceId);
    assert.deepEqual((await download(service, company, sourceId)).rawPayload, first.content);
    assert.deepEqual((await storedOriginals(service, company)).originals, [sha256Of(first.content)]);
  });
});

describe('the reach of an original', () => {
  test('is checked by the database as well: only an active source shows a content', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const file = textFile('a.txt', newWord());
    const sourceId = await imported(service, company, { ...file, clientId });
    const sha256 = sha256Of(file.content);
    const read = async (scope: TeamScope) => {
      const part = await service.blobs.readPart(scope, sha256, { start: 0, length: 5 });
      const whole = await service.blobs.read(scope, [sha256]);
      assert.deepEqual(part, whole.get(sha256)?.subarray(0, 5) ?? null);
      return part?.toString() ?? null;
    };
    const own = ownerScope(company, [clientId]);
    assert.equal(await read(own), 'quokk');
    assert.equal(await read(narrowScope(own, { include: ['team'] })), null);
    assert.equal(
      await read(ownerScope({ ...company, teamId: await addTeam(service, company) }, [clientId])),
      null,
    );
    assert.equal(await read(ownerScope(await service.company(), [clientId])), null);
    await archived(company, sourceId);
    assert.equal(await read(own), null);
  });
});
