import { CommandError } from '../terminal/command-error.ts';
import { type Credential, connect, type ServiceClient } from './service-client.ts';
import { readSession } from './session-file.ts';
import { environmentToken, serviceUrl } from './settings.ts';

/** A client of the service, and the credential that it sends. */
export interface SignedIn {
  service: ServiceClient;
  url: string;
  source: Credential['source'];
}

/**
 * Connects to the service with MEMORY_API_TOKEN if it is set, otherwise with the saved session. A session is sent only
 * to the address that it belongs to, so that a `--url` or a .env file with another address cannot obtain it.
 * @param givenUrl the value of `--url`
 * @param team the value of `--team`, for commands about one Team
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
      'you are not signed in: sign in with npm run cli -- login, or set MEMORY_API_TOKEN to the token of the service',
    );
  }
  if (session.url !== url) {
    throw new CommandError(
      `the saved session belongs to ${session.url}, not to ${url}: name its address with --url, or sign in with npm run cli -- login --url ${url}`,
    );
  }
  return { service: connect(url, { token: session.token, source: 'session' }, team), url, source: 'session' };
}
