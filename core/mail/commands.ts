import { type ScopedTransaction, withoutScope } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import { lockName } from '../../db/queries/common.ts';
import {
  countMails,
  findAccountToMail,
  insertMail,
  type MailCount,
  type NewMail,
} from '../../db/queries/mail.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import { isMailOn, type MailConfig } from '../../shared/settings/mail-settings.ts';
import { lockCompanyAs } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/** Mails in 24 hours to one address, without reset links. */
export const MAX_MAILS_TO_ADDRESS = 10;
/** Reset links in an hour that are mailed to one address because somebody asked for them without a session. */
const MAX_RESETS_TO_ADDRESS = 3;

/** What a command needs to enqueue a mail. */
export type MailDependencies = Pick<Dependencies, 'config' | 'queue'>;

/**
 * Refuses what only a service with mail can do, as if it did not exist.
 * @throws ServiceError `not_found`
 */
export function requireMail(config: MailConfig): void {
  if (isMailOn(config)) return;
  throw new ServiceError(
    'not_found',
    'The service sends no mail: MEMORY_SMTP_URL and MEMORY_MAIL_FROM are not set',
  );
}

/**
 * Makes a mail that the worker sends, in the transaction of its cause. Without mail, nothing is done.
 * @returns enqueues the job; the command that calls this must return it
 * @throws ServiceError `rate_limited` if the address or the Company has had too many mails
 */
export async function queueMail(
  tx: ScopedTransaction,
  { config, queue }: MailDependencies,
  mail: Omit<NewMail, 'id'>,
): Promise<() => Promise<void>> {
  if (!isMailOn(config)) return async () => undefined;
  const { companyId } = tx.scope;
  if (config.rateLimits && mail.kind !== 'reset') {
    // Counted one after another, so that requests at the same time do not exceed the limits together.
    await lockName(tx, 'mails', companyId);
    const { toAddress, invites } = await countMails(tx, mail.email);
    const isInvite = mail.kind === 'invite' || mail.kind === 'invitation';
    if (isInvite)
      assertBelow(invites, config.mailsPerDay, 'Your Company has mailed as many invites today as it can');
    assertBelow(toAddress, MAX_MAILS_TO_ADDRESS, 'This address has had as many mails today as it can have');
  }
  const id = newId();
  await insertMail(tx, { id, ...mail });
  return () => queue.enqueue(tx, 'mail.send', { companyId, mailId: id });
}

function assertBelow({ mails, resetSeconds }: MailCount, max: number, refusal: string): void {
  if (mails < max) return;
  throw new ServiceError('rate_limited', `${refusal} (${max} in 24 hours); try again later`, {
    limit: { max, resetSeconds: Math.max(1, resetSeconds) },
  });
}

/**
 * Mails a reset link to every account of an address, if it has one. The worker looks for accounts, so the answer and its
 * time do not depend on them. Past three requests in an hour for an address, nothing is sent.
 * @param email in canonical form
 * @throws ServiceError `not_found` without mail
 */
export async function requestReset(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  email: string,
): Promise<void> {
  requireMail(config);
  const max = config.rateLimits ? MAX_RESETS_TO_ADDRESS : null;
  await withoutScope(database, async (tx) => {
    const requestId = newId();
    if (!(await call(tx, 'identity.request_reset', requestId, email, max))) return;
    await queue.enqueue(tx, 'mail.reset', { requestId });
  });
}

/**
 * Sends a mail to the caller, to try the mail server.
 * @throws ServiceError `not_found` without mail, `unauthenticated`, `company_role_required`, `rate_limited`
 */
export async function sendTestMail(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: CompanyScope,
): Promise<void> {
  requireMail(deps.config);
  const { userId } = scope;
  await runCommand(deps.database, scope, {
    lock: (tx) => lockCompanyAs(tx, 'owner'),
    apply: async (tx) => {
      const account = await findAccountToMail(tx, userId);
      if (account === null) throw new Error('the account of the caller is locked and cannot be found');
      const enqueue = await queueMail(tx, deps, { kind: 'test', causeId: userId, email: account.email });
      return {
        result: undefined,
        audit: [{ kind: 'company.mail_test', subjectType: 'account', subjectId: userId }],
        enqueue,
      };
    },
  });
}
