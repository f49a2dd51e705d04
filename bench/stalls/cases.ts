import { createHash } from 'node:crypto';
import { DEFAULT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { base64Of } from '../../test/support/base64-vector.ts';
import { DIM, MODEL } from '../memory/bodies.ts';
import { TEXTS } from './texts.ts';

/** A body of the worst kind in one field, in a size. */
export interface Case {
  name: string;
  path: string;
  /** The largest body that the route takes. */
  limit: number;
  body: (bytes: number) => Buffer;
}

const MIB = 1024 * 1024;
const INGEST = { path: '/v1/memory/ingest', limit: 32 * MIB };
const IMPORTS = { path: '/v1/memory/imports', limit: 32 * MIB };
const PUSH = { path: '/v1/workspace/push', limit: 32 * MIB };
const COMPLETE = { path: '/v1/memory/consolidation/complete', limit: 8 * MIB };
const EMBEDDINGS = { path: '/v1/memory/embeddings/complete', limit: 8 * MIB };
const DECISIONS = { path: '/v1/memory/memories', limit: 8 * MIB };
const CAPTURES = { path: '/v1/memory/captures', limit: DEFAULT_BODY_LIMIT };
const MCP = { path: '/v1/mcp', limit: DEFAULT_BODY_LIMIT };

const CLAIM = { embeddingModel: MODEL, embeddingDim: DIM };
const ID = '0192f0c8-7e2e-7000-8000-000000000000';
/** Room for the rest of a body beside its large field. */
const REST = 2048;

/** A case by its route, its name and how its body is made. */
const oneCase = (
  route: { path: string; limit: number },
  name: string,
  body: (bytes: number) => Buffer,
): Case => ({ ...route, name, body });

let made = 0;
/** A name that no body before had. */
const name = () => `case ${process.pid} ${(made += 1)}`;

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Parts between a beginning and an end, as many as fit, at most `most`. */
function filled(
  begin: string,
  part: string,
  end: string,
  bytes: number,
  most = Number.POSITIVE_INFINITY,
): Buffer {
  const room = bytes - Buffer.byteLength(begin) - Buffer.byteLength(end);
  const count = Math.min(most, Math.floor(room / Buffer.byteLength(part)));
  const parts = part.repeat(count);
  return Buffer.from(begin + parts.slice(0, parts.endsWith(',') ? -1 : undefined) + end);
}

/** A body that is padded with white space. */
const padded = (body: Buffer, bytes: number) =>
  Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length), ' ')]);

/** Texts of one kind in one field. */
function inText(
  route: { path: string; limit: number },
  field: string,
  body: (text: (bytes: number) => string, bytes: number) => unknown,
): Case[] {
  return TEXTS.map(({ kind, make }) => ({
    ...route,
    name: `${field}: ${kind}`,
    body: (bytes) => json(body(make, bytes - REST)),
  }));
}

/** Equal shares of a text in so many fields, each at most `longest` bytes. */
const shares = (make: (bytes: number) => string, bytes: number, count: number, longest: number) =>
  Array.from({ length: count }, () => make(Math.min(longest, Math.floor(bytes / count) - 100)));

function numbers(digits: number): number[] {
  return Array.from({ length: DIM }, (_, index) => Number((0.1 + index / 7919).toFixed(digits)));
}

/** Chunks with vectors until the body is full, at most 2,000. */
function vectorsBody(embedding: string, bytes: number): Buffer {
  const begin = JSON.stringify({ title: name(), ...CLAIM }).slice(0, -1);
  return filled(`${begin},"chunks":[`, `{"text":"x","embedding":${embedding}},`, ']}', bytes, 2000);
}

function pushBody(bytes: number, sha256?: string): unknown {
  const most = 10 * MIB;
  const count = Math.ceil(bytes / most);
  const content = Buffer.alloc(Math.min(most, Math.floor((bytes * 3) / 4 / count)), 'content');
  const hash = sha256 ?? createHash('sha256').update(content).digest('hex');
  const contentBase64 = content.toString('base64');
  const files = Array.from({ length: Math.floor(bytes / contentBase64.length) || 1 }, (_, index) => ({
    path: `team/${name()}/${index}.bin`,
    baseVersion: 0,
    contentBase64,
    sha256: hash,
  }));
  return { files };
}

const METADATA = '{"title":"x","text":"x","metadata":{"a":[';
/** Different keys, and objects with a different key each. */
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `"${(from * count + n).toString(36)}":1`).join(',');
const objects = (count: number, from: number) =>
  keys(count, from).replaceAll(',', '},{').replace(/.*/, '{$&}');

const shapes: Case[] = [
  ['many arrays', '[],', 9_900],
  ['many numbers', '1,', 2_190_000],
  ['numbers of 25 digits', '0.1234567890123456789012345,', 2_190_000],
].map(([kind, part, most]) =>
  oneCase(INGEST, `metadata: ${kind}`, (bytes) =>
    padded(filled(METADATA, String(part), ']}}', bytes, Number(most)), bytes),
  ),
);

const mcpCall = (tool: string, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: tool, arguments: args },
});

const imported = (item: object) => ({ items: [{ filename: `${name()}.md`, ...item }] });
const item = (fields: object) => ({ captureIds: [ID], action: 'publish', title: name(), ...fields });

/** The cases, in the order of the report. */
export const CASES: readonly Case[] = [
  ...inText(INGEST, 'text', (make, bytes) => ({ title: name(), text: make(bytes) })),
  ...inText(INGEST, 'chunks', (make, bytes) => ({
    title: name(),
    chunks: shares(make, bytes, 2000, 7900).map((text) => ({ text })),
  })),
  ...inText(INGEST, 'metadata', (make, bytes) => ({ title: 'x', text: 'x', metadata: { a: make(bytes) } })),
  ...shapes,
  oneCase(INGEST, 'metadata: many members', (bytes) =>
    padded(Buffer.from(`${METADATA}{${keys(9_900)}}]}}`), bytes),
  ),
  oneCase(INGEST, 'unknown fields', (bytes) =>
    padded(Buffer.from(`{"title":"x","text":"x",${keys(9_900)}}`), bytes),
  ),
  oneCase(INGEST, 'vectors: numbers of 18 digits', (bytes) =>
    vectorsBody(JSON.stringify(numbers(18)), bytes),
  ),
  oneCase(INGEST, 'vectors: base64', (bytes) => vectorsBody(JSON.stringify(base64Of(numbers(6))), bytes)),
  oneCase(INGEST, 'text, then a wrong scope', (bytes) =>
    filled('{"title":"x","text":"', 'ab cd ef ', '","scope":1}', bytes),
  ),
  oneCase(INGEST, 'text, then a NUL', (bytes) => filled('{"title":"x","text":"', '字', '\\u0000"}', bytes)),
  oneCase(INGEST, 'text, then no JSON', (bytes) => filled('{"title":"x","text":"', 'ab cd ef ', '"', bytes)),
  ...inText(IMPORTS, 'text', (make, bytes) => imported({ text: make(bytes) })),
  oneCase(IMPORTS, 'contentBase64', (bytes) =>
    json(imported({ mediaType: 'application/pdf', contentBase64: 'QUJD'.repeat((bytes - REST) / 4) })),
  ),
  oneCase(IMPORTS, 'contentBase64: invalid at its end', (bytes) =>
    json(imported({ mediaType: 'application/pdf', contentBase64: `${'QUJD'.repeat((bytes - REST) / 4)}!` })),
  ),
  oneCase(PUSH, 'contentBase64', (bytes) => json(pushBody(bytes - REST))),
  oneCase(PUSH, 'contentBase64: wrong hash', (bytes) => json(pushBody(bytes - REST, '0'.repeat(64)))),
  ...inText(COMPLETE, 'content', (make, bytes) => ({
    batchId: ID,
    items: shares(make, bytes, 40, 60_000).map((content) => item({ content })),
  })),
  ...[
    ['many objects', (index: number) => `{"a":[${objects(780, index)}]}`],
    ['many arrays and members', (index: number) => `{"a":[${'[],'.repeat(780)}[]],${keys(1400, index)}}`],
    ['many numbers', () => `{"a":[${'1,'.repeat(8000)}1]}`],
  ].map(
    ([kind = '', metadata]): Case => ({
      ...COMPLETE,
      name: `metadata: ${String(kind)}`,
      body: (bytes) => {
        const items = Array.from({ length: 40 }, (_, index) => {
          const fields = JSON.stringify(item({ content: 'x' })).slice(0, -1);
          return `${fields},"metadata":${(metadata as (index: number) => string)(index)}}`;
        });
        return padded(Buffer.from(`{"batchId":"${ID}","items":[${items.join(',')}]}`), bytes);
      },
    }),
  ),
  ...[
    ['embeddings: numbers', JSON.stringify(numbers(18))],
    ['embeddings: base64', JSON.stringify(base64Of(numbers(6)))],
  ].map(
    ([kind = '', embedding = '']): Case => ({
      ...EMBEDDINGS,
      name: kind,
      body: (bytes) =>
        filled(
          `{"batchId":"${ID}","embeddingModel":"${MODEL}","embeddingDim":${DIM},"embeddings":[`,
          `{"chunkId":"${ID}","embedding":${embedding}},`,
          ']}',
          bytes,
          256,
        ),
    }),
  ),
  ...inText(DECISIONS, 'content', (make, bytes) => ({
    decisions: shares(make, bytes, 100, 60_000).map((content) => ({
      action: 'update',
      memoryId: ID,
      content,
    })),
  })),
  ...inText(CAPTURES, 'summary', (make, bytes) => ({
    sessionId: name(),
    sequence: 0,
    summary: make(Math.min(bytes, 60_000)),
  })),
  ...inText(MCP, 'remember: content', (make, bytes) =>
    mcpCall('remember', { title: name(), content: make(Math.min(bytes, 60_000)) }),
  ),
  ...inText(MCP, 'stage_session: summary', (make, bytes) =>
    mcpCall('stage_session', { sessionId: name(), sequence: 0, summary: make(Math.min(bytes, 60_000)) }),
  ),
  ...inText(MCP, 'search: query', (make, bytes) => mcpCall('search', { query: make(bytes) })),
  oneCase(MCP, 'many messages', (bytes) =>
    filled('[', '{"jsonrpc":"2.0","id":1,"method":"ping"},', ']', bytes, 3000),
  ),
  oneCase(MCP, 'params of many arrays', (bytes) =>
    filled('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[', '[],', ']}}', bytes, 9_900),
  ),
];
