import { type AtPlace, hintOf, openPlace } from '../batch/change.ts';
import { batchResult } from '../batch/report.ts';
import { sendBatches } from '../batch/send.ts';
import { beginLevel, type Direction, type Level, readLevels, rebase, saveLevel } from '../batch/undo-log.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS, type Values } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { Result } from '../terminal/output.ts';
import { type Column, table } from '../terminal/table.ts';
import { toSecond } from '../terminal/times.ts';

const options = {
  list: { type: 'boolean', help: 'only list the commands, the next one first' },
  ...TEAM_OPTIONS,
} as const;

/** How many sources a level changes. */
const countOf = ({ bodies }: Level) => bodies.reduce((sum, { ids }) => sum + ids.length, 0);

const COLUMNS: readonly Column<Level>[] = [
  { title: 'Time (UTC)', value: ({ at }) => toSecond(at) },
  { title: 'Sources', value: countOf },
  { title: 'Change', value: ({ what }) => what, canShrink: true },
];

/** The words of both directions. */
const WORDS = {
  undo: { back: 'redo', done: 'Took back the change of', verb: 'taken back', label: 'undoing' },
  redo: { back: 'undo', done: 'Repeated the change of', verb: 'repeated', label: 'redoing' },
} as const;

/** Takes the newest command of a direction back, and stores how to take that back. */
async function takeBack(direction: Direction, values: AtPlace): Promise<Result> {
  const { service, place } = await openPlace(values);
  const [level, ...older] = await readLevels(place, direction);
  const { back: backwards, done, verb, label } = WORDS[direction];
  if (level === undefined) throw new CommandError(`there is nothing to ${direction}`);
  const back = beginLevel(place, backwards, level.what);
  const hint = hintOf(backwards, place, values);
  const answer = await sendBatches(service, {
    bodies: [...level.bodies],
    label,
    isJson: values.json === true,
    back,
    insists: false,
    hint,
    onSent: async ({ undo: undone }) => {
      await rebase(older, level, undone);
      level.bodies.shift();
      await saveLevel(level);
    },
  });
  const words = { done, how: `: ${level.what}`, verb };
  return batchResult(service, answer, words, { titles: new Map(), hint: back.isEmpty ? null : hint });
}

async function list(direction: Direction, values: AtPlace): Promise<Result> {
  const levels = await readLevels((await openPlace(values)).place, direction);
  const items = levels.map((level) => ({ at: level.at, what: level.what, sources: countOf(level) }));
  const text = levels.length === 0 ? `Nothing to ${direction}.` : table(COLUMNS, levels).join('\n');
  return { text, data: { items } };
}

const commandOf = (direction: Direction, summary: string, about: string): Command<typeof options> => ({
  section: 'memory',
  summary,
  about,
  options,
  notes: CREDENTIAL_NOTE,
  run: (values: Values<typeof options>) =>
    values.list === true ? list(direction, values) : takeBack(direction, values),
});

export const undo = commandOf(
  'undo',
  'take back the last change of many sources',
  `Takes back what tag, move, expire, archive or unarchive has changed last on this computer, with this profile and in this
Team; then what they changed before that. A source that was changed since by anyone is left as it is, and listed. What
undo has taken back, redo does again. The last 20 commands can be taken back, also one that was interrupted.`,
);

export const redo = commandOf(
  'redo',
  'do again what undo has taken back',
  `Does again what undo has taken back last. After another change of many sources, there is nothing to do again.`,
);
