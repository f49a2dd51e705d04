import type { openTestApp } from '../../support/app.ts';
import { newCaller } from './callers.ts';
import { Canaries } from './canaries.ts';
import type { Place } from './place.ts';
import type { Cell, Row } from './row.ts';
import type { CallerName } from './table.ts';
import { PASSWORD, Targets } from './targets.ts';

/** Makes what the request of a row is about, in a Company of its own, for a caller whose home is its Team. */
export async function openScene(
  service: Awaited<ReturnType<typeof openTestApp>>,
  row: Pick<Row, 'values'>,
  sender: CallerName,
) {
  const targets = new Targets(service, new Canaries(), await service.passwords.hash(PASSWORD));
  const company = await service.company();
  const team = { ...company, key: 't', clientA: '', clientB: '', archivedClient: '' } as const;
  const at: Place = {
    ...team,
    clientA: await targets.client(team),
    clientB: await targets.client(team),
    archivedClient: await targets.client(team, 'archived'),
  };
  const caller = await newCaller({ app: service.app, targets, emails: 'own' }, sender, { t: at });
  const cell: Cell = { caller, at, foreign: false, targets, canaries: targets.canaries };
  return { company, cell, values: (await row.values?.(cell)) ?? {} };
}
