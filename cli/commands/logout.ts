import { connect, NoBody, ServiceRefusal } from '../client/service-client.ts';
import { readSession, removeSession, type SavedSession, sessionPath } from '../client/session-file.ts';
import { serviceUrl } from '../client/settings.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Command } from './command.ts';

const help = `Ends the session that login saved, and removes its file.

Usage: npm run cli -- logout [options]

  --force            remove the file even if the session cannot be ended or the file cannot be read
  --url <url>        sign out only if the session belongs to this address

A session that could not be ended expires after it has not been used for some time. MEMORY_API_TOKEN is not a
session, and logout does not change it.`;

const options = { force: { type: 'boolean' } } as const;

/** Ends the session on the service. Returns false if it had already ended. */
async function endSession({ url, token }: SavedSession): Promise<boolean> {
  try {
    await connect(url, { token, source: 'session' }).post('/v1/auth/logout', NoBody);
    return true;
  } catch (error) {
    if (error instanceof ServiceRefusal && error.isCredentialInvalid) return false;
    throw error;
  }
}

/** Removes the file of a session that may still be valid. */
async function removeUnended(why: string): Promise<string> {
  await removeSession();
  return `Removed ${sessionPath()}, but its session was not ended${why}.`;
}

export const logout: Command<typeof options> = {
  summary: 'end the session that login saved',
  help,
  options,
  async run({ force, url }) {
    const session = await readSession().catch((error: unknown) => {
      if (force !== true || !(error instanceof CommandError)) throw error;
      return 'unreadable' as const;
    });
    if (session === null) return 'You are not signed in: there is no saved session.';
    if (session === 'unreadable') return removeUnended('');
    if (url !== undefined && serviceUrl(url) !== session.url) {
      throw new CommandError(`the saved session belongs to ${session.url}, not to ${serviceUrl(url)}`);
    }
    let ended: boolean;
    try {
      ended = await endSession(session);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (force === true) return removeUnended(`: ${error.message}`);
      throw new CommandError(
        `${error.message} (the session file was not removed; logout --force removes it anyway)`,
      );
    }
    await removeSession();
    const who = `${oneLine(session.email)} at ${session.url}`;
    return ended ? `Signed out ${who}.` : `The session of ${who} had already ended. Its file was removed.`;
  },
};
