import { type Hit, SearchResponse } from '../../../shared/schemas/memory.ts';
import { requestedScope } from '../../client/layers.ts';
import { chooseQueryVector } from '../../client/query-vector.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import type { HookOptions } from '../hook-options.ts';
import { ownCommand } from '../own-command.ts';
import { recallBlock } from './recall-block.ts';
import { canBeRelated, hitsAbout, relevantHits } from './relevance.ts';

/** The longest query of a search, in characters. */
const MAX_QUERY_LENGTH = 4000;
/** More hits than are shown, because some of them can be unrelated. */
const MAX_HITS = 10;

async function findHits(options: HookOptions, query: string, timeoutMs: number): Promise<Hit[]> {
  const { service, profile } = await signedInToTeam(options);
  const scope = await requestedScope(service, options.client);
  const vector = await chooseQueryVector(service, profile, query, timeoutMs);
  const body = { query, scope, topK: MAX_HITS, ...vector };
  return (await service.post('/v1/memory/search', SearchResponse, body, { timeoutMs })).hits;
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
  const hits = await findHits(options, query, timeoutMs);
  return recallBlock(relevantHits(query, hits), 'with the words of this prompt', ownCommand('expand'));
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
  const hits = await findHits(options, project, timeoutMs);
  return recallBlock(
    hitsAbout(project, hits),
    `with the name of this project, ${project}`,
    ownCommand('expand'),
  );
}
