import {
  PERMISSIONS as MEANINGS,
  PERMISSION_NAMES,
  type Permission,
} from '../../../../shared/permissions.ts';
import type { Team } from '../../app/session.tsx';
import { count } from '../../ui/text.tsx';

export type { Permission };

/** What is of no use without more access in the Team than to read. */
const NEEDS_MEMBER: readonly Permission[] = ['memory:write', 'memory:curate', 'workspace:write'];
const NEEDS_FULL: readonly Permission[] = ['memory:review', 'audit:read'];

/** The permissions of agent tokens that are of use with this access in the Team. */
export const permissionsFor = (access: Team['access']) =>
  PERMISSION_NAMES.filter(
    (name) =>
      !(access === 'read' && NEEDS_MEMBER.includes(name)) &&
      (access === 'full' || !NEEDS_FULL.includes(name)),
  );

/** What a permission allows. */
export const meaningOf = (name: Permission) => MEANINGS[name].replaceAll('`', '');

/** What most tokens are for. */
export const PRESETS: readonly {
  value: string;
  name: string;
  about: string;
  permissions: readonly Permission[];
}[] = [
  {
    value: 'agent',
    name: 'Agent',
    about: 'Searches, and stores what it learns: for a coding agent.',
    permissions: ['memory:read', 'memory:write'],
  },
  {
    value: 'read',
    name: 'Read',
    about: 'Searches and reads, and changes nothing.',
    permissions: ['memory:read'],
  },
  {
    value: 'consolidate',
    name: 'Consolidate',
    about: 'Makes memories of captures: for a scheduled job.',
    permissions: ['memory:curate'],
  },
];

/** What permissions are called together: by their preset, or how many they are. */
export function presetOf(permissions: readonly Permission[]): string {
  const isSame = (preset: readonly Permission[]) =>
    preset.length === permissions.length && preset.every((name) => permissions.includes(name));
  return (
    PRESETS.find((preset) => isSame(preset.permissions))?.name ?? count(permissions.length, 'permission')
  );
}
