import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { addMemory, decide, decided } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, along, CLAIM } from '../../support/team.ts';
import { rowsIn } from './moving.ts';

const service = await openTestApp();

const moving = ({ id: memoryId }: Pick<Memory, 'id'>, clientId: string | null, rest: object = {}) => ({
  action: 'move',
  memoryId,
  clientId,
  ...rest,
});

describe('a memory that is moved', () => {
  test('takes along its source and its versions; its captures stay, as evidence for Full access', async () => {
    const company = await service.company();
    const a = await addClient(service, company);
    const b = await addClient(service, company);
    const content = 'The ocelot sleeps in the old tree and wakes when the night begins again.';
    const given = { title: 'Cats', content, tags: ['cat'], embedding: along(1), ...CLAIM };
    const memory = await addMemory(company, 'published', given, a);
    const first = await decided(company, {
      action: 'update',
      memoryId: memory.id,
      title: 'Big cats',
    });
    const rows = await rowsIn(service, company, a);
    assert.deepEqual(
      [rows['memory_item'], rows['memory_version'], rows['source'], rows['chunk_embedding'], rows['capture']],
      [1, 2, 1, 1, 1],
    );
    const { capture, ...others } = rows;
    for (const to of [b, null]) {
      const before = await company.api.getMemory(memory.id);
      const after = await decided(company, moving(memory, to, { version: before.version }));
      const { updatedAt, decidedAt } = after;
      const place = { layer: to === null ? 'team' : 'client', clientId: to };
      assert.deepEqual(after, { ...before, ...place, version: before.version + 1, updatedAt, decidedAt });
      assert.deepEqual(await rowsIn(service, company, to), others);
      assert.deepEqual(await rowsIn(service, company, a), { capture });
    }
    const versions = await company.all.listMemoryVersions(memory.id);
    assert.deepEqual(columns(versions, 'version', 'title'), [
      [first.version, 'Big cats'],
      [1, 'Cats'],
    ]);
    const [captureId] = memory.captureIds;
    const evidence = await company.api.getCapture(captureId!);
    assert.ok(evidence.summary);
    assert.equal(evidence.clientId, a);
    // Who reads only the new layer reads the memory, and not what it was made of.
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal((await member.api.getMemory(memory.id)).id, memory.id);
    assert.equal(outcome(await member.ask.getCapture(captureId)), '404 not_found');
  });
});

describe('a move of a memory that is refused', () => {
  test('needs a layer, which only a move takes, and refuses one out of reach before an unknown id', async () => {
    const company = await service.company();
    const a = await addClient(service, company);
    const gone = await addClient(service, company, 'archived');
    const memory = await addMemory(company, 'published');
    assertInvalid(await decide(company, { action: 'move', memoryId: memory.id }), '/clientId');
    const others = { action: 'delete', memoryId: memory.id, clientId: a };
    assertInvalid(await decide(company, others), '/clientId');
    for (const target of [gone, newId(), 'no id']) {
      for (const id of [memory.id, newId(), 'no id']) {
        assert.equal(outcome(await decide(company, moving({ id }, target))), '403 scope_forbidden');
      }
    }
    const agent = await createAgent(service, company, company, { clientIds: [] });
    assert.equal(outcome(await decide(agent, moving(memory, a))), '403 scope_forbidden');
    await decided(company, moving(memory, a));
    assert.equal(outcome(await decide(agent, moving(memory, null))), '404 not_found');
    // A source is moved by PATCH.
    const { id } = await addSource(company);
    assert.equal(outcome(await decide(company, moving({ id }, a))), '404 not_found');
  });
});
