import { Type } from 'typebox';
import { runOnce } from '../../../core/access/run-command.ts';
import { decideChecked } from '../../../core/memories/decide.ts';
import { forget as forgetRecord } from '../../../core/memories/forget.ts';
import { findSimilar } from '../../../core/memories/queries.ts';
import { submitMemory } from '../../../core/memories/store.ts';
import { ingestSource, parseIngest } from '../../../core/sources/ingest.ts';
import { readTitle } from '../../../core/sources/queries.ts';
import { needsReview } from '../../../shared/access.ts';
import { invalidField } from '../../../shared/errors.ts';
import { assertFuture, parseExpiry, parseMoment } from '../../../shared/formats/times.ts';
import { MEMORY_ACTIONS } from '../../../shared/memory-states.ts';
import { runInSteps } from '../../../shared/resources/async.ts';
import { Id, Name, Nullable, OneOf, Redactions, Text, Time } from '../../../shared/schemas/common.ts';
import { Decision, MAX_CONTENT, Memory, SimilarMemory } from '../../../shared/schemas/memories.ts';
import { type IngestResponse, Tags } from '../../../shared/schemas/sources.ts';
import { clientOf } from '../../../shared/scope.ts';
import { findSecrets } from '../../../shared/secrets/find-secrets.ts';
import { inArguments, listed, refusingArguments, toShown } from '../text.ts';
import {
  ADDS_ONCE,
  ClientArgument,
  isPermitted,
  layerToWrite,
  Moment,
  pick,
  READS,
  teamTool,
} from '../tool.ts';

/** As much as a message has room for, also if each character is escaped with six bytes. */
const MAX_TEXT = 160_000;
/** The longest title that is made of a text, in UTF-16 code units. */
const MAX_MADE_TITLE = 80;
/** Much longer than a credential that the title could cut off. */
const MAX_CHECKED_FOR_TITLE = 20_000;

/** Its arguments, by the fields of a source. */
const NAMES = { externalId: 'key' };

/** Stores a text that searches find at once. */
export const remember = teamTool({
  name: 'remember',
  title: 'Remember something',
  description:
    'Stores a fact, a decision or a text, which searches find at once: for the whole Team or, with `client`, for one ' +
    'client. The same text is stored once. With `key`, a later text with the same key replaces it; what somebody else stored is ' +
    'replaced only with the permission memory:review. `similar` lists ' +
    'memories that may say the same or contradict it. If the Team reviews what its members publish, the text waits for a ' +
    'decision first: the status is `review`, searches do not find it yet, and `key` has no effect.',
  permission: 'memory:write',
  needs: 'write',
  // With a key it replaces a text, which is then lost. The protocol calls only additions not destructive.
  annotations: { ...ADDS_ONCE, destructiveHint: true },
  input: {
    text: Text(MAX_TEXT, 'what to store, complete enough to be understood alone'),
    title: Type.Optional({
      ...Name,
      description: 'without it, the beginning of the text; with a known `key`, the title stays',
    }),
    client: ClientArgument('id or name of the client that it belongs to'),
    tags: Type.Optional({
      ...Tags,
      description:
        'words by which `search` can filter; case is ignored. With a known `key` and without it, the tags stay',
    }),
    occurred: Moment(
      'when it happened, if that is not now: a day, such as 2026-03-01, or a time, such as 2026-03-01T09:30:00Z. `since` and ' +
        '`until` of `search` compare it. Without it, when the text was stored counts; with a known `key`, it stays',
    ),
    expires: Moment(
      'from then on searches do not find it: a day, such as 2027-03-01 (to its end in UTC), or a time, such as ' +
        '2027-03-01T09:30:00Z. Without it, it does not expire; with a known `key`, the expiry stays',
    ),
    key: Type.Optional(
      Text(
        300,
        'your name for this text: a later text with the same key replaces it. It becomes the externalId',
      ),
    ),
  },
  output: {
    id: { ...Id, description: 'of the source, which `fetch` takes; with the status review, of the memory' },
    status: OneOf(
      ['created', 'replaced', 'duplicate', 'review'],
      'duplicate: the text was already stored; replaced: the text, the title, the tags, the date or the expiry of this key was changed; review: it ' +
        'waits for a decision',
    ),
    similar: Type.Array(SimilarMemory, {
      description: 'similar published memories of the same layer; empty without the permission memory:read',
    }),
    redactions: Redactions,
  },
  run: async (call, { text, title: given, client, key, tags, occurred, expires }) => {
    const { deps, scope, team, signal } = call;
    const occurredAt = occurred === undefined ? undefined : parseMoment(occurred, '/occurred');
    const expiresAt = parseExpiry(expires, '/expires') ?? null;
    assertFuture(expiresAt, '/expires');
    const layerId = await layerToWrite(call, client);
    // Similar memories show their text, which only a caller who can read memories receives.
    const findAlike = async () =>
      isPermitted(call.identity, 'memory:read')
        ? await findSimilar(deps, scope, { text, layerId }, signal)
        : [];
    if (needsReview(team, scope)) {
      assertReviewable(text);
      const similar = await findAlike();
      const title = given ?? (await makeTitle(text));
      const submitted = {
        layerId,
        title,
        content: text,
        tags: tags ?? [],
        occurredAt: occurredAt ?? null,
        expiresAt,
      };
      const { id, redactions } = await submitMemory(deps, scope, submitted, signal);
      const shown = { similar: similar.map(toShown), redactions: listed(redactions) };
      return { id, status: 'review' as const, ...shown };
    }
    // A source that exists keeps its title.
    const kept =
      key === undefined ? null : await readTitle(deps.database, scope, { externalId: key, layerId });
    const title = given ?? kept ?? (await makeTitle(text));
    const body = {
      title,
      text,
      ...(key !== undefined && { externalId: key }),
      ...(tags !== undefined && { tags }),
      ...(occurredAt !== undefined && { occurredAt }),
      ...(expires !== undefined && { expiresAt: expires }),
    };
    const parsed = await parseIngest(body, deps.config.embeddingModel);
    const similar = await findAlike();
    const command = ingestSource(deps, scope, { ...parsed, layerId, signal });
    const answer = await refusingArguments(NAMES, () => runOnce(deps.database, scope, null, command));
    const { source, duplicate, redactions = [] } = answer.body as IngestResponse;
    const stored = answer.status === 201 ? 'created' : 'replaced';
    return {
      id: source.id,
      status: duplicate ? ('duplicate' as const) : (stored as 'created' | 'replaced'),
      similar: similar.map(toShown),
      redactions: listed(inArguments(redactions, NAMES)),
    };
  },
});

/** Refuses a text that is too long for a memory, which has fewer characters than a source. */
function assertReviewable(text: string): void {
  if (text.length > MAX_CONTENT && [...text].length > MAX_CONTENT) {
    throw invalidField('/text', `must have at most ${MAX_CONTENT} characters, because the Team reviews it`);
  }
}

/**
 * The title of a text without one: the beginning of its first line, to the end of a word. Credentials are masked in every mode,
 * because no rule recognizes one that is cut off.
 */
async function makeTitle(text: string): Promise<string> {
  const checked = text.trim().slice(0, MAX_CHECKED_FOR_TITLE);
  const [beginningOfText] = await runInSteps(findSecrets([{ text: checked }]));
  const [line = ''] = (beginningOfText?.masked ?? '').split('\n', 1);
  if (line.length <= MAX_MADE_TITLE) return line.trim();
  const beginning = line.slice(0, MAX_MADE_TITLE).toWellFormed().replace('\ufffd', '');
  const end = beginning.lastIndexOf(' ');
  return `${(end > 0 ? beginning.slice(0, end) : beginning).trim()}…`;
}

/** Archives a source, or takes back what waits for a decision. */
export const forget = teamTool({
  name: 'forget',
  title: 'Forget something',
  description:
    'Archives one source that the owner of the credential made: searches no longer find it. `undo` restores it, until ' +
    '`until`. The id of a memory in review that you made with this credential withdraws it, and `undo` puts it back into ' +
    'review. A source of somebody else requires the permission memory:review and Full access. An agent token without ' +
    'memory:review can forget 20 items in 60 minutes. Memories are deleted with decide_memory, and workspace files by a ' +
    'push.',
  permission: 'memory:write',
  needs: 'write',
  annotations: { ...ADDS_ONCE, destructiveHint: true },
  input: {
    id: Text(100, 'of a source, as `remember` and `search` return it, or of a memory in review'),
    undo: Type.Optional(Type.Boolean({ description: 'restores what was forgotten' })),
  },
  output: {
    id: Id,
    status: OneOf(
      ['archived', 'restored', 'withdrawn'],
      'withdrawn: a memory in review was discarded; restored: the source is found again, or the memory is in review',
    ),
    until: Nullable(Time, 'until when `undo` can restore an archived source; null unless it can be restored'),
  },
  run: ({ deps, scope }, { id, undo = false }) => forgetRecord(deps, scope, id.trim(), undo),
});

const { supersedes, baseVersion } = Decision.properties;
/** All actions except `renew`, whose argument the tool does not have. */
const action = OneOf(
  MEMORY_ACTIONS.filter((name) => name !== 'renew'),
  'what to do with the memory: see the description of the tool',
);
const title = Type.Optional({
  ...Decision.properties.title,
  description: 'with publish or update: the new title; without it, the title stays',
});
const content = Type.Optional({
  ...Decision.properties.content,
  description: 'with publish or update: the new text; without it, the text stays',
});
const version = Type.Integer({
  minimum: 1,
  description: 'the version that the decision is based on; with restore: the version to restore',
});
const DECISION = { version, action, title, content, supersedes, baseVersion };

const DECIDED = {
  id: Memory.properties.id,
  state: Memory.properties.state,
  title: Memory.properties.title,
  version: Memory.properties.version,
  layer: Memory.properties.layer,
  clientId: Memory.properties.clientId,
  sourceId: { ...Memory.properties.sourceId, description: '`fetch` takes it; null unless published' },
  supersedes: Memory.properties.supersedes,
  supersededBy: Memory.properties.supersededBy,
};

/** Decides on one memory. */
export const decideMemory = teamTool({
  name: 'decide_memory',
  title: 'Decide on a memory',
  description:
    'Publishes or discards a memory in review, or updates or deletes a published one. `reopen` puts a discarded one back ' +
    'into review, `unpublish` a published one, and `restore` publishes an earlier version again. `move` moves one in ' +
    'review or a published one to `client`, or to the Team layer without `client`. `keep` leaves a published one as it ' +
    'is and settles its feedback. Requires Full access to the Team. `version` is the version that you read: a memory that has changed since is not touched. With `restore`, ' +
    'that is `baseVersion`.',
  permission: 'memory:review',
  needs: 'full',
  annotations: { ...READS, readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  input: {
    id: Type.String({ description: 'id of the memory' }),
    ...DECISION,
    client: ClientArgument(
      'only with `move`: id or name of the client to move it to; absent: the Team layer',
    ),
  },
  output: { ...DECIDED, redactions: Redactions },
  run: async (call, args) => {
    const { deps, scope, signal } = call;
    if (args.action === 'update' && args.title === undefined && args.content === undefined) {
      throw invalidField('/content', 'is required with update when title is absent');
    }
    const moves = args.action === 'move';
    if (!moves && args.client !== undefined) throw invalidField('/client', 'is allowed only with move');
    const target = moves ? { clientId: clientOf(scope, await layerToWrite(call, args.client)) } : {};
    const decision = { ...pick(DECISION, args), ...target, memoryId: args.id };
    const { memory, redactions } = await decideChecked(deps, scope, decision, signal);
    return { ...pick(DECIDED, memory), redactions: listed(redactions) };
  },
});
