import { chosenProfile, type Profile, profileOption } from '../../client/profiles.ts';
import { connect, NoBody, ServiceRefusal } from '../../client/service-client.ts';
import { readSession, removeSession, type SavedSession, sessionPath } from '../../client/session-file.ts';
import { serviceUrl } from '../../client/settings.ts';
import { type Command, SERVICE_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import type { Result } from '../../terminal/output.ts';

const options = {
  force: {
    type: 'boolean',
    help: 'remove the file even if the session cannot be ended or the file cannot be read',
  },
  profile: { ...SERVICE_OPTIONS.profile, help: 'the profile to sign out; default: MEMORY_PROFILE' },
  url: { ...SERVICE_OPTIONS.url, help: 'sign out only if the session belongs to this address' },
} as const;

/** The result: whether there was a session to end, and whether its end was confirmed. */
function result(text: string, ended: boolean): Result {
  return { text, data: { ended } };
}

/** Ends the session on the service. Returns false if it had already ended. */
async function endSession({ url, token }: SavedSession, profile: Profile): Promise<boolean> {
  try {
    await connect(url, { token, source: 'session', profile }).post('/v1/auth/logout', NoBody);
    return true;
  } catch (error) {
    if (error instanceof ServiceRefusal && error.isCredentialInvalid) return false;
    throw error;
  }
}

/** Removes the file of a session that may still be valid. */
async function removeUnended(profile: Profile, why: string): Promise<Result> {
  await removeSession(profile);
  return result(`Removed ${sessionPath(profile)}, but its session was not ended${why}.`, false);
}

export const logout: Command<typeof options> = {
  section: 'account',
  summary: 'end the session that login saved',
  about: 'Ends the session that login saved, and removes its file.',
  options,
  notes: `A session that could not be ended expires after it has not been used for some time. MEMORY_API_TOKEN is not a
session, and logout does not change it.`,
  async run({ force, url, profile: given }) {
    const profile = chosenProfile(given);
    const session = await readSession(profile).catch((error: unknown) => {
      if (force !== true || !(error instanceof CommandError)) throw error;
      return 'unreadable' as const;
    });
    if (session === null) return result('You are not signed in: there is no saved session.', false);
    if (session === 'unreadable') return removeUnended(profile, '');
    if (url !== undefined && serviceUrl(url) !== session.url) {
      throw new CommandError(`the saved session belongs to ${session.url}, not to ${serviceUrl(url)}`);
    }
    let ended: boolean;
    try {
      ended = await endSession(session, profile);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (force === true) return removeUnended(profile, `: ${error.message}`);
      throw new CommandError(
        `${error.message} (the session file was not removed; logout --force${profileOption(profile)} removes it anyway)`,
      );
    }
    await removeSession(profile);
    const who = `${oneLine(session.email)} at ${session.url}`;
    return ended
      ? result(`Signed out ${who}.`, true)
      : result(`The session of ${who} had already ended. Its file was removed.`, true);
  },
};
