import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Import } from '../../../../shared/schemas/imports.ts';
import { useList, useRead } from '../../app/data.ts';
import { send } from '../../app/request.ts';
import { useSession, useTeam } from '../../app/session.tsx';
import { isActive } from './files.ts';
import { type Row, rowOfFile, rowOfImport } from './rows.ts';
import { isOver, senderOf } from './sender.ts';

/** While something moves, how often the state of the Team and its newest imports are read: together a request every 2 s. */
const EVERY_MS = 4200;

interface Filters {
  state: Import['state'] | undefined;
  clientId: string | undefined;
}

/** The imports of the Team and the files that are sent from this tab, in one list that follows what happens. */
export function useImports({ state, clientId }: Filters) {
  const team = useTeam().id;
  const sender = senderOf(useSession().user.id, team);
  const sending = useSyncExternalStore(sender.subscribe, sender.state);
  const { files, known, isBusy } = sending;
  const list = useList('listImports', { state, clientId });
  const status = useRead('getStatus', []).data;
  const active = (status?.imports.queued ?? 0) + (status?.imports.running ?? 0);
  const isMoving =
    isBusy || active > 0 || files.some((file) => file.state !== 'waiting' && !isOver(file, known));
  useRead('getStatus', [], { every: EVERY_MS, enabled: isMoving });
  // Where reading goes on, if the files of this tab have older imports than those that were read.
  const cursor = useRef<string>(undefined);
  useQuery({
    queryKey: [team, 'newImports'],
    enabled: isMoving,
    refetchInterval: EVERY_MS,
    async queryFn({ signal }) {
      const limit = files.length > 50 ? 200 : 50;
      const page = await send(team, 'listImports', [{ limit, cursor: cursor.current }], signal);
      sender.learn(page.items);
      const [last, now] = [page.items.at(-1), sender.state()];
      const isAwaited = now.files.some(({ importId }) => {
        const made = now.known.get(importId ?? '');
        return made !== undefined && last !== undefined && isActive(made) && isAfter(made, last);
      });
      cursor.current = isAwaited ? (page.nextCursor ?? undefined) : undefined;
      return null;
    },
  });
  const client = useQueryClient();
  useEffect(() => {
    if (!isMoving) return;
    // When all is over, the list is read once more.
    return () => void client.invalidateQueries({ queryKey: [team, 'listImports'] });
  }, [isMoving, team, client]);

  const own = new Set(files.map(({ importId }) => importId));
  const byId = new Map(list.items.map((item) => [item.id, item]));
  const oldest = list.query.hasNextPage ? (list.items.at(-1)?.createdAt ?? '') : '';
  for (const item of known.values()) {
    const listed = byId.get(item.id);
    const isNew = item.createdAt > oldest && (isMoving || own.has(item.id));
    if (listed === undefined ? isNew : item.updatedAt >= listed.updatedAt) byId.set(item.id, item);
  }
  const rows: Row[] = [
    ...files.filter(({ importId }) => importId === null).map((file) => rowOfFile(file, known)),
    ...[...byId.values()].sort((a, b) => (isAfter(a, b) ? 1 : -1)).map(rowOfImport),
  ];
  const items = rows.filter(
    (row) =>
      (state === undefined || row.state === state) && (clientId === undefined || row.clientId === clientId),
  );
  return { sender, sending, status, active, isMoving, list: { ...list, items } };
}

/** Whether an import comes after another in the list, which has the newest first. */
const isAfter = (a: Import, b: Import) =>
  a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
