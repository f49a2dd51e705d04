import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Capture } from '../../shared/schemas/captures.ts';
import { openTestApp } from '../support/app.ts';
import { claimBatch, sendCapture, stageCapture } from '../support/captures.ts';
import { recordedBy } from '../support/company.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, along, archiveTeam, CLAIM } from '../support/team.ts';

const service = await openTestApp();

describe('POST /v1/memory/captures', () => {
  test('returns 201 with all fields of the capture', async () => {
    const company = await service.company();
    const capture = await stageCapture(company, {
      sessionId: 'session 1',
      summary: 'Chose the blue one.',
      sequence: 3,
      startedAt: '2026-03-01T10:00:00Z',
      endedAt: '2026-03-01T10:30:00.250Z',
      metadata: { tool: 'x', files: ['a', { b: null }] },
    });
    const { id, createdAt, ...rest } = capture;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      state: 'staged',
      sessionId: 'session 1',
      sequence: 3,
      summary: 'Chose the blue one.',
      layer: 'team',
      clientId: null,
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: '2026-03-01T10:30:00.250Z',
      occurredAt: null,
      metadata: { tool: 'x', files: ['a', { b: null }] },
      createdBy: company.ownerId,
      createdWith: null,
    });
  });

  test('stages the capture in the client of the scope and fills absent fields with null or {}', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const capture = await stageCapture(company, {
      scope: { clientId: clientId.toUpperCase() },
    });
    const { layer, sequence, startedAt, endedAt, metadata } = capture;
    assert.deepEqual([layer, capture.clientId], ['client', clientId]);
    assert.deepEqual([sequence, startedAt, endedAt, metadata], [null, null, null, {}]);
  });

  test('records one event without the text of the capture', async () => {
    const company = await service.company();
    let staged: Capture | undefined;
    const { events, text } = await recordedBy(service, company, async () => {
      staged = await stageCapture(company, { sessionId: 'sesame', summary: 'ocelot', sequence: 0 });
    });
    assert.deepEqual(events, [
      {
        kind: 'memory.capture',
        actorId: company.ownerId,
        teamId: company.teamId,
        subjectType: 'capture',
        subjectId: staged?.id,
        detail: { sequence: 0 },
      },
    ]);
    assert.doesNotMatch(text, /ocelot|sesame/);
  });

  test('stages a capture that no search, expand or list returns, even after it is claimed', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const block = { sessionId: 'ocelot', summary: 'The ocelot sleeps.', metadata: { about: 'ocelot' } };
    const staged = [
      await stageCapture(company, block),
      await stageCapture(company, { ...block, scope: { clientId } }),
    ];
    await company.api.ingestSource({
      title: 'x',
      chunks: [{ text: 'An ocelot that may be found.', embedding: along(3) }],
      ...CLAIM,
    });
    const scopes = [
      { include: ['team', 'client'] },
      { clientId, include: ['team', 'client'] },
      { clientId, include: ['client'] },
      { include: ['client'] },
      {},
    ];
    const found = async (scope: object) => {
      const answer = await company.ask.searchMemory({
        query: 'The ocelot sleeps.',
        scope,
        topK: 50,
        queryEmbedding: along(3),
        ...CLAIM,
      });
      return answer.json<{ hits: { text: string }[] }>().hits.map((hit) => hit.text);
    };
    for (const lent of [false, true]) {
      if (lent) assert.equal((await claimBatch(company))?.captures.length, 2);
      for (const scope of scopes) {
        const inTeam = (scope.include ?? ['team']).includes('team');
        assert.deepEqual(await found(scope), inTeam ? ['An ocelot that may be found.'] : []);
        for (const { id } of staged) {
          const expanded = await company.ask.expandChunk({ chunkId: id, scope });
          assert.deepEqual(expanded.json(), { chunks: [] });
        }
      }
    }
    assert.equal((await company.all.listSources()).length, 1);
    assert.deepEqual(await company.all.listMemories(), []);
  });
});

describe('the fields of a capture', () => {
  const BOUNDS: [name: string, within: object, beyond: object, path: string][] = [
    [
      'a sessionId of 300 characters',
      { sessionId: '😀'.repeat(300) },
      { sessionId: 'x'.repeat(301) },
      '/sessionId',
    ],
    [
      'a summary of 64,000 characters',
      { summary: '😀'.repeat(64_000) },
      { summary: 'x'.repeat(64_001) },
      '/summary',
    ],
    [
      'metadata of 16 KiB',
      { metadata: { a: 'x'.repeat(16_376) } },
      { metadata: { a: 'x'.repeat(16_377) } },
      '/metadata',
    ],
    ['a sequence of 0', { sequence: 0 }, { sequence: -1 }, '/sequence'],
    ['a sequence of 2 ** 53 - 1', { sequence: Number.MAX_SAFE_INTEGER }, { sequence: 2 ** 53 }, '/sequence'],
  ];
  for (const [name, within, beyond, path] of BOUNDS) {
    test(`accepts ${name} unchanged and returns 400 beyond that limit`, async () => {
      const company = await service.company();
      assert.partialDeepStrictEqual(await stageCapture(company, { ...within }), within);
      assertInvalid(await sendCapture(company, beyond), path);
    });
  }

  test('returns 400 and stages nothing if a field is invalid', async () => {
    const company = await service.company();
    for (const [fields, path] of [
      [{ sessionId: undefined }, '/sessionId'],
      [{ sessionId: ' \n' }, '/sessionId'],
      [{ summary: undefined }, '/summary'],
      [{ summary: '\t ' }, '/summary'],
      [{ summary: 'a\u0000b' }, '/summary'],
      [{ sessionId: 'a\ud800' }, '/sessionId'],
      [{ metadata: { a: '\u0000' } }, '/metadata/a'],
      [{ metadata: [] }, '/metadata'],
      [{ sequence: 1.5 }, '/sequence'],
      [{ sequence: '1' }, '/sequence'],
      [{ sequence: null }, '/sequence'],
      [{ scope: { include: ['team'] } }, '/scope/include'],
      [{ title: 'x' }, '/title'],
      [{ createdBy: newId() }, '/createdBy'],
    ] as const) {
      assertInvalid(await sendCapture(company, fields), path);
    }
    assert.equal(await claimBatch(company), null);
  });
});

describe('the scope of a capture', () => {
  test('returns 403 for a layer that the caller cannot write, whether or not the client exists', async () => {
    const company = await service.company();
    const [writable, readable] = [await addClient(service, company), await addClient(service, company)];
    const [hidden, archived] = [
      await addClient(service, company),
      await addClient(service, company, 'archived'),
    ];
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [writable]: 'write', [readable]: 'read', [archived]: 'write' },
    });
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const send = async (caller: typeof member, scope?: object) =>
      outcome(await sendCapture(caller, { scope }));
    assert.equal(await send(member), '201');
    assert.equal(await send(member, { clientId: writable }), '201');
    for (const clientId of [readable, hidden, archived, newId(), 'nonsense', '']) {
      assert.equal(await send(member, { clientId }), '403 scope_forbidden', clientId);
    }
    assert.equal(await send(reader), '403 scope_forbidden');
    assert.equal(await send(reader, { clientId: readable }), '403 scope_forbidden');
    assert.equal(
      outcome(await sendCapture(company, { scope: { clientId: archived } })),
      '403 scope_forbidden',
    );
  });

  test('returns 409 for an archived Team, after 400 and 403 are checked', async () => {
    const company = await service.company();
    const first = await stageCapture(company, { sequence: 1 });
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    await archiveTeam(service, company.teamId);
    const answers = [
      await sendCapture(company),
      await sendCapture(company, { sequence: first.sequence }),
      await sendCapture(company, { scope: { clientId: newId() } }),
      await sendCapture(reader),
      await sendCapture(reader, { summary: ' ' }),
    ];
    assert.deepEqual(answers.map(outcome), [
      '409 team_archived',
      '409 team_archived',
      '403 scope_forbidden',
      '403 scope_forbidden',
      '400 invalid_request',
    ]);
  });
});
