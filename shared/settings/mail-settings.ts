import { canonicalEmail, isEmail } from '../formats/names.ts';
import { type Environment, faultOf, variableText } from './read-settings.ts';
import { exampleOf, type Setting } from './setting.ts';
import { integer, type ValueType } from './value-types.ts';

/** The mail server that accepts the mails of the service. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with TLS. Otherwise it changes to TLS if the server offers it. */
  readonly isSecure: boolean;
  /** Null: the server needs no sign-in. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** The sender of all mails. */
export interface MailSender {
  readonly name: string | null;
  readonly address: string;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

const SERVER: ValueType<MailServer> = {
  accepts: 'an address beginning with smtp:// or smtps://, without a path and a query',
  example: 'smtps://user:password@mail.example.com:465',
  parse: (given) => {
    if (!URL.canParse(given)) return null;
    const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(given);
    const defaultPort = PORTS[protocol];
    if (defaultPort === undefined || hostname === '' || !['', '/'].includes(pathname)) return null;
    if (search !== '' || hash !== '' || (username === '') !== (password === '')) return null;
    const [user, secret] = [decoded(username), decoded(password)];
    if (user === null || secret === null) return null;
    return Object.freeze({
      host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: port === '' ? defaultPort : Number(port),
      isSecure: protocol === 'smtps:',
      credentials: user === '' ? null : { user, password: secret },
    });
  },
};

/** The text of a part of an address; null if it is not percent-encoded as it must be. */
function decoded(part: string): string | null {
  try {
    const text = decodeURIComponent(part);
    return /\p{Cc}/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

const SENDER: ValueType<MailSender> = {
  accepts: 'an email address, or a name followed by one in angle brackets',
  example: 'Team memory <memory@example.com>',
  parse: (given) => {
    const start = given.lastIndexOf('<');
    const isNamed = start >= 0 && given.endsWith('>');
    const address = canonicalEmail(isNamed ? given.slice(start + 1, -1) : given);
    const name = isNamed ? given.slice(0, start).trim() : '';
    if (!isEmail(address) || /[<>",;:()[\]\\]/.test(address) || /[<>"\p{Cc}]/u.test(name)) return null;
    return name.length > 300 ? null : Object.freeze({ name: name === '' ? null : name, address });
  },
};

/** The settings of mail, a part of `SETTINGS`. */
export const MAIL_SETTINGS = {
  mailServer: {
    variable: 'MEMORY_SMTP_URL',
    type: SERVER,
    default: null,
    isSecret: true,
    description:
      'Mail server that sends the mails of the service. With smtps:// the connection begins with TLS. With smtp:// it changes to TLS if the server offers that, and must do so if the address has a password and is not of this machine. Required with MEMORY_MAIL_FROM.',
  },
  mailFrom: {
    variable: 'MEMORY_MAIL_FROM',
    type: SENDER,
    default: null,
    description: 'Sender of the mails. Required with MEMORY_SMTP_URL.',
  },
  mailsPerDay: {
    variable: 'MEMORY_MAIL_PER_DAY',
    type: integer(1, 1_000_000),
    default: 200,
    description: 'The most invites and invitations that one Company mails in 24 hours.',
  },
} as const satisfies Record<string, Setting>;

/** The settings that decide whether the service sends mail. */
export interface MailConfig {
  readonly mailServer: MailServer | null;
  readonly mailFrom: MailSender | null;
}

/** Whether the service sends mail. */
export const isMailOn = ({ mailServer, mailFrom }: MailConfig): boolean =>
  mailServer !== null && mailFrom !== null;

/** Adds a line to `faults` if only one of the two variables that mail needs is set. */
export function checkMailSettings(env: Environment, faults: string[]): void {
  const { mailServer, mailFrom } = MAIL_SETTINGS;
  for (const [missing, present] of [
    [mailServer, mailFrom],
    [mailFrom, mailServer],
  ] as const) {
    if (variableText(env, missing.variable) !== null || variableText(env, present.variable) === null)
      continue;
    const reason = `${missing.type.accepts}, because ${present.variable} is set`;
    faults.push(faultOf(missing.variable, reason, exampleOf(missing)));
  }
}
