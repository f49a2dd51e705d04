import { openEvidence } from '../../../bench/retrieval/reference-evidence.ts';
import { textHash } from '../../../shared/text/content-hash.ts';
import type { ChunkTerms, QueryTerms } from '../../../shared/text/terms/terms.ts';

/**
 * The ranking of `memory.search_hits` written plainly in JavaScript, to be compared with. Every chunk is
 * looked at; products and sums are rounded to float32 where the database keeps float32, so that ties fall the same way.
 */

/** A chunk as the ranking sees it. */
export interface RankedChunk {
  id: string;
  sourceId: string;
  text: string;
  createdAt: Date;
  terms: ChunkTerms;
  /** Of unit length and of the query's model, or null. */
  embedding: Float32Array | null;
  /** Whether it lies in the scope, in a source that is not being written. */
  visible: boolean;
}

/** In how many chunks each term occurs, estimated from a sample: of a layer, or of those of a scope together. */
export interface TermCounts {
  chunks: number;
  dims: Map<number, number>;
  keys: Map<number, number>;
}

export interface RankedHit {
  id: string;
  score: number;
  semanticRank: number | null;
  keywordRank: number | null;
  duplicates: number;
  /** What it is placed by: its own or, if a chunk with an equal text is better, that of the best. */
  placedBy: { named: boolean; score: number };
}

const LEG = 50;
/** Postings that are read for a search: one for each so many chunks, within these bounds. */
const CHUNKS_A_POSTING = 40;
const LEAST_POSTINGS = 500;
const MOST_POSTINGS = 2000;
const SCORED_CAP = 4000;
const RARE_DF = 20;
const KEYWORD_WEIGHT = 2.5;
const LEAST_SHARE = 0.05;
const SHORT_SHARE = 0.1;
const UNKNOWN_DF = 0.5;
/** A word in so many chunks is not guessed; a guess in more chunks than COMMON_GUESS is not used. */
const OFTEN = 50;
const COMMON_GUESS = 200;
const MOST_GUESSED = 200;
/** Chunks of a layer in which a term that occurs once is kept. */
const ONCE_MATTERS = 200;

/** Counts the terms of all the chunks of a layer, as if they were a sample of more where `scale` is above 1. */
export function countReferenceTerms(chunks: readonly RankedChunk[], scale = 1): TermCounts {
  const least = chunks.length < ONCE_MATTERS ? 1 : 2;
  const count = (terms: (chunk: RankedChunk) => Iterable<number>) => {
    const df = new Map<number, number>();
    for (const chunk of chunks) for (const term of terms(chunk)) df.set(term, (df.get(term) ?? 0) + 1);
    return new Map([...df].flatMap(([term, n]) => (n >= least ? [[term, n * scale]] : [])));
  };
  return {
    chunks: chunks.length * scale,
    dims: count((chunk) => chunk.terms.dims),
    keys: count((chunk) => chunk.terms.keys),
  };
}

/** What some layers hold together. */
export function sumReferenceTerms(layers: readonly TermCounts[]): TermCounts {
  const sum = (counts: (layer: TermCounts) => ReadonlyMap<number, number>) => {
    const df = new Map<number, number>();
    for (const layer of layers) for (const [term, n] of counts(layer)) df.set(term, (df.get(term) ?? 0) + n);
    return df;
  };
  const chunks = layers.reduce((total, layer) => total + layer.chunks, 0);
  // What stands once says no more than what stands nowhere.
  const seen = (df: Map<number, number>) => new Map([...df].filter(([, n]) => n > 1));
  return {
    chunks: Math.max(1, chunks),
    dims: seen(sum(({ dims }) => dims)),
    keys: seen(sum(({ keys }) => keys)),
  };
}

/** All chunks that a query finds, best first. */
export function rankByReference(
  chunks: readonly RankedChunk[],
  counts: TermCounts,
  query: { terms: QueryTerms; embedding: Float32Array | null; vectorWeight: number },
): RankedHit[] {
  const visible = chunks.filter((chunk) => chunk.visible);
  const matched = withGuesses(keywordLeg(visible, counts, query.terms), visible, counts, query.terms);
  const sources = new Map(visible.map(({ id, sourceId }) => [id, sourceId]));
  const withEvidence = openEvidence(matched.map(({ id, points }) => ({ source: sources.get(id), points })));
  const keywords = best(
    matched.map(({ id, points }) => ({ id, points: withEvidence(points, sources.get(id)) })),
  );
  const lowest = matched.length < LEG ? 0 : (matched.at(-1)?.points ?? 0);
  const semantic = query.embedding === null ? [] : semanticLeg(visible, query.embedding);
  const rare = rareIdentifiers(counts, query.terms);
  const zKeyword = zScores(keywords, LEG, {
    weight: KEYWORD_WEIGHT,
    least: leastDeviation(counts, query.terms, keywords),
  });
  const zSemantic = zScores(semantic, semantic.length, { weight: query.vectorWeight, least: 0 });
  const fused = visible
    .filter((chunk) => zKeyword.of(chunk.id) !== null || zSemantic.of(chunk.id) !== null)
    .map((chunk) => ({
      chunk,
      id: chunk.id,
      named: zKeyword.of(chunk.id) !== null && [...chunk.terms.keys].some((key) => rare.has(key)),
      score:
        (zKeyword.of(chunk.id) ??
          Math.max(zKeyword.lowest, zKeyword.at(withEvidence(lowest, chunk.sourceId)))) +
        (chunk.embedding === null ? 0 : (zSemantic.of(chunk.id) ?? zSemantic.lowest)),
      semanticRank: rankOf(semantic, chunk.id),
      keywordRank: rankOf(keywords, chunk.id),
    }));
  fused.sort((a, b) => Number(b.named) - Number(a.named) || b.score - a.score || (a.id < b.id ? -1 : 1));
  const equals = Map.groupBy(fused, ({ chunk }) => textHash(chunk.text).toString('hex'));
  return [...equals.values()].map((same) => {
    const { id, score, semanticRank, keywordRank } = same.toSorted((a, b) => byAge(a.chunk, b.chunk))[0]!;
    const { named, score: best } = same[0]!;
    return {
      id,
      score,
      semanticRank,
      keywordRank,
      duplicates: same.length - 1,
      placedBy: { named, score: best },
    };
  });
}

/** The newest first. */
function byAge(a: RankedChunk, b: RankedChunk): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
}

interface Scored {
  id: string;
  points: number;
}

/** The best of a leg, best first; of equals the older. */
function best(scored: Scored[]): Scored[] {
  return scored.sort((a, b) => b.points - a.points || (a.id < b.id ? -1 : 1)).slice(0, LEG);
}

function rankOf(leg: readonly Scored[], id: string): number | null {
  const index = leg.findIndex((hit) => hit.id === id);
  return index === -1 ? null : index + 1;
}

/** What each dimension of the query weighs. */
function queryWeights(counts: TermCounts, terms: QueryTerms): Map<number, number> {
  const weights = new Map<number, number>();
  for (const [index, dim] of terms.dims.entries()) {
    const df = Math.min(counts.dims.get(dim) ?? UNKNOWN_DF, counts.chunks);
    const idf = Math.log(1 + (counts.chunks - df + 0.5) / (df + 0.5));
    weights.set(dim, Math.fround((terms.factors[index] ?? 0) * idf));
  }
  return weights;
}

/** A share of the points of a text that holds the whole query. It is larger if the leg has few hits. */
function leastDeviation(counts: TermCounts, terms: QueryTerms, leg: readonly Scored[]): number {
  const weights = queryWeights(counts, terms);
  const whole = terms.dims.reduce(
    (sum, dim, index) => sum + Math.max(weights.get(dim) ?? 0, 0) * Math.fround(terms.lengths[index] ?? 0),
    0,
  );
  return whole * (LEAST_SHARE + SHORT_SHARE * (1 - leg.length / LEG));
}

function keywordLeg(chunks: readonly RankedChunk[], counts: TermCounts, terms: QueryTerms): Scored[] {
  const weights = queryWeights(counts, terms);
  const scored = candidates(chunks, counts, terms).map((chunk) => scoreOf(chunk, weights));
  return best(scored.filter(({ points }) => points > 0));
}

function scoreOf(chunk: RankedChunk, weights: ReadonlyMap<number, number>): Scored {
  let points = 0;
  for (const [index, dim] of chunk.terms.dims.entries()) {
    const product = Math.fround((chunk.terms.weights[index] ?? 0) * (weights.get(dim) ?? 0));
    points = Math.fround(points + product);
  }
  return { id: chunk.id, points };
}

/** Adds what the words count that the query can stand for, and the chunks that only these words find. */
function withGuesses(
  leg: readonly Scored[],
  chunks: readonly RankedChunk[],
  counts: TermCounts,
  terms: QueryTerms,
): Scored[] {
  // With a rare code of the query, what its other words can stand for does not matter.
  const rare = rareIdentifiers(counts, terms);
  const keysOf = new Map(chunks.map((chunk) => [chunk.id, chunk.terms.keys]));
  if (leg.some(({ id }) => keysOf.get(id)?.some((key) => rare.has(key)))) return [...leg];
  const guessed = guessedChunks(chunks, counts, terms);
  if (guessed.size === 0) return [...leg];
  const weights = queryWeights(counts, terms);
  const found = new Map(leg.map(({ id, points }) => [id, points]));
  for (const chunk of chunks) {
    const points = guessed.get(chunk.id);
    if (points !== undefined) {
      found.set(chunk.id, (found.get(chunk.id) ?? scoreOf(chunk, weights).points) + points);
    }
  }
  return best(Array.from(found, ([id, points]) => ({ id, points })));
}

/** What guessed words count for the chunks that have them: of each word of the query the best guess. */
function guessedChunks(
  chunks: readonly RankedChunk[],
  counts: TermCounts,
  { guesses }: QueryTerms,
): Map<string, number> {
  const holding = (key: number) => chunks.filter((chunk) => chunk.terms.keys.includes(key));
  const known = guesses.words.map((key) => holding(key).length);
  const ofWords = guesses.words.map(() => new Map<string, number>());
  for (const [index, key] of guesses.keys.entries()) {
    const word = (guesses.places[index] ?? 0) - 1;
    const percent = guesses.percents[index] ?? 0;
    const own = known[word] ?? 0;
    if (own >= OFTEN || (percent < 0 && own > 0)) continue;
    const holders = holding(key);
    if (holders.length === 0 || holders.length > COMMON_GUESS) continue;
    const df = Math.max(holders.length, own);
    const idf = Math.log(1 + (Math.max(counts.chunks - df, 0) + 0.5) / (df + 0.5));
    const points = (Math.abs(percent) / 100) * idf;
    const best = ofWords[word]!;
    for (const { id } of holders) best.set(id, Math.max(best.get(id) ?? 0, points));
  }
  const sums = new Map<string, number>();
  for (const points of ofWords) for (const [id, value] of points) sums.set(id, (sums.get(id) ?? 0) + value);
  const best = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(best.slice(0, MOST_GUESSED));
}

/**
 * The chunks that are scored: those that hold one of the rarest keys, and where these are few those that hold any. That
 * is so in scopes of few chunks; of larger ones a part is read, which part depends on where it was stored.
 */
function candidates(chunks: readonly RankedChunk[], counts: TermCounts, terms: QueryTerms): RankedChunk[] {
  if (chunks.length > SCORED_CAP) throw new Error(`the reference ranks at most ${SCORED_CAP} chunks`);
  const holding = (keys: ReadonlySet<number>) =>
    chunks.filter((chunk) => chunk.terms.keys.some((key) => keys.has(key)));
  const found = holding(rarestKeys(counts, terms));
  const rare = rareIdentifiers(counts, terms);
  const isNamed = found.some((chunk) => chunk.terms.keys.some((key) => rare.has(key)));
  return found.length >= LEG || isNamed ? found : holding(new Set(terms.keys));
}

/** The rarest keys, as long as not too many postings are read for them, and one at least. */
function rarestKeys(counts: TermCounts, terms: QueryTerms): Set<number> {
  const keys = terms.keys.map((key) => ({ key, df: counts.keys.get(key) ?? UNKNOWN_DF }));
  keys.sort((a, b) => a.df - b.df || a.key - b.key);
  const most = Math.min(Math.max(counts.chunks / CHUNKS_A_POSTING, LEAST_POSTINGS), MOST_POSTINGS);
  const taken = new Set<number>();
  let postings = 0;
  for (const { key, df } of keys) {
    postings += df;
    if (postings > most && taken.size > 0) break;
    taken.add(key);
  }
  return taken;
}

function rareIdentifiers(counts: TermCounts, terms: QueryTerms): Set<number> {
  return new Set(terms.identifierKeys.filter((key) => (counts.keys.get(key) ?? UNKNOWN_DF) <= RARE_DF));
}

function semanticLeg(chunks: readonly RankedChunk[], query: Float32Array): Scored[] {
  const scored: Scored[] = [];
  for (const { id, embedding } of chunks) {
    if (embedding === null) continue;
    let points = 0;
    for (const [axis, value] of embedding.entries()) {
      points += Math.f16round(value) * Math.f16round(query[axis] ?? 0);
    }
    scored.push({ id, points });
  }
  return best(scored);
}

/**
 * How far each hit of a leg stands above its mean. A leg of fewer than `size` hits counts as filled with zeros,
 * which then are its lowest; an empty leg says nothing of any chunk.
 */
function zScores(
  leg: readonly Scored[],
  size: number,
  { weight, least } = { weight: 1, least: 0 },
): { of(id: string): number | null; at(points: number): number; lowest: number } {
  if (leg.length === 0) return { of: () => null, at: () => 0, lowest: 0 };
  const points = [...leg.map((hit) => hit.points), ...Array<number>(size - leg.length).fill(0)];
  const mean = points.reduce((sum, value) => sum + value, 0) / size;
  const variance = points.reduce((sum, value) => sum + (value - mean) ** 2, 0) / size;
  // Equals that differ by rounding alone are equals.
  const deviation = Math.max(variance < 1e-12 ? 1 : Math.sqrt(variance), least);
  const z = (value: number) => (weight * (value - mean)) / deviation;
  const known = new Map(leg.map((hit) => [hit.id, z(hit.points)]));
  return { of: (id) => known.get(id) ?? null, at: z, lowest: z(Math.min(...points)) };
}
