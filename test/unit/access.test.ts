import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type ClientAccess,
  type CompanyRole,
  canAppointTeamOwners,
  canChangeTeamRole,
  canHaveCompanyGrants,
  canInvite,
  hasRight,
  type InviteTarget,
  managesCompany,
  ownsCompany,
  readableLayers,
  type Standing,
  TEAM_RIGHTS,
  type TeamAccess,
  type TeamRight,
  type TeamRole,
  teamAccess,
  writableLayers,
} from '../../shared/access.ts';
import { everyOne, readTable } from '../support/tables.ts';

const ROLES = ['owner', 'admin', 'member'];
const ROLES_OR_NONE = ['-', ...ROLES];
const COLUMNS = { Company: ROLES, Team: ROLES_OR_NONE, grant: ['-', 'read', 'full'] };

/** The rows of a table, where a cell can list several values of these columns, or all with `*`. */
const expanded = (table: string) =>
  readTable(table).flatMap((row) =>
    Object.entries(COLUMNS).reduce(
      (rows, [column, all]) => {
        const cell = row[column];
        const values = cell === '*' ? all : (cell?.split(' ') ?? []);
        return cell === undefined
          ? rows
          : rows.flatMap((each) => values.map((v) => ({ ...each, [column]: v })));
      },
      [row],
    ),
  );

// Written by hand and not computed, so that a mistake in the code is not repeated here. `-` means no role, no grant
// or no access.
const HELD = expanded(`
  Company | Team        | grant  | access | Team layer | client, no grant | client, read | client, write | invites member | admin | Team Owner | Company Admin
  owner   | *           | *      | full   | write      | write            | write        | write         | yes            | yes   | yes        | yes
  admin   | -           | -      | -      | -          | -                | -            | -             | no             | no    | yes        | no
  admin   | -           | read   | read   | read       | read             | read         | read          | no             | no    | yes        | no
  admin   | *           | full   | full   | write      | write            | write        | write         | yes            | yes   | yes        | no
  admin   | member      | -      | member | write      | -                | read         | write         | no             | no    | yes        | no
  admin   | member      | read   | member | write      | read             | read         | write         | no             | no    | yes        | no
  admin   | admin owner | - read | full   | write      | write            | write        | write         | yes            | yes   | yes        | no
  member  | -           | *      | -      | -          | -                | -            | -             | no             | no    | no         | no
  member  | member      | *      | member | write      | -                | read         | write         | no             | no    | no         | no
  member  | admin owner | *      | full   | write      | write            | write        | write         | yes            | yes   | no         | no
`);

const COMPANY_ROLES = readTable(`
  Company | manages it | owns it | may hold Company grants
  owner   | yes        | yes     | no
  admin   | yes        | no      | yes
  member  | no         | no      | no
`);

// For callers with Full access. "-" in the name of a column is the end of the membership.
const MEMBERSHIPS = expanded(`
  Company      | Team           | appoints | member>member | member>admin | member>owner | member>- | admin>member | admin>admin | admin>owner | admin>- | owner>member | owner>admin | owner>owner | owner>-
  owner        | *              | yes      | yes           | yes          | yes          | yes      | yes          | yes         | yes         | yes     | yes          | yes         | yes         | yes
  admin member | - member admin | no       | yes           | yes          | no           | yes      | yes          | yes         | no          | yes     | no           | no          | no          | no
  admin member | owner          | yes      | yes           | yes          | yes          | yes      | yes          | yes         | yes         | yes     | yes          | yes         | yes         | yes
`);

const RIGHTS = readTable(`
  right          | full | member | read
  manageTeam     | yes  | no     | no
  readAudit      | yes  | no     | no
  decideMemories | yes  | no     | no
  actForOthers   | yes  | no     | no
  explainSearch  | yes  | no     | no
  readWorkload   | yes  | no     | no
`);

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no');
const orNull = <T extends string>(cell: string | undefined) => (cell === '-' ? null : (cell as T));

/** The roles and the grant in the first cells of a row. */
function standing(row: Record<string, string>): Standing {
  return {
    companyRole: row['Company'] as CompanyRole,
    role: orNull<TeamRole>(row['Team']),
    grant: orNull<'full' | 'read'>(row['grant'] ?? '-'),
  };
}

/** The access to a layer. A caller who can write it can read it. */
function openness(reads: boolean, writes: boolean): string {
  if (writes) return reads ? 'write' : 'write without read';
  return reads ? 'read' : '-';
}

function layersOf(held: Standing) {
  const { companyRole, role, grant } = held;
  const team = { id: 'Team layer', name: 'Team', state: 'active', role, grant } as const;
  const clients = ([null, 'read', 'write'] satisfies (ClientAccess | null)[]).map((held) => ({
    id: `client, ${held ?? 'no grant'}`,
    grant: held,
  }));
  const reads = readableLayers(companyRole, team, clients);
  const writes = writableLayers(companyRole, team, clients);
  const layers = [team, ...clients].map(({ id }) => [id, openness(reads.includes(id), writes.includes(id))]);
  return Object.fromEntries(layers) as Record<string, string>;
}

/** The invites of the columns of the table. */
const INVITES: Record<string, InviteTarget> = {
  'invites member': { teamId: 'team', role: 'member' },
  admin: { teamId: 'team', role: 'admin' },
  'Team Owner': { teamId: 'team', role: 'owner' },
  'Company Admin': { teamId: null, role: 'admin' },
};

function invitesOf(held: Standing) {
  return Object.fromEntries(
    Object.entries(INVITES).map(([name, invite]) => [name, yesOrNo(canInvite(held, invite))]),
  );
}

test('the tables contain every combination of roles and grants once', () => {
  assert.deepEqual(
    HELD.map((row) => [row['Company'], row['Team'], row['grant']].join()).sort(),
    everyOne(...Object.values(COLUMNS)),
  );
  assert.deepEqual(
    MEMBERSHIPS.map((row) => [row['Company'], row['Team']].join()).sort(),
    everyOne(ROLES, ROLES_OR_NONE),
  );
  assert.deepEqual(
    Object.keys(MEMBERSHIPS[0] ?? {})
      .slice(3)
      .map((change) => change.replace('>', ','))
      .sort(),
    everyOne(ROLES, ROLES_OR_NONE),
  );
});

describe('access in a Team', () => {
  for (const row of HELD) {
    const { Company, Team, grant, ...expected } = row;
    test(`Company ${Company}, Team ${Team} and Company grant ${grant} give the access ${expected['access']}`, () => {
      const held = standing(row);
      assert.deepEqual(
        { access: teamAccess(held.companyRole, held) ?? '-', ...layersOf(held), ...invitesOf(held) },
        expected,
      );
    });
  }
});

describe('the rights in a Team', () => {
  test('are all in the table, once, with what they allow', () => {
    assert.deepEqual(RIGHTS.map(({ right }) => right).sort(), Object.keys(TEAM_RIGHTS).sort());
    for (const { meaning } of Object.values(TEAM_RIGHTS)) assert.match(meaning, /^[A-Z].*\.$/);
  });

  for (const { right, ...expected } of RIGHTS) {
    test(`${right} is given by the access that the table names`, () => {
      for (const [access, given] of Object.entries(expected))
        assert.equal(yesOrNo(hasRight({ access: access as TeamAccess }, right as TeamRight)), given, access);
    });
  }
});

describe('rights of a Company role', () => {
  for (const { Company, ...expected } of COMPANY_ROLES) {
    test(`the Company role ${Company} gives the rights of the table`, () => {
      const companyRole = Company as CompanyRole;
      const rights = {
        'manages it': managesCompany({ companyRole }),
        'owns it': ownsCompany({ companyRole }),
        'may hold Company grants': canHaveCompanyGrants(companyRole),
      };
      for (const [right, has] of Object.entries(rights)) assert.equal(yesOrNo(has), expected[right], right);
    });
  }
});

describe('changes of a membership of a Team', () => {
  for (const row of MEMBERSHIPS) {
    const { Company, Team, appoints, ...expected } = row;
    test(`Company ${Company} and Team ${Team} ${appoints === 'yes' ? 'can' : 'cannot'} appoint Team Owners`, () => {
      const caller = standing(row);
      assert.equal(yesOrNo(canAppointTeamOwners(caller)), appoints);
      for (const [change, allowed] of Object.entries(expected)) {
        const [from, to] = change.split('>');
        const can = canChangeTeamRole(caller, from as TeamRole, orNull<TeamRole>(to));
        assert.equal(yesOrNo(can), allowed, change);
      }
    });
  }
});
