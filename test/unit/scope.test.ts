import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Identity, TeamMembership } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Permission } from '../../shared/permissions.ts';
import {
  companyScope,
  narrowScope,
  otherLayers,
  permitsChangeOf,
  type RequestedScope,
  requireChangeOf,
  type TeamScope,
  teamScope,
  writeLayer,
} from '../../shared/scope.ts';
import { readTable } from '../support/tables.ts';

/** Clients that the member can write, can read and has no grant for; and an id that is not a client of the Team. */
const IDS = { W: newId(), R: newId(), N: newId(), elsewhere: newId() };

const TEAM = { id: newId(), state: 'active', role: null, grant: null } as TeamMembership;

const nameOf = (id: string) =>
  Object.entries({ T: TEAM.id, ...IDS }).find(([, known]) => known === id)?.[0] ?? id;

/** A caller with what a scope is made of. */
const identityOf = (companyRole: Identity['companyRole']) =>
  ({
    userId: newId(),
    companyId: newId(),
    companyRole,
    token: null,
    lastChange: null,
    clients: [
      { id: IDS.W, grant: 'write' },
      { id: IDS.R, grant: 'read' },
      { id: IDS.N, grant: null },
    ],
  }) as unknown as Identity;

function scopeOf(companyRole: Identity['companyRole'], held: Partial<TeamMembership>): TeamScope {
  const scope = teamScope(identityOf(companyRole), { ...TEAM, ...held });
  assert.ok(scope);
  return scope;
}

/** The callers of the tables below. */
const SCOPES: Record<string, TeamScope> = {
  member: scopeOf('member', { role: 'member' }),
  full: scopeOf('member', { role: 'admin' }),
  reader: scopeOf('admin', { grant: 'read' }),
};

/** Layers as the tables below write them: `T` for the Team layer, then the clients; `-` for no layers. */
const layers = (ids: TeamScope['reads']) => ids.map(nameOf).join(' ') || '-';

/** The requested scope of the cells of a row. */
function requested(client: string | undefined, include: string | undefined): RequestedScope {
  return {
    ...(client === '-' ? {} : { clientId: IDS[client as keyof typeof IDS] }),
    ...(include === '-' ? {} : { include: include?.split(' ') as ('team' | 'client')[] }),
  };
}

function outcomeOf<T>(ask: () => T): T | string {
  try {
    return ask();
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error.code;
  }
}

describe('the scope of a Team', () => {
  test('a caller has exactly the layers of its access', () => {
    for (const { caller = '', ...expected } of readTable(`
      caller | access | reads   | writes
      member | member | T W R   | T W
      full   | full   | T W R N | T W R N
      reader | read   | T W R N | -
    `)) {
      const { access, reads, writes } = SCOPES[caller]!;
      assert.deepEqual({ access, reads: layers(reads), writes: layers(writes) }, expected);
    }
  });

  test('a scope has the caller, the Company and the Team of the identity', () => {
    const identity = identityOf('owner');
    const { companyId, userId } = identity;
    const caller = { ...identity, lastChange: '0/1' };
    const { lastChange, ...scope } = teamScope(caller, TEAM)!;
    assert.deepEqual(
      [scope.companyId, scope.userId, scope.teamId, lastChange],
      [companyId, userId, TEAM.id, '0/1'],
    );
    assert.deepEqual(companyScope(caller), { companyId, userId, lastChange });
    assert.deepEqual(companyScope({ companyId, userId }), { companyId, userId, lastChange: null });
  });

  test('the scope is null if the caller cannot enter the Team', () => {
    assert.equal(teamScope(identityOf('member'), TEAM), null);
    assert.equal(teamScope(identityOf('admin'), TEAM), null);
    assert.equal(teamScope(identityOf('member'), { ...TEAM, grant: 'full' }), null);
  });

  test('a scope cannot be changed after it is made', () => {
    const scope = SCOPES['member'];
    assert.throws(() => Object.assign(scope ?? {}, { access: 'full' }), TypeError);
  });
});

describe('a scope that a request narrows', () => {
  for (const row of readTable(`
    caller | client    | include     | reads           | writes
    member | -         | -           | T               | T
    member | -         | team        | T               | T
    member | -         | client      | W R             | W
    member | -         | team client | T W R           | T W
    member | -         | client team | T W R           | T W
    member | W         | -           | T W             | T W
    member | W         | team        | T               | T
    member | W         | client      | W               | W
    member | W         | team client | T W             | T W
    member | R         | -           | T R             | T
    member | R         | client      | R               | -
    member | N         | -           | scope_forbidden | scope_forbidden
    member | N         | team        | scope_forbidden | scope_forbidden
    member | elsewhere | client      | scope_forbidden | scope_forbidden
    full   | -         | -           | T               | T
    full   | -         | client      | W R N           | W R N
    full   | -         | team client | T W R N         | T W R N
    full   | N         | -           | T N             | T N
    full   | N         | client      | N               | N
    full   | elsewhere | -           | scope_forbidden | scope_forbidden
    reader | -         | -           | T               | -
    reader | -         | client      | W R N           | -
    reader | N         | -           | T N             | -
    reader | N         | client      | N               | -
    reader | elsewhere | -           | scope_forbidden | scope_forbidden
  `)) {
    const { caller = '', client, include, ...expected } = row;
    test(`narrowing by caller ${caller} to client ${client} and include ${include} gives ${expected['reads']}`, () => {
      const narrowed = outcomeOf(() => narrowScope(SCOPES[caller]!, requested(client, include)));
      assert.deepEqual(
        typeof narrowed === 'string'
          ? { reads: narrowed, writes: narrowed }
          : { reads: layers(narrowed.reads), writes: layers(narrowed.writes) },
        expected,
      );
    });
  }

  test('a scope does not widen when it is narrowed again', () => {
    const once = narrowScope(SCOPES['full']!, { clientId: IDS.R, include: ['client'] });
    assert.equal(layers(narrowScope(once, { include: ['team', 'client'] }).reads), 'R');
    assert.equal(layers(narrowScope(once).reads), '-');
    const other = outcomeOf(() => narrowScope(once, { clientId: IDS.W }));
    assert.equal(other, 'scope_forbidden');
  });

  test('a narrowed scope keeps the Team, the caller and the access', () => {
    const member = SCOPES['member']!;
    const { reads, writes } = member;
    assert.deepEqual({ ...narrowScope(member, { clientId: IDS.W }), reads, writes }, { ...member });
  });
});

describe('the scope of the other layers', () => {
  const full = SCOPES['full']!;
  const others = (requested: RequestedScope) => {
    const scope = otherLayers(full, narrowScope(full, requested));
    assert.equal(scope === null ? '-' : layers(scope.writes), '-', 'they are only read');
    return scope === null ? null : layers(scope.reads);
  };

  test('has the layers that the scope can read and the narrowed one cannot', () => {
    const all = layers(full.reads).split(' ');
    const without = (...left: string[]) => all.filter((layer) => !left.includes(layer)).join(' ');
    assert.equal(others({}), without('T'));
    assert.equal(others({ clientId: IDS.R }), without('T', 'R'));
    assert.equal(others({ clientId: IDS.R, include: ['client'] }), without('R'));
    assert.equal(others({ include: ['client'] }), 'T');
  });

  test('is null if nothing was left out', () => {
    assert.equal(others({ include: ['team', 'client'] }), null);
  });
});

describe('the layer of a write', () => {
  for (const row of readTable(`
    caller | client    | layer
    member | -         | T
    member | W         | W
    member | R         | scope_forbidden
    member | N         | scope_forbidden
    member | elsewhere | scope_forbidden
    full   | -         | T
    full   | N         | N
    full   | elsewhere | scope_forbidden
    reader | -         | scope_forbidden
    reader | W         | scope_forbidden
    reader | N         | scope_forbidden
  `)) {
    const { caller = '', client, layer } = row;
    test(`a write by caller ${caller} to client ${client} gives ${layer}`, () => {
      const written = outcomeOf(() => writeLayer(SCOPES[caller]!, requested(client, '-')));
      assert.equal(written === null ? 'T' : nameOf(written), layer);
    });
  }

  test('a scope accepts the id of a client in upper and lower case', () => {
    const scope = SCOPES['member']!;
    const clientId = IDS.W.toUpperCase();
    assert.equal(writeLayer(scope, { clientId }), IDS.W);
    assert.equal(layers(narrowScope(scope, { clientId, include: ['client'] }).reads), 'W');
  });
});

describe('the permission to change the record of a person', () => {
  for (const row of readTable(`
    credential      | permissions                | own | of others
    session         | -                          | yes | yes
    agent token     | memory:write               | yes | no
    agent token     | memory:write memory:review | yes | yes
    agent token     | memory:curate audit:read   | yes | no
    job of a token  | -                          | yes | no
    job of a person | -                          | yes | yes
  `)) {
    const { credential = '', permissions: names } = row;
    test(`a ${credential} with the permissions ${names} permits it of others: ${row['of others']}`, () => {
      const isToken = credential.includes('token');
      const permissions = names === '-' ? null : (names?.split(' ') as Permission[]);
      const caller = { userId: IDS.W, tokenId: isToken ? newId() : null, tokenPermissions: permissions };
      const permits = (author: string) => (permitsChangeOf(caller, author) ? 'yes' : 'no');
      assert.deepEqual([permits(IDS.W), permits(IDS.N)], [row['own'], row['of others']]);
      const change = { author: IDS.N, verb: 'change a source', advice: 'store it elsewhere' };
      const refused = outcomeOf(() => requireChangeOf(caller, change));
      assert.equal(refused, row['of others'] === 'yes' ? undefined : 'forbidden');
    });
  }
});
