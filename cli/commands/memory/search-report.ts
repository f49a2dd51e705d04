import type { Chunk, Hit, SearchResponse } from '../../../shared/schemas/memory.ts';
import { placeWords } from '../../../shared/schemas/place.ts';
import type { NameLayer } from '../../client/layers.ts';
import { columns, oneLine, wrap } from '../../terminal/columns.ts';
import { bold, counted, dim, outputWidth } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';
import { day } from '../../terminal/times.ts';

/** How much of a text is shown in a terminal. */
const MAX_LINES = 6;
const INDENT = '    ';
/** How many terms of the query are explained. */
const MAX_TERMS = 12;

/** The text of a chunk: in a terminal its beginning, otherwise all of it on one line. */
export function textLines(text: string, lines = MAX_LINES): string[] {
  const width = outputWidth();
  const wrapped = width === null ? [oneLine(text)] : wrap(text, Math.max(width - columns(INDENT), 20), lines);
  return wrapped.map((line) => INDENT + line);
}

/** A text on one line; in a terminal, on as many lines as it needs after the indent. */
function indented(text: string): string[] {
  const width = outputWidth();
  return width === null ? [text] : wrap(text, width - columns(INDENT), Infinity);
}

/** Where a chunk comes from: kind, layer, the day on which it happened or was stored, place, tags and address. */
export function originLines(chunk: Chunk, nameLayer: NameLayer): string[] {
  const { kind, client_id, created_at, occurred_at, location, tags, uri } = chunk;
  const parts = [
    kind,
    nameLayer(client_id),
    day(occurred_at ?? created_at),
    ...placeWords(location),
    ...tags.map((tag) => `#${tag}`),
    ...(uri === null ? [] : [uri]),
  ];
  return indented(oneLine(parts.join(', '))).map((line) => INDENT + dim(line));
}

function explanationLines({ score, semantic_rank, keyword_rank, explain }: Hit): string[] {
  if (explain === undefined) return [];
  const terms = explain.terms.slice(0, MAX_TERMS).map(({ term, weight }) => `${term} ${weight.toFixed(1)}`);
  const ranks = [
    `score ${score.toFixed(2)}`,
    semantic_rank === null ? 'not found by meaning' : `by meaning ${semantic_rank}`,
    keyword_rank === null ? 'not found by keywords' : `by keywords ${keyword_rank}`,
    ...(explain.similarity === null ? [] : [`similarity ${explain.similarity.toFixed(3)}`]),
    ...(terms.length === 0 ? [] : [`terms: ${terms.join(', ')}`]),
  ];
  return indented(oneLine(ranks.join('; '))).map((line) => INDENT + line);
}

/** The rank, the title and the id. In a terminal that is too narrow for one line, the id has a line of its own. */
function headLines({ title, chunk_id }: Hit, rank: number): string[] {
  const number = `${String(rank).padStart(2)}  `;
  const shown = oneLine(title);
  const id = `passage ${chunk_id}`;
  const width = outputWidth();
  if (width === null || columns(`${number}${shown}  ${id}`) <= width)
    return [`${number}${bold(shown)}  ${dim(id)}`];
  const [first = '', ...more] = indented(shown);
  return [number + bold(first), ...more.map((line) => INDENT + bold(line)), INDENT + dim(id)];
}

function hitLines(hit: Hit, rank: number, nameLayer: NameLayer): string[] {
  return [
    ...headLines(hit, rank),
    ...originLines(hit, nameLayer),
    ...explanationLines(hit),
    ...textLines(hit.text),
    '',
  ];
}

function explanationTable({ explain }: SearchResponse): string[] {
  if (explain === undefined) return [];
  const terms = table(
    [
      { title: 'Term', value: ({ term }) => term, canShrink: true },
      { title: 'Passages', value: ({ documents, scaled }) => `${scaled ? 'about ' : ''}${documents}` },
      { title: 'Weight', value: ({ weight }) => weight.toFixed(2) },
    ],
    explain.terms.slice(0, MAX_TERMS),
  );
  const { candidates } = explain.otherLayers;
  const others =
    candidates === 0 ? [] : [`${counted(candidates, 'more passage')} in layers that were not searched.`];
  return [...terms, '', ...others];
}

/** How the hits were found. */
function foundBy({ embedding, degraded }: SearchResponse): string {
  if (degraded) return 'by keywords only, because the service could not make the vector of the query';
  return embedding.mode === 'keyword' ? 'by keywords' : `by meaning and keywords (${embedding.model})`;
}

/** Why there are no hits, and what to try: each on lines of its own. */
function nothingLines({ nothing }: SearchResponse): string[] {
  if (nothing === undefined) return [];
  const { unknownWords, waiting, nearest } = nothing;
  const words = unknownWords.slice(0, MAX_TERMS);
  const more = unknownWords.length - words.length;
  const names = waiting.map(({ title, path, state }) => `${path ?? title} (${state})`);
  const lines = [
    ...(unknownWords.length === 0
      ? []
      : [`No passage has: ${words.join(', ')}${more > 0 ? ` and ${counted(more, 'more word')}` : ''}.`]),
    ...(names.length === 0 ? [] : [`Not found by searches yet: ${names.join(', ')}.`]),
    ...(nearest === null ? [] : [`Nearest title: ${nearest.title} (source ${nearest.sourceId}).`]),
  ];
  const width = outputWidth();
  return lines.flatMap((line) => (width === null ? [oneLine(line)] : wrap(oneLine(line), width, Infinity)));
}

/** The answer of a search, for a person. */
export function searchReport(answer: SearchResponse, nameLayer: NameLayer): string[] {
  const { hits } = answer;
  return [
    ...hits.flatMap((hit, index) => hitLines(hit, index + 1, nameLayer)),
    ...explanationTable(answer),
    `${hits.length === 0 ? 'No hits' : counted(hits.length, 'hit')}, ${foundBy(answer)}.`,
    ...nothingLines(answer),
  ];
}
