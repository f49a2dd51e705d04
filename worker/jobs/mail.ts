import { type Attempt, beginMail, beginReset } from '../../core/mail/attempts.ts';
import { MAX_MAILS_TO_ADDRESS } from '../../core/mail/commands.ts';
import { asWorker } from '../../db/driver/database.ts';
import { callRows } from '../../db/queries/call.ts';
import { isMailOn } from '../../shared/settings/mail-settings.ts';
import type { JobContext, JobHandler } from '../context.ts';
import { writeMail } from '../mail/texts.ts';

/** Sends a mail of a Company: see `core/mail/attempts.ts`. */
export const sendMail: JobHandler<'mail.send'> = async (job, context) => {
  requireMailer(context);
  await sendAttempt(await beginMail(context, job), context);
};

/** Mails the reset links that somebody asked for without a session. */
export const sendResetLinks: JobHandler<'mail.reset'> = async (job, context) => {
  requireMailer(context);
  await sendAttempt(await beginReset(context, job), context);
};

/** The job is tried again: with the settings of the API, this worker or another one sends the mail. */
function requireMailer({ mailer }: JobContext): NonNullable<JobContext['mailer']> {
  if (mailer !== null) return mailer;
  throw new Error(
    'this worker sends no mail: set MEMORY_SMTP_URL and MEMORY_MAIL_FROM for it as for the API',
  );
}

async function sendAttempt(attempt: Attempt | null, context: JobContext): Promise<void> {
  if (attempt === null) return;
  const { id, letter, finish } = attempt;
  const { outcome, reason } = await requireMailer(context).send({ id, to: letter.to, ...writeMail(letter) });
  const about = { mailId: id, kind: letter.kind };
  const isDone = await finish(outcome);
  if (outcome.state === 'sent') context.logger.info(about, 'mail sent');
  else if (isDone) context.logger.warn({ ...about, reason }, 'the mail server refused a mail for good');
  else throw new Error(`a mail is to be sent again: ${reason}`);
}

/** Mails that one statement makes. */
const MAX_MAILS_PER_SLICE = 100;

/** Makes the mails about agent tokens that expire within 7 days, and enqueues a job for each. */
export const remindOfTokens: JobHandler<'mail.remind'> = async (job, { config, database, queue }) => {
  const max = config.rateLimits ? MAX_MAILS_TO_ADDRESS : null;
  let made = isMailOn(config) ? MAX_MAILS_PER_SLICE : 0;
  while (made === MAX_MAILS_PER_SLICE) {
    made = await asWorker(database, async (tx) => {
      const mails = await callRows(tx, 'identity.insert_expiry_mails', max, MAX_MAILS_PER_SLICE);
      for (const mail of mails) await queue.enqueue(tx, 'mail.send', mail);
      return mails.length;
    });
  }
  await asWorker(database, (tx) => queue.complete(tx, 'mail.remind', job));
};
