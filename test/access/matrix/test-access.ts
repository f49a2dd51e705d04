import assert from 'node:assert/strict';
import { after } from 'node:test';
import { pino } from 'pino';
import { buildApp } from '../../../api/app.ts';
import type { Database } from '../../../db/driver/database.ts';
import { API_TOKEN, MAIL_ON, openTestApp } from '../../support/app.ts';
import type { Row } from './row.ts';
import { ALL_ROWS } from './rows/all.ts';
import { type Listener, tellable } from './told.ts';
import { collectRoutes, Walk } from './walk.ts';
import { World } from './world.ts';

/** A service with everyone who asks, and what they ask. */
export interface Access {
  database: Database;
  world: World;
  walk: Walk;
  /** All registered routes. */
  routes: readonly string[];
  /** All rows, those that stand for several routes spelled out. */
  rows: readonly Row[];
  /** All log lines at the level trace, without the redaction of the service. */
  logged: readonly string[];
}

/**
 * Opens a service with everyone who asks.
 * @param emails whether each caller has taken the email that someone with other rights had before
 * @param twins whether the other Company has the same emails, and the same names of Teams and clients
 */
export async function openAccess(emails: 'own' | 'taken', twins = false): Promise<Access> {
  const service = await openTestApp(MAIL_ON);
  const logged: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  const { built: app, routes } = await collectRoutes(() => buildApp({ ...service, logger }));
  after(() => app.close());
  const world = await World.open(app, service, emails, twins);
  world.canaries.secret(API_TOKEN);
  return {
    database: service.database,
    world,
    walk: new Walk(world),
    routes,
    rows: ALL_ROWS,
    logged,
  };
}

/** Requires that a caller has received no data that they cannot see. Returns what they have received. */
export async function assertToldOnly({ world, walk }: Access, listener: Listener): Promise<Set<string>> {
  await world.targets.markHoldings(Object.values(world.places));
  const { may } = tellable(listener);
  const told = new Set<string>();
  for (const { row, text } of walk.heard.filter((heard) => heard.listener === listener)) {
    for (const what of world.canaries.toldBy(text)) {
      told.add(what);
      assert.ok(may.includes(what), `${row} tells ${listener} of ${what}`);
    }
  }
  return told;
}
