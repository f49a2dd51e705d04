import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit } from '../../shared/schemas/search.ts';
import { restored } from '../sources/restore/kept.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { doJob } from '../support/do-job.ts';
import { markdownTable, tableHead } from '../support/long-table.ts';
import { called } from '../support/mcp.ts';
import { addSource, archived, readSource } from '../support/source-library.ts';
import { type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

async function find(caller: Caller, query: string, body: object = {}): Promise<Hit[]> {
  const asked = { query, scope: {}, embeddingMode: 'keyword', ...body } as const;
  return (await caller.api.searchMemory(asked)).hits;
}

/** A company with one table as a source, whose second column has this name. */
async function withTable(column = 'Torque') {
  const company = await service.company();
  const source = await addSource(company, { title: 'Halls', text: markdownTable(column) });
  assert.ok(source.chunks > 2, `${source.chunks}`);
  return { company, source };
}

/** The stored terms of the Team's chunks. */
const termsOf = ({ teamId }: SignedIn) =>
  database.query(
    'select chunk_id, keys, weights::text from memory.chunk_keyword where team_id = $1 order by 1',
    [teamId],
  );

describe('a table of several passages', () => {
  test('has each row found by the name of a column together with a cell, in the right table', async () => {
    const { company } = await withTable('Torque');
    await addSource(company, { title: 'Halls', text: markdownTable('Price') });
    for (const [column, part] of [
      ['Torque', 'P-2'],
      ['Price', 'P-50'],
      ['torque', 'P-85'],
    ] as const) {
      const [hit] = await find(company, `${column} ${part}`);
      assert.ok(hit);
      const name = column === 'Price' ? 'Price' : 'Torque';
      assert.ok(hit.text.startsWith(tableHead(name)), `${column} ${part}: ${hit.text}`);
      assert.ok(hit.text.includes(`| ${part} |`), `${column} ${part}: ${hit.text}`);
    }
  });

  test('is no longer than its text in any answer, and no answer says what is repeated', async () => {
    const { company, source } = await withTable();
    const [hit] = await find(company, 'P-50', { neighbours: 1, group: 'source' });
    const { chunks } = await readSource(company, source.id);
    const expanded = await company.api.expandChunk({ chunkId: hit!.chunk_id });
    const byTool = await called(company, 'expand', { chunk: hit!.chunk_id });
    for (const answer of [{ hit }, { chunks }, expanded, byTool]) {
      assert.ok(!JSON.stringify(answer).includes('"repeated"'));
    }
    for (const { text } of chunks.slice(1)) assert.ok(text.startsWith(tableHead('Torque')), text);
  });

  test('counts its heading row once in the usage of the Team, also while it is archived', async () => {
    const { company, source } = await withTable('Größe');
    const usage = async () => (await company.api.getSelectedTeam()).usage;
    const bytes = Buffer.byteLength(markdownTable('Größe'));
    const stored = { sources: 1, chunks: source.chunks, files: 0, bytes };
    assert.deepEqual(await usage(), stored);
    await archived(company, source.id);
    assert.deepEqual(await usage(), { ...stored, sources: 0, chunks: 0 });
    await restored(company, source.id);
    assert.deepEqual(await usage(), stored);
  });

  test('keeps its terms when they are made again', async () => {
    const { company } = await withTable();
    const terms = await termsOf(company);
    await database.query(`update memory.chunk_keyword set keys = '{}' where team_id = $1`, [company.teamId]);
    await database.query('update memory.source set terms_version = 0 where team_id = $1', [company.teamId]);
    const { companyId, teamId, ownerId: userId } = company;
    await doJob(database, 'terms.renew', { companyId, teamId, userId });
    assert.deepEqual(await termsOf(company), terms);
  });

  test('keeps its terms when its title changes and returns', async () => {
    const { company, source } = await withTable();
    const terms = await termsOf(company);
    for (const title of ['Other', 'Halls']) {
      await company.api.changeSource(source.id, { title });
      assert.ok((await find(company, `${title} torque P-50`)).length > 0);
    }
    assert.deepEqual(await termsOf(company), terms);
  });

  test('has vectors made of passages with their heading row', async () => {
    const { company, source } = await withTable();
    const { chunks = [] } = (await company.api.claimEmbeddings({})).batch ?? {};
    assert.equal(chunks.length, source.chunks);
    for (const { text } of chunks) assert.ok(text.startsWith(`Halls\n\n${tableHead('Torque')}| P-`), text);
  });
});

describe('the tools of MCP', () => {
  test('merge the passages of a table without a heading row in the middle', async () => {
    const { company } = await withTable();
    const { results } = await called<{ results: { text: string }[] }>(company, 'search', {
      query: 'torque hall',
    });
    assert.deepEqual(column(results, 'text'), [markdownTable('Torque')]);
  });

  test('fetch the text as it was sent, also of a table that was archived and restored', async () => {
    const { company, source } = await withTable();
    await archived(company, source.id);
    await restored(company, source.id);
    const { text } = await called<{ text: string }>(company, 'fetch', { id: source.id });
    assert.equal(text, markdownTable('Torque'));
  });
});
