import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database } from '../../../db/driver/database.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../../../db/driver/postgres-pool.ts';
import { halfvecBinary } from '../../../db/driver/wire-format.ts';
import { lockGraphs } from '../../../db/queries/embeddings.ts';
import { createLogger } from '../../../shared/logger.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { changeGraphs, graphSizesFor } from '../../../worker/jobs/embeddings.ts';
import { doJob } from '../../support/do-job.ts';
import {
  createTestCompany,
  databaseUrl,
  openTestDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../../support/needs/database.ts';
import { createPreparedDatabase } from '../../support/needs/own-database.ts';
import { addClient, addTeam, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';
import { searchIn } from './search-in.ts';

/** Sizes that a test can store. Up to 1,000 vectors are compared in full, with or without a graph. */
const SIZES = { build: 1500, keep: 1400 };
const [TEAM_LAYER, FIRST_CLIENT, SECOND_CLIENT] = [1100, 450, 50];
const NEAREST = 10;

interface Server {
  database: Database;
  /** The connection that builds graphs. */
  readonly connect: () => Database;
}

/** The job goes over all Teams, and graphs are changes of the tables, so these tests have a database of their own. */
async function openServer(): Promise<Server> {
  const own = await createPreparedDatabase(databaseUrl ?? '');
  const logger = createLogger('fatal', 'test');
  const database = openPostgres(own.url, logger);
  const connections: Database[] = [];
  after(async () => {
    for (const connection of connections) await connection.close();
    await database.close();
    await own.drop();
  });
  return {
    database,
    connect: () => {
      const connection = openPostgres(own.url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
      connections.push(connection);
      return connection;
    },
  };
}

test('the job graphs.build builds nothing on the embedded database', {
  skip: databaseUrl !== undefined && 'not the embedded database',
}, async () => {
  const embedded = await openTestDatabase();
  assert.deepEqual(await doJob(embedded, 'graphs.build', {}), ['graphs.build']);
  const built = await embedded.query(`select from pg_class where relname ~ '^chunk_embedding_c128_'`);
  assert.equal(built.length, 0);
});

const server = databaseUrl === undefined ? null : await openServer();

describe('the graph of a large Team', { skip: server === null && 'the embedded database has none' }, () => {
  if (server === null) return;
  const { database, connect } = server;
  let team: TestCompany;
  let small: TestCompany;
  let clients: [string, string];
  let scope: TeamScope;
  /** Of the sources: the Team layer's of two kinds, and each client's. */
  let sources: string[];
  const stored = openStandInVectors(21);
  const asked = openStandInVectors(22);

  const build = async (sizes = SIZES, connection = connect(), stopping = new AbortController().signal) => {
    const logger = createLogger('silent', 'test');
    const [process] = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    await changeGraphs({ database, connection, logger, stopping }, sizes);
    await connection.close();
    // The lock ends with the connection, as at the end of the job: on the server, soon after the client has closed it.
    while ((await database.query('select from pg_stat_activity where pid = $1', [process?.pid])).length > 0);
  };
  const graphs = async (): Promise<{ name: string; valid: boolean }[]> =>
    database.query(
      `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
        where indrelid = 'memory.chunk_embedding'::regclass and indexrelid::regclass::text ~ 'chunk_embedding_c128_'`,
    );
  const search = async (within: TeamScope, embedding = asked.vector(), topK = NEAREST) => {
    const { hits, trace } = await searchIn(database, within, '?!', { embedding, topK });
    return { ids: hits.map((hit) => hit.chunk_id), trace, path: trace.semantic?.path };
  };
  /** The nearest by comparing all in full. */
  const nearest = async (embedding: Float32Array): Promise<string[]> => {
    const rows = await database.query<{ id: string }>(
      `select c.id from memory.chunk_embedding e join memory.chunk c on c.team_id = e.team_id and c.id = e.chunk_id
         join memory.source s on s.team_id = c.team_id and s.id = c.source_id
        where e.team_id = $1 and s.state = 'active' and s.expires_at is null
        order by e.embedding <#> $2::halfvec, c.id limit ${NEAREST}`,
      [team.teamId, halfvecBinary(embedding)],
    );
    return rows.map(({ id }) => id);
  };
  const recall = (found: readonly string[], exact: readonly string[]) =>
    exact.filter((id) => found.includes(id)).length / exact.length;

  before(async () => {
    team = await createTestCompany(database);
    small = await addTeam(database, team);
    clients = [await addClient(database, team), await addClient(database, team)];
    scope = ownerScope(team, clients);
    let texts = 0;
    const add = (to: TeamScope, layer: string | null, size: number) => {
      const chunks = Array.from({ length: size }, () => ({
        text: `text ${(texts += 1)}`,
        embedding: stored.vector(),
      }));
      return storeSource(database, to, { layer, chunks });
    };
    sources = [
      await add(scope, null, TEAM_LAYER / 2),
      await add(scope, null, TEAM_LAYER / 2),
      await add(scope, clients[0], FIRST_CLIENT),
      await add(scope, clients[1], SECOND_CLIENT),
    ];
    await add(ownerScope(small), null, 20);
    await database.query('analyze memory.chunk, memory.chunk_embedding, memory.source');
    await build();
  });

  test('is built for each Team that is large, and for no other', async () => {
    const [graph, ...others] = await graphs();
    assert.deepEqual(others, []);
    assert.equal(graph?.valid, true);
    assert.match(graph.name, new RegExp(team.teamId.replaceAll('-', '')));
    await build();
    assert.deepEqual(await graphs(), [graph], 'a second run has nothing to do');
  });

  test('finds what comparing all vectors finds, for the whole Team', async () => {
    let found = 0;
    for (let n = 0; n < 15; n += 1) {
      const embedding = asked.vector();
      const { ids, path } = await search(scope, embedding);
      assert.equal(path, 'graph');
      found += recall(ids, await nearest(embedding));
    }
    assert.ok(found / 15 >= 0.99, `recall ${found / 15}`);
  });

  test('is not used for a part of the Team', async () => {
    const embedding = asked.vector();
    for (const [name, part, rows] of [
      ['the Team layer', narrowScope(scope, { include: ['team'] }), TEAM_LAYER],
      ['a client', narrowScope(scope, { include: ['client'], clientId: clients[0] }), FIRST_CLIENT],
      [
        'the Team layer and a client',
        narrowScope(scope, { clientId: clients[0] }),
        TEAM_LAYER + FIRST_CLIENT,
      ],
      [
        'a caller that cannot read the second client',
        ownerScope(team, [clients[0]]),
        TEAM_LAYER + FIRST_CLIENT,
      ],
    ] as const) {
      const { path, trace } = await search(part, embedding);
      assert.equal(path, rows > 1000 ? 'quantised' : 'exact', name);
      assert.equal(trace.semantic?.candidates, rows, name);
    }
  });

  test('is left for a comparison of all vectors if too few of the nearest are visible', async () => {
    const loading = sources.slice(0, 3);
    const load = (state: string) =>
      database.query('update memory.source set state = $2 where id = any ($1::uuid[])', [loading, state]);
    const embedding = asked.vector();
    await load('loading');
    try {
      const { ids, path } = await search(scope, embedding, 50);
      assert.equal(path, 'quantised');
      assert.equal(ids.length, SECOND_CLIENT);
      assert.deepEqual(ids.slice(0, NEAREST), await nearest(embedding));
    } finally {
      await load('active');
    }
    assert.equal((await search(scope, embedding)).path, 'graph');
  });

  test('skips chunks of a source that is loading or due', async () => {
    const change = (to: string) =>
      database.query(`update memory.source set ${to} where id = $1`, [sources[0]]);
    for (const hiding of [`state = 'loading'`, 'expires_at = now()']) {
      await change(hiding);
      try {
        const embedding = asked.vector();
        const { ids, path } = await search(scope, embedding);
        assert.equal(path, 'graph');
        const exact = await nearest(embedding);
        assert.ok(recall(ids, exact) >= 0.9, `recall ${recall(ids, exact)}`);
        const hidden = await database.query(
          'select from memory.chunk where source_id = $1 and id = any ($2::uuid[])',
          [sources[0], ids],
        );
        assert.equal(hidden.length, 0, hiding);
      } finally {
        await change(`state = 'active', expires_at = null`);
      }
    }
  });

  test('is built without time-outs, whatever the role has', async () => {
    const connection = connect();
    await connection.query(
      `select set_config('statement_timeout', '5s', false), set_config('lock_timeout', '5s', false)`,
    );
    assert.notEqual(await lockGraphs(connection), null);
    const [limits] = await connection.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
    );
    assert.deepEqual(limits, { statement: '0', lock: '0' });
    await connection.close();
  });

  test('is built by one worker at a time', async () => {
    const connection = connect();
    await connection.query('select pg_advisory_lock($1)', [0x67_72_61_70_68]);
    const before = await graphs();
    await build({ build: 1_000_000, keep: 1_000_000 });
    assert.deepEqual(await graphs(), before, 'the other one would have dropped it');
    await connection.close();
  });

  test('is not used while it is built; a build that was interrupted is dropped and started again', async () => {
    await build({ build: 1_000_000, keep: 1_000_000 });
    assert.deepEqual(await graphs(), [], 'dropped: the Team is no longer large');
    const stop = new AbortController();
    // A build waits for transactions that write to the table.
    const writer = connect();
    const { promise: written, resolve: write } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const writing = writer.transaction(async (tx) => {
      await tx.query('lock table memory.chunk_embedding in row exclusive mode');
      lock();
      await written;
    });
    await locked;
    const building = assert.rejects(build(SIZES, connect(), stop.signal), { code: '57014' });
    while ((await graphs()).length === 0) await new Promise((resolve) => void setTimeout(resolve, 10));
    assert.equal((await search(scope)).path, 'quantised');
    stop.abort();
    await building;
    write();
    await writing;
    assert.deepEqual(
      (await graphs()).map(({ valid }) => valid),
      [false],
    );
    assert.equal((await search(scope)).path, 'quantised');
    await build();
    assert.deepEqual(
      (await graphs()).map(({ valid }) => valid),
      [true],
    );
    assert.equal((await search(scope)).path, 'graph');
  });

  test('is kept until the Team is clearly smaller', async () => {
    const [graph] = await graphs();
    await build({ build: 1_000_000, keep: 1500 });
    assert.deepEqual(await graphs(), [graph]);
  });

  test('is dropped when another model is adopted, and built for its vectors', async () => {
    const adopt = (model: string) =>
      database.query('update memory.deployment set embedding_model = $1', [model]);
    const [graph] = await graphs();
    await adopt("another/model's");
    await build();
    const [other, ...more] = await graphs();
    assert.deepEqual(more, []);
    assert.notEqual(other?.name, graph?.name);
    const [{ condition } = { condition: '' }] = await database.query<{ condition: string }>(
      'select pg_get_indexdef($1::regclass) as condition',
      [other?.name],
    );
    assert.match(condition, /another\/model''s/);
    await adopt(TEST_MODEL_NAME);
    await build();
    assert.deepEqual(await graphs(), [graph]);
  });

  test('is dropped with a pgvector that can corrupt it, and searches compare all vectors', async () => {
    const embedding = asked.vector();
    assert.equal((await graphs()).length, 1);
    await build(graphSizesFor('0.8.3'));
    assert.deepEqual(await graphs(), []);
    const { ids, path } = await search(scope, embedding);
    assert.equal(path, 'quantised');
    assert.deepEqual(ids, await nearest(embedding));
    await build();
    assert.equal((await graphs()).length, 1);
  });

  test('is dropped when the Team is deleted', async () => {
    await database.query('update identity.team set deleted_at = now() where id = $1', [team.teamId]);
    await build();
    assert.deepEqual(await graphs(), []);
  });
});
