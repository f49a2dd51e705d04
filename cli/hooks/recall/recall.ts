import { isId } from '../../../shared/ids.ts';
import { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { type Hit, SearchResponse } from '../../../shared/schemas/memory.ts';
import { requestedScope } from '../../client/layers.ts';
import { chooseQueryVector, type QueryVector } from '../../client/query-vector.ts';
import { connectionWords, type SignedIn, signedInToTeam } from '../../client/signed-in.ts';
import type { HookOptions } from '../hook-options.ts';
import { ownCommand } from '../own-command.ts';
import { recallBlock } from './recall-block.ts';
import { canBeRelated, hitsAbout, relevantHits } from './relevance.ts';

/** The longest query of a search, in characters. */
const MAX_QUERY_LENGTH = 4000;
/** More hits than are shown, because some of them can be unrelated. */
const MAX_HITS = 10;

/** The share of the time in which the service can make the vector of a query. */
const SHARE_FOR_VECTOR = 0.6;

/** Hits, and the command that shows what is around each of them. */
interface Found {
  hits: Hit[];
  readOn: string;
}

/**
 * The command that shows more of a hit. It names everything that decides where it sends the credential, because it is
 * run in the folder of the session, whose .env could name something else.
 */
async function readOnCommand(signedIn: SignedIn, team: string | undefined): Promise<string> {
  const { service } = signedIn;
  const teamId = team !== undefined && isId(team) ? team : (await service.get('/v1/team', SelectedTeam)).id;
  return ownCommand('expand', ...connectionWords(signedIn), '--team', teamId);
}

async function find(options: HookOptions, query: string, timeoutMs: number): Promise<Found> {
  const signedIn = await signedInToTeam(options);
  const [hits, readOn] = await Promise.all([
    findHits(signedIn, options, query, timeoutMs),
    readOnCommand(signedIn, options.team),
  ]);
  return { hits, readOn };
}

async function findHits(
  { service, profile }: SignedIn,
  options: HookOptions,
  query: string,
  timeoutMs: number,
): Promise<Hit[]> {
  const scope = await requestedScope(service, options.client);
  const search = async (vector: QueryVector, ms: number) => {
    const body = { query, scope, topK: MAX_HITS, ...vector };
    return (await service.post('/v1/memory/search', SearchResponse, body, { timeoutMs: ms })).hits;
  };
  const vector = await chooseQueryVector(service, profile, query, timeoutMs);
  if (vector.queryEmbedding !== undefined) return search(vector, timeoutMs);
  // The service can wait longer for a vector than an agent waits for a hook.
  return search(vector, Math.ceil(timeoutMs * SHARE_FOR_VECTOR)).catch(() =>
    search({ embeddingMode: 'keyword' }, timeoutMs),
  );
}

/**
 * What the Team has stored about a prompt, as a block for the agent. Empty if nothing is relevant.
 * @param timeoutMs how long a request can take
 * @throws CommandError
 */
export async function recallForPrompt(
  options: HookOptions,
  prompt: string,
  timeoutMs: number,
): Promise<string> {
  const query = Array.from(prompt).slice(0, MAX_QUERY_LENGTH).join('').trim();
  if (!canBeRelated(query)) return '';
  const { hits, readOn } = await find(options, query, timeoutMs);
  return recallBlock(relevantHits(query, hits), 'with the words of this prompt', readOn);
}

/**
 * What the Team has stored about a project, as a block for the agent. Empty if no passage contains its name.
 * @param timeoutMs how long a request can take
 * @throws CommandError
 */
export async function recallForProject(
  options: HookOptions,
  project: string,
  timeoutMs: number,
): Promise<string> {
  const { hits, readOn } = await find(options, project, timeoutMs);
  return recallBlock(hitsAbout(project, hits), `with the name of this project, ${project}`, readOn);
}
