import type { Logger } from '../../shared/logger.ts';
import { NOBODY } from '../../shared/scope.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { insertFirstAuditEvents } from '../queries/identity/audit.ts';
import { lockStartupStep } from './lock.ts';

/** Events of one transaction. The embedded database keeps in memory what a transaction changes. */
const EVENTS_PER_PIECE = 1000;
/** Pieces between two lines of the log. */
const PIECES_PER_LINE = 10;

/** How far the audit of a Company has been sealed again. */
interface Progress {
  companyId: string;
  /** Events that have been examined. */
  events: number;
  sequence: number;
  /** The last seal from before, hexadecimal. */
  hash: string;
  firstBreak: string | null;
}

/**
 * Seals the audit again that an earlier version has written: what nobody could erase in its events is taken out of them, such
 * as the texts of searches and the names of clients. The chain is verified at the same time: each event is compared with its
 * seal before it is changed. At the end, one `audit.reseal` event of the Company holds the last seal from before and the
 * first break. Runs as the owner of the tables, in pieces. If it is interrupted, the next start goes on; processes that start
 * at once share the pieces.
 */
export async function resealAudit(
  database: Database,
  logger: Pick<Logger, 'info' | 'warn'>,
  eventsPerPiece: number = EVENTS_PER_PIECE,
): Promise<void> {
  for (let piece = 1; ; piece += 1) {
    const done = await database.transaction(async (tx) => {
      await lockStartupStep(database, tx, 'reseal');
      return resealPiece(tx, eventsPerPiece);
    });
    if (done === null) return;
    const { progress, isLast } = done;
    if (isLast) {
      const { firstBreak } = progress;
      if (firstBreak === null) logger.info(progress, 'the audit was sealed again');
      else logger.warn(progress, 'the audit was sealed again, and was broken before');
    } else if (piece % PIECES_PER_LINE === 0) {
      logger.info(
        { companyId: progress.companyId, events: progress.events },
        'the audit is being sealed again',
      );
    }
  }
}

/** @returns null if no Company waits */
async function resealPiece(
  tx: Queryable,
  limit: number,
): Promise<{ progress: Progress; isLast: boolean } | null> {
  const [waiting] = await tx.query<{ companyId: string }>(
    'select company_id as "companyId" from memory.audit_reseal order by company_id limit 1',
  );
  if (waiting === undefined) return null;
  const company = [waiting.companyId];
  const [piece] = await tx.query<{ isLast: boolean }>('select memory.reseal_audit($1, $2) as "isLast"', [
    ...company,
    limit,
  ]);
  const [progress] = await tx.query<Progress>(
    `select company_id as "companyId", events, sequence, encode(old_hash, 'hex') as hash, first_break as "firstBreak"
       from memory.audit_reseal where company_id = $1`,
    company,
  );
  if (piece === undefined || progress === undefined) throw new Error('reseal_audit returned no row');
  if (piece.isLast) {
    await insertResealEvent(tx, progress);
    await tx.query('delete from memory.audit_reseal where company_id = $1', company);
  }
  return { progress, isLast: piece.isLast };
}

async function insertResealEvent(
  tx: Queryable,
  { companyId, sequence, hash, firstBreak }: Progress,
): Promise<void> {
  const lastSeal = sequence === 0 ? null : { sequence, hash };
  await insertFirstAuditEvents(tx, { companyId, userId: NOBODY }, [
    { kind: 'audit.reseal', subjectType: 'company', subjectId: companyId, detail: { lastSeal, firstBreak } },
  ]);
}
