import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_TEXT_BYTES } from '../../shared/body-limits.ts';
import type { Source, SourceVersion } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordedBy } from '../support/company.ts';
import { plantedSecrets } from '../support/planted-secrets.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

interface Sent {
  text: string | null;
  exact: boolean;
}

/** The text of a source, as it is read. */
async function read(caller: Caller, id: string, version = ''): Promise<Sent> {
  const answer = await caller.send('GET', `/v1/memory/sources/${id}?text=true&limit=1${version}`);
  assert.equal(answer.statusCode, 200, answer.body);
  const { text, exact } = answer.json<Sent>();
  return { text, exact };
}

const versionsOf = (caller: Caller, id: string) =>
  caller.readAll<SourceVersion>(`/v1/memory/sources/${id}/versions`);

const LINE = 'The heron stands in the shallow water and waits for fish. ';
const TABLE = `| Berth | Fee |\n|---|---|\n${'| north | 12.50 |\n'.repeat(300)}`;
const CODE = `function heron() {\n\n${'    if (a) {\n\t\treturn "b";  \n    }\n\n\n'.repeat(120)}}\n`;

describe('the text of a source as it was sent', () => {
  const known: Record<string, string> = {
    'prose of several passages': `# Herons\n\n${`${LINE.repeat(12)}\n\n`.repeat(20)}`,
    'a table whose heading row is repeated': `Fees:\n${TABLE}\n\nAfter it.`,
    'a CSV': `name;note\n${'"heron";"two\nlines"\n'.repeat(200)}`,
    code: CODE,
    'CRLF, CR and LF mixed': `one\r\ntwo\rthree\n\r\n${LINE.repeat(80)}\r\n\r\r\nend\r\n`,
    'CRLF only': `${LINE}\r\n\r\n`.repeat(150),
    'a byte order mark and white space around it': `\ufeff \n\t${LINE}\u00a0\u2028\n `,
    'long words': `${'x'.repeat(9000)} ${'ä'.repeat(5000)}\n${'e\u0301'.repeat(3000)}`,
    'white space of all kinds between passages': `${LINE.repeat(35)}\u2029\u3000\n \u0085\n${LINE.repeat(40)}\v\f`,
    'a list': `- a\n  - b\n\n    c\n${`* ${LINE}\n`.repeat(100)}`,
  };
  for (const [name, text] of Object.entries(known)) {
    test(`is the same: ${name}`, async () => {
      const company = await service.company();
      const { id } = await addSource(company, { text });
      assert.deepEqual(await read(company, id), { text, exact: true });
    });
  }

  test('is the same, whatever it is', async () => {
    const company = await service.company();
    const piece = fc.oneof(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        '\n\n',
        ' ',
        '\t',
        '\u2028',
        '\ufeff',
        '# H\n',
        '| a | b |\n|--|--|\n',
        '```\n',
        '- ',
      ),
      fc.constantFrom(LINE.repeat(20), TABLE, 'x'.repeat(2500), 'a;b\n'.repeat(600)),
      fc.string({ unit: 'grapheme' }),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        // The word makes it a text that is not blank and not there yet.
        const whole = `${given}${crypto.randomUUID()}${given.split('').toReversed().join('').toWellFormed()}`;
        const { id } = await addSource(company, { text: whole });
        assert.deepEqual(await read(company, id), { text: whole, exact: true });
      }),
      { numRuns: 40 },
    );
  });

  test('stays the same when the source is moved, archived and restored; an archived one has none', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const text = `\ufeff${LINE.repeat(60)}\r\n${CODE}`;
    const { id } = await addSource(company, { text });
    await company.api.changeSource(id, { clientId });
    assert.deepEqual(await read(company, id), { text, exact: true });
    await archived(company, id);
    assert.deepEqual(await read(company, id), { text: null, exact: false });
    await company.api.restoreSource(id);
    assert.deepEqual(await read(company, id), { text, exact: true });
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal((await member.send('GET', `/v1/memory/sources/${id}?text=true`)).statusCode, 404);
  });

  test('is of the same moment as the source and its passages, while it is replaced', async () => {
    const company = await service.company();
    const texts = Array.from({ length: 12 }, (_, at) => `The text number ${at} of ${crypto.randomUUID()}.`);
    const send = (text: string) => company.api.ingestSource({ title: text, externalId: 'replaced', text });
    const { source } = await send('The first text.');
    let isReplacing = true;
    const replace = async () => {
      try {
        for (const text of texts) await send(text);
      } finally {
        isReplacing = false;
      }
    };
    const readAll = async () => {
      const found: { title: string; text: string | null; chunks: { text: string }[] }[] = [];
      while (isReplacing) {
        const answer = await company.send('GET', `/v1/memory/sources/${source.id}?text=true`);
        found.push(answer.json());
      }
      return found;
    };
    const [found] = await Promise.all([readAll(), replace()]);
    const moments = found.map(({ title, text, chunks }) => [title, text, chunks[0]?.text]);
    assert.deepEqual(
      moments,
      moments.map(([title]) => [title, title, title]),
    );
  });

  test('is only there on request, and null for chunks that were sent and for other kinds', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { text: LINE });
    const plain = await company.api.getSource(id);
    assert.equal('text' in plain || 'exact' in plain, false);
    const chunks = await addSource(company, { chunks: [{ text: 'One.' }, { text: 'Two.' }] });
    assert.deepEqual(await read(company, chunks.id), { text: null, exact: false });
  });

  test('of a source of before is joined from its passages, and said to be so', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { text: `${LINE.repeat(30)}\r\n\r\n\r\n${TABLE}` });
    await service.database.query('update memory.source set text_form = null where id = $1', [id]);
    await service.database.query('update memory.chunk set gap = null where source_id = $1', [id]);
    const { text, exact } = await read(company, id);
    assert.equal(exact, false);
    assert.equal(text, `${LINE.repeat(30).trim()}\n\n${TABLE.trim()}`);
  });
});

describe('the versions of a source', () => {
  /** Sends texts under one externalId, one after the other. */
  async function sent(company: SignedIn, ...texts: string[]): Promise<string> {
    let id = '';
    for (const text of texts) ({ id } = await addSource(company, { text, externalId: 'v' }));
    return id;
  }

  test('are its former texts, newest first, with their numbers', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'admin' });
    const id = await sent(company, 'first\r\n', `second ${LINE.repeat(50)}\n`);
    await addSource(member, { text: 'third', externalId: 'v' });
    const listed = await versionsOf(company, id);
    assert.deepEqual(
      listed.map(({ version, actorId, characters }) => [version, actorId, characters]),
      [
        [2, company.ownerId, `second ${LINE.repeat(50)}\n`.length],
        [1, company.ownerId, 7],
      ],
    );
    assert.ok(listed[0]!.at > listed[1]!.at);
    assert.deepEqual(await read(company, id, '&version=1'), { text: 'first\r\n', exact: true });
    assert.deepEqual(await read(company, id, '&version=2'), {
      text: `second ${LINE.repeat(50)}\n`,
      exact: true,
    });
    assert.deepEqual(await read(company, id), { text: 'third', exact: true });
    for (const query of ['text=true&version=3', 'text=true&version=9']) {
      assert.equal(outcome(await company.send('GET', `/v1/memory/sources/${id}?${query}`)), '404 not_found');
    }
    for (const query of ['version=1', 'text=true&version=0', 'text=true&version=x', 'text=yes']) {
      assert.equal(
        outcome(await company.send('GET', `/v1/memory/sources/${id}?${query}`)),
        '400 invalid_request',
      );
    }
  });

  test('the same text again makes none; the last ten are kept', async () => {
    const company = await service.company();
    const texts = Array.from({ length: 13 }, (_, n) => `text ${n}`);
    const id = await sent(company, 'text 0', ...texts, 'text 12');
    const versions = (await versionsOf(company, id)).map(({ version }) => version);
    assert.deepEqual(versions, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  });

  test('follow the source into another layer, are out of reach with it, and go when it is purged', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const id = await sent(company, 'first', 'second');
    const member = await addPerson(service, company, { teamRole: 'member' });
    const ask = () => member.send('GET', `/v1/memory/sources/${id}/versions`);
    assert.equal((await ask()).statusCode, 200);
    await company.api.changeSource(id, { clientId });
    assert.equal(outcome(await ask()), '404 not_found');
    assert.equal((await versionsOf(company, id)).length, 1);
    await archived(company, id);
    assert.deepEqual(await read(company, id, '&version=1'), { text: null, exact: false });
    await company.api.purgeSource(id);
    const left = await service.database.query('select from memory.source_version where source_id = $1', [id]);
    assert.equal(left.length, 0);
  });
});

describe('a new text of a source', () => {
  const patch = (caller: Caller, { id, updatedAt }: Source, change: object) =>
    caller.send('PATCH', `/v1/memory/sources/${id}`, { baseUpdatedAt: updatedAt, ...change });

  /** The titles of what a search for a word finds. */
  const found = async (caller: Caller, query: string) => [
    ...new Set(
      (await caller.api.searchMemory({ query, embeddingMode: 'keyword', scope: {} })).hits.map(
        ({ title }) => title,
      ),
    ),
  ];

  test('replaces its passages and keeps the one before, with other fields at once', async () => {
    const company = await service.company();
    const source = await addSource(company, { title: 'Old', text: 'The walrus dives.\r\n', tags: ['a'] });
    const text = `# New\r\n\r\n${LINE.repeat(90)}\n`;
    const { events } = await recordedBy(service, company, async () => {
      const answer = await patch(company, source, { text, title: 'New', tags: ['b'] });
      assert.equal(answer.statusCode, 200, answer.body);
      const { title, tags, chunks } = answer.json<Source>();
      assert.deepEqual([title, tags], ['New', ['b']]);
      assert.ok(chunks > 1);
    });
    assert.deepEqual(
      events.map(({ kind, subjectId }) => [kind, subjectId]),
      [['memory.replace', source.id]],
    );
    assert.deepEqual(await read(company, source.id), { text, exact: true });
    assert.deepEqual(await read(company, source.id, '&version=1'), {
      text: 'The walrus dives.\r\n',
      exact: true,
    });
    assert.deepEqual([await found(company, 'walrus'), await found(company, 'heron')], [[], ['New']]);
  });

  test('is refused if the source changed since, and changes nothing if it is the same', async () => {
    const company = await service.company();
    const source = await addSource(company, { text: 'The walrus dives.' });
    const same = await patch(company, source, { text: 'The walrus dives.' });
    assert.equal(same.json<Source>().updatedAt, source.updatedAt);
    assert.equal((await patch(company, source, { text: 'The heron stands.' })).statusCode, 200);
    assert.equal(outcome(await patch(company, source, { text: 'The seal swims.' })), '409 version_conflict');
    assert.equal((await read(company, source.id)).text, 'The heron stands.');
    assert.equal((await versionsOf(company, source.id)).length, 1);
  });

  test('is refused where there is no text to change, or another source has it', async () => {
    const company = await service.company();
    const source = await addSource(company, { text: 'The walrus dives.' });
    const other = await addSource(company, { text: 'The heron stands.' });
    const chunks = await addSource(company, { chunks: [{ text: 'One.' }] });
    const text = 'The seal swims.';
    assert.equal(outcome(await patch(company, source, { text: 'The heron stands.' })), '409 conflict');
    assert.equal(outcome(await patch(company, chunks, { text })), '409 conflict');
    await archived(company, other.id);
    assert.equal(outcome(await patch(company, other, { text })), '409 conflict');
    for (const fault of [
      { baseUpdatedAt: undefined },
      { clientId: null },
      { text: ' ' },
      { baseUpdatedAt: 'x' },
    ]) {
      assert.equal(outcome(await patch(company, source, { text, ...fault })), '400 invalid_request');
    }
    const alone = { text: undefined, title: 'x' };
    assert.equal(outcome(await patch(company, source, alone)), '400 invalid_request');
    // With an externalId, the text can be that of another source.
    const named = await addSource(company, { text: 'A named one.', externalId: 'named' });
    assert.equal((await patch(company, named, { text: 'The walrus dives.' })).statusCode, 200);
  });

  test('a version is restored, and the text that it replaces becomes one', async () => {
    const company = await service.company();
    const source = await addSource(company, { text: 'first\r\n' });
    await patch(company, source, { text: 'second' });
    const restore = (version: string) =>
      company.send('POST', `/v1/memory/sources/${source.id}/versions/${version}/restore`);
    const { events } = await recordedBy(service, company, async () => {
      const answer = await restore('1');
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.json<Source>().id, source.id);
    });
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail['restored']]),
      [['memory.replace', 1]],
    );
    assert.deepEqual(await read(company, source.id), { text: 'first\r\n', exact: true });
    assert.deepEqual(
      (await versionsOf(company, source.id)).map(({ version }) => version),
      [2, 1],
    );
    for (const version of ['3', '0', 'x']) assert.equal(outcome(await restore(version)), '404 not_found');
    await archived(company, source.id);
    assert.equal(outcome(await restore('1')), '409 conflict');
  });

  test('of another person is changed only with Full access', async () => {
    const company = await service.company();
    const source = await addSource(company, { text: 'The walrus dives.' });
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal(outcome(await patch(member, source, { text: 'The heron stands.' })), '403 forbidden');
    const clientId = await addClient(service, company);
    const ofClient = await addSource(company, { text: 'The seal swims.', scope: { clientId } });
    const clients = { [clientId]: 'read' } as const;
    const reader = await addPerson(service, company, { teamRole: 'member', clients });
    // So long that its passages would be written before the rest.
    assert.equal(
      outcome(await patch(reader, ofClient, { text: `${LINE}\n\n`.repeat(5000) })),
      '403 forbidden',
    );
    const own = await addSource(member, { text: 'The seal swims.' });
    assert.equal((await patch(company, own, { text: 'The heron stands.' })).statusCode, 200);
  });

  test('is checked for credentials, as a restored one is', async () => {
    const company = await service.company();
    const secret = plantedSecrets()[0]!.text;
    const source = await addSource(company, { text: 'The walrus dives.' });
    const flagged = await patch(company, source, { text: secret });
    assert.equal(flagged.json<{ redactions: unknown[] }>().redactions.length, 1);
    const again = await patch(company, flagged.json<Source>(), { text: 'The heron stands.' });
    assert.equal(again.statusCode, 200);
    await company.api.changeSelectedTeam({ redaction: 'refuse' });
    assert.equal(
      outcome(await patch(company, again.json<Source>(), { text: secret })),
      '422 secret_detected',
    );
    const restored = await company.send('POST', `/v1/memory/sources/${source.id}/versions/2/restore`);
    assert.equal(outcome(restored), '422 secret_detected');
  });
});

test('a text above 8 MiB is stored, and cannot be read, changed or restored as it was sent', async () => {
  const company = await service.company();
  const blank = ' '.repeat(MAX_TEXT_BYTES);
  const { id, updatedAt } = await addSource(company, { text: `one${blank}two`, externalId: 'long' });
  assert.deepEqual(await read(company, id), { text: null, exact: false });
  const change = { text: 'three', baseUpdatedAt: updatedAt };
  assert.equal(outcome(await company.send('PATCH', `/v1/memory/sources/${id}`, change)), '409 conflict');
  const [row] = await service.database.query<{ bytes: number }>(
    'select sum(pg_column_size(c.*))::int as bytes from memory.chunk c where c.source_id = $1',
    [id],
  );
  assert.ok(row!.bytes < 10_000, 'the white space between its passages is not kept');
  await addSource(company, { text: 'three', externalId: 'long' });
  assert.deepEqual(await company.readAll(`/v1/memory/sources/${id}/versions`), []);
});
