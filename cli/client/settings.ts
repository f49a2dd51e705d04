import { canonicalBaseUrl } from '../../shared/formats/base-url.ts';
import { SETTINGS, type Variable } from '../../shared/settings/definitions.ts';
import { variableText } from '../../shared/settings/read-settings.ts';
import type { CLIENT_VARIABLES } from '../../shared/settings/unknown-variables.ts';
import { CommandError } from '../terminal/command-error.ts';

/** What the terminal client reads of the environment: variables of the service, of npm and of the operating system. */
type ClientVariable =
  | Variable
  | (typeof CLIENT_VARIABLES)[number]
  | 'INIT_CWD'
  | 'npm_lifecycle_event'
  | 'XDG_CONFIG_HOME'
  | 'CLAUDE_CONFIG_DIR'
  | 'CODEX_HOME'
  | 'VISUAL'
  | 'EDITOR';

/** Reads an environment variable. An empty one counts as unset, as in the service. */
export function setting(name: ClientVariable): string | null {
  return variableText(process.env, name);
}

/**
 * The address of the service: `--url`, otherwise the address from the service's own settings.
 * @param otherwise the address to use if neither is set
 * @throws CommandError
 */
export function serviceUrl(
  given: string | undefined,
  otherwise = `http://127.0.0.1:${SETTINGS.port.default}`,
): string {
  const port = setting('MEMORY_API_PORT') ?? setting('PORT');
  const local = port === null ? otherwise : `http://127.0.0.1:${port}`;
  const url = canonicalBaseUrl(given ?? setting('MEMORY_API_PUBLIC_URL') ?? local);
  if (url !== null) return url;
  const source = given === undefined ? 'MEMORY_API_PUBLIC_URL or MEMORY_API_PORT' : '--url';
  throw new CommandError(
    `${source}: expected an absolute http or https address without user, query and fragment, or a port`,
  );
}

/**
 * Reads MEMORY_API_TOKEN; null if it is not set.
 * @throws CommandError if it has characters that cannot be sent
 */
export function environmentToken(): string | null {
  const token = setting('MEMORY_API_TOKEN');
  if (token !== null && !isToken(token)) {
    throw new CommandError('MEMORY_API_TOKEN: expected printable ASCII characters without spaces');
  }
  return token;
}

/** Whether a text can be sent as a Bearer credential. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
