import type { SourceBatch, SourceBatchChange } from '../../shared/schemas/sources.ts';
import { SelectedTeam } from '../../shared/schemas/teams.ts';
import { profileOption } from '../client/profiles.ts';
import { type SignedIn, signedInToTeam } from '../client/signed-in.ts';
import type { TEAM_OPTIONS, Values } from '../program/command.ts';
import { counted, type Result } from '../terminal/output.ts';
import { PROGRAM } from '../terminal/program.ts';
import { askTerminal, atTerminal } from '../terminal/prompt.ts';
import { batchResult, type Words } from './report.ts';
import type { SELECT_OPTIONS, Selected } from './select.ts';
import { SOURCES_PER_REQUEST, sendBatches } from './send.ts';
import {
  beginLevel,
  type Direction,
  expectedTimes,
  forgetLevels,
  type Place,
  readLevels,
} from './undo-log.ts';

/** The options that name the place. */
export type AtPlace = Values<typeof TEAM_OPTIONS>;

/** Connects to a Team, and names the place where its changes can be taken back. */
export async function openPlace(values: AtPlace): Promise<SignedIn & { place: Place }> {
  const signedIn = await signedInToTeam(values);
  const { id: teamId } = await signedIn.service.get('/v1/team', SelectedTeam);
  const { profile, url } = signedIn;
  return { ...signedIn, place: { profile, url, teamId } };
}

/** How to take a change back: `take it back: memory undo`. */
export function hintOf(direction: Direction, { profile, teamId }: Place, { team, url }: AtPlace): string {
  const words = [
    `${PROGRAM} ${direction}${profileOption(profile)}`,
    ...(team === undefined ? [] : [`--team ${teamId}`]),
    ...(url === undefined ? [] : [`--url ${url}`]),
  ];
  return `${direction === 'undo' ? 'take it back' : 'do it again'}: ${words.join(' ')}`;
}

/** A change of many sources, and its words. */
export interface ManyChange extends Words {
  change: SourceBatchChange;
  /** Of the progress: `tagging`. */
  label: string;
  /** For the list of what can be taken back: `tag +site`. */
  what: string;
}

/** Whether to go on: a person is asked about sources that filters describe. */
async function isConfirmed({ ids, isByFilter }: Selected, isYes: boolean, verb: string): Promise<boolean> {
  if (isYes || !isByFilter) return true;
  if (!atTerminal()) return false;
  const answer = await askTerminal(`${counted(ids.length, 'source')} will be ${verb}. Go on? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

/**
 * Changes the sources that a command has selected, and stores how to take it back. Those that filters describe are only
 * counted, unless the command has --yes or a person confirms it.
 * @throws CommandError, Interrupted
 */
export async function changeMany(
  { service, place }: SignedIn & { place: Place },
  values: AtPlace & Values<typeof SELECT_OPTIONS>,
  selected: Selected,
  { change, label, what, ...words }: ManyChange,
): Promise<Result> {
  const { ids, titles } = selected;
  const count = ids.length;
  const isDry = values['dry-run'] === true;
  if (isDry || (count > 0 && !(await isConfirmed(selected, values.yes === true, words.verb)))) {
    const advice = isDry || atTerminal() ? '' : ' To change them, add --yes.';
    return {
      text: `${counted(count, 'source')} would be ${words.verb}.${advice}`,
      data: { count, dryRun: true },
    };
  }
  // What the newest level expects of a source: if it is still so, that level can be taken back after this command.
  const levels = await readLevels(place, 'undo');
  const expected: Record<string, string> = Object.assign({}, ...levels.reverse().map(expectedTimes));
  const bodies: SourceBatch[] = [];
  for (let start = 0; start < count; start += SOURCES_PER_REQUEST) {
    const part = ids.slice(start, start + SOURCES_PER_REQUEST);
    const known = part.flatMap((id) => (expected[id] === undefined ? [] : [[id, expected[id]] as const]));
    bodies.push({
      ids: part,
      change,
      ...(known.length === 0 ? {} : { ifUpdatedAt: Object.fromEntries(known) }),
    });
  }
  const back = beginLevel(place, 'undo', what);
  const hint = hintOf('undo', place, values);
  const isJson = values.json === true;
  const answer = await sendBatches(service, { bodies, label, isJson, back, insists: true, hint });
  if (!back.isEmpty) await forgetLevels(place, 'redo');
  return batchResult(service, answer, words, { titles, hint: back.isEmpty ? null : hint });
}
