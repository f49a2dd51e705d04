import { after } from 'node:test';
import type { App } from '../../api/types.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import type { Database } from '../../db/driver/database.ts';
import type { PostgresTimeouts } from '../../db/driver/postgres-pool.ts';
import { databaseBlobs } from '../../db/queries/workspace/contents.ts';
import { type JobQueue, openQueue } from '../../db/queue/queue.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import './declared-responses.ts';
import { callerOf, type TeamCaller } from './client/client.ts';
import { createTestCompany, databaseUrl, openTestDatabase, type TestCompany } from './needs/database.ts';
import { createCheapHasher } from './passwords.ts';
import { buildTestedApp } from './schema-compilers.ts';

export const API_TOKEN = 'test-token-of-the-service';

/** Settings with which routes enqueue mails. Nobody listens there, and without a worker nothing is sent. */
export const MAIL_ON = { MEMORY_SMTP_URL: 'smtp://127.0.0.1:9', MEMORY_MAIL_FROM: 'memory@example.com' };

export interface TestApp {
  app: App;
  database: Database;
  queue: JobQueue;
  config: Config;
  /** A Company of the test's own with a signed-in Owner. */
  company(): Promise<SignedIn>;
  /** A session for any account, made in the database. */
  signIn(companyId: string, userId: string): Promise<string>;
}

/** The Owner of a Company of the test's own, in its Team. */
export interface SignedIn extends TestCompany, TeamCaller {
  token: string;
}

export interface TestAppOptions {
  /** Whether the queue is maintained, as a worker needs it: only on a database that no other file uses. */
  supervise?: boolean;
  /** Of the queue's connections to PostgreSQL. */
  timeouts?: PostgresTimeouts;
  /** Where the queue reaches the database, if not where all else does. */
  queueUrl?: string;
}

/** The whole HTTP app on the test database, without a port: ask it with `app.inject`. */
export async function openTestApp(env: Record<string, string> = {}): Promise<TestApp & Dependencies> {
  const database = await openTestDatabase();
  const service = await buildTestApp(database, databaseUrl, env);
  // This closes the database itself too, before its own `after`: node:test runs them in the order of their making.
  after(() => service.close());
  return service;
}

/** The same on a migrated database of the caller's own, who closes both: outside a test runner there is no `after`. */
export async function buildTestApp(
  database: Database,
  url: string | undefined,
  env: Record<string, string> = {},
  options: TestAppOptions = {},
): Promise<TestApp & Dependencies & { close(): Promise<void> }> {
  const logger = createLogger('fatal', 'test');
  const config = readConfig({
    MEMORY_API_TOKEN: API_TOKEN,
    MEMORY_DATABASE_URL: url,
    // All tests ask from one address, and as a few sessions.
    MEMORY_RATE_LIMITS: 'off',
    ...env,
  });
  const queue = await openQueue({
    database,
    databaseUrl: options.queueUrl ?? config.databaseUrl,
    supervise: options.supervise ?? false,
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    logger,
    drainMs: 15_000,
  });
  const deps: Dependencies = {
    config,
    database,
    queue,
    logger,
    passwords: createCheapHasher(),
    blobs: databaseBlobs(database),
  };
  const app = await buildTestedApp(deps);
  const signIn = async (companyId: string, userId: string) => {
    const token = newToken();
    await database.query(
      'insert into identity.session (company_id, id, user_id, token_hash) values ($1, $2, $3, $4)',
      [companyId, newId(), userId, hashToken(token)],
    );
    return token;
  };
  return {
    ...deps,
    app,
    signIn,
    company: async () => {
      const company = await createTestCompany(database);
      const token = await signIn(company.companyId, company.ownerId);
      const headers = { authorization: `Bearer ${token}`, 'memory-team': company.teamId };
      return { ...company, ...callerOf(app, headers), token, headers };
    },
    close: async () => {
      await app.close();
      await queue.stop();
      await database.close();
    },
  };
}
