import type { Config } from '../shared/config.ts';

/**
 * The command that makes the link with which the Owner sets the first password. The API prints the command and not the
 * link, because its log can be read by people who must not become the Owner. The command needs `MEMORY_API_TOKEN`.
 * @param localUrl where the API listens, for a service that is not told its public address
 */
export function ownerLinkCommand({ publicUrl }: Pick<Config, 'publicUrl'>, localUrl: string): string {
  return `npm run -s cli -- owner-reset-link --url ${publicUrl ?? localUrl}`;
}
