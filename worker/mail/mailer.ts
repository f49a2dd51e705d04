import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SendOutcome } from '../../core/mail/attempts.ts';
import type { MailConfig, MailSender, MailServer } from '../../shared/settings/mail-settings.ts';
import type { MailText } from './texts.ts';

/** A mail to one person. */
export interface OutgoingMail extends MailText {
  /** Part of the Message-ID. */
  id: string;
  to: string;
}

/** Sends mails by the mail server of the settings. Each mail has a connection of its own. */
export interface Mailer {
  /**
   * Sends a mail.
   * @returns the outcome, and for the log why the mail was not sent: codes only, without addresses
   */
  send(mail: OutgoingMail): Promise<{ outcome: SendOutcome; reason: string | null }>;
  /**
   * Connects and signs in.
   * @throws Error in one line, without secrets
   */
  verify(): Promise<void>;
}

/** Waiting times, in milliseconds. A server that greets slowly does so on purpose, against senders who do not wait. */
const CONNECT_MS = 15_000;
const GREETING_MS = 40_000;
const IDLE_MS = 60_000;

/** Opens what sends mails; null without mail. Nothing is connected yet. */
export function openMailer({ mailServer, mailFrom }: MailConfig): Mailer | null {
  if (mailServer === null || mailFrom === null) return null;
  return {
    verify: async () => {
      const connection = await connect(mailServer).catch((error: unknown) => {
        throw new Error(`${reasonOf(error)}; look at MEMORY_SMTP_URL`);
      });
      connection.quit();
    },
    send: async (mail) => {
      let connection: SMTPConnection;
      try {
        connection = await connect(mailServer);
      } catch (error) {
        // A server that refuses the sign-in refuses no mail: someone can correct the settings.
        return { outcome: { state: 'deferred', isKnown: true }, reason: reasonOf(error) };
      }
      try {
        await transfer(connection, mail, mailFrom);
        connection.quit();
        return { outcome: { state: 'sent' }, reason: null };
      } catch (error) {
        connection.close();
        const status = statusOf(error);
        // Without a status, the connection was lost, maybe after the server had accepted the mail.
        const outcome: SendOutcome =
          status !== null && status >= 500
            ? { state: 'refused' }
            : { state: 'deferred', isKnown: status !== null };
        return { outcome, reason: reasonOf(error) };
      }
    },
  };
}

const LOCAL = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i;

/** Connects, changes to TLS if needed, and signs in. Nothing of a mail has been sent then. */
async function connect({ host, port, isSecure, credentials }: MailServer): Promise<SMTPConnection> {
  const connection = new SMTPConnection({
    host,
    port,
    secure: isSecure,
    // Otherwise someone on the way could take the offer of TLS out of the greeting, and read the password.
    requireTLS: credentials !== null && !LOCAL.test(host),
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: IDLE_MS,
    logger: false,
  });
  const failed = new Promise<never>((_, reject) => {
    // It also emits errors later, which would end the process without a listener.
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('the connection was closed')));
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([failed, new Promise<void>((resolve) => connection.connect(() => resolve()))]);
    if (credentials !== null) {
      const auth = { user: credentials.user, pass: credentials.password };
      await Promise.race([failed, settle((done) => connection.login({ credentials: auth }, done))]);
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

const settle = (run: (done: (error: Error | null) => void) => void) =>
  new Promise<void>((resolve, reject) =>
    run((error) => (error === null || error === undefined ? resolve() : reject(error))),
  );

async function transfer(
  connection: SMTPConnection,
  { id, to, subject, text, html }: OutgoingMail,
  from: MailSender,
): Promise<void> {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const message = await new MailComposer({
    from: from.name === null ? from.address : { name: from.name, address: from.address },
    // Without a name, and as an object: an address that is parsed could name several people.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domain}>`,
    // So that no program answers with a note about holidays.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
  const lost = new Promise<never>((_, reject) => {
    connection.once('error', reject);
    connection.once('end', () => reject(new Error('the connection was closed')));
  });
  lost.catch(() => undefined);
  await Promise.race([
    lost,
    settle((done) => connection.send({ from: from.address, to: [to] }, message, done)),
  ]);
}

/** The status with which the server has refused a command; null if it has not answered. */
function statusOf(error: unknown): number | null {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 400 ? responseCode : null;
}

/** Errors of the connection itself. Their messages name the mail server, and nobody who gets a mail. */
const CONNECTION_CODES: readonly unknown[] = ['ESOCKET', 'ECONNECTION', 'ETIMEDOUT', 'EDNS', 'ETLS'];

function faultOf({ message }: Error, code: unknown): string {
  if (CONNECTION_CODES.includes(code)) return message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200);
  return typeof code === 'string' ? code : 'it closed the connection';
}

/** Why a mail was not sent, in codes: the text of an answer can have the address, and that of the program the password. */
function reasonOf(error: unknown): string {
  const { code, command, response } = error as { code?: unknown; command?: unknown; response?: unknown };
  const status = statusOf(error);
  const step = typeof command === 'string' && command !== 'API' ? ` (${command.split(' ')[0]})` : '';
  if (status !== null) {
    const detailed =
      typeof response === 'string' ? /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] : undefined;
    return `the mail server refused with ${[status, detailed].filter(Boolean).join(' ')}${step}`;
  }
  return `the mail server cannot be used: ${faultOf(error as Error, code)}${step}`;
}
