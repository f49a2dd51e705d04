import type { SessionInfo } from '../../shared/schemas/identity.ts';
import { type Command, OperatorError } from './command.ts';
import { parseDuration } from './duration.ts';

const help = `Makes a link by which an Owner sets a new password, and prints it with the time it ends.

Usage: npm run operator -- owner-reset-link [options]

  --team <id>        Team of the Owner; default: the first Team
  --email <email>    email of an Owner of that Team or of the Company; default: the caller's own
  --base-url <url>   where the Owner's browser reaches the service; default: as the service is configured
  --ttl <duration>   how long the link lives, 60s to 24h, such as 900, 15m or 1h; default: 1h
  --url <url>        where this terminal reaches the service; default: MEMORY_API_PUBLIC_URL, else
                     http://127.0.0.1 with the port of MEMORY_API_PORT, PORT or 8787

The credential is MEMORY_API_TOKEN, from the environment or a file .env in this folder.`;

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
    throw new OperatorError('--ttl: expected a duration from 60s to 24h, such as 900, 15m or 1h');
  }
  return seconds;
}

export const ownerResetLink: Command = {
  summary: 'make a link by which an Owner sets a new password',
  help,
  options,
  async run(service, values) {
    const { team, email, 'base-url': baseUrl, ttl } = values as Partial<Record<keyof typeof options, string>>;
    const ttlSeconds = readTtl(ttl);
    const session =
      team === undefined || email === undefined ? await service.get<SessionInfo>('/v1/auth/session') : null;
    const teamId = team ?? session?.teams[0]?.id;
    if (teamId === undefined) throw new OperatorError('there is no Team: name one with --team');
    const link = await service.post<{ url: string; expiresAt: string }>('/v1/company/reset-links', {
      teamId,
      email: email ?? session?.user.email,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    });
    return `${link.url}\nvalid once, until ${link.expiresAt}`;
  },
};
