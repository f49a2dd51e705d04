import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { findMemory, lockMemories } from '../../db/queries/memories.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/names.ts';
import { assertFuture, parseExpiry, parseOptionalMoment } from '../../shared/formats/times.ts';
import { parseId } from '../../shared/ids.ts';
import { MEMORY_ACTIONS, type MemoryState, nextState } from '../../shared/memory-states.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Decision, Memory } from '../../shared/schemas/memories.ts';
import { layerOf, requireRight, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { type ContentInput, prepareContent } from '../../shared/text/memory-content.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import { type Outcome, runEach } from '../access/run-each.ts';
import type { Dependencies } from '../dependencies.ts';
import { decideSource } from '../feedback/commands.ts';
import { redactFields, redactionMode } from '../redaction/redact.ts';
import { enqueueIndexing } from '../sources/indexing.ts';
import { ACTIONS } from './actions.ts';
import {
  ACTION_FIELDS,
  type Deciding,
  type Found,
  type LockedDecision,
  type ParsedDecision,
  versionConflict,
} from './decision.ts';

type DecideDependencies = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** The search for credentials in the texts of a decision. */
export interface TextChecks {
  /** Checks a stored text that the decision publishes. It can have been stored when the check was less strict. */
  checkStored: (text: ContentInput, decision: Decision) => Promise<ContentInput>;
  /** Called when the state of the memory allows the decision, before anything is stored. */
  assertAllowed: () => void;
}

/**
 * Decides on one memory, or on a source that feedback put into review. What an action does is in `ACTIONS`.
 * @param signal of the request: no content is cut after it is closed
 * @throws ServiceError `invalid_request`, `scope_forbidden`, `not_found`, `unauthenticated`, `team_forbidden`,
 *   `full_access_required`, `team_archived`, `version_conflict`, `conflict`, `quota_exceeded`
 */
async function decide(
  deps: DecideDependencies,
  scope: TeamScope,
  given: Decision,
  signal: AbortSignal,
  { checkStored, assertAllowed }: TextChecks,
): Promise<Memory> {
  const { config, database } = deps;
  const decision = parseDecision(scope, given);
  const found = await transaction(database, scope, (tx) => find(tx, decision));
  if (found === null) {
    const { action, memoryId, version } = decision;
    return decideSource(deps, scope, { sourceId: memoryId, action, version });
  }
  const { present, text = null, origin, otherId = null } = found;
  return runCommand(database, scope, {
    prepare: async () => {
      const storable = text === null ? null : await checkStored(text, given);
      const prepared = storable === null ? null : await prepareContent(scope.teamId, storable, signal);
      return { storable, prepared };
    },
    lock: (tx) => lockDecision(tx, decision, otherId),
    ...(ACTIONS[decision.action].addsText === true ? { quota: config } : {}),
    apply: (tx, locked, { storable, prepared }) =>
      apply(
        tx,
        deps,
        locked,
        { decision, present, text, origin, storable, prepared, model: config.embeddingModel },
        assertAllowed,
      ),
  });
}

function parseDecision(scope: TeamScope, decision: Decision): ParsedDecision {
  const { clientId, ...rest } = decision;
  const { action, tags, supersedes, occurredAt, expiresAt } = rest;
  const { fields, assertComplete } = ACTIONS[action];
  assertComplete?.(decision);
  for (const field of ACTION_FIELDS) {
    if (decision[field] === undefined || fields.includes(field)) continue;
    const accepting = MEMORY_ACTIONS.filter((name) => ACTIONS[name].fields.includes(field));
    throw invalidField(`/${field}`, `is allowed only with ${accepting.join(' and ')}`);
  }
  const expiry = parseExpiry(expiresAt, '/expiresAt');
  assertFuture(expiry);
  const parsedTags = tags === undefined ? null : parseTags(tags);
  // Before the id of the memory: a scope is refused first.
  const target =
    clientId === undefined ? undefined : writeLayer(scope, clientId === null ? {} : { clientId });
  return {
    ...rest,
    memoryId: parseId(decision.memoryId),
    supersedes: supersedes === undefined ? null : parseId(supersedes),
    tags: parsedTags,
    occurredAt: parseOptionalMoment(occurredAt, '/occurredAt'),
    expiresAt: expiry,
    target,
  };
}

/** Finds what a decision needs before its transaction. Null: the id is not that of a memory, but a source can have it. */
async function find(
  tx: TeamTransaction,
  decision: ParsedDecision,
): Promise<(Found & { present: Memory }) | null> {
  const present = await findMemory(tx, decision.memoryId);
  if (present === null) return null;
  return { present, ...(await ACTIONS[decision.action].find?.(tx, decision, present)) };
}

async function lockDecision(
  tx: TeamTransaction,
  decision: ParsedDecision,
  otherId: string | null,
): Promise<LockedDecision> {
  const { action, memoryId, target } = decision;
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  if (target !== undefined && !(await canWrite(tx, team, [target])))
    throw new ServiceError('scope_forbidden');
  const lockedMemories = await lockMemories(tx, otherId === null ? [memoryId] : [memoryId, otherId]);
  const own = lockedMemories.get(memoryId);
  const other = otherId === null ? null : (lockedMemories.get(otherId)?.memory ?? null);
  // Its client can have been archived since it was found.
  if (own === undefined || !(await canWrite(tx, team, [layerOf(tx.scope, own.memory.clientId)]))) {
    throw new ServiceError('not_found');
  }
  ACTIONS[action].assertLocked?.({ own, other }, decision);
  assertActive(team);
  return { own, other };
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: DecideDependencies,
  locked: LockedDecision,
  deciding: Deciding,
  assertAllowed: () => void,
): Promise<Applied<Memory>> {
  assertDecidable(locked.own.memory, deciding.decision);
  assertAllowed();
  const { result, audit, indexed, isOutdated } = await ACTIONS[deciding.decision.action].act(
    tx,
    locked,
    deciding,
  );
  const outdatedId = isOutdated === true ? result.sourceId : null;
  return {
    result,
    audit,
    enqueue: async () => {
      if (indexed !== undefined) await enqueueIndexing(tx, queue, config, indexed, outdatedId);
    },
  };
}

const STATE_SUBJECTS: Readonly<Record<MemoryState, string>> = {
  review: 'A memory in review',
  published: 'A published memory',
  discarded: 'A discarded memory',
  archived: 'An archived memory',
};

function assertDecidable({ state, version }: Memory, decision: ParsedDecision): void {
  const base = ACTIONS[decision.action].namesVersion ? decision.baseVersion : decision.version;
  if (base !== undefined && base !== version) throw versionConflict(version);
  if (nextState(state, decision.action) === null) {
    throw new ServiceError(
      'conflict',
      `${STATE_SUBJECTS[state]} cannot be ${ACTIONS[decision.action].participle}`,
    );
  }
}

/** A memory after a decision, and the credentials that were found in the texts of the decision. */
export interface Decided {
  memory: Memory;
  redactions: Redaction[];
}

/**
 * Checks the texts of a decision for credentials, and decides. A stored text that is published or restored is checked
 * too, because it can be from a time when the check was less strict.
 * @param path JSON pointer of the decision in the request
 * @throws ServiceError as `decide`; `secret_detected`
 */
export async function decideChecked(
  deps: DecideDependencies,
  scope: TeamScope,
  decision: Decision,
  signal: AbortSignal,
  path = '',
): Promise<Decided> {
  // By what was given: a mask can be longer than its credential.
  if (decision.tags !== undefined) parseTags(decision.tags);
  const given: Partial<Decision> = {};
  for (const name of ['title', 'content', 'tags'] as const) {
    if (decision[name] !== undefined) Object.assign(given, { [name]: decision[name] });
  }
  const mode = redactionMode(deps.config, scope);
  const checked = await redactFields(mode, given, path);
  const { redactions } = checked;
  let assertStoredAllowed = () => undefined as void;
  const memory = await decide(deps, scope, { ...decision, ...checked.fields }, signal, {
    checkStored: async (text, { action, title, content }) => {
      // An update stores only what it names.
      if (action === 'update') return text;
      const stored = await redactFields(
        mode,
        {
          ...(title === undefined && { title: text.title }),
          ...(content === undefined && { content: text.content }),
        },
        path,
      );
      redactions.push(...stored.redactions);
      assertStoredAllowed = stored.assertAllowed;
      return { ...text, ...stored.fields };
    },
    assertAllowed: () => {
      checked.assertAllowed();
      assertStoredAllowed();
    },
  });
  return { memory, redactions };
}

/**
 * Decides on memories one after the other, each in its own transaction. If one decision fails, the others are still made.
 * @param signal of the request: no further decision is made after it is closed
 * @returns each outcome as soon as it is known, in the order of the decisions
 */
export function decideEach(
  deps: DecideDependencies,
  scope: TeamScope,
  decisions: readonly Decision[],
  signal: AbortSignal,
): AsyncGenerator<Outcome<Decided>> {
  return runEach(decisions, signal, (decision, index) =>
    decideChecked(deps, scope, decision, signal, `/decisions/${index}`),
  );
}
