import { createHmac } from 'node:crypto';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { runInSteps } from '../../shared/resources/async.ts';
import { MAX_NAME, type Redaction } from '../../shared/schemas/common.ts';
import type { SearchRequest } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import {
  REDACTION_MODES,
  type RedactionMode,
  type TeamSettings,
} from '../../shared/settings/team-settings.ts';
import { cutMasked, FieldTexts } from './field-texts.ts';

/** The most that an answer lists. All are masked. */
const MAX_LISTED = 1000;

/** Fields of a request that were checked for credentials. */
export interface CheckedFields<T> {
  /** What can be stored: the fields themselves or, in the mode `redact`, with masks in place of the credentials. */
  fields: T;
  /** Whether `fields` differ from those that were given. */
  isMasked: boolean;
  /** What was found, at most 1,000. */
  redactions: Redaction[];
  /**
   * Must be called before anything is stored, after every other check of the request.
   * @throws ServiceError `secret_detected` in the mode `refuse` if there is a credential
   */
  assertAllowed: () => void;
}

/**
 * Checks all texts in the fields of a request for credentials: strings and names of fields, at any depth. Long texts are
 * checked in steps between which other requests are served.
 * @param fields of the form that they have in the request, because the paths of the findings are made from it
 * @param path JSON pointer of `fields` in the request
 */
export async function redactFields<T>(mode: RedactionMode, fields: T, path = ''): Promise<CheckedFields<T>> {
  const unchanged = { fields, isMasked: false, redactions: [], assertAllowed: () => undefined };
  if (mode === 'off') return unchanged;
  const texts = await runInSteps(FieldTexts.collect(fields));
  const hasFindings = await runInSteps(texts.search());
  if (!hasFindings) return unchanged;
  const redactions = await runInSteps(texts.locate(path, MAX_LISTED));
  const isMasked = mode === 'redact';
  return {
    fields: isMasked ? ((await runInSteps(texts.replace())) as T) : fields,
    isMasked,
    redactions,
    assertAllowed: () => {
      if (mode === 'refuse') throw secretDetected(redactions);
    },
  };
}

/** The refusal of texts with credentials. It shows where they are, and nothing of them. */
export function secretDetected(redactions: readonly Redaction[]): ServiceError {
  const places = [...new Set(redactions.map(({ path, rule }) => `${path} (${rule})`))];
  const shown = places.slice(0, 5).join(', ');
  return new ServiceError(
    'secret_detected',
    `Remove the credentials in ${shown}${places.length > 5 ? ' and other fields' : ''}`,
    { extra: { redactions } },
  );
}

/** What is done about credentials: the mode of the deployment or of the Team, whichever is stricter. */
export function redactionMode(
  { redaction }: Pick<Config, 'redaction'>,
  team: Pick<TeamSettings, 'redaction'>,
): RedactionMode {
  const strictness = (mode: RedactionMode | null) => (mode === null ? -1 : REDACTION_MODES.indexOf(mode));
  return team.redaction !== null && strictness(team.redaction) > strictness(redaction)
    ? team.redaction
    : redaction;
}

/** The text of a query that is stored with its audit event, or null, and what the answer tells about it. */
interface CheckedQuery {
  query: string | null;
  answer: { redactions?: Redaction[] };
}

/**
 * Checks the query of a search for credentials if its text is to be stored. The audit never contains one, so it is
 * masked there in the mode `flag` too.
 * @throws ServiceError `secret_detected`
 */
export async function redactQuery(
  config: Pick<Config, 'redaction'>,
  scope: TeamScope,
  { query, storeQueryText }: Pick<SearchRequest, 'query' | 'storeQueryText'>,
): Promise<CheckedQuery> {
  if (storeQueryText !== true) return { query: null, answer: {} };
  const mode = redactionMode(config, scope);
  const { fields, redactions, assertAllowed } = await redactFields(mode === 'flag' ? 'redact' : mode, {
    query,
  });
  assertAllowed();
  return { query: fields.query, answer: { redactions } };
}

/**
 * Checks the names of a file for credentials again when its job runs: since it was accepted, the mode of the Team can have
 * become stricter.
 * @param earlier what was found before
 * @returns the names that its source gets, all that was found, and whether the file must be refused
 */
export async function recheckNames<T extends object>(
  mode: RedactionMode,
  names: T,
  earlier: readonly Redaction[] = [],
): Promise<{ names: T; redactions: Redaction[]; isRefused: boolean }> {
  const { fields, redactions } = await redactFields(mode, names);
  // A name that was masked then has no credential now, and one that was not is reported again.
  const others = earlier.filter(({ path }) => !redactions.some((found) => found.path === path));
  return {
    names: fields,
    redactions: [...others, ...redactions],
    isRefused: mode === 'refuse' && redactions.length > 0,
  };
}

/** Characters of the hash. */
const HASH_LENGTH = 8;

/**
 * What is stored of an id that a caller chose. Two ids that differ only in their credentials must not become one, so a
 * masked id has a short hash of the whole one.
 * @param given the id of the request
 * @param masked the id with masks in place of its credentials; `given` itself if it has none
 */
export function maskedId<T extends string | undefined>(teamId: string, given: T, masked: T): T | string {
  if (given === undefined || masked === undefined || masked === given) return masked;
  const hash = createHmac('sha256', teamId).update(given).digest('hex').slice(0, HASH_LENGTH);
  return `${cutMasked(masked, MAX_NAME - HASH_LENGTH - 1)}#${hash}`;
}
