import { createHash, randomBytes } from 'node:crypto';
import { base64Of } from '../../test/support/base64-vector.ts';
import { Writer } from '../../test/support/generated-text.ts';

/** The bytes of a large request. Each call changes some of them, so that the service never knows the content. */
export type Body = () => Buffer;

const MIB = 1024 * 1024;
export const MODEL = 'Xenova/bge-m3';
export const DIM = 1024;
const CLAIM = { embeddingModel: MODEL, embeddingDim: DIM };
/** A text of this length in a template is replaced by a new one for each request. */
const MARK = '@'.repeat(32);

const writer = new Writer(11);

const mark = () => randomBytes(MARK.length / 2).toString('hex');

/** A body that is written once and marked again in place, because writing 32 MiB takes longer than sending them. */
function marked(template: object): Body {
  const bytes = Buffer.from(JSON.stringify(template));
  const at = bytes.indexOf(MARK);
  return () => {
    bytes.write(mark(), at);
    return bytes;
  };
}

function vectors(count: number, encode: (vector: Float32Array) => unknown): unknown[] {
  return Array.from({ length: count }, () => encode(writer.unitVector()));
}

/** Chunks with vectors until the body has about so many bytes. */
function chunksBody(externalId: string, bytes: number, encode: (vector: Float32Array) => unknown): Body {
  const first = { text: `${MARK} ${writer.paragraph()}`, embedding: encode(writer.unitVector()) };
  const count = Math.floor(bytes / JSON.stringify(first).length);
  const rest = vectors(count - 1, encode).map((embedding) => ({ text: writer.paragraph(), embedding }));
  return marked({ title: externalId, externalId, ...CLAIM, chunks: [first, ...rest] });
}

/** A body of an ingest of text. A text with the same external id replaces the one before. */
export function textBody(externalId: string, bytes: number): Body {
  return marked({ title: externalId, externalId, text: `${MARK}\n\n${writer.document(bytes)}` });
}

/**
 * A body with a file that no reader understands: receiving and storing it costs as much as any file, and the worker has
 * little to do.
 */
function importBody(bytes: number): Body {
  const content = randomBytes(bytes - (bytes % 3)).toString('base64');
  return marked({ items: [{ filename: `large-${bytes}.pdf`, contentBase64: MARK + content }] });
}

/** A small file that the worker reads. */
export const smallImport: Body = marked({
  items: [{ filename: 'note.md', text: `# Note ${MARK}\n\n${writer.document(20_000)}` }],
});

/** A push of files, with the hash of each, and the paths to pull and delete them by. */
export function pushOf(paths: readonly string[], bytes: number): { body: Buffer; paths: readonly string[] } {
  const files = paths.map((path) => {
    const content = randomBytes(bytes);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { path, baseVersion: 0, sha256, contentBase64: content.toString('base64') };
  });
  return { body: Buffer.from(JSON.stringify({ files })), paths };
}

/** Bodies of 8 to 31 MiB, and one of each kind that is smaller. */
export function largeBodies() {
  return {
    numbers: chunksBody('passages with numbers', 31 * MIB, (vector) => [...vector]),
    base64: chunksBody('passages with base64', 8 * MIB, base64Of),
    some: chunksBody('250 passages', 1.5 * MIB, base64Of),
    text: textBody('a large text', 8 * MIB),
    shortText: textBody('a text', 1.5 * MIB),
    largeImport: importBody(22 * MIB),
    smallerImport: importBody(6 * MIB),
  };
}

/** Bodies of searches: by vectors in both encodings, and by words. */
export function searchBodies(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const query = writer.words(0, 5).join(' ');
    const vector = writer.unitVector();
    const meaning = { ...CLAIM, queryEmbedding: index % 2 === 0 ? base64Of(vector) : [...vector] };
    const search = { query, scope: {}, topK: index % 5 === 0 ? 50 : 8 };
    return Buffer.from(
      JSON.stringify(index % 8 === 7 ? { ...search, embeddingMode: 'keyword' } : { ...search, ...meaning }),
    );
  });
}
