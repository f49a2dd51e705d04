import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPORT_STATES, type Import } from '../../shared/schemas/imports.ts';
import type { SignedIn } from '../support/app.ts';
import { IMPORTS, plantImport, plantImports, retried } from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addClient } from '../support/team.ts';

/** No worker is at work here: every import stays in its state. */
const service = await openOwnTestApp();

const idsOf = (imports: readonly Import[]) => imports.map(({ id }) => id);

/** Imports of every state, mixed, in the Team layer and in a client: newest first. */
async function plantMixed(company: SignedIn, clientId: string, rounds: number) {
  const planted: { id: string; state: Import['state']; clientId: string | null }[] = [];
  for (let n = 0; n < rounds; n += 1) {
    for (const state of IMPORT_STATES) {
      for (const layer of [null, clientId]) {
        const id = await plantImport(service, company, { state, clientId: layer });
        planted.push({ id, state, clientId: layer });
      }
    }
  }
  return planted.reverse();
}

describe('GET /v1/memory/imports', () => {
  test('pages through only the imports of the given state and client, newest first', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const planted = await plantMixed(company, clientId, 4);
    for (const state of [undefined, ...IMPORT_STATES]) {
      for (const client of [undefined, clientId]) {
        const query = [
          ...(state === undefined ? [] : [`state=${state}`]),
          ...(client === undefined ? [] : [`clientId=${client}`]),
        ].join('&');
        const expected = planted.filter(
          (item) =>
            (state === undefined || item.state === state) &&
            (client === undefined || item.clientId === client),
        );
        const listed = await company.readAll<Import>(`${IMPORTS}?${query}`, 3);
        assert.deepEqual(
          listed.map(({ id, state: shown, clientId: layer }) => ({ id, state: shown, clientId: layer })),
          expected,
          query,
        );
      }
    }
  });

  test('continues after the cursor while imports enter and leave the state', async () => {
    const company = await service.company();
    const ids = (await plantImports(service, company, 6)).reverse();
    const page = async (cursor = '') => {
      const answer = await company.send('GET', `${IMPORTS}?state=failed&limit=2${cursor}`);
      return answer.json<{ items: Import[]; nextCursor: string | null }>();
    };
    const first = await page();
    assert.deepEqual(idsOf(first.items), ids.slice(0, 2));
    // One that was shown, and one that is to come, are put back; a newer one fails.
    await retried(company, { ids: [ids[1], ids[3]] });
    await plantImport(service, company);
    const second = await page(`&cursor=${first.nextCursor}`);
    assert.deepEqual(idsOf(second.items), [ids[2], ids[4]]);
    const third = await page(`&cursor=${second.nextCursor}`);
    assert.deepEqual([idsOf(third.items), third.nextCursor], [[ids[5]], null]);
  });
});
