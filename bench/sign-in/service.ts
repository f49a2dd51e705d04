import type { Database } from '../../db/driver/database.ts';
import { openEmbedded } from '../../db/driver/embedded.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { newId } from '../../shared/ids.ts';
import { createPasswordHasher } from '../../shared/passwords.ts';
import { jobScope } from '../../shared/scope.ts';
import { buildTestApp, type SignedIn } from '../../test/support/app.ts';
import { Writer } from '../../test/support/generated-text.ts';
import { prepareDatabase } from '../../test/support/needs/database.ts';
import { buildTestedApp } from '../../test/support/schema-compilers.ts';
import { storeSource } from '../../test/support/sources.ts';
import { countTermsNow } from '../../test/support/term-counts.ts';
import { WITH_LIMITS } from '../support/child.ts';
import { logger, vacuum } from '../support/databases.ts';

/**
 * The service that `sign-in.ts` measures, in a process of its own: on the embedded database, or on the one that
 * MEMORY_DATABASE_URL names. It makes a Team with chunks, and accounts, and announces where it listens.
 */
/** Sign-ins that must not be told apart. */
export const KINDS = [
  'unknown email',
  'wrong password',
  'wrong password, in two Companies',
  'closed account',
  'no password set',
] as const;
type Kind = (typeof KINDS)[number];

/** The right password of every account that has one. */
export const PASSWORD = 'the password of everyone here';
/** Where all requests come from: trusted, so that each can be sent as from an address of its own. */
const PROXY = '127.0.0.1';

/** Where the service listens, and who is there. */
export interface Announcement {
  url: string;
  /** Of a session in the Team that is searched. */
  headers: Record<string, string>;
  emails: Record<Kind, string[]>;
}

const CHUNKS = 2000;
const CHUNKS_A_SOURCE = 100;
/** Each email may fail ten times: with five tries each a kind is tried 200 times. */
const EMAILS_A_KIND = 40;

async function fill(database: Database, company: SignedIn): Promise<void> {
  const writer = new Writer(7);
  const { companyId, teamId, ownerId: userId } = company;
  const scope = jobScope({ companyId, teamId, userId, layerId: teamId });
  for (let stored = 0; stored < CHUNKS; stored += CHUNKS_A_SOURCE) {
    const chunks = Array.from({ length: CHUNKS_A_SOURCE }, () => ({
      text: writer.paragraph(),
      embedding: writer.unitVector(),
    }));
    await storeSource(database, scope, { layer: null, chunks });
  }
  await countTermsNow(database, company);
}

/** Makes the accounts of each kind, where the kind has any, and tells their emails. */
async function addAccounts(database: Database, company: SignedIn): Promise<Record<Kind, string[]>> {
  // The first Company is that of the server principal.
  const [first] = await database.query<{ companyId: string }>(
    'select company_id as "companyId" from identity.account where is_principal',
  );
  const hash = await createPasswordHasher().hash(PASSWORD);
  const emails = {} as Record<Kind, string[]>;
  for (const kind of KINDS) {
    emails[kind] = Array.from({ length: EMAILS_A_KIND }, () => `person-${newId()}@example.com`);
    if (kind === 'unknown email') continue;
    const companies = kind === 'wrong password, in two Companies' ? [company, first] : [company];
    for (const email of emails[kind]) {
      for (const home of companies)
        await database.query(
          `insert into identity.account (company_id, id, email, name, role, password_hash, closed_at)
           values ($1, $2, $3, 'Someone', 'member', $4, case when $5 then now() end)`,
          [
            home?.companyId,
            newId(),
            email,
            kind === 'no password set' ? null : hash,
            kind === 'closed account',
          ],
        );
    }
  }
  return emails;
}

async function serve(): Promise<void> {
  const url = process.env['MEMORY_DATABASE_URL'];
  const database = url === undefined ? await openEmbedded({ dataDir: null }) : openPostgres(url, logger);
  await prepareDatabase(database);
  // As in production; the one who searches does so more often than a person.
  const service = await buildTestApp(database, url, { ...WITH_LIMITS, MEMORY_TRUSTED_PROXIES: PROXY });
  // Tests have a cheaper hash than the service.
  const app = await buildTestedApp({ ...service, passwords: createPasswordHasher() });
  const company = await service.company();
  await fill(database, company);
  const emails = await addAccounts(database, company);
  await vacuum({ database, url });
  const { headers } = company;
  const announcement: Announcement = {
    url: await app.listen({ host: PROXY, port: 0 }),
    headers,
    emails,
  };
  process.send?.(announcement);
  // The parent hangs up when it has measured, or is gone.
  process.once('disconnect', () => process.exit());
}

if (import.meta.main) await serve();
