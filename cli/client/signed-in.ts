import { CommandError } from '../terminal/command-error.ts';
import { type Credential, connect, type ServiceClient } from './service-client.ts';
import { readSession } from './session-file.ts';
import { environmentToken, serviceUrl } from './settings.ts';

/** The service, and as whom it is asked. */
export interface SignedIn {
  service: ServiceClient;
  url: string;
  source: Credential['source'];
}

/**
 * The service with the credential that counts: MEMORY_API_TOKEN where it is set, else the kept session. A session is
 * sent only to its own address: someone who names another, in `--url` or a .env file, must not get it.
 * @param givenUrl what `--url` says
 * @param team what `--team` says, of a command that is about one Team
 * @throws CommandError
 */
export async function signedIn(givenUrl: string | undefined, team?: string): Promise<SignedIn> {
  const token = environmentToken();
  if (token !== null) {
    const url = serviceUrl(givenUrl);
    return {
      service: connect(url, { token, source: 'MEMORY_API_TOKEN' }, team),
      url,
      source: 'MEMORY_API_TOKEN',
    };
  }
  const session = await readSession();
  const url = serviceUrl(givenUrl, session?.url);
  if (session === null) {
    throw new CommandError(
      'no one is signed in: sign in with npm run cli -- login, or set MEMORY_API_TOKEN to the token of the service',
    );
  }
  if (session.url !== url) {
    throw new CommandError(
      `the kept session belongs to ${session.url}, not to ${url}: name its address with --url, or sign in with npm run cli -- login --url ${url}`,
    );
  }
  return { service: connect(url, { token: session.token, source: 'session' }, team), url, source: 'session' };
}
