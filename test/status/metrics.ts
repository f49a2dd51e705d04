import assert from 'node:assert/strict';
import type { Replica } from '../../db/driver/database.ts';
import { UNREAD_REASONS } from '../../db/driver/faults.ts';
import type { TestApp } from '../support/app.ts';

/** A line of Prometheus's text format: a value and what it is of. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^(?<name>[a-z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/i;
const LABEL = /([a-z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gi;
const VALUES: Readonly<Record<string, number>> = { '+Inf': Infinity, '-Inf': -Infinity, Nan: Number.NaN };

/** Asks for the metrics with a token. */
export function scrape({ app }: Pick<TestApp, 'app'>, token: string) {
  return app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
}

/** Reads the text format. Every line must be one of it, and every value of a metric that was named before. */
export function readSamples(text: string): Sample[] {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (name !== '') {
      assert.ok(!types.has(name), `${name} comes twice`);
      types.set(name, type);
    }
    if (line.startsWith('#')) continue;
    const groups = LINE.exec(line)?.groups;
    assert.ok(groups?.['name'] !== undefined, line);
    const family = types.has(groups['name'])
      ? groups['name']
      : groups['name'].replace(/_(bucket|sum|count)$/, '');
    assert.ok(types.has(family), line);
    const labels = Object.fromEntries(
      [...(groups['labels'] ?? '').matchAll(LABEL)].map(([, label = '', value = '']) => [label, value]),
    );
    const value = VALUES[groups['value'] ?? ''] ?? Number(groups['value']);
    samples.push({ name: groups['name'], labels, value });
  }
  return samples;
}

/** The samples of these metrics as a service tells them now. */
export async function samplesOf(
  service: Pick<TestApp, 'app'>,
  token: string,
  ...names: string[]
): Promise<Sample[]> {
  const answer = await scrape(service, token);
  assert.equal(answer.statusCode, 200, answer.body);
  return readSamples(answer.body).filter(({ name }) => names.includes(name));
}

/** A replica that has answered nothing yet, for its metrics. */
export function fakeReplica(changed: Partial<Replica> = {}): Replica {
  return {
    read: async () => ({ unread: 'not_compared' }),
    noteChange: async () => undefined,
    isUsable: () => true,
    counts: {
      replica: 0,
      primary: Object.fromEntries(
        UNREAD_REASONS.map((reason) => [reason, 0]),
      ) as Replica['counts']['primary'],
    },
    connections: () => null,
    close: async () => undefined,
    ...changed,
  };
}
