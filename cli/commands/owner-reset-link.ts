import { isId } from '../../shared/ids.ts';
import { ResetLink, SessionInfo } from '../../shared/schemas/identity.ts';
import { findTeam } from '../client/find-team.ts';
import { signedIn } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { parseDuration } from '../terminal/duration.ts';

const options = {
  team: {
    type: 'string',
    value: 'team',
    completes: 'team',
    help: 'name or id of the Team of the Owner; default: the first Team',
  },
  email: {
    type: 'string',
    value: 'email',
    help: "email of an Owner of that Team or of the Company; default: the caller's own",
  },
  'base-url': {
    type: 'string',
    value: 'url',
    help: "address of the service for the Owner's browser; default: as the service is configured",
  },
  ttl: {
    type: 'string',
    value: 'duration',
    help: 'how long the link is valid, 60s to 24h, such as 900, 15m or 1h; default: 1h',
  },
  ...SERVICE_OPTIONS,
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
  section: 'operator',
  summary: 'create a link with which an Owner can set a new password',
  about:
    'Creates a link with which an Owner can set a new password, and prints it with the time at which it expires.',
  options,
  notes: CREDENTIAL_NOTE,
  async run({ team, email, 'base-url': baseUrl, ttl, url, profile }) {
    const ttlSeconds = readTtl(ttl);
    const { service } = await signedIn({ url, profile });
    const isComplete = team !== undefined && isId(team) && email !== undefined;
    const session = isComplete ? null : await service.get('/v1/auth/session', SessionInfo);
    const teams = session?.teams ?? [];
    const teamId = team === undefined ? teams[0]?.id : await findTeam(team, async () => teams);
    if (teamId === undefined) throw new CommandError('you have no Team: choose one with --team');
    const link = await service.post('/v1/company/reset-links', ResetLink, {
      teamId,
      email: email ?? session?.user.email,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    });
    return { text: `${link.url}\nvalid once, until ${link.expiresAt}`, data: link };
  },
};
