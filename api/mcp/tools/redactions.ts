import { secretDetected } from '../../../core/redaction/redact-fields.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Redaction } from '../../../shared/schemas/common.ts';
import { cutToJson } from '../tokens.ts';

/** The arguments of a tool that have other names than the fields of the request that it makes. */
type ArgumentNames = Readonly<Record<string, string>>;

/** The same credentials, by the names of the arguments of the tool. */
export function inArguments(redactions: readonly Redaction[], names: ArgumentNames): Redaction[] {
  return redactions.map((redaction) => {
    const [, field = '', ...rest] = redaction.path.split('/');
    return { ...redaction, path: ['', names[field] ?? field, ...rest].join('/') };
  });
}

/**
 * Does what a tool does, and names its arguments in a refusal.
 * @throws ServiceError `secret_detected`
 */
export async function refusingArguments<T>(names: ArgumentNames, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'secret_detected') throw error;
    const { redactions = [] } = error.extra as { redactions?: Redaction[] };
    throw secretDetected(inArguments(redactions, names));
  }
}

/** The most credentials that the answer of a tool lists, and the most tokens of a path: names in metadata can be long. */
const MAX_LISTED = 20;
const MAX_PATH = 150;

/** The first credentials that were found, with the beginnings of their paths. All are treated alike. */
export function listed(redactions: readonly Redaction[]): Redaction[] {
  return redactions
    .slice(0, MAX_LISTED)
    .map((redaction) => ({ ...redaction, path: cutToJson(redaction.path, MAX_PATH) }));
}
