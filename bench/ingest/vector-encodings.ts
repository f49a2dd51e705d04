import { isUtf8 } from 'node:buffer';
import { INGEST_JSON_LIMITS, JsonShape } from '../../api/http/bodies/read-body.ts';
import { parseIngest } from '../../core/sources/ingest.ts';
import type { IngestRequest } from '../../shared/schemas/sources.ts';
import { base64Of } from '../../test/support/base64-vector.ts';
import { percentile, type Writer } from '../../test/support/generated-text.ts';

const VECTORS = 250;
const TURNS = 20;
const CLAIM = { embeddingModel: 'm', embeddingDim: 1024 };

/** What the service does with a body before it is written, except the check of its schema. */
async function parse(bytes: Buffer): Promise<void> {
  const shape = new JsonShape(INGEST_JSON_LIMITS);
  shape.add(bytes);
  if (shape.fault !== null || !isUtf8(bytes)) throw new Error('the body is not valid');
  await parseIngest(JSON.parse(bytes.toString('utf8')) as IngestRequest, CLAIM.embeddingModel);
}

/** Compares how long a body with vectors takes to parse if they are numbers and if they are base64. Returns lines. */
export async function compareVectorEncodings(writer: Writer): Promise<string[]> {
  const vectors = Array.from({ length: VECTORS }, () => writer.unitVector());
  const lines: string[] = [];
  for (const [name, encode] of [
    ['numbers', (vector: Float32Array) => [...vector]],
    ['base64', base64Of],
  ] as const) {
    const chunks = vectors.map((vector) => ({ text: 'x', embedding: encode(vector) }));
    const bytes = Buffer.from(JSON.stringify({ title: 'x', ...CLAIM, chunks }));
    const times: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const before = process.cpuUsage();
      await parse(bytes);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    const mebibytes = (bytes.length / 2 ** 20).toFixed(1);
    lines.push(
      `${VECTORS} vectors as ${name}: ${mebibytes} MiB, ${percentile(times, 0.5).toFixed(1)} ms of CPU to parse`,
    );
  }
  return lines;
}
