import { connect, Nothing, ServiceRefusal } from '../client/service-client.ts';
import { type KeptSession, readSession, removeSession, sessionPath } from '../client/session-file.ts';
import { serviceUrl } from '../client/settings.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Command } from './command.ts';

const help = `Ends the session that login keeps, and removes its file.

Usage: npm run cli -- logout [options]

  --force            remove the file also where the session cannot be ended, or the file not be read
  --url <url>        only if the session is one at this address

A session that could not be ended goes on until it was not used for long enough. MEMORY_API_TOKEN is no
session, and stays as it is.`;

const options = { force: { type: 'boolean' } } as const;

/** Ends the session on the service; false where it had ended already. */
async function endSession({ url, token }: KeptSession): Promise<boolean> {
  try {
    await connect(url, { token, source: 'session' }).post('/v1/auth/logout', Nothing);
    return true;
  } catch (error) {
    if (error instanceof ServiceRefusal && error.ended) return false;
    throw error;
  }
}

/** Removes the file of a session that goes on, or may go on. */
async function removeUnended(why: string): Promise<string> {
  await removeSession();
  return `Removed ${sessionPath()}, but its session was not ended${why}.`;
}

export const logout: Command<typeof options> = {
  summary: 'end the session that login keeps',
  help,
  options,
  async run({ force, url }) {
    const session = await readSession().catch((error: unknown) => {
      if (force !== true || !(error instanceof CommandError)) throw error;
      return 'unreadable' as const;
    });
    if (session === null) return 'No session is kept: no one is signed in.';
    if (session === 'unreadable') return removeUnended('');
    if (url !== undefined && serviceUrl(url) !== session.url) {
      throw new CommandError(`the kept session belongs to ${session.url}, not to ${serviceUrl(url)}`);
    }
    let ended: boolean;
    try {
      ended = await endSession(session);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (force === true) return removeUnended(`: ${error.message}`);
      throw new CommandError(`${error.message} (the session is kept; logout --force removes it anyway)`);
    }
    await removeSession();
    const who = `${oneLine(session.email)} at ${session.url}`;
    return ended ? `Signed out ${who}.` : `The session of ${who} had ended already; its file is removed.`;
  },
};
