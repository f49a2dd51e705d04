import { asWorker, type ScopedTransaction, transaction } from '../../db/driver/database.ts';
import { call, callRows } from '../../db/queries/call.ts';
import {
  addOpenSends,
  deleteMailedToken,
  deleteResetLinks,
  endMail,
  findAccountToMail,
  findInviteToMail,
  findResetToMail,
  findTokenToMail,
  insertMailedReset,
  insertMailedToken,
  lockQueuedMail,
  type QueuedMail,
} from '../../db/queries/mail.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { TeamRole } from '../../shared/access.ts';
import { newId } from '../../shared/ids.ts';
import { type CompanyScope, companyScope, NOBODY } from '../../shared/scope.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { lockOpenAccount } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import { mailLinkBase } from '../accounts/links.ts';
import type { Dependencies } from '../dependencies.ts';

/*
 * An attempt to send a mail has three steps. First a transaction reads the cause again, makes a token and stores its hash.
 * Then the mail is sent. Last, a transaction notes the outcome and completes the job. The token is committed before the mail
 * is sent, so the link of every mail that arrives works. A worker that is killed between two steps leaves an attempt of which
 * nobody knows whether the mail was accepted: another attempt follows, with a token of its own, but no third one.
 */

/** How long after its cause a mail can be sent. */
const MAX_AGE_SECONDS = 86_400;
/** Attempts whose outcome is not known: one more could be a third mail with the same content. */
const MAX_OPEN_SENDS = 2;

type Needed = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** What a mail says, and to whom. Names are as people wrote them. */
export type Letter =
  | {
      kind: 'invite';
      to: string;
      company: string;
      /** Null for an invitation to the Company. */
      team: string | null;
      invitedBy: string | null;
      role: TeamRole;
      url: string;
      expiresAt: Date;
    }
  | {
      kind: 'reset';
      to: string;
      /** Whether somebody asked for it without a session, who can be anyone. */
      isAskedFor: boolean;
      links: readonly { company: string; url: string; expiresAt: Date }[];
    }
  | {
      kind: 'token_expiry';
      to: string;
      company: string;
      team: string;
      token: string;
      url: string;
      expiresAt: Date;
    }
  | { kind: 'test'; to: string; company: string };

/** What became of an attempt. */
export type SendOutcome =
  | { state: 'sent' }
  /** The server refused the mail for good. */
  | { state: 'refused' }
  /** It is to be tried again. `isKnown`: the server has certainly not accepted the mail. */
  | { state: 'deferred'; isKnown: boolean };

/** An attempt that has begun: what to send, and how to note what became of it. */
export interface Attempt {
  /** The same for all attempts of a mail. */
  id: string;
  letter: Letter;
  /**
   * Notes the outcome, and completes the job if no attempt is to follow.
   * @returns whether the job is completed
   */
  finish: (outcome: SendOutcome) => Promise<boolean>;
}

/** What an attempt has written before it sends: the letter, and what deletes its tokens. */
interface Draft {
  letter: Letter;
  /** Runs if the server has certainly not accepted the mail. */
  discard: (tx: ScopedTransaction<CompanyScope>) => Promise<void>;
}
const noToken = async () => undefined;

/** Reads the cause of a mail. Null: it has ended, so there is nothing to send. */
async function draftLetter(
  tx: ScopedTransaction<CompanyScope>,
  { kind, causeId }: QueuedMail,
  base: string,
): Promise<Draft | null> {
  switch (kind) {
    case 'invite':
    case 'invitation': {
      const invite = await findInviteToMail(tx, causeId);
      if (invite === null) return null;
      const { email: to, ...rest } = invite;
      const [id, token] = [newId(), newToken()];
      await insertMailedToken(tx, { id, inviteId: causeId, tokenHash: hashToken(token) });
      const url = `${base}/${invite.team === null ? 'accept' : 'join'}#token=${token}`;
      return {
        letter: { kind: 'invite', to, url, ...rest },
        discard: (later) => deleteMailedToken(later, id),
      };
    }
    case 'reset': {
      const reset = await findResetToMail(tx, causeId);
      if (reset === null) return null;
      const { userId, email: to, company, expiresAt } = reset;
      const [id, token] = [newId(), newToken()];
      await insertMailedReset(tx, { id, userId, tokenHash: hashToken(token), expiresAt });
      const links = [{ company, url: resetUrl(base, token), expiresAt }];
      return {
        letter: { kind: 'reset', to, isAskedFor: false, links },
        discard: (later) => deleteResetLinks(later, [id]),
      };
    }
    case 'token_expiry': {
      const found = await findTokenToMail(tx, causeId);
      if (found === null) return null;
      const { email: to, ...rest } = found;
      return { letter: { kind: 'token_expiry', to, url: `${base}/tokens`, ...rest }, discard: noToken };
    }
    case 'test': {
      const account = await findAccountToMail(tx, causeId);
      if (account === null) return null;
      return { letter: { kind: 'test', to: account.email, company: account.company }, discard: noToken };
    }
  }
}

const resetUrl = (base: string, token: string) => `${base}/reset#token=${token}`;

/**
 * Begins an attempt to send a mail. Null: there is nothing to send, and the job is completed.
 * @throws LostJobError if another worker runs the job now
 */
export async function beginMail(
  { config, database, queue }: Needed,
  job: RunningJob<'mail.send'>,
): Promise<Attempt | null> {
  const { companyId, mailId: id } = job.data;
  const scope = companyScope({ companyId, userId: NOBODY });
  const draft = await transaction(database, scope, async (tx) => {
    await queue.assertRunning(tx, 'mail.send', job);
    const mail = await lockQueuedMail(tx, id, MAX_AGE_SECONDS);
    const isTooLate = mail !== null && (mail.isOverdue || mail.openSends >= MAX_OPEN_SENDS);
    const made = mail === null || isTooLate ? null : await draftLetter(tx, mail, mailLinkBase(config));
    if (made !== null) {
      await addOpenSends(tx, id, 1);
      return made;
    }
    if (mail !== null) await endMail(tx, id, isTooLate ? 'failed' : 'ended');
    await queue.complete(tx, 'mail.send', job);
    return null;
  });
  if (draft === null) return null;
  const { letter, discard } = draft;
  return {
    id,
    letter,
    finish: (outcome) =>
      transaction(database, scope, async (tx) => {
        await queue.assertRunning(tx, 'mail.send', job);
        if (outcome.state === 'refused' || (outcome.state === 'deferred' && outcome.isKnown)) {
          await discard(tx);
          await addOpenSends(tx, id, -1);
        }
        if (outcome.state === 'deferred') return false;
        await endMail(tx, id, outcome.state === 'sent' ? 'sent' : 'failed');
        await queue.complete(tx, 'mail.send', job);
        return true;
      }),
  };
}

/** A reset link that was made for an account of an address. */
interface MadeReset {
  scope: CompanyScope;
  id: string;
  company: string;
  url: string;
  expiresAt: Date;
}

/**
 * Begins an attempt to mail reset links that somebody asked for without a session: one for each open account of the
 * address. Null: there is nothing to send, and the job is completed.
 */
export async function beginReset(
  { config, database, queue }: Needed,
  job: RunningJob<'mail.reset'>,
): Promise<Attempt | null> {
  const { requestId: id } = job.data;
  const complete = () =>
    asWorker(database, async (tx) => {
      await call(tx, 'identity.end_reset_request', id);
      await queue.complete(tx, 'mail.reset', job);
      return true;
    });
  const { request, accounts } = await asWorker(database, async (tx) => {
    await queue.assertRunning(tx, 'mail.reset', job);
    const [found] = await callRows(tx, 'identity.begin_reset_request', id, MAX_AGE_SECONDS);
    const isOpen = found !== undefined && found.openSends < MAX_OPEN_SENDS;
    return {
      request: isOpen ? found : null,
      accounts: isOpen ? await callRows(tx, 'identity.accounts_with_email', found.email) : [],
    };
  });
  const base = mailLinkBase(config);
  const links: MadeReset[] = [];
  if (request !== null) {
    for (const account of accounts) {
      const made = await makeReset(database, account, { email: request.email, base });
      if (made !== null) links.push(made);
    }
  }
  if (request === null || links.length === 0) {
    await complete();
    return null;
  }
  return {
    id,
    letter: { kind: 'reset', to: request.email, isAskedFor: true, links },
    finish: async (outcome) => {
      if (outcome.state === 'refused' || (outcome.state === 'deferred' && outcome.isKnown)) {
        for (const made of links) {
          await transaction(database, made.scope, (tx) => deleteResetLinks(tx, [made.id]));
        }
        await asWorker(database, (tx) => call(tx, 'identity.reopen_reset_request', id));
      }
      return outcome.state === 'deferred' ? false : complete();
    },
  };
}

/** Makes a reset link for an account; null if it was closed, or has another address now. */
async function makeReset(
  database: Dependencies['database'],
  { companyId, userId }: { companyId: string; userId: string },
  { email, base }: { email: string; base: string },
): Promise<MadeReset | null> {
  const scope = companyScope({ companyId, userId: NOBODY });
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockOpenAccount(tx, userId);
      const account = await findAccountToMail(tx, userId);
      // Another email revokes the links of before, and this one would come after.
      return account?.email === email ? account : null;
    },
    apply: async (tx, account) => {
      if (account === null) return { result: null, audit: [] };
      const [id, token] = [newId(), newToken()];
      const { expiresAt } = await insertMailedReset(tx, {
        id,
        userId,
        tokenHash: hashToken(token),
        expiresAt: null,
      });
      return {
        result: { scope, id, company: account.company, url: resetUrl(base, token), expiresAt },
        audit: [
          { kind: 'auth.reset_request', subjectType: 'account', subjectId: userId, detail: { linkId: id } },
        ],
      };
    },
  });
}
