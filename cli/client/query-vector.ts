import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import { Health } from '../../shared/schemas/status.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Profile, readProfileSettings } from './profiles.ts';
import { programName, runCommand } from './run-command.ts';
import type { ServiceClient } from './service-client.ts';

/** A command that loads its model first needs some time. */
const TIMEOUT_MS = 120_000;

const Numbers = Type.Array(Type.Number(), { minItems: 1 });

/** How a search gets the vector of its query. */
export type QueryVector = Pick<
  SearchRequest,
  'embeddingMode' | 'queryEmbedding' | 'embeddingModel' | 'embeddingDim'
>;

/** Runs the command of a profile. */
async function vectorOf(query: string, command: string, timeoutMs: number): Promise<number[]> {
  const what = 'the vector of the query';
  const printed = await runCommand(command, query, what, timeoutMs);
  let vector: unknown;
  try {
    vector = JSON.parse(printed);
  } catch {
    vector = null;
  }
  if (Value.Check(Numbers, vector)) return vector;
  throw new CommandError(`${what}: expected a JSON array of numbers from: ${programName(command)}`);
}

/** The service chooses: its own vectors if it makes them, otherwise keywords. */
const CHOSEN_BY_SERVICE: QueryVector = { embeddingMode: 'auto' };

/**
 * Chooses how a search finds what it finds: with a vector that the service makes, if it makes vectors; otherwise with one
 * of the profile's command; otherwise by keywords only. Asks the service only if the profile has a command.
 * @param timeoutMs how long the command can take
 * @throws CommandError if the command fails, or its model is not known
 */
export async function chooseQueryVector(
  service: ServiceClient,
  profile: Profile,
  query: string,
  timeoutMs = TIMEOUT_MS,
): Promise<QueryVector> {
  const { embedWith, embeddingModel } = await readProfileSettings(profile);
  if (embedWith === undefined) return CHOSEN_BY_SERVICE;
  const { embedder } = await service.get('/v1/health', Health);
  if (embedder.serverModeEnabled) return CHOSEN_BY_SERVICE;
  if (embeddingModel === undefined)
    throw new CommandError('the profile has no model for its command: choose it again with profile set');
  const queryEmbedding = await vectorOf(query, embedWith, timeoutMs);
  // The service refuses vectors of another model, whose comparison would find anything.
  return { ...CHOSEN_BY_SERVICE, queryEmbedding, embeddingModel, embeddingDim: queryEmbedding.length };
}
