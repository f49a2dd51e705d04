import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that has arrived. */
export interface ArrivedMail {
  to: string;
  message: Email;
  /** The whole message as it was sent. */
  raw: string;
}

/** What the server does with the next mails: it accepts them, or refuses with a status, at the recipient or after the text. */
type Behaviour = 'accept' | { status: number; at: 'recipient' | 'data' } | 'lose the answer';

/** A mail server in this process, for one test file. */
export interface MailServer {
  /** For MEMORY_SMTP_URL. */
  url: string;
  /** All that arrived, in their order. */
  mails: ArrivedMail[];
  /** What it does from now on. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** The settings of a service that sends its mails there. */
export const mailSettings = ({ url }: Pick<MailServer, 'url'>) => ({
  MEMORY_SMTP_URL: url,
  MEMORY_MAIL_FROM: 'Team memory <memory@example.com>',
  MEMORY_API_PUBLIC_URL: 'https://memory.example.com',
});

/** Opens a mail server, which is closed after the file. */
export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ArrivedMail[] = [];
  let behaviour: Behaviour = 'accept';
  const refusal = (at: 'recipient' | 'data') =>
    typeof behaviour === 'object' && behaviour.at === at
      ? Object.assign(new Error('not here, and not for person@example.com'), {
          responseCode: behaviour.status,
        })
      : null;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onRcptTo: (_address, _session, done) => done(refusal('recipient')),
    onData: (stream, session, done) => {
      const receive = async () => {
        const bytes = await buffer(stream);
        const refused = refusal('data');
        if (refused === null) {
          const to = session.envelope.rcptTo.map(({ address }) => address).join();
          mails.push({ to, message: await PostalMime.parse(bytes), raw: bytes.toString('utf8') });
        }
        if (behaviour === 'lose the answer') for (const connection of server.connections) connection.close();
        else done(refused);
      };
      void receive();
    },
    ...options,
  });
  // A client that is killed resets its connection.
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  after(close);
  return {
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    mails,
    behave: (next) => {
      behaviour = next;
    },
    close,
  };
}

/** The links of a mail, in its text. The HTML must have the same ones, and no other. */
export function linksOf({ message }: ArrivedMail): string[] {
  const inText = Array.from((message.text ?? '').matchAll(/https?:\/\/\S+/g), ([link]) => link);
  const inHtml = Array.from((message.html ?? '').matchAll(/href="([^"]*)"/g), ([, link]) => link);
  assert.deepEqual([...new Set(inHtml)], inText);
  return inText;
}
