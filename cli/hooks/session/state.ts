import { join } from 'node:path';
import { parseRecord, readPrivateFile, writePrivateFile } from '../../client/private-file.ts';
import { profileFolder } from '../../client/profiles.ts';
import { type Agent, isAgent } from '../agents.ts';

/** The most forms that are kept for an agent. */
const MAX_FORMS = 20;
/** The longest message of an error that is kept. */
const MAX_MESSAGE = 500;

/** A form of record that an agent wrote and the hooks could not read: names of types, never what was said. */
export interface UnknownForm {
  /** The types of the record from the outside to the inside, as `event_msg/item_completed/UserMessage`. */
  form: string;
  /** When a hook last met it, in ISO 8601. */
  at: string;
  /** The transcript that contains it. */
  file: string;
}

/**
 * What is known about the staging of the sessions of one agent. It is stored as JSON, with these fields, in
 * `hooks/<agent>.json` in the folder of the unnamed profile (`~/.config/team-memory`), where only the user can read it.
 */
export interface StagingState {
  /** When the service last answered a staging, in ISO 8601; null if it never did. */
  lastStagedAt: string | null;
  /** Why the last staging failed, and when; null if it worked. */
  lastError: { at: string; message: string } | null;
  /** The forms that were met and not known, the latest first. */
  unknownForms: UnknownForm[];
}

/** Where the hooks of one agent store what they have to remember. */
export const stateFolder = () => join(profileFolder(null), 'hooks');

const statePath = (agent: Agent) => join(stateFolder(), `${agent}.json`);

const isText = (value: unknown): value is string => typeof value === 'string';

function isForm(value: unknown): value is UnknownForm {
  const { form, at, file } = (value ?? {}) as Partial<UnknownForm>;
  return isText(form) && isText(at) && isText(file);
}

/**
 * Reads what is known about the staging of the sessions of an agent. A file that is absent or damaged is empty.
 * @throws CommandError if the file cannot be read
 */
export async function readStagingState(agent: Agent): Promise<StagingState> {
  const text = await readPrivateFile(statePath(agent), 'the state of the hooks');
  const { lastStagedAt, lastError, unknownForms } = parseRecord(text ?? '') ?? {};
  const { at, message } = (lastError ?? {}) as Record<string, unknown>;
  return {
    lastStagedAt: isText(lastStagedAt) ? lastStagedAt : null,
    lastError: isText(at) && isText(message) ? { at, message } : null,
    unknownForms: Array.isArray(unknownForms) ? unknownForms.filter(isForm) : [],
  };
}

/** How the staging of a session ended. */
export interface Outcome {
  /** The transcript of the session. */
  file: string;
  /** The forms in it that were not known; null if it was not read. */
  unknownForms: readonly string[] | null;
  /** Why it failed; null if it worked. */
  failure: string | null;
  /** Whether the service has answered. A session that is too short is not sent. */
  isStaged: boolean;
}

/**
 * Stores how a staging ended. Two processes can do so at the same time: the later one wins, and the next staging of
 * the other session stores its forms again.
 * @param agent as the hook was called with it; a name that is not known has no state
 * @throws CommandError if the file cannot be written
 */
export async function saveOutcome(agent: string | undefined, outcome: Outcome): Promise<void> {
  if (!isAgent(agent)) return;
  const state = await readStagingState(agent);
  const at = new Date().toISOString();
  const { file, unknownForms, failure, isStaged } = outcome;
  const message = failure?.slice(0, MAX_MESSAGE);
  const others = state.unknownForms.filter(
    (other) => unknownForms === null || (other.file !== file && !unknownForms.includes(other.form)),
  );
  const found = (unknownForms ?? []).map((form) => ({ form, at, file }));
  const changed: StagingState = {
    lastStagedAt: isStaged && failure === null ? at : state.lastStagedAt,
    lastError: message === undefined ? (isStaged ? null : state.lastError) : { at, message },
    unknownForms: [...found, ...others].slice(0, MAX_FORMS),
  };
  await writePrivateFile(statePath(agent), changed, 'the state of the hooks');
}
