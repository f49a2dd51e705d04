import { canonicalBaseUrl } from '../../shared/formats/addresses.ts';
import { SETTINGS, type Variable } from '../../shared/settings/definitions.ts';
import type { CLIENT_VARIABLES } from '../../shared/settings/unknown-variables.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Found, findIn, findVariable, type Place } from './environment.ts';

/** What the terminal client reads of the environment: variables of the service, of npm and of the operating system. */
type ClientVariable =
  | Variable
  | (typeof CLIENT_VARIABLES)[number]
  | 'INIT_CWD'
  | 'npm_lifecycle_event'
  | 'XDG_CONFIG_HOME'
  | 'CLAUDE_CONFIG_DIR'
  | 'CODEX_HOME'
  | 'COLUMNS'
  | 'DISPLAY'
  | 'WAYLAND_DISPLAY'
  | 'VISUAL'
  | 'EDITOR';

/** Reads a variable of the environment or of `.env`. An empty one counts as unset, as in the service. */
export function setting(name: ClientVariable): string | null {
  return findVariable(name)?.text ?? null;
}

/** The address of the service in the settings of one place; null if they name none. */
function addressIn(place: Place): Found | null {
  const url = findIn(place, 'MEMORY_API_PUBLIC_URL');
  if (url !== null) return url;
  const port = findIn(place, 'MEMORY_API_PORT') ?? findIn(place, 'PORT');
  return port === null ? null : { text: `http://127.0.0.1:${port.text}`, place };
}

/** A place as messages name it. */
export const placeName = (place: Place) => (place === '.env' ? '.env' : 'the environment');

const DEFAULT_URL = `http://127.0.0.1:${SETTINGS.port.default}`;

/** @throws CommandError if a text is not an address of a service */
function normalized(text: string, source: string): string {
  const url = canonicalBaseUrl(text);
  if (url !== null) return url;
  throw new CommandError(
    `${source}: expected an absolute http or https address without user, query and fragment, or a port`,
  );
}

const VARIABLE_NAMES = 'MEMORY_API_PUBLIC_URL or MEMORY_API_PORT';

/**
 * The address of the service: `--url`, otherwise the address from the service's own settings.
 * @param otherwise the address to use if neither is set
 * @throws CommandError
 */
export function serviceUrl(given: string | undefined, otherwise = DEFAULT_URL): string {
  if (given !== undefined) return normalized(given, '--url');
  const found = addressIn('environment') ?? addressIn('.env');
  return normalized(found?.text ?? otherwise, VARIABLE_NAMES);
}

/**
 * The address for a secret that comes from one place: `--url`, otherwise the address from the settings of that place. A
 * file `.env` of a folder must not receive the secrets of the environment, or the other way round.
 * @param what the secret and where it comes from, for the message
 * @param otherwise the address to use if no place has one
 * @throws CommandError if only another place has an address
 */
export function serviceUrlFor(
  what: string,
  place: Place,
  given: string | undefined,
  otherwise = DEFAULT_URL,
): string {
  if (given !== undefined) return normalized(given, '--url');
  const found = addressIn(place);
  if (found !== null) return normalized(found.text, VARIABLE_NAMES);
  const other = addressIn(place === '.env' ? 'environment' : '.env');
  if (other === null) return otherwise;
  throw new CommandError(
    `${what}, but the address from ${placeName(other.place)}: name the address with --url`,
  );
}

/**
 * Reads MEMORY_API_TOKEN; null if it is not set.
 * @throws CommandError if it has characters that cannot be sent
 */
export function environmentToken(): Found | null {
  const found = findVariable('MEMORY_API_TOKEN');
  if (found !== null && !isToken(found.text)) {
    throw new CommandError('MEMORY_API_TOKEN: expected printable ASCII characters without spaces');
  }
  return found;
}

/** Whether a text can be sent as a Bearer credential. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
