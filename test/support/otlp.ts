import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector receives it, with the fields that tests compare. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  name: string;
  /** In milliseconds since 1970. */
  start: number;
  end: number;
  attributes: Record<string, string | number | boolean>;
  /** The trace ids of its links. */
  links: string[];
}

/** The fields of a protobuf message, by number. Bytes of nested messages are not read further. */
function fieldsOf(bytes: Buffer): Map<number, (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at]!;
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const value =
      wire === 0 ? varint() : wire === 1 ? take(8) : wire === 2 ? take(Number(varint())) : take(4);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

type Fields = ReturnType<typeof fieldsOf>;
const messages = (fields: Fields, number: number) =>
  (fields.get(number) ?? []).map((bytes) => fieldsOf(bytes as Buffer));
const textOf = (fields: Fields, number: number, encoding: BufferEncoding = 'utf8') =>
  ((fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer).toString(encoding);
const msOf = (fields: Fields, number: number) =>
  Number((fields.get(number)![0] as Buffer).readBigUInt64LE()) / 1e6;

/** KeyValue: key 1, value 2. AnyValue: string 1, bool 2, int 3, double 4. */
function attributesOf(fields: Fields, number: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const [value] = messages(pair, 2) as [Fields];
      const [kind, raw] = [...value].map(([each, [first]]) => [each, first] as const)[0]!;
      if (kind === 1) return [textOf(pair, 1), (raw as Buffer).toString()];
      if (kind === 4) return [textOf(pair, 1), (raw as Buffer).readDoubleLE()];
      return [textOf(pair, 1), kind === 2 ? raw === 1n : Number(raw)];
    }),
  );
}

/** Reads an ExportTraceServiceRequest of opentelemetry-proto 1.x. */
function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const service = String(
      messages(resourceSpans, 1).map((resource) => attributesOf(resource, 1)['service.name'])[0],
    );
    const spans = messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2));
    return spans.map((span) => ({
      service,
      traceId: textOf(span, 1, 'hex'),
      spanId: textOf(span, 2, 'hex'),
      parentId: textOf(span, 4, 'hex'),
      name: textOf(span, 5),
      start: msOf(span, 7),
      end: msOf(span, 8),
      attributes: attributesOf(span, 9),
      links: messages(span, 13).map((link) => textOf(link, 1, 'hex')),
    }));
  });
}

/** A collector that keeps what it receives, as bytes and as spans. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  readonly spans: ReceivedSpan[];
  readonly bodies: Buffer[];
  readonly requests: { path: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Starts a collector on this machine. */
export async function openCollector(): Promise<Collector> {
  const [spans, bodies, requests]: [ReceivedSpan[], Buffer[], Collector['requests']] = [[], [], []];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    bodies.push(body);
    spans.push(...spansOf(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
