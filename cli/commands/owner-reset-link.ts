import { ResetLink, SessionInfo } from '../../shared/schemas/identity.ts';
import { signedIn } from '../client/signed-in.ts';
import { CommandError } from '../terminal/command-error.ts';
import { parseDuration } from '../terminal/duration.ts';
import { type Command, CREDENTIAL_HELP, URL_HELP } from './command.ts';

const help = `Creates a link with which an Owner can set a new password, and prints it with the time at which it expires.

Usage: npm run cli -- owner-reset-link [options]

  --team <id>        Team of the Owner; default: the first Team
  --email <email>    email of an Owner of that Team or of the Company; default: the caller's own
  --base-url <url>   address of the service for the Owner's browser; default: as the service is configured
  --ttl <duration>   how long the link is valid, 60s to 24h, such as 900, 15m or 1h; default: 1h
${URL_HELP}

${CREDENTIAL_HELP}`;

const options = {
  team: { type: 'string' },
  email: { type: 'string' },
  'base-url': { type: 'string' },
  ttl: { type: 'string' },
} as const;

function readTtl(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDuration(text);
  if (seconds === null || seconds < 60 || seconds > 86_400) {
    throw new CommandError('--ttl: expected a duration from 60s to 24h, such as 900, 15m or 1h');
  }
  return seconds;
}

export const ownerResetLink: Command<typeof options> = {
  summary: 'create a link with which an Owner can set a new password',
  help,
  options,
  async run({ team, email, 'base-url': baseUrl, ttl, url }) {
    const ttlSeconds = readTtl(ttl);
    const { service } = await signedIn(url);
    const session =
      team === undefined || email === undefined ? await service.get('/v1/auth/session', SessionInfo) : null;
    const teamId = team ?? session?.teams[0]?.id;
    if (teamId === undefined) throw new CommandError('you have no Team: choose one with --team');
    const link = await service.post('/v1/company/reset-links', ResetLink, {
      teamId,
      email: email ?? session?.user.email,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    });
    return `${link.url}\nvalid once, until ${link.expiresAt}`;
  },
};
