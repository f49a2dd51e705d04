import type { Decision, ListedMemory, Memory } from '../../../../shared/schemas/memories.ts';
import { useChange } from '../../app/data.ts';
import { Refusal, send } from '../../app/request.ts';
import { useSession, useTeamId } from '../../app/session.tsx';
import { count } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';

/* Decisions on memories: each is sent at once, and all but one kind can be taken back. */

export type Action = Decision['action'];

/** A decision that someone wants. Without a `version`, it is based on the one of the memory. */
export interface Wanted extends Omit<Decision, 'memoryId'> {
  /** A memory, or a source that feedback has put into review. */
  memory: Memory & Partial<Pick<ListedMemory, 'subject'>>;
}

/** A decision that was made, and the memory after it; null: it was a source. */
export interface Made {
  wanted: Wanted;
  after: Memory | null;
}

/** A decision that was not made, and why. */
export interface Refused {
  wanted: Wanted;
  why: string;
  /** Others have decided on the memory before, or changed it. */
  isStale: boolean;
  /** The memory as it is now, if that could be read. */
  now?: Memory | null;
}

interface Outcome {
  made: readonly Made[];
  refused: readonly Refused[];
}

/** What was done with a memory. */
export const DONE: Readonly<Record<Action, string>> = {
  publish: 'published',
  discard: 'discarded',
  reopen: 'back in review',
  update: 'changed',
  unpublish: 'back in review',
  delete: 'archived',
  restore: 'published again',
  renew: 'expiry changed',
  keep: 'kept as it is',
  move: 'moved',
};

/** What reads differently after a decision. */
export const CHANGED = [
  'listMemories',
  'getMemory',
  'listMemoryVersions',
  'listSources',
  'getSource',
  'listTags',
  'listCaptures',
  'listTeamAudit',
  'getStatus',
  'searchMemory',
] as const;

/** The most decisions of one request. */
const AT_ONCE = 100;

/** The decision that takes another one back; null: nothing does. */
function undoOf({ wanted, after }: Made): Wanted | null {
  const { memory, action } = wanted;
  const isText = wanted.title !== undefined || wanted.content !== undefined;
  if (after === null || action === 'keep') return null;
  const { title, content, tags, expiresAt, clientId, supersedes, version } = memory;
  const restore = { action: 'restore', version } as const;
  const back: Record<typeof action, Omit<Wanted, 'memory'>> = {
    publish: { action: 'unpublish' },
    discard: { action: 'reopen' },
    reopen: { action: 'discard' },
    unpublish: { action: 'publish', ...(supersedes !== null && { supersedes }) },
    // A text settles the feedback, tags do not.
    update: { action: 'update', tags: [...tags], ...(isText && { title, content }) },
    delete: restore,
    restore: memory.state === 'archived' ? { action: 'delete' } : restore,
    renew: { action: 'renew', expiresAt },
    move: { action: 'move', clientId },
  };
  return { memory: { ...memory, ...after }, ...back[action] };
}

function bodyOf({ memory, ...decision }: Wanted): Decision {
  const base = decision.action === 'restore' ? { baseVersion: memory.version } : { version: memory.version };
  return { ...base, ...decision, memoryId: memory.id };
}

/** Makes decisions, and takes them back. */
export function useDecide(changes: Parameters<typeof useChange>[1] = CHANGED) {
  const team = useTeamId();
  const { user } = useSession();
  const change = useChange('decideMemory', changes);
  const restoreSource = useChange('restoreSource', changes);

  /** Why a decision was refused. Who else decided, and what, is asked for. */
  async function refusalOf(wanted: Wanted, status: number, why: string): Promise<Refused> {
    const { memory } = wanted;
    const isStale = status === 404 || status === 409;
    if (!isStale || memory.subject === 'source') return { wanted, why, isStale };
    const now = await send(team, 'getMemory', [memory.id]).catch(() => null);
    if (now === null || (now.version === memory.version && now.state === memory.state))
      return { wanted, why, isStale, now };
    const who = now.decidedBy === user.id ? 'You have' : 'Someone else has';
    const isChanged = now.state === 'review' || now.state === memory.state;
    const what = isChanged ? 'changed it. Read it again' : `${now.state} it`;
    return { wanted, why: `${who} already ${what}.`, isStale, now };
  }

  /** Makes decisions, each by itself. */
  async function decide(wanted: readonly Wanted[]): Promise<Outcome> {
    const made: Made[] = [];
    const refused: Refused[] = [];
    for (let n = 0; n < wanted.length; n += AT_ONCE) {
      const some = wanted.slice(n, n + AT_ONCE);
      try {
        const { results = [] } = await change.mutateAsync([{ decisions: some.map(bodyOf) }]);
        for (const [index, one] of some.entries()) {
          const { memory, problem, redactions = [] } = results[index] ?? {};
          if (problem) refused.push(await refusalOf(one, problem.status, problem.detail));
          else made.push({ wanted: one, after: one.memory.subject === 'source' ? null : (memory ?? null) });
          if (redactions.length > 0)
            sayFailure(
              new Error(`“${one.memory.title}” was stored, and has what looks like a password or a key.`),
            );
        }
      } catch (error) {
        const status = error instanceof Refusal ? error.status : 0;
        for (const one of some) refused.push(await refusalOf(one, status, (error as Error).message));
      }
    }
    return { made, refused };
  }

  /** Takes decisions back, the last one first. */
  async function undo(made: readonly Made[]): Promise<Outcome> {
    const wanted: Wanted[] = [];
    const [restored, failed]: [Made[], Refused[]] = [[], []];
    for (const one of made.toReversed()) {
      const { memory, action } = one.wanted;
      const decision = undoOf(one);
      if (decision !== null) wanted.push(decision);
      else if (memory.subject === 'source' && action === 'delete')
        await restoreSource.mutateAsync([memory.id]).then(
          () => restored.push({ wanted: one.wanted, after: null }),
          ({ message }: Error) => failed.push({ wanted: one.wanted, why: message, isStale: true }),
        );
    }
    const outcome = await decide(wanted);
    return { made: [...restored, ...outcome.made], refused: [...failed, ...outcome.refused] };
  }

  return { decide, undo };
}

/** Says why decisions were not made. */
export function sayRefused(refused: readonly Refused[], what = 'Not done'): void {
  for (const { wanted, why } of refused.slice(0, 3))
    sayFailure(new Error(`${what}: “${wanted.memory.title}”. ${why}`));
  if (refused.length > 3)
    sayFailure(new Error(`${what}: ${count(refused.length - 3, 'other memory', 'other memories')}.`));
}

/** What decisions of one kind did. */
export const saidOf = (made: readonly Made[], done: string, one = 'memory', many = 'memories') =>
  made.length === 1
    ? `“${made[0]?.wanted.memory.title ?? ''}”: ${done}.`
    : `${count(made.length, one, many)}: ${done}.`;

/** Makes decisions of one kind, says what was done, and offers to take it back. Returns those that were made. */
export function useDecideAndSay() {
  const { decide, undo } = useDecide();
  return async (wanted: readonly Wanted[], done = DONE[wanted[0]?.action ?? 'update']) => {
    const { made, refused } = await decide(wanted);
    const takeBack = async () => {
      const back = await undo(made);
      if (back.made.length > 0) say(saidOf(back.made, 'taken back'));
      sayRefused(back.refused, 'Not taken back');
    };
    const isUndoable = made.some((one) => undoOf(one) !== null);
    if (made.length > 0) say(saidOf(made, done), isUndoable ? () => void takeBack() : undefined);
    sayRefused(refused);
    return made;
  };
}
